"""The claims of the wider literature; formulas are in ``fastgc.theory.literature``."""

from __future__ import annotations

from fastgc.theory.literature.bound_claims import bound_claims
from fastgc.theory.literature.graph_claims import graph_claims
from fastgc.theory.literature.one_step_claims import one_step_claims
from fastgc.theory.literature.repetition_claims import repetition_claims
from fastgc.theory.literature.time_claims import time_claims
from fastgc.theory.papers.claim import Claim


def claims() -> tuple[Claim, ...]:
    """All claims: repetition and circulants, graphs and designs, one-step decoding, bounds, times.

    >>> all(claim.expected != "refuted" for claim in claims())
    True
    """
    return repetition_claims() + graph_claims() + one_step_claims() + bound_claims() + time_claims()
