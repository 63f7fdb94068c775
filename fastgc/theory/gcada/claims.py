"""The claims of paper gcada; formulas are in ``fastgc.theory.gcada``."""

from __future__ import annotations

from fastgc.theory.gcada.comparison_claims import comparison_claims
from fastgc.theory.gcada.load_claims import load_claims
from fastgc.theory.gcada.reported_claims import reported_claims
from fastgc.theory.gcada.selection_claims import selection_claims
from fastgc.theory.gcada.time_claims import time_claims
from fastgc.theory.papers.claim import Claim


def claims() -> tuple[Claim, ...]:
    """All claims of the paper: times, selection, loads, reported numbers, and G-CADA against CADA.

    >>> sum(claim.expected == "refuted" for claim in claims()) > 8
    True
    """
    return (
        time_claims() + selection_claims() + load_claims() + reported_claims() + comparison_claims()
    )
