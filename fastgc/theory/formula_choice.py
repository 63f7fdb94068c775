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
from fastgc.theory import codedreduce
from fastgc.theory.binary.decoding import class_probability, exact_probability
from fastgc.theory.codedreduce.tree_time import tree_moments
from fastgc.theory.common import code_means
from fastgc.theory.common import order_statistics as times
from fastgc.theory.common import straggler_laws as models
from fastgc.theory.common.numerics import LARGEST_COUNTED, binomial_probabilities
from fastgc.theory.hierarchical.finishing_time import finishing_moments
from fastgc.theory.literature import closed_forms as others
from fastgc.theory.papers.claim import ClosedForm

Table = Mapping[str, Any]
Formula = Callable[..., Any]


def closed_forms(experiment: Table) -> list[ClosedForm]:
    """Every closed form that applies to an experiment, whose sweep is applied.

    Those of the quantities in ``measure``, if it has that; what is infinite is left out.
    """
    forms: Iterable[ClosedForm] = ()
    match experiment:
        case {"kind": "completion", "system": {"n": int(n)}} if n >= 1:
            forms = _system_forms(experiment)
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
class SurvivorLaw:
    """P_0 … P_n, all patterns of r survivors being alike in one iteration.

    ``name`` is the model, or "slow" of two classes of given sizes; ``p`` the probability to
    straggle, where workers are independent in one iteration; ``states``, where they last for a
    trial, what a variance takes: p_slow or the number slow, and the probabilities to straggle of
    both classes; of Markov chains those to begin and to stop.
    """

    name: str
    survivors: Values
    p: float | None = None
    states: tuple[Any, ...] = ()

    @cached_property
    def possible(self) -> list[int]:
        """Numbers of survivors that can be."""
        return np.flatnonzero(self.survivors > 0.0).tolist()

    def mixed(self, given: Callable[[int], float]) -> float:
        """Mean of what is given r survivors."""
        return math.fsum(self.survivors[r] * given(r) for r in self.possible)

    def mean(self, formula: Formula) -> float:
        """Mean of what a formula gives for ``p=q``, or else for ``survivors=r`` of every r."""
        if self.p is not None:
            return float(formula(p=self.p))
        return self.mixed(lambda r: formula(survivors=r))


def _law(n: int, table: Any) -> SurvivorLaw | None:
    def independent(p: float, *states: Any) -> SurvivorLaw:
        return SurvivorLaw(table["model"], binomial_probabilities(n, 1.0 - p), p, states)

    match table:
        case {"model": "iid", "p": p} if _is_probability(p):
            return independent(p)
        case {"model": "uniform", "stragglers": int(lost)} if 0 <= lost <= n:
            return SurvivorLaw("uniform", np.eye(1, n + 1, n - lost)[0])
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
                return SurvivorLaw("slow", models.survivors_given_slow(n, *states), None, states)
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
class CodeFormulas:
    """What is known of a code of n workers and as many partitions, or ``k``.

    * ``mean``, ``variance``, ``exact``: of the error of an iteration, and the probability that it
      is 0, by formulas of ``survivors=r`` or ``p=q``.
    * ``claims``: ids of the claims that test numbers, by number, or number and law.
    * ``mixed``: most workers for laws of several numbers of survivors.
    * ``by_survivors``: whether errors given the number of survivors are known, too.
    * ``holders``: workers that hold a partition, if what becomes of one is known.
    * ``average``, ``lag``: variance of the error averaged over the iterations of a trial in which
      states last, by the law, the shuffle, the iterations and the variance in one; and covariance
      of two, by the law, the shuffle and how far they are apart.
    """

    n: int
    mean: Formula | None = None
    variance: Formula | None = None
    exact: Formula | None = None
    claims: Mapping[str, str] = field(default_factory=dict)
    k: int = 0
    mixed: float = math.inf
    by_survivors: bool = True
    holders: int = 0
    average: Formula | None = None
    lag: Formula | None = None


def _code_forms(run: Table, code: CodeFormulas | None) -> Iterator[ClosedForm]:
    law = _law(code.n, run.get("stragglers")) if code else None
    if code is None or law is None:
        return
    n, d, shuffle = code.n, code.holders, run.get("shuffle") or "none"
    iterations, measures = run.get("iterations", 1), run.get("measure")
    is_simple = law.p is not None or len(law.possible) == 1  # formulas hold as they are
    is_known = is_simple or n <= code.mixed

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
        variance = law.mean(code.variance)
        if law.p is None:  # and of the means given so many survivors
            given_mean = code.mean
            variance += law.mixed(lambda r: float((given_mean(survivors=r) - mean) ** 2))
        yield from form("error", "variance", variance)
        yield from form("error_per_partition", "variance", variance / (code.k or n) ** 2)
    most = LARGEST_COUNTED if is_simple else _LARGEST_MIXTURE
    if code.exact and is_known and (law.p is not None or not d or n <= most):
        yield from form("exact", "mean", law.mean(code.exact), "exact")
    if wants("survivors") and (is_known or not code.mixed):
        yield from form("survivors", "mean", dict(enumerate(law.survivors.tolist())), "survivors")
    if code.mean and code.by_survivors and wants("error_by_survivors"):
        given = {r: float(code.mean(survivors=r)) for r in law.possible}
        yield from form("error_by_survivors", "mean", given)
    if d:
        gone = law.p**d if law.p is not None else law.mixed(partial(others.lost_mean, n, d))
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


def _code(run: Table, code: Table) -> CodeFormulas | None:
    decoder = run.get("decoder") or "optimal"
    match code, decoder:
        case {"family": "uncoded" | "frc" as family, "n": int(n)}, "optimal":
            d = 1 if family == "uncoded" else code.get("d")  # without a code each holds its own
            if isinstance(d, int) and 1 <= d <= n and n % d == 0:
                return _repetition(n, d)
        case {"family": "circulant", "n": int(n), "d": 2}, "optimal":
            return _circulant(n)
        case {"family": "graph", "name": "petersen"}, "optimal":
            graph = others.edges_of("petersen"), 10
            mean = partial(others.graph_mean_error, *graph)
            variance = partial(others.graph_error_variance, *graph)
            exact = partial(others.graph_exact_probability, *graph)
            return CodeFormulas(15, mean, variance, exact, k=10, mixed=0)
        case {"family": "binary", "n": int(n), "s": int(s)}, "optimal" | "class":
            return _binary(n, s, decoder) if code.get("k") in (None, n) and 0 <= s < n else None
    return None


def _repetition(n: int, d: int) -> CodeFormulas:
    def lag(law: SurvivorLaw, shuffle: str, apart: int) -> float | None:
        pair = n, d, apart, *law.states
        if law.name == "markov":
            # shuffled, a chain's workers meet other columns in every iteration
            return models.markov_frc_covariance(*pair) if shuffle == "none" else None
        if law.name == "slow":
            slow, ss, active = law.states
            return models.frc_covariance_given_slow(n, d, apart, slow, ss, active, shuffle)
        return float(models.frc_autocovariance(*pair, shuffle)) if law.states else 0.0

    def average(law: SurvivorLaw, shuffle: str, iterations: int, variance: float) -> float | None:
        if lag(law, shuffle, 1) is None:
            return None
        return models.average_variance(
            iterations, lambda apart: (lag(law, shuffle, apart) or 0.0) if apart else variance
        )

    formulas = models.frc_mean_error, models.frc_error_variance, models.frc_exact_probability
    mean, variance, exact = (partial(formula, n, d) for formula in formulas)
    claims = _CLAIMS | {"error slow": "agc.theorem1.printed"}
    return CodeFormulas(n, mean, variance, exact, claims, holders=d, average=average, lag=lag)


def _circulant(n: int) -> CodeFormulas | None:
    def average(law: SurvivorLaw, shuffle: str, iterations: int, variance: float) -> float | None:
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
    moments = code_means.circulant_mean_error, code_means.circulant_error_variance
    mean, variance = (partial(formula, n, 2) for formula in moments)
    exact = partial(code_means.circulant_exact_probability, n)
    claims = _CLAIMS | {"error slow": "agc.theorem2.circulant.derived"}
    return CodeFormulas(n, mean, variance, exact, claims, holders=2, average=average)


def _binary(n: int, s: int, decoder: str) -> CodeFormulas:
    by_class = decoder == "class"
    exact = partial(class_probability if by_class else exact_probability, n, s)

    # of the class decoder: n where no class is complete, else 0
    def mean(**given: Any) -> float:
        return float(n * (1.0 - exact(**given)))

    def variance(**given: Any) -> float:
        return float(n * n * exact(**given) * (1.0 - exact(**given)))

    name = "algorithm3.probability" if by_class else "exact-probability"
    return CodeFormulas(
        n,
        mean if by_class else None,
        variance if by_class else None,
        exact,
        {"exact": f"binary.{name}.derived"},
        mixed=_LARGEST_BINARY,
        by_survivors=False,
    )


# ---- completion times of systems

#: More workers or children take long to sum; staircase probabilities of more take seconds.
_MOST, _LARGEST = 100_000, 400


def _order(n: int, k: int, mean: float, shift: float) -> tuple[float, float]:
    variance = times.exponential_order_variance(n, k, mean)
    return times.exponential_order_mean(n, k, mean, shift), variance


def _system_forms(run: Table) -> Iterator[ClosedForm]:
    """What is known of a system whose workers' times are exponential, where all of them answer."""
    system, receive = run["system"], float((run.get("port") or {}).get("receive") or 0.0)
    n, load, claims = system["n"], 1.0 / system["n"], dict[str, str]()
    # a study's ``load`` is that of one of so many tasks, ``unit`` the part whose time is the law's
    tasks, unit, messages, passing = 1, 0.0, math.nan, 0.0
    need = 0  # how many workers must answer, where the fastest answers count
    moments: Callable[[float, float], tuple[float, float]] | None = None
    if system.get("patience") not in (None, 0):  # no formula knows of a master that waits on
        return
    match system:
        case {"family": "uncoded"}:
            need = n
        case {"family": "ignore-stragglers", "stragglers": int(stragglers)}:
            need = n - stragglers
        case {"family": "k-of-n", "k": int(k)}:
            need, load = k, 1.0 / k
        case {"family": "bounded-wait", "k": int(k)}:
            need = k
        case {"family": "spare"} if isinstance(spare := system.get("b") or 0, int):
            need, n = n, n + spare
        case {"family": "gradient-code", "s": int(s)} if n <= _MOST:
            need, load = n - s, (s + 1) / n
            claims = {"time": "codedreduce.group.mean.printed"}
        case {"family": "ring-all-reduce"} if n <= _MOST:
            # waits for the slowest worker, and then passes 2(n − 1) messages around
            messages, passing = 2.0 * n * (n - 1), 2.0 * (n - 1) * receive / n
            claims, receive = {"time": "codedreduce.simulation.means.derived"}, 0.0
            moments = partial(_order, n, n)
        case {"family": "hierarchical", "k": list(ks)} if max(n, len(ks)) <= _LARGEST:
            claims, tasks, unit = {"time": "hierarchical.mean.derived"}, len(ks), 1.0
            load = tasks / sum(ks)
            if system.get("draws") in (None, "speed"):
                moments = partial(finishing_moments, n, ks)
        case {"family": "coded-reduce", "layers": int(layers), "s": int(s)} if n <= _MOST:
            load, moments = codedreduce.tree_load(n, layers, s), partial(tree_moments, n, layers, s)
            names = {"load": "theorem1.load.printed", "time": "tree.mean.derived"}
            claims = {quantity: f"codedreduce.{name}" for quantity, name in names.items()}
        case _:
            return

    def form(quantity: str, value: float, statistic: str = "mean") -> ClosedForm:
        claim = claims.get(quantity) if statistic == "mean" else None
        return ClosedForm(quantity, statistic, None, value, claim)

    given = system.get("load")
    yield form("load", float(load if given is None else tasks * given))
    # with stragglers, or late workers that finish, the load alone is known
    if run.get("between_rounds") == "finish" or run.get("stragglers") is not None:
        return
    yield form("messages", float(need or messages))
    law = _time_law(run, given if given is not None else unit or load)
    if law is None or receive:
        return
    if need:
        yield form("worker_seconds", need * law[0] + n * law[1])
        moments = partial(_order, n, need)
    if moments is not None:
        mean, variance = moments(*law)
        yield form("time", mean + passing)
        yield form("time", variance, "variance")


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
