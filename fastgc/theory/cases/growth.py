"""Cases of statements as n grows, and of printed numbers."""

from __future__ import annotations

from dataclasses import replace

from fastgc.theory.papers.claim import Case


def at_size(size: float, case: Case, rate: float | None = None) -> Case:
    """Return a case of a statement as n grows, where the growing number is ``size``.

    ``rate`` is the deviation that the statement allows there, up to a constant.
    """
    return replace(case, size=float(size), rate=rate)


def printed_number(digits: int, case: Case) -> Case:
    """Return a case whose theory is a printed number of so many decimals; −3 for thousands."""
    return replace(case, digits=digits)
