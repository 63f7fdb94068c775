"""Which closed forms apply to an experiment, and what is known of each.

Of codes that only enumeration knows nothing is said here: that is the exact method's.
"""

import math
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property, partial
from typing import Any

import numpy as np

from fastgc.arrays import Values
from fastgc.theory import codedreduce, hierarchical
from fastgc.theory.binary.decoding import class_probability, exact_probability
from fastgc.theory.common import code_means
from fastgc.theory.common import order_statistics as times
from fastgc.theory.common import straggler_laws as models
from fastgc.theory.common.numerics import LARGEST_COUNTED, binomial_probabilities
from fastgc.theory.literature import code_errors
from fastgc.theory.papers.claim import ClosedForm

Table = Mapping[str, Any]
Formula = Callable[..., Any]


def closed_forms(experiment: Table) -> list[ClosedForm]:
    """Every closed form that applies to an experiment, whose sweep is applied.

    Those of the quantities in ``measure``, if it has that; what is infinite is left out.
    """
    forms: Iterable[ClosedForm] = ()
    match experiment:
        case {"kind": "completion", "system": {"n": int(n)} as system} if n >= 1:
            forms = _system_forms(experiment, _system(experiment, system, n))
        case {"kind": "training", "selection": {"method": "all"}, "iterations": int()}:
            forms = _all_workers(experiment)
        case {"code": {} as code} if experiment.get("kind") in (None, "decoding"):
            forms = _code_forms(experiment, _code(experiment, code))
    measures = experiment.get("measure")
    return [
        form
        for form in forms
        if math.isfinite(form.value) and (measures is None or form.quantity in measures)
    ]


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
        gone = law.p**d if law.p is not None else law.mixed(partial(code_errors.lost_mean, n, d))
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


def _code(run: Table, code: Table) -> Code | None:
    decoder, clustered = run.get("decoder") or "optimal", run.get("shuffle") == "clusters"
    match code, decoder:
        case {"family": "uncoded", "n": int(n)}, "optimal":  # repetition with d = 1
            return _clusters(run, n, 1) if clustered else _repetition(n, 1)
        case {"family": "frc", "n": int(n), "d": int(d)}, "optimal":
            return _clusters(run, n, d) if clustered else _repetition(n, d)
        case {"family": "circulant", "n": int(n), "d": 2}, "optimal":
            return _circulant(n)
        case {"family": "graph", "name": "petersen"}, "optimal":
            graph = code_errors.edges_of("petersen"), 10
            mean = partial(code_errors.graph_mean_error, *graph)
            variance = partial(code_errors.graph_error_variance, *graph)
            exact = partial(code_errors.graph_exact_probability, *graph)
            return Code(15, mean, variance, exact, k=10, mixed=0)
        case {"family": "binary", "n": int(n), "s": int(s)}, "optimal" | "class":
            return _binary(n, s, decoder) if code.get("k") in (None, n) and 0 <= s < n else None
    return None


def _repetition(n: int, d: int) -> Code | None:
    def average(law: Law, shuffle: str, iterations: int, variance: float) -> float | None:
        trial = n, d, iterations, *law.states
        if law.name == "markov":
            # Shuffled, a chain's workers meet other columns in every iteration.
            kept = shuffle == "none"
            return models.markov_frc_mean_error_variance(*trial) if kept else None
        given = models.frc_mean_error_variance_given_slow if law.name == "slow" else None
        return float((given or models.frc_mean_error_variance)(*trial, shuffle))

    def lag(law: Law, shuffle: str, apart: int) -> float | None:
        pair = n, d, apart, *law.states
        if law.name == "markov":
            return models.markov_frc_covariance(*pair) if shuffle == "none" else None
        return models.frc_autocovariance(*pair, shuffle) if law.states else 0.0

    if not 1 <= d <= n or n % d:
        return None
    formulas = models.frc_mean_error, models.frc_error_variance, models.frc_exact_probability
    mean, variance, exact = (partial(formula, n, d) for formula in formulas)
    claims = _CLAIMS | {"error slow": "agc.theorem1.printed"}
    return Code(n, mean, variance, exact, claims, holders=d, average=average, lag=lag)


def _clusters(run: Table, n: int, d: int) -> Code | None:
    # groups are made anew by who straggled last
    match run.get("iterations") or 1, run.get("stragglers"):
        case int(iterations), {
            "model": "markov",
            "p_straggle_after_ok": int() | float() as a,
            "p_straggle_after_straggle": int() | float() as stay,
        } if 1 <= d <= n and n % d == 0:
            trial = n, d, iterations, float(a), 1.0 - float(stay)
            return Code(
                n,
                mean=lambda p: models.markov_frc_clusters_error(*trial),
                exact=lambda p: models.markov_frc_clusters_exact(*trial),
                claims={"error": "literature.stragglers.clusters.derived"},
                by_survivors=(),
            )
    return None


def _circulant(n: int) -> Code | None:
    def average(law: Law, shuffle: str, iterations: int, variance: float) -> float | None:
        if law.name == "slow" and shuffle == "random":
            # Given the number of slow workers, shuffled iterations are independent.
            return variance / iterations
        if law.name != "two-class" or (shuffle != "random" and n > _LARGEST_TABLE):
            return None
        return float(
            code_means.circulant_mean_error_variance(n, 2, iterations, *law.states, shuffle)
        )

    if not 3 <= n <= LARGEST_COUNTED:
        return None
    mean, variance = code_means.circulant_mean_error, code_means.circulant_error_variance
    own = (
        partial(mean, n, 2),
        partial(variance, n, 2),
        partial(code_means.circulant_exact_probability, n),
    )
    claims = _CLAIMS | {"error slow": "agc.theorem2.circulant.derived"}
    return Code(n, *own, claims, holders=2, average=average)


def _binary(n: int, s: int, decoder: str) -> Code:
    counted = ("survivors",)
    if decoder == "optimal":
        claims = {"exact": "binary.exact-probability.derived"}
        exact = partial(exact_probability, n, s)
        return Code(n, None, None, exact, claims, mixed=_LARGEST_BINARY, by_survivors=counted)
    exact = partial(class_probability, n, s)

    # the error is n where no class is complete, else 0
    def mean(**given: Any) -> float:
        return float(n * (1.0 - exact(**given)))

    def variance(**given: Any) -> float:
        return float(n * n * exact(**given) * (1.0 - exact(**given)))

    claims = {"exact": "binary.algorithm3.probability.derived"}
    return Code(n, mean, variance, exact, claims, mixed=_LARGEST_BINARY, by_survivors=counted)


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
    if known is None:
        return

    def mean(quantity: str, value: float | None) -> Iterator[ClosedForm]:
        if value is not None:
            yield ClosedForm(quantity, "mean", None, value, known.claims.get(quantity))

    load = experiment["system"].get("load")
    port = experiment.get("port") or {}
    yield from mean("load", float(known.load if load is None else known.tasks * load))
    # with stragglers, or late workers that finish, the load alone is known
    if experiment.get("between_rounds") == "finish" or experiment.get("stragglers") is not None:
        return
    yield from mean("messages", known.messages)
    task = known.load if known.task is None else known.task
    law = _time_law(experiment, task if load is None else load)
    if law is None or not (known.port or not port.get("receive")):
        return
    if known.worked is not None:
        yield from mean("worker_seconds", known.worked(*law))
    if known.moments is not None:
        moments = known.moments(*law)
        yield from mean("time", moments[0])
        yield ClosedForm("time", "variance", None, moments[1], None)


def _order(n: int, k: int, mean: float, shift: float) -> tuple[float, float]:
    variance = times.exponential_order_variance(n, k, mean)
    return times.exponential_order_mean(n, k, mean, shift), variance


def _star(n: int, need: int, load: float, **claims: str) -> System:
    """So many of n workers must answer, whose fastest answers count."""
    worked = lambda mean, shift: need * mean + n * shift  # noqa: E731
    return System(load, partial(_order, n, need), claims, float(need), worked)


def _system(experiment: Table, system: Table, n: int) -> System | None:
    # no formula knows of a master that waits on, or of times to send
    if experiment.get("send") is not None or system.get("patience") not in (None, 0):
        return None
    match system:
        case {"family": "uncoded"}:
            return _star(n, n, 1.0 / n)
        case {"family": "ignore-stragglers", "stragglers": int(stragglers)}:
            return _star(n, n - stragglers, 1.0 / n)
        case {"family": "k-of-n", "k": int(k)}:
            return _star(n, k, 1.0 / k)
        case {"family": "bounded-wait", "k": int(k)}:
            return _star(n, k, 1.0 / n)
        case {"family": "spare"} if isinstance(spare := system.get("b") or 0, int):
            return _star(n + spare, n, 1.0 / n)
        case {"family": "gradient-code", "s": int(s)} if n <= _MOST:
            m = system.get("m") or 1
            claims = {} if m > 1 else {"time": "codedreduce.group.mean.printed"}
            return _star(n, n - s, (s + m) / n, **claims)
        case {"family": "ring-all-reduce"} if n <= _MOST:
            port = experiment.get("port") or {}
            return _ring(n, float(port.get("receive") or 0.0))
        case {"family": "hierarchical", "k": list(k)} if max(n, len(k)) <= _LARGEST:
            return _layers(n, k, system.get("draws") in (None, "speed"))
        case {"family": "coded-reduce", "layers": int(layers), "s": int(s)} if n <= _MOST:
            tree = n, layers, s
            return System(
                codedreduce.tree_load(*tree),
                lambda mean, shift: (
                    codedreduce.tree_mean(*tree, mean, shift),
                    codedreduce.tree_variance(*tree, mean),
                ),
                {
                    "load": "codedreduce.theorem1.load.printed",
                    "time": "codedreduce.tree.mean.derived",
                },
            )
    return None


def _ring(n: int, receive: float) -> System:
    """A ring waits for its slowest worker, and then passes 2(n − 1) messages around."""

    def moments(mean: float, shift: float) -> tuple[float, float]:
        first, variance = _order(n, n, mean, shift)
        return first + 2.0 * (n - 1) * receive / n, variance

    claims = {"time": "codedreduce.simulation.means.derived"}
    return System(1.0 / n, moments, claims, 2.0 * n * (n - 1), port=True)


def _layers(n: int, k: list[int], one_speed: bool) -> System:
    """Layer j of tasks needs k_j answers; one speed a worker."""

    def moments(mean: float, shift: float) -> tuple[float, float]:
        own = n, k, mean, shift
        return hierarchical.finishing_mean(*own), hierarchical.finishing_variance(*own)

    claims, tasks = {"time": "hierarchical.mean.derived"}, len(k)
    known = moments if one_speed else None
    return System(tasks / sum(k), known, claims, task=1.0, tasks=tasks)


# ---- training by who is selected; rules but "all" have bounds only

#: Curves of more iterations get no closed forms, one an iteration.
_LONGEST = 10_000


def _all_workers(experiment: Table) -> Iterator[ClosedForm]:
    """What all workers cost after 0 … L iterations: messages, gradients, mean time."""
    selection, iterations = experiment["selection"], experiment["iterations"]
    workers, batch = selection.get("workers"), selection.get("batch")
    if iterations > _LONGEST or not isinstance(workers, int):
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
