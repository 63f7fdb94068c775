"""What is known of codes with formulas for r survivors: frc, uncoded, the circulant with d = 2.

Under other laws of stragglers their numbers are mixtures over r.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from typing import Any

from fastgc.theory.common import circulant as crc
from fastgc.theory.common import repetition as frc
from fastgc.theory.common.combinatorics import LARGEST_COUNTED
from fastgc.theory.common.markov_chains import (
    markov_frc_covariance,
    markov_frc_mean_error_variance,
)
from fastgc.theory.known.decoding import Decoding
from fastgc.theory.known.registered import code
from fastgc.theory.known.straggler_law import Law
from fastgc.theory.papers.claim import ClosedForm

#: Above it, mixtures of exactness over numbers of survivors take seconds.
_LARGEST_MIXTURE = 256

#: Above it, the circulant's covariance over all 2ⁿ assignments of classes takes seconds.
_LARGEST_TABLE = 14

#: Lags of which the autocovariance is given.
_MOST_LAGS = 64


@code("frc", "uncoded")
def repetition(run: Decoding) -> Iterator[ClosedForm]:
    """Fractional repetition, and uncoded work, which is that with d = 1."""
    n, d = run.whole("n"), 1 if run.code["family"] == "uncoded" else run.whole("d")
    law = run.law(n)
    if law is None or not 1 <= d <= n or n % d:
        return

    def average(variance: float) -> float | None:
        if law.chain is not None:
            # Shuffled, a chain's workers meet other columns in every iteration.
            if run.shuffle != "none":
                return None
            return float(markov_frc_mean_error_variance(n, d, run.iterations, *law.chain))
        trial = n, d, run.iterations, *law.two_class, run.shuffle
        if law.p is None:
            return float(frc.frc_mean_error_variance_given_slow(*trial))
        return float(frc.frc_mean_error_variance(*trial))

    formulas = _Formulas(
        partial(frc.frc_mean_error, n, d),
        partial(frc.frc_error_variance, n, d),
        partial(frc.frc_exact_probability, n, d),
        average,
        "agc.theorem1.printed",
    )
    yield from _forms(formulas, n, d, law, run)
    if law.p is not None:
        yield from _autocovariances(n, d, law, run)


@code("circulant")
def circulant(run: Decoding) -> Iterator[ClosedForm]:
    """The 0/1 circulant with d = 2."""
    n, d = run.whole("n"), run.whole("d")
    law = run.law(n)
    if law is None or d != 2 or n < 3:
        return

    def average(variance: float) -> float | None:
        if law.chain is not None:
            return None
        if law.p is None:
            # Given the number of slow workers, shuffled iterations are independent.
            return variance / run.iterations if run.shuffle == "random" else None
        if run.shuffle != "random" and n > _LARGEST_TABLE:
            return None
        trial = n, d, run.iterations, *law.two_class, run.shuffle
        return float(crc.circulant_mean_error_variance(*trial))

    formulas = _Formulas(
        partial(crc.circulant_mean_error, n, d),
        partial(crc.circulant_error_variance, n, d),
        partial(crc.circulant_exact_probability, n),
        average,
        "agc.theorem2.circulant.derived",
    )
    yield from _forms(formulas, n, d, law, run)


@dataclass(frozen=True)
class _Formulas:
    """What is known of a code.

    ``mean``, ``variance`` and ``exact`` take ``survivors=r`` or ``p=q``. ``average`` makes of the
    variance of one iteration that of the error averaged over the iterations of a trial, where the
    classes of workers last; None where it is not known. ``claim`` is the id of the claim that
    tests the mean given the number of slow workers.
    """

    mean: Callable[..., Any]
    variance: Callable[..., Any]
    exact: Callable[..., Any]
    average: Callable[[float], float | None]
    claim: str


def _forms(known: _Formulas, n: int, d: int, law: Law, run: Decoding) -> Iterator[ClosedForm]:
    iterations = run.iterations
    given_slow = law.persistent and law.p is None
    claim = known.claim if given_slow else "agc.remark2.corrected" if law.persistent else None
    mean = law.mean(known.mean)

    def square(**given: Any) -> float:
        return float(known.variance(**given) + (known.mean(**given) - mean) ** 2)

    variance = law.mean(known.variance if law.p is not None else square)
    yield ClosedForm("error", "mean", None, mean, claim)
    yield ClosedForm("error", "variance", None, variance, None)
    if law.p is not None or n <= (LARGEST_COUNTED if law.simple else _LARGEST_MIXTURE):
        yield ClosedForm("exact", "mean", None, law.mean(known.exact), None)

    yield from _by_number(known, n, d, law, run)
    yield ClosedForm("mean_error", "mean", None, mean, claim)
    if iterations == 1 or not (law.persistent or law.chain):
        yield ClosedForm("mean_error", "variance", None, variance / iterations, None)
    elif (average := known.average(variance)) is not None:
        changed = None if given_slow else "agc.shuffling.variance.derived"
        changed = "literature.markov.frc.variance.derived" if law.chain else changed
        yield ClosedForm("mean_error", "variance", None, average, changed)


def _by_number(known: _Formulas, n: int, d: int, law: Law, run: Decoding) -> Iterator[ClosedForm]:
    """What has a value for every number of survivors, or every partition: made where wanted."""
    given_slow = law.persistent and law.p is None
    if run.wants("survivors"):
        claim = "agc.theorem1.survivors.corrected" if given_slow else None
        for r, chance in enumerate(law.survivors.tolist()):
            yield ClosedForm("survivors", "mean", r, chance, claim)
    if run.wants("error_by_survivors"):
        for r in law.possible:
            yield ClosedForm("error_by_survivors", "mean", r, known.mean(survivors=r), None)
    if run.wants("not_accessed"):
        access = None
        if law.persistent:
            which = "given-slow.derived" if given_slow else "with-shuffling.printed"
            access = f"agc.proposition1.{which}"
        lost = run.iterations * _all_lost(n, d, law)
        for partition in range(n):
            yield ClosedForm("not_accessed", "mean", partition, lost, access)


def _all_lost(n: int, d: int, law: Law) -> float:
    """Probability that d given workers straggle, as often as a group of frc does."""
    if law.p is not None:
        return law.p**d
    return math.fsum(
        law.survivors[r] * (math.comb(n - d, r) / math.comb(n, r)) for r in law.possible
    )


def _autocovariances(n: int, d: int, law: Law, run: Decoding) -> Iterator[ClosedForm]:
    yield ClosedForm("error_lag", "mean", 0, frc.frc_error_variance(n, d, p=law.p), None)
    claim = f"literature.frc.autocovariance.{run.shuffle}.derived" if law.persistent else None
    if law.chain is not None:
        lags = range(1, min(run.iterations, _MOST_LAGS) if run.shuffle == "none" else 1)
        for lag in lags:
            value = markov_frc_covariance(n, d, lag, *law.chain)
            said = "literature.markov.frc.lag.derived"
            yield ClosedForm("error_lag", "mean", lag, value, said)
        return
    for lag in range(1, min(run.iterations, _MOST_LAGS)):
        lagged = n, d, lag, *law.two_class, run.shuffle
        value = frc.frc_autocovariance(*lagged) if law.persistent else 0.0
        yield ClosedForm("error_lag", "mean", lag, value, claim)
