"""Rows, verdicts and rankings, and the file that keeps them."""
