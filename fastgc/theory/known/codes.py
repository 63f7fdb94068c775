"""What is known of codes: their numbers given p or r survivors, which laws of stragglers mix."""

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from fastgc.theory.binary.decoding import class_probability, exact_probability
from fastgc.theory.common import circulant as crc
from fastgc.theory.common import repetition as frc
from fastgc.theory.common import stragglers as models
from fastgc.theory.common.codes import parameters
from fastgc.theory.common.numerics import LARGEST_COUNTED
from fastgc.theory.known.laws import Law, law_of
from fastgc.theory.known.templates import Entry, Table
from fastgc.theory.literature import designs
from fastgc.theory.papers.claim import ClosedForm

#: Above it, mixtures of exactness over numbers of survivors take seconds; of the binary code.
_LARGEST_MIXTURE, _LARGEST_BINARY = 256, 128
#: Above it, the circulant's covariance over all 2ⁿ assignments of classes takes seconds.
_LARGEST_TABLE = 14
#: Lags of which the autocovariance is given.
_MOST_LAGS = 64
#: Above it, means for every number of survivors take seconds.
_LARGEST = 100_000

Formula = Callable[..., Any]


@dataclass(frozen=True)
class Code:
    """What is known of a code of n workers and k partitions.

    * ``formulas``: of mean and variance of the error of an iteration, and of the probability that
      it is 0; they take ``survivors=r`` or ``p=q``; if known ``by_number``, the former only.
    * ``claims``: ids of the claims that test numbers, by number, law, and shuffle.
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
    formulas: Sequence[Formula | None]
    claims: Mapping[str, str]
    by_number: bool = False
    mixed: float = math.inf
    counted: Sequence[str] = ("survivors", "error_by_survivors")
    share: float = 0.0
    holders: int = 0
    average: Formula | None = None
    lag: Formula | None = None


def code_forms(experiment: Table, code: Code | None) -> Iterator[ClosedForm]:
    """What is known of a code under the law of an experiment's stragglers."""
    law = law_of(code.n, experiment.get("stragglers"), code.share) if code else None
    if code is None or law is None:
        return
    shuffle = experiment.get("shuffle", "none")
    for quantity, statistic, value, number in _numbers(experiment, code, law):
        names = number, f"{number} {law.name}", f"{number} {law.name} {shuffle}"
        claim = next((code.claims[name] for name in names if name in code.claims), None)
        for index, each in value.items() if isinstance(value, dict) else [(None, value)]:
            if each is not None:
                yield ClosedForm(quantity, statistic, index, each, claim)
        if quantity == "error":
            scale = float(code.k**2 if statistic == "variance" else code.k)
            yield ClosedForm("error_per_partition", statistic, None, value / scale, None)


def _numbers(experiment: Table, code: Code, law: Law) -> Iterator[tuple[str, str, Any, str]]:
    """Yield quantity, statistic, value or values by index, and which number a claim tests."""
    iterations, shuffle = experiment.get("iterations", 1), experiment.get("shuffle", "none")
    measures, n, d = experiment.get("measure"), code.n, code.holders
    mean_of, variance_of, exact_of = code.formulas
    is_known = law.simple or n <= code.mixed
    mean: Any = None
    variance: Any = None

    def mixed(formula: Formula) -> float:
        if code.by_number:
            return float(law.survivors @ [formula(survivors=r) for r in range(n + 1)])
        return law.mean(formula)

    def square(**given: Any) -> float:
        assert mean_of is not None and variance_of is not None
        return float(variance_of(**given) + (mean_of(**given) - mean) ** 2)

    def wants(quantity: str) -> bool:  # of partitions there may be a million
        return measures is None or quantity in measures

    if mean_of and is_known:
        mean = mixed(mean_of)
        yield "error", "mean", mean, "error"
    if variance_of and is_known:
        alike = law.p is not None and not code.by_number
        variance = law.mean(variance_of) if alike else mixed(square)
        yield "error", "variance", variance, ""
    if mean is not None and not d:
        yield "mean_error", "mean", mean, "error"
    most = LARGEST_COUNTED if law.simple else _LARGEST_MIXTURE
    if exact_of and is_known and (law.p is not None or not d or n <= most):
        yield "exact", "mean", mixed(exact_of), "exact"
    if "survivors" in code.counted and wants("survivors") and (is_known or not code.mixed):
        yield "survivors", "mean", dict(enumerate(law.survivors.tolist())), "survivors"
    if mean_of and "error_by_survivors" in code.counted and wants("error_by_survivors"):
        given = {r: float(mean_of(survivors=r)) for r in law.possible}
        yield "error_by_survivors", "mean", given, ""
    if d:
        lost = law.lost(n, d)
        if wants("not_accessed"):
            yield "not_accessed", "mean", dict.fromkeys(range(n), iterations * lost), "not_accessed"
        yield "lost", "mean", lost, "lost"
        yield "mean_error", "mean", mean, "error"
    if code.average:
        if iterations == 1 or not law.states:
            yield "mean_error", "variance", variance / iterations, ""
        else:
            average = code.average(law, shuffle, iterations, variance)
            yield "mean_error", "variance", average, "average"
    if code.lag and law.p is not None:
        yield "error_lag", "mean", {0: variance}, ""
        lags = range(1, min(iterations, _MOST_LAGS))
        yield "error_lag", "mean", {lag: code.lag(law, shuffle, lag) for lag in lags}, "lag"


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
    own = [partial(formula, n, d) for formula in one]
    claims = _CLAIMS | {"error slow": "agc.theorem1.printed"}
    return Code(n, n, own, claims, share=d / n, holders=d, average=average, lag=lag)


def _clusters(n: int, d: int = 1, iterations: int | None = None, **chain: float) -> Code | None:
    """Groups are made anew by who straggled last."""
    trial = n, d, iterations or 1, float(chain[_CHAIN[0]]), 1.0 - float(chain[_CHAIN[1]])
    mean, exact = models.markov_frc_clusters_error, models.markov_frc_clusters_exact
    claims = {"error": "literature.stragglers.clusters.derived"}
    if not 1 <= d <= n or n % d:
        return None
    return Code(n, n, (lambda p: mean(*trial), None, lambda p: exact(*trial)), claims, counted=())


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
    return Code(n, n, _pairs(n), claims, share=2 / n, holders=2, average=average)


def _pairs(n: int) -> tuple[Formula, Formula, Formula]:
    mean, variance = crc.circulant_mean_error, crc.circulant_error_variance
    return partial(mean, n, 2), partial(variance, n, 2), partial(crc.circulant_exact_probability, n)


# ---- the binary code with k = n; block designs; graphs: cycles, and small ones by enumeration


def _binary(n: int, s: int, k: int | None, by_classes: bool = False) -> Code | None:
    """Exactness; by classes the error, too: n where none is complete, else 0."""
    formula, claim = exact_probability, "binary.exact-probability.derived"
    if by_classes:
        formula, claim = class_probability, "binary.algorithm3.probability.derived"
    exact = partial(formula, n, s)

    def mean(**given: Any) -> float:
        return float(n * (1.0 - exact(**given)))

    def variance(**given: Any) -> float:
        return float(n * n * exact(**given) * (1.0 - exact(**given)))

    if k not in (None, n) or not 0 <= s < n:
        return None
    formulas = (mean, variance, exact) if by_classes else (None, None, exact)
    most, counted = _LARGEST_BINARY, ("survivors",)
    return Code(n, n, formulas, {"exact": claim}, mixed=most, counted=counted)


def _design(name: str) -> Code:
    """The number of survivors tells the error."""
    own, errors = parameters(name), designs.bibd_errors(name)
    n, k, share = own["n"], own["k"], own["d"] / own["k"]
    claims = {"error": "literature.bibd.error.derived"}

    def mean(survivors: int) -> Any:
        return errors[survivors]

    return Code(n, k, (mean, lambda survivors: 0.0, None), claims, by_number=True, share=share)


def _cycle(vertices: int) -> Code | None:
    """Its edges are the workers of a circulant."""
    known = Code(vertices, vertices, _pairs(vertices), {}, mixed=0, counted=())
    return known if vertices >= 3 else None


def _graph(edges: Sequence[Sequence[int]], vertices: int | None = None) -> Code | None:
    if not 1 <= len(edges) <= designs.LARGEST_GRAPH:
        return None
    pairs = tuple((int(u), int(v)) for u, v in edges)
    k = max(vertices or 0, 1 + max(map(max, pairs)))
    one = designs.graph_mean_error, designs.graph_error_variance, designs.graph_exact_probability
    own = [partial(formula, pairs, k) for formula in one]
    return Code(len(pairs), k, own, {}, mixed=0)


def _complete(vertices: int) -> Code | None:
    """The complete graph on 7 vertices has too many edges already."""
    return _graph(designs.edges_of("complete", vertices)) if 2 <= vertices <= 6 else None


# ---- the list: what an experiment is, and what is known of its code

_CHAIN = "p_straggle_after_ok", "p_straggle_after_straggle"
_KEPT = {"decoder": (None, "optimal"), "shuffle": (None, "none", "random", "cyclic")}
_CLUSTERS = {
    "decoder": (None, "optimal"),
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
    _code(partial(_binary, by_classes=True), {"decoder": "class"}, **_BINARY),
    _code(_design, family="bibd", name=str),
    _code(_cycle, family="graph", name="cycle", vertices=int),
    _code(_graph, family="graph", edges=list, vertices=int | None),
    _code(lambda: _graph(designs.edges_of("petersen")), family="graph", name="petersen"),
    _code(_complete, family="graph", name="complete", vertices=int),
]
