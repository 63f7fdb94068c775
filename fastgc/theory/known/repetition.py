"""What is known of fractional repetition, and of uncoded work, which is that with d = 1."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from fastgc.theory.common.repetition import (
    frc_autocovariance,
    frc_error_variance,
    frc_exact_probability,
    frc_mean_error,
    frc_mean_error_variance,
    frc_mean_error_variance_given_slow,
)
from fastgc.theory.known.decoding import Decoding
from fastgc.theory.known.mixtures import Mixture
from fastgc.theory.known.registered import code
from fastgc.theory.known.straggler_law import Law
from fastgc.theory.papers.closed_form import ClosedForm

#: Lags of which the autocovariance is given.
_MOST_LAGS = 64


@code("frc", "uncoded")
def repetition(run: Decoding) -> Iterator[ClosedForm]:
    """Mean, variance, exactness, and what lasting classes and shuffling do to a trial."""
    n, d = run.whole("n"), 1 if run.code["family"] == "uncoded" else run.whole("d")
    law = run.law(n)
    if law is None or not 1 <= d <= n or n % d:
        return

    def average(law: Law, iterations: int, shuffle: str, variance: float) -> float:
        known = frc_mean_error_variance if law.p is not None else frc_mean_error_variance_given_slow
        return float(known(n, d, iterations, *law.two_class, shuffle))

    mixture = Mixture(
        n,
        d,
        partial(frc_mean_error, n, d),
        partial(frc_error_variance, n, d),
        partial(frc_exact_probability, n, d),
        average,
        "agc.theorem1.corrected",
    )
    yield from mixture.forms(law, run.iterations, run.shuffle)
    if law.p is not None:
        yield from _autocovariances(n, d, law, run)


def _autocovariances(n: int, d: int, law: Law, run: Decoding) -> Iterator[ClosedForm]:
    yield ClosedForm("error_lag", "mean", 0, float(frc_error_variance(n, d, p=law.p)), None)
    claim = f"literature.frc.autocovariance.{run.shuffle}.derived" if law.persistent else None
    for lag in range(1, min(run.iterations, _MOST_LAGS)):
        value = 0.0
        if law.persistent:
            value = float(frc_autocovariance(n, d, lag, *law.two_class, run.shuffle))
        yield ClosedForm("error_lag", "mean", lag, value, claim)
