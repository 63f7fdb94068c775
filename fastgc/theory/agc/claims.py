"""The claims of paper agc; formulas are in ``fastgc.theory.agc``."""

from __future__ import annotations

from fastgc.theory.agc.access_claims import access_claims
from fastgc.theory.agc.error_claims import error_claims
from fastgc.theory.agc.number_claims import number_claims
from fastgc.theory.agc.shuffling_claims import shuffling_claims
from fastgc.theory.agc.training_claims import training_claims
from fastgc.theory.papers.claim import Claim


def claims() -> tuple[Claim, ...]:
    """All claims of the paper, in its order: access, errors, numbers, shuffling, training.

    >>> sum(claim.expected == "refuted" for claim in claims()) > 5
    True
    """
    return (
        access_claims() + error_claims() + number_claims() + shuffling_claims() + training_claims()
    )
