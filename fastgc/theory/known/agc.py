"""Which closed forms apply to an experiment: codes frc, uncoded, circulant with d = 2.

Stragglers iid with one p, uniform, two-class with one p_slow or with a number of slow workers.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from fastgc.theory.common.circulant import (
    circulant_error_variance,
    circulant_exact_probability,
    circulant_mean_error,
    circulant_mean_error_variance,
)
from fastgc.theory.common.repetition import (
    frc_error_variance,
    frc_exact_probability,
    frc_mean_error,
    frc_mean_error_variance,
    frc_mean_error_variance_given_slow,
)
from fastgc.theory.known.straggler_law import Law, law_of
from fastgc.theory.papers.closed_form import ClosedForm

#: Above it, mixtures of exactness over numbers of survivors take seconds.
_LARGEST_MIXTURE = 256

#: Above it, the circulant's covariance over all 2ⁿ assignments of classes takes seconds.
_LARGEST_TABLE = 14


def closed_forms(experiment: Mapping[str, Any]) -> list[ClosedForm]:
    """Every closed form that applies to an experiment.

    Parameters
    ----------
    experiment
        One ``[[experiment]]`` table of a study as plain data, its sweep already applied. Where it
        has ``measure``, only those quantities are returned. A table for which nothing is known
        (other codes, laws, decoders, kinds) gives an empty list; the table is not checked here.

    Examples
    --------
    >>> experiment = {
    ...     "kind": "decoding",
    ...     "code": {"family": "frc", "n": 8, "d": 2},
    ...     "stragglers": {"model": "iid", "p": 0.247},
    ...     "measure": ["error"],
    ... }
    >>> [(form.statistic, round(form.value, 6)) for form in closed_forms(experiment)]
    [('mean', 0.488072), ('variance', 0.91659)]
    """
    if experiment.get("kind", "decoding") != "decoding":
        return []
    if experiment.get("decoder", "optimal") != "optimal":
        return []
    code = _code(experiment.get("code", {}))
    if code is None:
        return []
    law = law_of(code.n, experiment.get("stragglers", {}))
    if law is None:
        return []
    iterations = experiment.get("iterations", 1)
    shuffle = experiment.get("shuffle", "none")
    measures = experiment.get("measure")
    forms = _forms(code, law, iterations, shuffle)
    return [form for form in forms if measures is None or form.quantity in measures]


@dataclass(frozen=True)
class _Code:
    """The functions of one family: each takes survivors=r or p=q."""

    family: str
    n: int
    d: int
    mean: Callable[..., Any]
    variance: Callable[..., Any]
    exact: Callable[..., Any]
    average_variance: Callable[..., Any]


def _code(table: Mapping[str, Any]) -> _Code | None:
    family, n = table.get("family"), table.get("n", 0)
    d = 1 if family == "uncoded" else table.get("d", 0)
    if not isinstance(n, int) or not isinstance(d, int) or n < 1:
        return None
    if family in ("uncoded", "frc") and 1 <= d <= n and n % d == 0:
        return _Code(
            family,
            n,
            d,
            lambda **given: frc_mean_error(n, d, **given),
            lambda **given: frc_error_variance(n, d, **given),
            lambda **given: frc_exact_probability(n, d, **given),
            lambda *rest: frc_mean_error_variance(n, d, *rest),
        )
    if family == "circulant" and d == 2 and n >= 3:
        return _Code(
            family,
            n,
            d,
            lambda **given: circulant_mean_error(n, d, **given),
            lambda **given: circulant_error_variance(n, d, **given),
            lambda **given: circulant_exact_probability(n, **given),
            lambda *rest: circulant_mean_error_variance(n, d, *rest),
        )
    return None


def _forms(code: _Code, law: Law, iterations: int, shuffle: str) -> Iterator[ClosedForm]:
    n, d = code.n, code.d
    possible = law.possible
    by_survivors = {r: float(code.mean(survivors=r)) for r in possible}

    if law.p is not None:
        mean, variance = float(code.mean(p=law.p)), float(code.variance(p=law.p))
    else:
        weights = {r: float(law.survivors[r]) for r in possible}
        mean = math.fsum(weights[r] * by_survivors[r] for r in possible)
        variance = math.fsum(
            weights[r] * (float(code.variance(survivors=r)) + (by_survivors[r] - mean) ** 2)
            for r in possible
        )
    claim = _claim_of_mean(code, law)
    yield ClosedForm("error", "mean", None, mean, claim)
    yield ClosedForm("error", "variance", None, variance, None)

    if law.p is not None:
        yield ClosedForm("exact", "mean", None, float(code.exact(p=law.p)), None)
    elif len(possible) == 1 or n <= _LARGEST_MIXTURE:
        exact = math.fsum(law.survivors[r] * float(code.exact(survivors=r)) for r in possible)
        yield ClosedForm("exact", "mean", None, exact, None)

    survivors = "agc.theorem1.survivors.corrected" if law.persistent and law.p is None else None
    for r in range(n + 1):
        yield ClosedForm("survivors", "mean", r, float(law.survivors[r]), survivors)
    for r in possible:
        yield ClosedForm("error_by_survivors", "mean", r, by_survivors[r], None)

    # A group of d given workers straggles as often in any of these laws as in frc.
    lost = (
        law.p**d
        if law.p is not None
        else math.fsum(law.survivors[r] * (math.comb(n - d, r) / math.comb(n, r)) for r in possible)
    )
    access = None
    if law.persistent and law.p is not None:
        access = "agc.proposition1.with-shuffling.corrected"
    elif law.persistent:
        access = "agc.proposition1.given-slow.corrected"
    for partition in range(n):
        yield ClosedForm("not_accessed", "mean", partition, iterations * lost, access)

    yield ClosedForm("mean_error", "mean", None, mean, claim)
    if iterations == 1 or not law.persistent:
        yield ClosedForm("mean_error", "variance", None, variance / iterations, None)
    elif law.p is not None:
        if code.family != "circulant" or shuffle == "random" or n <= _LARGEST_TABLE:
            spread = float(code.average_variance(iterations, *law.two_class, shuffle))
            changed = "agc.shuffling.variance.corrected"
            yield ClosedForm("mean_error", "variance", None, spread, changed)
    elif code.family != "circulant":
        spread = float(
            frc_mean_error_variance_given_slow(n, d, iterations, *law.two_class, shuffle)
        )
        yield ClosedForm("mean_error", "variance", None, spread, None)
    elif shuffle == "random":
        # Given the number of slow workers, shuffled iterations are independent.
        yield ClosedForm("mean_error", "variance", None, variance / iterations, None)


def _claim_of_mean(code: _Code, law: Law) -> str | None:
    if not law.persistent:
        return None
    if law.p is not None:
        return "agc.remark2.corrected"
    return "agc.theorem1.corrected" if code.family != "circulant" else "agc.theorem2.corrected"
