"""Sequences without trials: every pattern of slow workers, every start of a recording, a chain."""

import math
from collections.abc import Callable, Iterator

import numpy as np

from fastgc.arrays import Values
from fastgc.errors import FastgcError
from fastgc.experiments.accumulators import Row
from fastgc.experiments.enumerated import distribution, known
from fastgc.experiments.methods import ExactMethod, Found
from fastgc.experiments.sequence.chain import (
    Chain,
    Pace,
    Pattern,
    Slowness,
    of_pasts,
    of_slow_workers,
)
from fastgc.experiments.sequence.measures import Block
from fastgc.experiments.sequence.table import SPREADS, SequenceTable
from fastgc.registry.cached import cached_property
from fastgc.statistics.estimates import Estimate
from fastgc.stragglers.iid import Iid
from fastgc.stragglers.markov import Markov
from fastgc.systems.gradient_code import GradientCode
from fastgc.systems.sequential import MSgc, SrSgc
from fastgc.systems.uncoded import Uncoded

#: Workers times rounds whose patterns are all gone through, at most, and so many at once.
MOST_BITS = 20
_AT_ONCE = 1 << 12
#: Workers of a chain, and its steps, at most.
MOST_WORKERS, MOST_STEPS = 512, 10_000_000
#: Times of workers in the sequences from all rows of a recording, at most.
MOST_TIMES = 1 << 26
#: Seconds that a time of a worker takes, about.
_SECONDS = 2e-8


class SequenceLaws(ExactMethod):
    """The laws behind the measures of one experiment.

    ``recorded`` returns the rows of a recording that is replayed; ``play`` plays times (T, R, n).
    """

    def __init__(
        self,
        table: SequenceTable,
        rounds: int,
        recorded: Callable[[], Values | None],
        play: Callable[[Values], Block],
    ) -> None:
        self._table, self._rounds = table, rounds
        self._recorded, self._play = recorded, play
        self._n = table.system.workers()

    # ---- which way

    @cached_property
    def _slowness(self) -> tuple[Values, Values, Values] | None:
        """Probabilities that workers are slow at first, after a fast and after a slow round."""
        model, n = self._table.stragglers, self._n
        if isinstance(model, Iid):
            p = model.straggle(n)
            return p, p, p
        return (model.straggle(n), *model.transitions(n)) if isinstance(model, Markov) else None

    @property
    def _is_enumerated(self) -> bool:
        return self._slowness is not None and self._n * self._rounds <= MOST_BITS

    @property
    def why_not(self) -> str | None:
        """Why no way leads to all measures."""
        table = self._table
        if table.latency is not None:
            return self._why_not_recorded
        if self._slowness is None:
            return "no exact method for these stragglers"
        if self._is_enumerated:
            return None
        patterns = f"2^{self._n * self._rounds} patterns are too many, and "
        system = table.system
        if isinstance(system, SrSgc):
            return f"{patterns}it matters which workers repeat a task"
        if isinstance(system, MSgc) and system.window > 2:
            if not isinstance(table.stragglers, Iid):
                return f"{patterns}the code looks back more than a round"
            if _pattern(system).steps > MOST_STEPS:
                return f"{patterns}so are the pasts of workers"
        if table.patience.then == "never" and not isinstance(system, Uncoded):
            return f"{patterns}the master never waits"
        if any(len(set(p.tolist())) > 1 for p in self._slowness):
            return f"{patterns}workers differ"
        if self._n > MOST_WORKERS:
            return f"a chain takes at most {MOST_WORKERS} workers"
        return None

    @property
    def _why_not_recorded(self) -> str | None:
        try:
            recorded = self._recorded()
        except FastgcError as problem:
            return str(problem)
        if recorded is None:
            return "no exact method for drawn times"
        if self.patterns * self._rounds * self._n > MOST_TIMES:
            return "the sequences from all rows of the recording are too many"
        return None

    @property
    def patterns(self) -> int:
        """Patterns of slow workers, or rows that a recording may begin at; 1 for a chain."""
        recorded = None if self._table.latency is None else self._recorded()
        if recorded is not None:
            return 1 if self._table.start == "first" else len(recorded)
        return 1 << (self._n * self._rounds) if self._is_enumerated else 1

    @property
    def seconds(self) -> float:
        """About as long as the rounds of so many trials."""
        steps = self._n
        if self._table.latency is None and not self._is_enumerated:
            system = self._table.system
            own = _pattern(system).steps if isinstance(system, MSgc) and system.window > 2 else 0
            steps = 5 * max(2 * (self._n + 1) ** 2, own // 10)
        return self.patterns * self._rounds * steps * _SECONDS

    def refusal(self) -> FastgcError:
        return FastgcError(f'method: "exact" is not known ({self.why_not}); use "monte-carlo"')

    # ---- rows

    def _rows(self) -> Iterator[Found]:
        is_chain = self._table.latency is None and not self._is_enumerated
        of = self._of_chain if is_chain else self._of_law
        for quantity in self._table.measure:
            for statistic, index, estimate in of(quantity):
                yield quantity, statistic, index, estimate

    def left_out(self) -> Iterator[Found]:
        """Quantiles and exceedances, of which a chain gives none."""
        table = self._table
        if self.why_not is not None or table.latency is not None or self._is_enumerated:
            return
        asked = [f"quantile({level!r})" for level in table.quantiles]
        asked += [f"P(>{threshold!r})" for threshold in table.thresholds]
        nothing = Estimate(None, None, note="the chain of slow workers gives means")
        for quantity in SPREADS.keys() & set(table.measure):
            for statistic in asked:
                yield quantity, statistic, None, nothing

    def _of_chain(self, quantity: str) -> Iterator[Row]:
        table, rounds = self._table, self._rounds
        if quantity == "load":
            yield "mean", None, known(table.system.burden())
        elif quantity == "exact":
            yield "mean", None, known(1.0)  # a master that waits decodes all
        elif quantity == "rounds":
            yield "mean", None, known(float(rounds))
        elif quantity == "delay":
            each = list(self._chain.seconds_of_rounds(rounds))
            of_jobs = (math.fsum(each[j : j + table.delay + 1]) for j in range(table.jobs))
            yield "mean", None, known(math.fsum(of_jobs) / table.jobs)
        else:
            chain = self._chain
            found = chain.waits(rounds) if quantity == "waits" else chain.seconds(rounds)
            of = table.jobs if quantity == "seconds_per_job" else 1
            yield "mean", None, known(found.mean / of)
            yield "variance", None, known(found.variance / of**2)
            yield "minimum", None, known(found.minimum / of)
            yield "maximum", None, known(found.maximum / of)

    @cached_property
    def _chain(self) -> Chain:
        table, system = self._table, self._table.system
        assert self._slowness is not None and table.times is not None
        slowness = Slowness(*(float(p[0]) for p in self._slowness))
        factor = math.inf if isinstance(system, Uncoded) else 1.0 + table.patience.factor
        pace = Pace(table.times.ok, table.times.straggle, factor)
        if isinstance(system, MSgc) and system.window > 2 and not pace.is_calm:
            return of_pasts(self._n, slowness.first, _pattern(system), pace)
        most = system.s if isinstance(system, GradientCode) else 0
        if isinstance(system, MSgc):
            most = system.distinct
        looks_back = isinstance(system, MSgc)
        return of_slow_workers(self._n, most, slowness, pace, looks_back=looks_back)

    def _of_law(self, quantity: str) -> Iterator[Row]:
        table = self._table
        if quantity == "load":
            yield "mean", None, known(table.system.burden())
            return
        values, weights = self._law_of(quantity)
        mean = math.fsum((values * weights).tolist())
        yield "mean", None, known(mean)
        if quantity == "exact":
            return
        yield "variance", None, known(math.fsum((weights * (values - mean) ** 2).tolist()))
        yield from distribution(values, weights, table.quantiles, table.thresholds, 0.0)

    def _law_of(self, quantity: str) -> tuple[Values, Values]:
        """Values of a measure in ascending order, each once, and their probabilities."""
        parts = []
        for block, weights in self._played:
            if quantity == "exact":
                own = (block.done >= 0).sum(axis=0)[np.newaxis] / self._table.jobs
            else:
                own = block.values(quantity)
            parts.append((own.ravel(), np.broadcast_to(weights, own.shape).ravel()))
        values, weights = (np.concatenate(own) for own in zip(*parts, strict=True))
        order = np.argsort(values, kind="stable")
        found, begins = np.unique(values[order], return_index=True)
        each = [math.fsum(own.tolist()) for own in np.split(weights[order], begins[1:])]
        return found, np.array(each) / math.fsum(each)

    @cached_property
    def _played(self) -> list[tuple[Block, Values]]:
        """All sequences that may be, and their probabilities, (T,)."""
        return [(self._play(times), weights) for times, weights in self._sequences()]

    def _sequences(self) -> Iterator[tuple[Values, Values]]:
        table = self._table
        if table.latency is not None:
            rows = self._recorded()
            assert rows is not None
            starts = self.patterns
            each = max(1, (1 << 22) // (self._rounds * self._n))
            for first in range(0, starts, each):
                begin = np.arange(first, min(first + each, starts))[:, np.newaxis]
                own = (begin + np.arange(self._rounds)) % len(rows)
                yield np.ascontiguousarray(rows[own]), np.full(len(begin), 1.0 / starts)
            return
        times, shape = table.times, (self._rounds, self._n)
        assert times is not None
        bits = np.arange(self._rounds * self._n)
        for first in range(0, self.patterns, _AT_ONCE):
            numbers = np.arange(first, min(first + _AT_ONCE, self.patterns))
            slow = ((numbers[:, np.newaxis] >> bits) & 1).astype(bool).reshape(-1, *shape)
            yield np.where(slow, times.straggle, times.ok), self._weights(slow)

    def _weights(self, slow: np.ndarray) -> Values:
        """Probabilities of patterns of slow workers (T, R, n)."""
        assert self._slowness is not None
        first, after_ok, after_slow = self._slowness
        found = np.ones(len(slow))
        for i in range(self._n):  # in one order
            p = np.full(len(slow), first[i])
            for r in range(self._rounds):
                now = slow[:, r, i]
                found *= np.where(now, p, 1.0 - p)
                p = np.where(now, after_slow[i], after_ok[i])
        return found


def _pattern(system: MSgc) -> Pattern:
    return Pattern(system.burst, system.window, system.distinct)
