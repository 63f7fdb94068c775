"""Rows and verdicts, the file that holds them, and who keeps it."""
