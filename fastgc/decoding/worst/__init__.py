"""The worst pattern with a given number of stragglers: by formula, by enumeration, or by search."""

from fastgc.decoding.worst.case import UpperBounds, Worst, is_exact, seconds, worst_case

__all__ = ["UpperBounds", "Worst", "is_exact", "seconds", "worst_case"]
