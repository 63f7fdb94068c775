"""What is known of codes: their numbers given p or r survivors, which laws of stragglers mix."""

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from fastgc.theory.binary.decoding import class_probability, exact_probability
from fastgc.theory.common import circulant as crc
from fastgc.theory.common import repetition as frc
from fastgc.theory.common import stragglers as models
from fastgc.theory.common.codes import parameters
from fastgc.theory.common.numerics import LARGEST_COUNTED
from fastgc.theory.known.laws import Entry, Law, Table, law_of
from fastgc.theory.literature import designs
from fastgc.theory.papers.claim import ClosedForm

#: Above it, mixtures of exactness over numbers of survivors take seconds; of the binary code.
_LARGEST_MIXTURE, _LARGEST_BINARY = 256, 128
#: Above it, the circulant's covariance over all 2ⁿ assignments of classes takes seconds.
_LARGEST_TABLE = 14
#: Lags of which the autocovariance is given.
_MOST_LAGS = 64

Formula = Callable[..., Any]


@dataclass(frozen=True)
class Code:
    """What is known of a code of n workers and k partitions.

    * ``mean``, ``variance``, ``exact``: of the error of an iteration, and the probability that it
      is 0, by formulas of ``survivors=r`` or ``p=q``; if known ``by_number``, of the former only.
    * ``claims``: ids of the claims that test numbers, by number, or number and law.
    * ``mixed``: most workers for laws of several numbers of survivors, by which the quantities
      ``counted`` are indexed.
    * ``share``: of the data on every worker, if it is the same.
    * ``holders``: workers that hold a partition, if what becomes of one is known.
    * ``average``, ``lag``: variance of the error averaged over the iterations of a trial in which
      states last, and covariance of that of two: from the law, the shuffle, the iterations or how
      far they are apart, and the variance in one.
    """

    n: int
    k: int
    mean: Formula | None = None
    variance: Formula | None = None
    exact: Formula | None = None
    claims: Mapping[str, str] = field(default_factory=dict)
    by_number: bool = False
    mixed: float = math.inf
    counted: Sequence[str] = ("survivors", "error_by_survivors")
    share: float = 0.0
    holders: int = 0
    average: Formula | None = None
    lag: Formula | None = None


def code_forms(run: Table, code: Code | None) -> Iterator[ClosedForm]:
    """What is known of a code under the law of an experiment's stragglers."""
    law = law_of(code.n, run.get("stragglers"), code.share) if code else None
    if code is None or law is None:
        return
    n, d, shuffle, iterations = code.n, code.holders, run.get("shuffle"), run.get("iterations", 1)
    is_known, measures = law.simple or n <= code.mixed, run.get("measure")

    def form(quantity: str, statistic: str, value: Any, number: str = "") -> Iterator[ClosedForm]:
        """One value, or several by index; of a ``number`` that a claim may test."""
        claim = code.claims.get(number, code.claims.get(f"{number} {law.name}"))
        for index, each in value.items() if isinstance(value, dict) else [(None, value)]:
            if each is not None:
                yield ClosedForm(quantity, statistic, index, each, claim)

    def wants(quantity: str) -> bool:  # of partitions there may be a million
        return measures is None or quantity in measures

    mean = variance = math.nan
    if code.mean and is_known:
        mean = law.mean(code.mean, code.by_number)
        yield from form("error", "mean", mean, "error")
        yield from form("error_per_partition", "mean", mean / code.k)
        yield from form("mean_error", "mean", mean, "error")
    if code.mean and code.variance and is_known:
        of_mean, of_variance = code.mean, code.variance

        def square(**given: Any) -> float:
            return float(of_variance(**given) + (of_mean(**given) - mean) ** 2)

        alike = law.p is not None and not code.by_number
        variance = law.mean(of_variance if alike else square, code.by_number)
        yield from form("error", "variance", variance)
        yield from form("error_per_partition", "variance", variance / code.k**2)
    most = LARGEST_COUNTED if law.simple else _LARGEST_MIXTURE
    if code.exact and is_known and (law.p is not None or not d or n <= most):
        yield from form("exact", "mean", law.mean(code.exact), "exact")
    if "survivors" in code.counted and wants("survivors") and (is_known or not code.mixed):
        yield from form("survivors", "mean", dict(enumerate(law.survivors.tolist())), "survivors")
    if code.mean and "error_by_survivors" in code.counted and wants("error_by_survivors"):
        given = {r: float(code.mean(survivors=r)) for r in law.possible}
        yield from form("error_by_survivors", "mean", given)
    if d:
        lost = law.lost(n, d)
        yield from form("lost", "mean", lost, "lost")
        if wants("not_accessed"):
            each = dict.fromkeys(range(n), iterations * lost)
            yield from form("not_accessed", "mean", each, "not_accessed")
    if code.average and (iterations == 1 or not law.states):
        yield from form("mean_error", "variance", variance / iterations)
    elif code.average:
        average = code.average(law, shuffle or "none", iterations, variance)
        yield from form("mean_error", "variance", average, "average")
    if code.lag and law.p is not None:
        lags = range(1, min(iterations, _MOST_LAGS))
        found = {lag: code.lag(law, shuffle or "none", lag) for lag in lags}
        yield from form("error_lag", "mean", {0: variance} | found)


# ---- fractional repetition, and the 0/1 circulant with d = 2

_CLAIMS = {
    "error two-class": "agc.remark2.corrected",
    "survivors slow": "agc.theorem1.survivors.corrected",
    "not_accessed slow": "agc.proposition1.given-slow.derived",
    "not_accessed two-class": "agc.proposition1.with-shuffling.printed",
    "lost uniform": "literature.coverage.mean.derived",
    "average two-class": "agc.shuffling.variance.derived",
}


def _repetition(n: int, d: int = 1) -> Code | None:
    """Fractional repetition, and uncoded work, which is that with d = 1."""

    def average(law: Law, shuffle: str, iterations: int, variance: float) -> float | None:
        trial = n, d, iterations, *law.states
        if law.name == "markov":
            # Shuffled, a chain's workers meet other columns in every iteration.
            kept = shuffle == "none"
            return models.markov_frc_mean_error_variance(*trial) if kept else None
        if law.name == "slow":
            return float(frc.frc_mean_error_variance_given_slow(*trial, shuffle))
        return float(frc.frc_mean_error_variance(*trial, shuffle))

    def lag(law: Law, shuffle: str, apart: int) -> float | None:
        pair = n, d, apart, *law.states
        if law.name == "markov":
            return models.markov_frc_covariance(*pair) if shuffle == "none" else None
        return frc.frc_autocovariance(*pair, shuffle) if law.states else 0.0

    if not 1 <= d <= n or n % d:
        return None
    one = frc.frc_mean_error, frc.frc_error_variance, frc.frc_exact_probability
    mean, variance, exact = (partial(formula, n, d) for formula in one)
    claims, share = _CLAIMS | {"error slow": "agc.theorem1.printed"}, d / n
    return Code(
        n, n, mean, variance, exact, claims, share=share, holders=d, average=average, lag=lag
    )


def _clusters(n: int, d: int = 1, iterations: int | None = None, **chain: float) -> Code | None:
    """Groups are made anew by who straggled last."""
    if not 1 <= d <= n or n % d:
        return None
    trial = n, d, iterations or 1, float(chain[_CHAIN[0]]), 1.0 - float(chain[_CHAIN[1]])
    mean, exact = models.markov_frc_clusters_error, models.markov_frc_clusters_exact
    own = (lambda p: mean(*trial)), None, (lambda p: exact(*trial))
    return Code(n, n, *own, {"error": "literature.stragglers.clusters.derived"}, counted=())


def _circulant(n: int) -> Code | None:
    def average(law: Law, shuffle: str, iterations: int, variance: float) -> float | None:
        if law.name == "slow" and shuffle == "random":
            # Given the number of slow workers, shuffled iterations are independent.
            return variance / iterations
        if law.name != "two-class" or (shuffle != "random" and n > _LARGEST_TABLE):
            return None
        return float(crc.circulant_mean_error_variance(n, 2, iterations, *law.states, shuffle))

    if n < 3:
        return None
    claims = _CLAIMS | {"error slow": "agc.theorem2.circulant.derived"}
    return Code(n, n, *_pairs(n), claims, share=2 / n, holders=2, average=average)


def _pairs(n: int) -> tuple[Formula, Formula, Formula]:
    mean, variance = crc.circulant_mean_error, crc.circulant_error_variance
    return partial(mean, n, 2), partial(variance, n, 2), partial(crc.circulant_exact_probability, n)


# ---- the binary code with k = n; block designs; graphs: cycles, and small ones by enumeration


def _binary(n: int, s: int, k: int | None) -> Code | None:
    exact, claims = partial(exact_probability, n, s), {"exact": "binary.exact-probability.derived"}
    known = Code(n, n, None, None, exact, claims, mixed=_LARGEST_BINARY, counted=("survivors",))
    return known if k in (None, n) and 0 <= s < n else None


def _binary_by_classes(n: int, s: int, k: int | None) -> Code | None:
    """The error is n where no class is complete, else 0."""

    def mean(**given: Any) -> float:
        return float(n * (1.0 - exact(**given)))

    def variance(**given: Any) -> float:
        return float(n * n * exact(**given) * (1.0 - exact(**given)))

    exact, known = partial(class_probability, n, s), _binary(n, s, k)
    claims, own = {"exact": "binary.algorithm3.probability.derived"}, (mean, variance, exact)
    return known and Code(n, n, *own, claims, mixed=known.mixed, counted=known.counted)


def _design(name: str) -> Code:
    """The number of survivors tells the error."""
    own, errors = parameters(name), designs.bibd_errors(name)
    formulas = (lambda survivors: errors[survivors]), (lambda survivors: 0.0), None
    claims, share = {"error": "literature.bibd.error.derived"}, own["d"] / own["k"]
    return Code(own["n"], own["k"], *formulas, claims, by_number=True, share=share)


def _cycle(vertices: int) -> Code | None:
    """Its edges are the workers of a circulant."""
    known = Code(vertices, vertices, *_pairs(vertices), mixed=0, counted=())
    return known if vertices >= 3 else None


def _graph(edges: Sequence[Sequence[int]], vertices: int | None = None) -> Code | None:
    if not 1 <= len(edges) <= designs.LARGEST_GRAPH:
        return None
    pairs = tuple((int(u), int(v)) for u, v in edges)
    k = max(vertices or 0, 1 + max(map(max, pairs)))
    one = designs.graph_mean_error, designs.graph_error_variance, designs.graph_exact_probability
    mean, variance, exact = (partial(formula, pairs, k) for formula in one)
    return Code(len(pairs), k, mean, variance, exact, mixed=0)


def _complete(vertices: int) -> Code | None:
    """The complete graph on 7 vertices has too many edges already."""
    return _graph(designs.edges_of("complete", vertices)) if 2 <= vertices <= 6 else None


# ---- the list: what an experiment is, and what is known of its code

_CHAIN = "p_straggle_after_ok", "p_straggle_after_straggle"
_KEPT = {"shuffle": (None, "none", "random", "cyclic")}
_CLUSTERS = {
    "shuffle": "clusters",
    "iterations": int | None,
    "stragglers": {"model": "markov", **dict.fromkeys(_CHAIN, int | float)},
}
_BINARY: Any = {"family": "binary", "n": int, "s": int, "k": int | None}


def _code(make: Callable[..., Code | None], more: Table | None = None, **code: Any) -> Entry:
    template = {"kind": (None, "decoding"), "decoder": (None, "optimal"), "code": code}
    return template | dict(more or {}), lambda run, **holes: code_forms(run, make(**holes))


CODES: list[Entry] = [
    _code(_repetition, _KEPT, family="uncoded", n=int),
    _code(_repetition, _KEPT, family="frc", n=int, d=int),
    _code(_clusters, _CLUSTERS, family="uncoded", n=int),
    _code(_clusters, _CLUSTERS, family="frc", n=int, d=int),
    _code(_circulant, family="circulant", n=int, d=2),
    _code(_binary, **_BINARY),
    _code(_binary_by_classes, {"decoder": "class"}, **_BINARY),
    _code(_design, family="bibd", name=str),
    _code(_cycle, family="graph", name="cycle", vertices=int),
    _code(_graph, family="graph", edges=list, vertices=int | None),
    _code(lambda: _graph(designs.edges_of("petersen")), family="graph", name="petersen"),
    _code(_complete, family="graph", name="complete", vertices=int),
]
