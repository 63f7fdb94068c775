"""Which closed forms apply to an experiment: a list of templates, and what is known of each.

A template is a table of a study with holes. Of codes that only enumeration knows nothing is said
here: that is the exact method's.
"""

import math
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from types import UnionType
from typing import Any

import numpy as np

from fastgc.arrays import Values
from fastgc.theory import codedreduce, hierarchical
from fastgc.theory.binary.decoding import class_probability, exact_probability
from fastgc.theory.common import circulant as crc
from fastgc.theory.common import order_statistics as times
from fastgc.theory.common import repetition as frc
from fastgc.theory.common import stragglers as models
from fastgc.theory.common.numerics import LARGEST_COUNTED, binomial_probabilities
from fastgc.theory.literature import designs
from fastgc.theory.papers.claim import ClosedForm

Table = Mapping[str, Any]
#: A template, and what makes closed forms of the experiment that fits and of what its holes hold.
Entry = tuple[Table, Callable[..., Iterable[ClosedForm]]]
Formula = Callable[..., Any]


def closed_forms(experiment: Table) -> list[ClosedForm]:
    """Every closed form that applies to an experiment, whose sweep is applied.

    Those of the quantities in ``measure``, if it has that; what is infinite is left out.
    """
    forms: Iterable[ClosedForm] = ()
    for template, make in KNOWN:
        holes: dict[str, Any] = {}
        if match(template, experiment, holes):
            forms = make(experiment, **holes)
            break
    measures = experiment.get("measure")
    return [
        form
        for form in forms
        if math.isfinite(form.value) and (measures is None or form.quantity in measures)
    ]


def match(template: Any, given: Any, holes: dict[str, Any], key: str = "") -> bool:
    """Whether a table has this form; what stands in its holes goes into ``holes``.

    A type is a hole, named by its key, for a value of the type; a tuple holds what may stand there,
    None if nothing. Keys not named may hold anything.
    """
    if isinstance(template, Mapping):
        return isinstance(given, Mapping) and all(
            match(part, given.get(own), holes, own) for own, part in template.items()
        )
    if isinstance(template, type | UnionType):
        holes[key] = given
        return isinstance(given, template)
    return given in template if isinstance(template, tuple) else bool(given == template)


# ---- laws of the number of survivors

#: Above it, two classes of given sizes take seconds to convolve.
_LARGEST_CONVOLVED = 16_384


@dataclass(frozen=True)
class Law:
    """P_0 … P_n, all patterns of r survivors being alike in one iteration.

    * ``name``: the model, or "slow" of two classes of given sizes.
    * ``p``: probability to straggle, where workers are independent in one iteration.
    * ``states``: where they last for a trial, what a variance takes: p_slow or the number slow, and
      the probabilities to straggle of both classes; of Markov chains those to begin and to stop.
    """

    name: str
    survivors: Values
    p: float | None = None
    states: tuple[Any, ...] = ()

    @cached_property
    def possible(self) -> list[int]:
        """Numbers of survivors that can be."""
        return np.flatnonzero(self.survivors > 0.0).tolist()

    @property
    def simple(self) -> bool:
        """Whether formulas given p or a number of survivors hold as they are."""
        return self.p is not None or len(self.possible) == 1

    def mixed(self, given: Callable[[int], float]) -> float:
        """Mean of what is given r survivors."""
        return math.fsum(self.survivors[r] * given(r) for r in self.possible)

    def mean(self, formula: Formula) -> float:
        """Mean of what a formula gives for ``p=q``, or else for ``survivors=r`` of every r."""
        if self.p is not None:
            return float(formula(p=self.p))
        return self.mixed(lambda r: formula(survivors=r))


def _law(n: int, table: Any) -> Law | None:

    def independent(p: float, *states: Any) -> Law:
        return Law(table["model"], binomial_probabilities(n, 1.0 - p), p, states)

    match table:
        case {"model": "iid", "p": p} if _is_probability(p):
            return independent(p)
        case {"model": "uniform", "stragglers": int(lost)} if 0 <= lost <= n:
            return Law("uniform", np.eye(1, n + 1, n - lost)[0])
        case {"model": "markov", "p_straggle_after_ok": a, "p_straggle_after_straggle": stay} if (
            _is_probability(a) and _is_probability(stay) and (a, stay) != (0, 1)
        ):
            chain = float(a), 1.0 - float(stay)
            return independent(models.markov_stationary(*chain), *chain)
        case {"model": "two-class", "p_straggle_slow": p, "p_straggle_active": active} if (
            _is_probability(p) and _is_probability(active)
        ):
            slow, p_slow = table.get("slow"), table.get("p_slow")
            if _is_probability(p_slow):
                states = p_slow, p, active
                return independent(float(models.straggle_probability(*states)), *states)
            if type(slow) is int and 0 <= slow <= n <= _LARGEST_CONVOLVED:
                states = slow, p, active
                return Law("slow", models.survivors_given_slow(n, *states), None, states)
    return None


def _is_probability(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and 0 <= value <= 1


def _time_law(table: Table, load: float) -> tuple[float, float] | None:
    """Mean and shift of the time of a load, for one exponential law common to all workers.

    ``table`` has the keys ``latency``, ``work`` and ``scaling`` of a study.
    """
    latency, scaling = table.get("latency"), table.get("scaling") or "server-dependent"
    load *= table.get("work") or 1.0
    if isinstance(latency, list | tuple) and len(latency) == 1:
        latency = latency[0]
    if not isinstance(latency, Mapping) or latency.get("distribution") != "exponential":
        return None
    if scaling == "additive" and load != 1:
        return None
    factor = load if scaling == "server-dependent" else 1.0
    return factor * latency["mean"], load * (latency.get("shift") or 0.0)


# ---- codes

#: Above it, mixtures of exactness over numbers of survivors take seconds; of the binary code.
_LARGEST_MIXTURE, _LARGEST_BINARY = 256, 128
#: Above it, the circulant's covariance over all 2ⁿ assignments of classes takes seconds.
_LARGEST_TABLE = 14
#: Lags of which the autocovariance is given.
_MOST_LAGS = 64


@dataclass(frozen=True)
class Code:
    """What is known of a code of n workers and as many partitions, or ``k``.

    * ``mean``, ``variance``, ``exact``: of the error of an iteration, and the probability that it
      is 0, by formulas of ``survivors=r`` or ``p=q``.
    * ``claims``: ids of the claims that test numbers, by number, or number and law.
    * ``mixed``: most workers for laws of several numbers of survivors.
    * ``by_survivors``: whether the number of survivors and errors given it are known, too.
    * ``holders``: workers that hold a partition, if what becomes of one is known.
    * ``average``, ``lag``: variance of the error averaged over the iterations of a trial in which
      states last, and covariance of that of two: from the law, the shuffle, the iterations or how
      far they are apart, and the variance in one.
    """

    n: int
    mean: Formula | None = None
    variance: Formula | None = None
    exact: Formula | None = None
    claims: Mapping[str, str] = field(default_factory=dict)
    k: int = 0
    mixed: float = math.inf
    by_survivors: tuple[str, ...] = ("survivors", "error_by_survivors")
    holders: int = 0
    average: Formula | None = None
    lag: Formula | None = None


def _code_forms(run: Table, code: Code | None) -> Iterator[ClosedForm]:
    """What is known of a code under the law of an experiment's stragglers."""
    law = _law(code.n, run.get("stragglers")) if code else None
    if code is None or law is None:
        return
    n, d, shuffle = code.n, code.holders, run.get("shuffle") or "none"
    iterations, measures = run.get("iterations", 1), run.get("measure")
    is_known = law.simple or n <= code.mixed

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
        mean = law.mean(code.mean)
        yield from form("error", "mean", mean, "error")
        yield from form("error_per_partition", "mean", mean / (code.k or n))
        yield from form("mean_error", "mean", mean, "error")
    if code.mean and code.variance and is_known:
        of_mean, of_variance = code.mean, code.variance

        def square(**given: Any) -> float:
            return float(of_variance(**given) + (of_mean(**given) - mean) ** 2)

        variance = law.mean(square if law.p is None else of_variance)
        yield from form("error", "variance", variance)
        yield from form("error_per_partition", "variance", variance / (code.k or n) ** 2)
    most = LARGEST_COUNTED if law.simple else _LARGEST_MIXTURE
    if code.exact and is_known and (law.p is not None or not d or n <= most):
        yield from form("exact", "mean", law.mean(code.exact), "exact")
    if "survivors" in code.by_survivors and wants("survivors") and (is_known or not code.mixed):
        yield from form("survivors", "mean", dict(enumerate(law.survivors.tolist())), "survivors")
    if code.mean and "error_by_survivors" in code.by_survivors and wants("error_by_survivors"):
        given = {r: float(code.mean(survivors=r)) for r in law.possible}
        yield from form("error_by_survivors", "mean", given)
    if d:
        gone = law.p**d if law.p is not None else law.mixed(partial(designs.lost_mean, n, d))
        yield from form("lost", "mean", gone, "lost")
        if wants("not_accessed"):
            each = dict.fromkeys(range(n), iterations * gone)
            yield from form("not_accessed", "mean", each, "not_accessed")
    if code.average and (iterations == 1 or not law.states):
        yield from form("mean_error", "variance", variance / iterations)
    elif code.average:
        average = code.average(law, shuffle, iterations, variance)
        yield from form("mean_error", "variance", average, "average")
    if code.lag and law.p is not None:
        lags = range(1, min(iterations, _MOST_LAGS))
        found = {lag: code.lag(law, shuffle, lag) for lag in lags}
        yield from form("error_lag", "mean", {0: variance} | found)


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
        given = frc.frc_mean_error_variance_given_slow if law.name == "slow" else None
        return float((given or frc.frc_mean_error_variance)(*trial, shuffle))

    def lag(law: Law, shuffle: str, apart: int) -> float | None:
        pair = n, d, apart, *law.states
        if law.name == "markov":
            return models.markov_frc_covariance(*pair) if shuffle == "none" else None
        return frc.frc_autocovariance(*pair, shuffle) if law.states else 0.0

    if not 1 <= d <= n or n % d:
        return None
    formulas = frc.frc_mean_error, frc.frc_error_variance, frc.frc_exact_probability
    mean, variance, exact = (partial(formula, n, d) for formula in formulas)
    claims = _CLAIMS | {"error slow": "agc.theorem1.printed"}
    return Code(n, mean, variance, exact, claims, holders=d, average=average, lag=lag)


def _clusters(n: int, d: int = 1, iterations: int | None = None, **chain: float) -> Code | None:
    """Groups are made anew by who straggled last."""
    if not 1 <= d <= n or n % d:
        return None
    trial = n, d, iterations or 1, float(chain[_CHAIN[0]]), 1.0 - float(chain[_CHAIN[1]])
    mean, exact = models.markov_frc_clusters_error, models.markov_frc_clusters_exact
    own = (lambda p: mean(*trial)), None, (lambda p: exact(*trial))
    claims = {"error": "literature.stragglers.clusters.derived"}
    return Code(n, *own, claims, by_survivors=())


def _circulant(n: int) -> Code | None:
    def average(law: Law, shuffle: str, iterations: int, variance: float) -> float | None:
        if law.name == "slow" and shuffle == "random":
            # Given the number of slow workers, shuffled iterations are independent.
            return variance / iterations
        if law.name != "two-class" or (shuffle != "random" and n > _LARGEST_TABLE):
            return None
        return float(crc.circulant_mean_error_variance(n, 2, iterations, *law.states, shuffle))

    if not 3 <= n <= LARGEST_COUNTED:
        return None
    mean, variance = crc.circulant_mean_error, crc.circulant_error_variance
    own = partial(mean, n, 2), partial(variance, n, 2), partial(crc.circulant_exact_probability, n)
    claims = _CLAIMS | {"error slow": "agc.theorem2.circulant.derived"}
    return Code(n, *own, claims, holders=2, average=average)


def _binary(n: int, s: int, k: int | None, by_classes: bool = False) -> Code | None:
    """By classes the error is n where none is complete, else 0."""

    def mean(**given: Any) -> float:
        return float(n * (1.0 - exact(**given)))

    def variance(**given: Any) -> float:
        return float(n * n * exact(**given) * (1.0 - exact(**given)))

    if k not in (None, n) or not 0 <= s < n:
        return None
    exact = partial(class_probability if by_classes else exact_probability, n, s)
    name = "algorithm3.probability" if by_classes else "exact-probability"
    claims, counted = {"exact": f"binary.{name}.derived"}, ("survivors",)
    known = Code(n, mean, variance, exact, claims, mixed=_LARGEST_BINARY, by_survivors=counted)
    return known if by_classes else replace(known, mean=None, variance=None)


def _petersen() -> Code:
    graph = designs.edges_of("petersen"), 10
    mean = partial(designs.graph_mean_error, *graph)
    variance = partial(designs.graph_error_variance, *graph)
    exact = partial(designs.graph_exact_probability, *graph)
    return Code(15, mean, variance, exact, k=10, mixed=0)


# ---- completion times of systems

#: More workers or children take long to sum; staircase probabilities of more take seconds.
_MOST, _LARGEST = 100_000, 400


@dataclass(frozen=True)
class System:
    """What is known of a system whose workers' times are exponential, where all of them answer.

    * ``load``: a worker's share of the work; ``task``: the part whose time is the law's, and
      ``tasks``: how many a worker has, if a study's ``load`` is that of one.
    * ``moments``: mean and variance of the completion time, from mean and shift of a worker's;
      ``port``: also where a port takes messages one by one.
    * ``claims``: ids of claims that test means, by quantity.
    * ``messages``: how many; ``worked``: mean seconds of all workers.
    """

    load: float
    moments: Callable[[float, float], tuple[float, float]] | None
    claims: Mapping[str, str] = field(default_factory=dict)
    messages: float | None = None
    worked: Callable[[float, float], float] | None = None
    task: float | None = None
    tasks: int = 1
    port: bool = False


def _system_forms(experiment: Table, known: System | None) -> Iterator[ClosedForm]:
    """Load, messages and time; with stragglers, or late workers that finish, the load alone."""
    if known is None:
        return

    def mean(quantity: str, value: float | None) -> Iterator[ClosedForm]:
        if value is not None:
            yield ClosedForm(quantity, "mean", None, value, known.claims.get(quantity))

    load = experiment["system"].get("load")
    yield from mean("load", float(known.load if load is None else known.tasks * load))
    if experiment.get("between_rounds") == "finish" or experiment.get("stragglers") is not None:
        return
    yield from mean("messages", known.messages)
    task = known.load if known.task is None else known.task
    law = _time_law(experiment, task if load is None else load)
    if law is None or not (known.port or _receive(experiment.get("port")) == 0):
        return
    if known.worked is not None:
        yield from mean("worker_seconds", known.worked(*law))
    if known.moments is not None:
        moments = known.moments(*law)
        yield from mean("time", moments[0])
        yield ClosedForm("time", "variance", None, moments[1], None)


def _receive(port: Table | None) -> float:
    """Seconds that a port takes for a message; 0 is no port."""
    return float((port or {}).get("receive") or 0.0)


def _order(n: int, k: int, mean: float, shift: float) -> tuple[float, float]:
    variance = times.exponential_order_variance(n, k, mean)
    return times.exponential_order_mean(n, k, mean, shift), variance


def _star(n: int, need: int, load: float, **claims: str) -> System:
    """So many of n workers must answer, whose fastest answers count."""
    worked = lambda mean, shift: need * mean + n * shift  # noqa: E731
    return System(load, partial(_order, n, need), claims, float(need), worked)


def _gradient_code(n: int, s: int, m: int | None) -> System | None:
    """All but s workers, with s + m of n partitions each, must answer."""
    claims = {} if m and m > 1 else {"time": "codedreduce.group.mean.printed"}
    return _star(n, n - s, (s + (m or 1)) / n, **claims) if n <= _MOST else None


def _ring(n: int, port: Table | None) -> System | None:
    """A ring waits for its slowest worker, and then passes 2(n − 1) messages around."""
    messages = 2.0 * (n - 1) * _receive(port) / n

    def moments(mean: float, shift: float) -> tuple[float, float]:
        first, variance = _order(n, n, mean, shift)
        return first + messages, variance

    claims = {"time": "codedreduce.simulation.means.derived"}
    known = System(1.0 / n, moments, claims, 2.0 * n * (n - 1), port=True)
    return known if n <= _MOST else None


def _layers(n: int, k: list[int], draws: str | None) -> System | None:
    """Layer j of tasks needs k_j answers; one speed a worker."""

    def moments(mean: float, shift: float) -> tuple[float, float]:
        own = n, k, mean, shift
        return hierarchical.finishing_mean(*own), hierarchical.finishing_variance(*own)

    claims, tasks = {"time": "hierarchical.mean.derived"}, len(k)
    known = moments if draws in (None, "speed") else None
    found = System(tasks / sum(k), known, claims, task=1.0, tasks=tasks)
    return found if max(n, tasks) <= _LARGEST else None


def _tree(n: int, layers: int, s: int) -> System | None:
    """CodedReduce on a regular tree: every parent needs n − s of n children."""

    def moments(mean: float, shift: float) -> tuple[float, float]:
        tree = n, layers, s
        return codedreduce.tree_mean(*tree, mean, shift), codedreduce.tree_variance(*tree, mean)

    claims = {"load": "codedreduce.theorem1.load.printed", "time": "codedreduce.tree.mean.derived"}
    known = System(codedreduce.tree_load(n, layers, s), moments, claims)
    return known if n <= _MOST else None


# ---- training by who is selected; rules but "all" have bounds only

#: Curves of more iterations get no closed forms, one an iteration.
_LONGEST = 10_000


def _all_workers(
    experiment: Table, workers: int, batch: Any, iterations: int
) -> Iterator[ClosedForm]:
    """What all workers cost after 0 … L iterations: messages, gradients, mean time."""
    if iterations > _LONGEST:
        return
    law = _time_law(experiment, 1.0)
    costs: dict[str, float | None] = {
        "downloads": workers,
        "uploads": workers,
        "gradients": workers * batch if isinstance(batch, int) else None,
        "time": _order(workers, workers, *law)[0] if law else None,
    }
    for quantity, cost in costs.items():
        claim = "gcada.adam.time.printed" if quantity == "time" else None
        for iteration in range(iterations + 1) if cost is not None else ():
            yield ClosedForm(quantity, "mean", iteration, float(iteration * (cost or 0)), claim)


# ---- the list: what an experiment is, and what is known of it

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
    return template | dict(more or {}), lambda run, **holes: _code_forms(run, make(**holes))


def _system(family: str, make: Callable[..., System | None], **keys: Any) -> Entry:
    """No formula knows of a master that waits on, or of times to send."""
    own = {"family": family, "n": int, "patience": (None, 0)} | keys
    port = {"port": own.pop("port")} if "port" in own else {}
    template = {"kind": "completion", "system": own, "send": None, **port}

    def forms(experiment: Table, n: int, **holes: Any) -> Iterator[ClosedForm]:
        return _system_forms(experiment, make(n, **holes) if n >= 1 else None)

    return template, forms


_ALL = {"method": "all", "workers": int, "batch": object}
KNOWN: list[Entry] = [
    _code(_repetition, _KEPT, family="uncoded", n=int),
    _code(_repetition, _KEPT, family="frc", n=int, d=int),
    _code(_clusters, _CLUSTERS, family="uncoded", n=int),
    _code(_clusters, _CLUSTERS, family="frc", n=int, d=int),
    _code(_circulant, family="circulant", n=int, d=2),
    _code(_binary, **_BINARY),
    _code(partial(_binary, by_classes=True), {"decoder": "class"}, **_BINARY),
    _code(_petersen, family="graph", name="petersen"),
    _system("uncoded", lambda n: _star(n, n, 1.0 / n)),
    _system("ignore-stragglers", lambda n, stragglers: _star(n, n - stragglers, 1.0 / n),
            stragglers=int),
    _system("k-of-n", lambda n, k: _star(n, k, 1.0 / k), k=int),
    _system("gradient-code", _gradient_code, s=int, m=int | None),
    _system("bounded-wait", lambda n, k: _star(n, k, 1.0 / n), k=int),
    _system("spare", lambda n, b: _star(n + (b or 0), n, 1.0 / n), b=int | None),
    _system("ring-all-reduce", _ring, port=object),
    _system("hierarchical", _layers, k=list, draws=str | None),
    _system("coded-reduce", _tree, layers=int, s=int),
    ({"kind": "training", "selection": _ALL, "iterations": int}, _all_workers),
]  # fmt: skip
