"""The claims of paper codedreduce; formulas are in ``fastgc.theory.codedreduce``."""

from __future__ import annotations

from fastgc.theory.codedreduce.bound_claims import bound_claims
from fastgc.theory.codedreduce.example_claims import example_claims
from fastgc.theory.codedreduce.gradient_claims import gradient_claims
from fastgc.theory.codedreduce.load_claims import load_claims
from fastgc.theory.codedreduce.resilience_claims import resilience_claims
from fastgc.theory.codedreduce.simulation_claims import simulation_claims
from fastgc.theory.papers.claim import Claim


def claims() -> tuple[Claim, ...]:
    """All claims of the paper: loads, examples, resiliency, gradients, times, simulation.

    The speedups measured on EC2 (Figures 2 and 8 to 12, Remark 5) are those of machines, and no
    claim here; what they say of data and trees is.

    >>> sum(claim.expected == "refuted" for claim in claims()) > 10
    True
    """
    return (
        load_claims()
        + example_claims()
        + resilience_claims()
        + gradient_claims()
        + bound_claims()
        + simulation_claims()
    )
