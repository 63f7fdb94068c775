"""What is known of the error of codes.

Under other laws of stragglers their numbers are mixtures over r.
"""

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from fastgc.theory.binary.decoding import class_probability, exact_probability
from fastgc.theory.common import circulant as crc
from fastgc.theory.common import repetition as frc
from fastgc.theory.common.codes import parameters
from fastgc.theory.common.numerics import LARGEST_COUNTED
from fastgc.theory.common.stragglers import (
    markov_frc_clusters_error,
    markov_frc_clusters_exact,
    markov_frc_covariance,
    markov_frc_mean_error_variance,
)
from fastgc.theory.known.laws import Law
from fastgc.theory.known.registered import Decoding, code, error_forms, survivor_forms
from fastgc.theory.literature import designs
from fastgc.theory.literature.decoding import bernoulli_mean_error, one_step_mean_error
from fastgc.theory.literature.designs import bibd_errors
from fastgc.theory.papers.claim import ClosedForm

#: Above it, mixtures of exactness over numbers of survivors take seconds.
_LARGEST_MIXTURE = 256

#: Above it, the circulant's covariance over all 2ⁿ assignments of classes takes seconds.
_LARGEST_TABLE = 14

#: Lags of which the autocovariance is given.
_MOST_LAGS = 64
#: Above it, counting patterns for every number of survivors takes seconds.
_LARGEST_BINARY = 128
#: Families of as many partitions as workers, d for each.
_SQUARE = ("frc", "circulant", "sparse-regular")
#: Above it, means for every number of survivors take seconds.
_LARGEST = 100_000


@code("frc", "uncoded")
def repetition(run: Decoding) -> Iterator[ClosedForm]:
    """Fractional repetition, and uncoded work, which is that with d = 1."""
    n, d = run.whole("n"), 1 if run.code["family"] == "uncoded" else run.whole("d")
    law = run.law(n)
    if law is None or not 1 <= d <= n or n % d:
        return

    if run.shuffle == "clusters":
        if law.chain is not None:
            mean = markov_frc_clusters_error(n, d, run.iterations, *law.chain)
            for quantity in ("error", "mean_error"):
                claim = "literature.stragglers.clusters.derived"
                yield ClosedForm(quantity, "mean", None, mean, claim)
            exact = markov_frc_clusters_exact(n, d, run.iterations, *law.chain)
            yield ClosedForm("exact", "mean", None, exact, None)
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
        changed = None if given_slow or law.chain else "agc.shuffling.variance.derived"
        yield ClosedForm("mean_error", "variance", None, average, changed)


def _by_number(known: _Formulas, n: int, d: int, law: Law, run: Decoding) -> Iterator[ClosedForm]:
    """What has a value for every number of survivors, or every partition: made where wanted."""
    given_slow = law.persistent and law.p is None
    if run.wants("survivors"):
        claim = "agc.theorem1.survivors.corrected" if given_slow else None
        for r, probability in enumerate(law.survivors.tolist()):
            yield ClosedForm("survivors", "mean", r, probability, claim)
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
    if run.wants("lost"):
        counted = law.p is None and not law.persistent
        claim = "literature.coverage.mean.derived" if counted else None
        yield ClosedForm("lost", "mean", None, _all_lost(n, d, law), claim)


def _all_lost(n: int, d: int, law: Law) -> float:
    if law.p is not None:
        return law.p**d
    return math.fsum(
        law.survivors[r] * (math.comb(n - d, r) / math.comb(n, r)) for r in law.possible
    )


def _autocovariances(n: int, d: int, law: Law, run: Decoding) -> Iterator[ClosedForm]:
    yield ClosedForm("error_lag", "mean", 0, frc.frc_error_variance(n, d, p=law.p), None)
    if law.chain is not None:
        lags = range(1, min(run.iterations, _MOST_LAGS) if run.shuffle == "none" else 1)
        for lag in lags:
            value = markov_frc_covariance(n, d, lag, *law.chain)
            yield ClosedForm("error_lag", "mean", lag, value, None)
        return
    for lag in range(1, min(run.iterations, _MOST_LAGS)):
        lagged = n, d, lag, *law.two_class, run.shuffle
        value = frc.frc_autocovariance(*lagged) if law.persistent else 0.0
        yield ClosedForm("error_lag", "mean", lag, value, None)


# ---- the binary code with k = n, decoded by least squares or by classes


@code("binary")
@code("binary", decoder="class")
def binary(run: Decoding) -> Iterator[ClosedForm]:
    """Probability of exact recovery; by classes the error too: n where none is complete, else 0."""
    n, s = run.whole("n"), run.code.get("s")
    law = run.law(n)
    if law is None or run.code.get("k") not in (None, n):
        return
    if not isinstance(s, int) or not 0 <= s < n or not (law.simple or n <= _LARGEST_BINARY):
        return
    if run.decoder == "class":
        exact = law.mean(partial(class_probability, n, s))
        yield ClosedForm("exact", "mean", None, exact, "binary.algorithm3.probability.derived")
        yield from error_forms(n * (1.0 - exact), None, n * n * exact * (1.0 - exact))
    else:
        exact = law.mean(partial(exact_probability, n, s))
        yield ClosedForm("exact", "mean", None, exact, "binary.exact-probability.derived")
    yield from survivor_forms(law)


# ---- block designs: the error depends on the number of survivors alone


@code("bibd")
def design(run: Decoding) -> Iterator[ClosedForm]:
    """Mean and variance of the error, as a mixture over numbers of survivors."""
    errors = bibd_errors(run.code["name"])
    law = run.law(len(errors) - 1)
    if law is None:
        return
    mean = float(law.survivors @ errors)
    variance = float(law.survivors @ (errors - mean) ** 2)
    yield from error_forms(mean, "literature.bibd.error.derived", variance)
    yield from survivor_forms(law, errors)


# ---- graph codes: cycles, which are circulants with d = 2, and small graphs


@code("graph")
def graph(run: Decoding) -> Iterator[ClosedForm]:
    """Mean, variance and exactness for one law of survivors; small graphs by enumeration."""
    vertices = run.whole("vertices")
    if run.code.get("name") == "cycle" and vertices >= 3:
        law = run.law(vertices)
        if law is not None and law.simple:
            yield from _graph_forms(
                law.mean(partial(crc.circulant_mean_error, vertices, 2)),
                law.mean(partial(crc.circulant_error_variance, vertices, 2)),
                law.mean(partial(crc.circulant_exact_probability, vertices)),
            )
        return
    edges, vertices = _edges(run.code.get("name"), vertices, run.code.get("edges"))
    law = run.law(len(edges))
    if law is None or len(edges) > designs.LARGEST_GRAPH:
        return
    if law.simple:
        yield from _graph_forms(
            law.mean(partial(designs.graph_mean_error, edges, vertices)),
            law.mean(partial(designs.graph_error_variance, edges, vertices)),
            law.mean(partial(designs.graph_exact_probability, edges, vertices)),
        )
    numbers = range(len(edges) + 1)
    means = np.array([designs.graph_mean_error(edges, vertices, survivors=r) for r in numbers])
    yield from survivor_forms(law, means)


def _graph_forms(mean: float, variance: float, exact: float) -> Iterator[ClosedForm]:
    yield from error_forms(mean, None, variance)
    yield ClosedForm("exact", "mean", None, exact, None)


def _edges(name: Any, vertices: int, edges: Any) -> tuple[designs.Edges, int]:
    """Edges and vertices of a graph whose edges the table alone tells."""
    if edges:
        pairs = tuple((int(u), int(v)) for u, v in edges)
        return pairs, max(vertices, 1 + max(map(max, pairs)))
    if name == "petersen":
        return designs.edges_of(name), 10
    # The complete graph on 7 vertices has too many edges already.
    if name == "complete" and 2 <= vertices <= 6:
        return designs.edges_of(name, vertices), vertices
    return (), 0


# ---- one-step decoding: codes with as many holders for every partition, Bernoulli


@code("uncoded", "binary", "bibd", "graph", *_SQUARE, decoder="one-step")
def regular(run: Decoding) -> Iterator[ClosedForm]:
    """Mean error with the usual weight, or a given one."""
    k, n, holders = _sizes(run)
    law, rho = run.law(n), run.experiment.get("rho")
    if law is None or n > _LARGEST:
        return
    numbers = range(n + 1)
    means = np.array([one_step_mean_error(k, n, holders, survivors=r, rho=rho) for r in numbers])
    yield from error_forms(float(law.survivors @ means), None)
    yield from survivor_forms(law, means)


@code("bernoulli", decoder="one-step")
def bernoulli(run: Decoding) -> Iterator[ClosedForm]:
    """Mean error over the matrices too, with the unbiased weight for so many stragglers."""
    n, density, rho = run.whole("n"), run.code.get("density"), run.experiment.get("rho")
    law = run.law(n)
    if law is None or not density or rho is None or run.code.get("seed") != "trial":
        return
    if len(law.possible) == 1 and law.possible[0] > 0:
        answers = law.possible[0] * density
        given: dict[str, float] = {"survivors": law.possible[0]}
    elif law.p is not None and law.p < 1.0:
        answers, given = n * density * (1.0 - law.p), {"n": n, "p": law.p}
    else:
        return
    if math.isclose(rho, 1.0 / answers, rel_tol=1e-12):
        mean = bernoulli_mean_error(run.whole("k") or n, density, **given)
        yield from error_forms(mean, None)


def _sizes(run: Decoding) -> tuple[int, int, int]:
    family, n, d = run.code["family"], run.whole("n"), run.whole("d")
    if family == "bibd":
        known = parameters(run.code["name"])
        return known["k"], known["n"], known["holders"]
    if family == "graph":
        vertices = run.whole("vertices") or 10
        named: dict[str, int] = {"cycle": 2, "petersen": 3, "complete": vertices - 1}
        degree = named.get(str(run.code.get("name")), run.whole("degree"))
        return (vertices, vertices * degree // 2, degree) if degree else (0, 0, 0)
    if family == "uncoded":
        return n, n, 1
    if family == "binary":
        s = run.code.get("s")
        return (run.whole("k") or n, n, s + 1) if isinstance(s, int) else (0, 0, 0)
    return (n, n, d) if 1 <= d <= n else (0, 0, 0)
