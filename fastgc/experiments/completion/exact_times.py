"""Completion times without trials: their law by quadrature, and P(> threshold) alone where rare."""

import json
import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import partial

import numpy as np

from fastgc.arrays import Values
from fastgc.draws import streams
from fastgc.errors import FastgcError
from fastgc.experiments import methods
from fastgc.experiments.accumulators import Row
from fastgc.experiments.completion.completion_table import CompletionTable
from fastgc.experiments.completion.scenario import Scenario
from fastgc.latency.empirical import SampleTime
from fastgc.registry.cached import cached_property
from fastgc.results.rows import EXACT, UNION_SAMPLING
from fastgc.statistics import estimates
from fastgc.statistics.estimates import Estimate
from fastgc.stragglers.iid import Iid
from fastgc.stragglers.uniform import Uniform
from fastgc.systems.timing.laws import CompletionLaw, Union, distribution, tail
from fastgc.systems.timing.laws.completion_law import DiscreteLaw, SmoothLaw
from fastgc.systems.timing.laws.structure_law import decodable, missing
from fastgc.systems.timing.laws.tail import Counts
from fastgc.systems.timing.timed_structure import Structure

#: Times of workers in all rounds of trials from each row of a recording on, at most.
_MOST_ANSWERS = 1 << 24
#: What quadrature takes of a moment or of a tail, as a share; what rounding takes of a time, or of
#: what is about 1; and the probabilities that sums over times leave out.
_LOST, _ROUNDED, _NEGLIGIBLE = 1e-9, 1e-14, 1e-20


@dataclass(frozen=True, eq=False)
class CompletionLaws(methods.ExactMethod):
    """The laws behind the measures of one experiment."""

    scenario: Scenario
    table: CompletionTable

    patterns = 1
    cost = 0.0

    @property
    def why_not(self) -> str | None:
        """The first measure without a law that is known, and why it has none."""
        _, obstacle = self._laws
        return None if obstacle is None else f"no exact method to {obstacle[0]}: {obstacle[1]}"

    def refusal(self) -> FastgcError:
        quantity, problem = self._laws[1] or ("", "")
        return FastgcError(
            f'method: "exact" is not known for {quantity} here ({problem}); use "monte-carlo"'
        )

    def _statistics(self) -> Iterator[methods.Statistic]:
        for quantity, found in self._laws[0].items():
            if isinstance(found, Estimate):
                yield quantity, "mean", None, found
            else:
                yield from ((quantity, *row) for row in self._spread(*found))

    @cached_property
    def _laws(self) -> "tuple[dict[str, Estimate | LessLaw], tuple[str, str] | None]":
        """What `_law_of` gives of each measure, as far as the first obstacle; and that one."""
        found: dict[str, Estimate | LessLaw] = {}
        for quantity in self.table.measure:
            try:
                found[quantity] = self._law_of(quantity)
            except FastgcError as problem:
                return found, (quantity, str(problem))
        return found, None

    def _law_of(self, quantity: str) -> "Estimate | LessLaw":
        """The one value of a measure; or a law, less how much it is one, and what rounding takes.

        Raises FastgcError if neither is known.
        """
        scenario = self.scenario
        if quantity == "load":
            return _known(scenario.burden)
        if quantity == "decodable":
            stragglers = scenario.stragglers
            return _exact(1.0 if stragglers is None else decodable(scenario.structure, stragglers))
        if quantity == "messages":
            if scenario.messages is None:
                raise FastgcError("their number differs from round to round")
            return _known(scenario.messages)
        if quantity == "worker_seconds":
            if scenario.rows is None:
                raise FastgcError("a law of times is not one of their sums")
            return self._law_of_rows(scenario.structure.worked), 0.0, 0.0
        if quantity == "lost":
            same = scenario.same_lost
            return (self._lost(), 0.0, _ROUNDED) if same is None else _known(same)
        if quantity not in ("time", "waiting"):
            raise FastgcError(f"of {quantity} no law is known")
        busy = scenario.busy if quantity == "waiting" else 0.0
        if busy is None:
            raise FastgcError("what the port receives differs from round to round")
        return self._law, busy, 0.0

    def _law_of_rows(self, value: Callable[[Values, Values], Values]) -> "_LawOfRows":
        _ = self._law  # says why, where there is none
        return _LawOfRows(value(self._answers, self.scenario.evaluator.done(self._answers)))

    def _lost(self) -> "_LawOfRows | _LawOfShare":
        scenario, structure = self.scenario, self.scenario.structure
        if scenario.rows is not None or scenario.carries:
            return self._law_of_rows(scenario.lost)
        end = structure.ends_by
        own = end is not None and not (structure.end.ANY and structure.end.leaves_out)
        if end is None or not own or scenario.port.receive > 0 or not scenario.times:
            raise FastgcError("the share that is lost differs from round to round")
        _, answers = answering(scenario)
        if not structure.end.ANY:
            return _LawOfShare(missing(structure.end, scenario.times, end, answers))
        each = np.resize([float(time.survival(end)) for time in scenario.times], structure.workers)
        return _LawOfCounts(1.0 - np.asarray(answers) * (1.0 - each))

    def _spread(self, law: "Law", less: float, own: float = 0.0) -> Iterator[Row]:
        mean, variance = law.mean(), law.variance()
        far = law.maximum if isinstance(law, DiscreteLaw) else 0.0
        yield "mean", None, _exact(mean - less, _LOST * mean + own + _NEGLIGIBLE * far)
        # it is an integral around the median, between times that are rounded themselves
        lost = _LOST * variance + _ROUNDED * mean * math.sqrt(variance)
        yield "variance", None, _exact(variance, lost + own + _NEGLIGIBLE * far * far)
        yield "minimum", None, _known(law.minimum - less, law.minimum)
        yield "maximum", None, _known(law.maximum - less, law.maximum)
        for level in self.table.quantiles:
            value = float(law.quantile(level))
            yield f"quantile({level!r})", None, _exact(value - less, _LOST * value)
        for threshold in self.table.thresholds:
            t = threshold + less
            found = self._probability(law, t, own)
            found = estimates.not_surely_zero(found) if t < law.maximum else found
            yield f"P(>{threshold!r})", None, found

    def _probability(self, law: "Law", t: float, own: float) -> Estimate:
        """P(> t), to digits of the rarer side: fewer where t is an end but for rounding."""
        above, below = float(law.survival(t)), float(law.cdf(t))
        share, stragglers = _LOST, self.scenario.stragglers
        if isinstance(law, SmoothLaw):
            gaps = [abs(t - end) for end in (law.minimum, law.maximum) if t != end]
            share += _ROUNDED * self.scenario.n * abs(t) / min(gaps)
        if isinstance(stragglers, Iid):  # what is known is 1 less their probabilities
            p = stragglers.straggle(self.scenario.structure.workers)
            share += _ROUNDED * p.size / p.min(where=p > 0, initial=1.0)
        lost = share * min(above, below) + own
        fails = (below, below) if lost < below < above else None
        return Estimate(above, 0.0, failure=fails, rounding=lost)

    @cached_property
    def _law(self) -> "CompletionLaw | _LawOfRows":
        scenario, port = self.scenario, self.scenario.port
        if scenario.rows is not None:
            if scenario.stragglers is not None:
                raise FastgcError("rows of a trace and stragglers are not joined exactly")
            return _LawOfRows(scenario.evaluator.done(self._answers))
        if scenario.carries:
            raise FastgcError("rounds whose late workers finish depend on those before")
        if scenario.times is None:
            raise FastgcError("a law of latency only draws times")
        structure, answers = answering(scenario)
        return distribution(structure, scenario.times, port.receive, port.opens, answers)

    @cached_property
    def _answers(self) -> Values:
        scenario = self.scenario
        times = scenario.times_of_rows()
        if not scenario.carries:
            return times
        if scenario.rows != "replay":
            raise FastgcError("rounds of rows that are drawn anew depend on those before")
        if self.table.iterations * times.size > _MOST_ANSWERS:
            raise FastgcError("there are too many rounds from each row on")
        turns = np.stack([np.roll(times, -i, axis=1) for i in range(self.table.iterations)])
        return np.concatenate(list(scenario.carried(turns)[0]), axis=1)


class _LawOfRows(SampleTime):
    def variance(self) -> float:
        return float(np.var(self.values))

    @property
    def minimum(self) -> float:
        return float(self.values.min())

    @property
    def maximum(self) -> float:
        return float(self.values.max())


class _LawOfShare:
    """The share j/k of k things to which something happens, with the probability ``law[j]``."""

    def __init__(self, law: Values) -> None:
        self._law = law
        self._share = np.arange(law.size) / (law.size - 1)

    def mean(self) -> float:
        return math.fsum(self._law * self._share)

    def variance(self) -> float:
        return math.fsum(self._law * (self._share - self.mean()) ** 2)

    @property
    def minimum(self) -> float:
        return float(self._share[self._law > 0][0])

    @property
    def maximum(self) -> float:
        return float(self._share[self._law > 0][-1])

    def quantile(self, level: float) -> float:
        return float(self._share[methods.reaching(self._law, level)])

    def survival(self, t: float) -> float:
        return min(1.0, math.fsum(self._law[self._share > t + 1e-12]))

    def cdf(self, t: float) -> float:
        return min(1.0, math.fsum(self._law[self._share <= t + 1e-12]))


class _LawOfCounts(_LawOfShare):
    """The share of n independent workers to whom something happens, each with a probability."""

    def __init__(self, probabilities: Values) -> None:
        super().__init__(methods.sum_law(probabilities))
        self._p = probabilities

    def mean(self) -> float:
        return math.fsum(self._p) / self._p.size

    def variance(self) -> float:
        return math.fsum(self._p * (1.0 - self._p)) / self._p.size**2


Law = CompletionLaw | _LawOfRows | _LawOfShare
#: A law, how much less than it a measure is, and what rounding takes.
LessLaw = tuple[Law, float, float]


def answering(scenario: Scenario) -> tuple[Structure, float | list[float]]:
    """Return the structure, and the probability of each worker to answer at all.

    FastgcError is raised where workers do not answer independently of each other.
    """
    structure, stragglers = scenario.structure, scenario.stragglers
    if stragglers is None:
        return structure, 1.0
    if isinstance(stragglers, Iid):
        probabilities = 1.0 - stragglers.straggle(structure.workers)
        return structure, [float(probability) for probability in probabilities]
    if isinstance(stragglers, Uniform) and len(scenario.times or ()) == 1:
        rest = structure.without(stragglers.stragglers)
        if rest is not None:
            return rest, 1.0
    model = stragglers.settings()["model"]
    raise FastgcError(f"stragglers {model!r} leave no law that is known")


def _exact(value: float, lost: float | None = None) -> Estimate:
    """Return a number of which rounding may have changed so much, as far as that is known."""
    if not math.isfinite(value):
        return Estimate(None, None, note="infinite")
    return Estimate(float(value), 0.0, rounding=lost)


def _known(value: float, of: float | None = None) -> Estimate:
    """Return a number that has no error but rounding, of it or of what it was taken from."""
    return _exact(value, methods.ROUNDING * abs(value if of is None else of))


#: What is exceeded so often, trials show as well.
_OFTEN = 0.5
#: What quadrature takes of a probability at most, as a share.
_QUADRATURE = 1e-10


@dataclass(frozen=True, eq=False)
class RareTimes(methods.RareMethod):
    """The probabilities of times, and of waiting, above an experiment's thresholds."""

    table: CompletionTable
    scenario: Scenario
    tail: CompletionLaw | Counts  #: Of the completion time.
    _unions: dict[float, Union] = field(default_factory=dict, repr=False)

    @classmethod
    def of(cls, table: CompletionTable, scenario: Scenario) -> "RareTimes | None":
        """Return the method; None where no threshold is asked for, or no tail is known."""
        asked = {"time", "waiting"} & set(table.measure)
        if not (asked and table.thresholds) or scenario.times is None or scenario.carries:
            return None
        try:
            structure, answers = answering(scenario)
            port = scenario.port
            found = tail(structure, scenario.times, port.receive, port.opens, answers)
        except FastgcError:
            return None
        return cls(table, scenario, found)

    @cached_property
    def events(self) -> tuple[tuple[str, float, float], ...]:
        """Quantity, threshold, and the completion time that is exceeded with it."""
        less = {"time": 0.0, "waiting": self.scenario.busy}
        return tuple(
            (quantity, threshold, threshold + own)
            for quantity in self.table.measure
            if (own := less.get(quantity)) is not None
            for threshold in self.table.thresholds
        )

    def rows(
        self, asked: methods.RareRequest, sampling: methods.Sampling
    ) -> Iterator[methods.MethodRow]:
        for place, (quantity, threshold, t) in enumerate(self.events):
            named = quantity, f"P(>{threshold!r})", None
            if named in asked.known:
                continue
            if isinstance(self.tail, CompletionLaw):
                value = float(self.tail.survival(t))
                one = Estimate(value, 0.0, rounding=_QUADRATURE * value)
                yield EXACT, (*named, self._not_surely_zero(one))
                continue
            union = self._union(t)
            if union.least >= _OFTEN and not asked.always:
                continue
            found = union.probability(partial(sampling, place), asked.relative, asked.trials)
            yield UNION_SAMPLING, (*named, self._not_surely_zero(found))

    def _not_surely_zero(self, found: Estimate) -> Estimate:
        """The probability, with bounds where it may be 0 by rounding alone: times have no end."""
        times = self.scenario.times or ()
        if all(math.isfinite(float(time.quantile(1.0))) for time in times):
            return found
        return estimates.not_surely_zero(found)

    def part(self, place: int, seed: int, first: int, islands: int) -> Values:
        quantity, threshold, t = self.events[place]
        key = streams.key(seed, f"{self._stream} {quantity} {threshold!r}", "tail")
        return self._union(t).islands(key, first, islands)

    def _union(self, t: float) -> Union:
        if t not in self._unions:
            assert not isinstance(self.tail, CompletionLaw)
            self._unions[t] = Union.late(self.tail, t)
        return self._unions[t]

    @cached_property
    def _stream(self) -> str:
        table = self.table
        own = [part.identity() for part in (table.system, *table.latency)]
        stragglers = None if table.stragglers is None else table.stragglers.identity()
        port = table.port.model_dump()
        parts = [own, stragglers, port, table.work, table.scaling]
        return json.dumps(parts, sort_keys=True, default=str)
