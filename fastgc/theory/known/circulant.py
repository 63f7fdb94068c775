"""What is known of the 0/1 circulant with d = 2."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from fastgc.theory.common.circulant import (
    circulant_error_variance,
    circulant_exact_probability,
    circulant_mean_error,
    circulant_mean_error_variance,
)
from fastgc.theory.known.decoding import Decoding
from fastgc.theory.known.mixtures import Mixture
from fastgc.theory.known.registered import code
from fastgc.theory.known.straggler_law import Law
from fastgc.theory.papers.closed_form import ClosedForm

#: Above it, the covariance over all 2ⁿ assignments of classes takes seconds.
_LARGEST_TABLE = 14


@code("circulant")
def circulant(run: Decoding) -> Iterator[ClosedForm]:
    """Mean, variance, exactness, and what lasting classes and shuffling do to a trial."""
    n, d = run.whole("n"), run.whole("d")
    law = run.law(n)
    if law is None or d != 2 or n < 3:
        return

    def average(law: Law, iterations: int, shuffle: str, variance: float) -> float | None:
        if law.p is None:
            # Given the number of slow workers, shuffled iterations are independent.
            return variance / iterations if shuffle == "random" else None
        if shuffle != "random" and n > _LARGEST_TABLE:
            return None
        return float(circulant_mean_error_variance(n, d, iterations, *law.two_class, shuffle))

    mixture = Mixture(
        n,
        d,
        partial(circulant_mean_error, n, d),
        partial(circulant_error_variance, n, d),
        partial(circulant_exact_probability, n),
        average,
        "agc.theorem2.corrected",
    )
    yield from mixture.forms(law, run.iterations, run.shuffle)
