"""Patterns and selections → descent."""
