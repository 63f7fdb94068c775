"""Counts as sentences have them."""

from __future__ import annotations


def spaced(count: int) -> str:
    """Return a whole number with its digits in groups of three.

    >>> spaced(3000000)
    '3 000 000'
    """
    return f"{count:,}".replace(",", " ")
