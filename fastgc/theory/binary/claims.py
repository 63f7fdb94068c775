"""The claims of paper binary; formulas are in ``fastgc.theory.binary``."""

from __future__ import annotations

from fastgc.theory.binary.decoding_claims import decoding_claims
from fastgc.theory.binary.encoding_claims import encoding_claims
from fastgc.theory.binary.heterogeneous_claims import heterogeneous_claims
from fastgc.theory.binary.load_claims import load_claims
from fastgc.theory.binary.stability_claims import stability_claims
from fastgc.theory.papers.claim import Claim


def claims() -> tuple[Claim, ...]:
    """All claims of the paper, in its order: encoding, decoding, stability, loads, unlike workers.

    >>> sum(claim.expected == "refuted" for claim in claims()) > 5
    True
    """
    return (
        encoding_claims()
        + decoding_claims()
        + stability_claims()
        + load_claims()
        + heterogeneous_claims()
    )
