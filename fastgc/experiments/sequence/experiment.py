"""A point of a sequence experiment: times drawn, rounds played and tallied, or their law."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fastgc.arrays import Values
from fastgc.draws.streams import WORD, Batch, block_trials
from fastgc.errors import FastgcError
from fastgc.experiments.accumulators import first_trials
from fastgc.experiments.completion.scenario import Scenario
from fastgc.experiments.experiment import Experiment, Replayed, Samples, Shared
from fastgc.experiments.sequence.exact import SequenceLaws
from fastgc.experiments.sequence.measures import Block, Decoded, Known, Setting, Spread
from fastgc.experiments.sequence.table import SPREADS, THEN, SequenceTable
from fastgc.registry.cached import cached_property
from fastgc.stragglers.drawing import drawing
from fastgc.stragglers.pattern_law import PatternLaw
from fastgc.systems.gradient_code import GradientCode
from fastgc.systems.sequential import SequentialSystem, SrSgc
from fastgc.systems.timing.laws import tail_index
from fastgc.systems.timing.structure import Flat
from fastgc.systems.uncoded import Uncoded
from fastgc_kernels.complete import sequences as kernel

#: Times of workers in a trial, at most: 64 trials of them take a gigabyte.
MOST_DRAWN = 1 << 21


class SequenceExperiment(Experiment[Block]):
    """One point of a sequence experiment."""

    def __init__(self, table: SequenceTable) -> None:
        super().__init__(table.rounds)
        self._table = table
        self.n = table.system.workers()

    # ---- parts

    @cached_property
    def block(self) -> int:
        return block_trials(self.n, self.iterations)

    @cached_property
    def scenario(self) -> Scenario:
        """The workers' times where they have a law."""
        table = self._table
        assert table.latency is not None
        alike = Uncoded(n=self.n, load=table.system.share())
        return Scenario(alike, table.latency, table.work, table.scaling)

    @cached_property
    def _stragglers(self) -> PatternLaw | None:
        """What draws who straggles, where that is given instead of times."""
        model = self._table.stragglers
        if model is None:
            return None
        return drawing(model, None, self.n, self.iterations, self.block)

    @cached_property
    def recorded(self) -> Values | None:
        """Rows of a recording that is replayed, (rows, n), at the system's load; None without."""
        if self._table.latency is None or self.scenario.rows != "replay":
            return None
        return np.ascontiguousarray(self.scenario.times_of_rows().T)

    @cached_property
    def code(self) -> NDArray[np.int64]:
        """The code as the kernel takes it."""
        system, jobs = self._table.system, self._table.jobs
        if isinstance(system, SequentialSystem):
            return np.array(system.in_rounds(jobs, self.factor).code, np.int64)
        s = system.s if isinstance(system, GradientCode) else 0
        return np.array([kernel.GRADIENT_CODE, s, 1, 2, 0, jobs], np.int64)

    @property
    def factor(self) -> float:
        """How many times as long as the fastest worker takes the master waits."""
        if isinstance(self._table.system, Uncoded):
            return np.inf
        return 1.0 + self._table.patience.factor

    @cached_property
    def by_name(self) -> dict[str, Any]:
        table = self._table
        setting = Setting(table.quantiles, table.thresholds, self._moments, self._first_trials)
        found: dict[str, Any] = {}
        for name in table.measure:
            if name in SPREADS:
                found[name] = Spread(name, setting, timed=SPREADS[name] == "seconds")
            elif name == "exact":
                found[name] = Decoded(table.jobs)
            else:
                found[name] = Known(table.system.burden())
        return found

    def _first_trials(self) -> Block:
        batch = first_trials(self.iterations)
        return self._block(batch, batch.trials)

    @cached_property
    def _moments(self) -> float:
        """Moments of a round's seconds below this are finite.

        A master that waits may have to wait for all workers, whoever straggled before; that of a
        gradient code does not go by it.
        """
        table = self._table
        if table.latency is None or self.scenario.times is None:
            return np.inf
        need = self.n
        if table.patience.then == "never" and not isinstance(table.system, Uncoded):
            need = 1
        elif table.patience.then == "enough" and isinstance(table.system, GradientCode):
            need = self.n - table.system.s
        elif table.patience.then == "enough" and isinstance(table.system, SrSgc):
            # up to s stragglers never lead to repeats; of more distinct ones rounds may have none
            forgets = table.system.rule == "paper" and table.system.distinct <= table.system.s
            need = self.n - table.system.s if forgets else self.n
        return tail_index(Flat(self.n, need), self.scenario.times)

    @property
    def moments(self) -> float:
        return self._moments if SPREADS.get(self._table.measure[0]) == "seconds" else np.inf

    @property
    def then(self) -> int:
        """What the master does about stragglers that the code is not made for."""
        return THEN[self._table.patience.then]

    def prepare_parts(self) -> None:
        _ = self._stragglers, self.recorded, self.code, self.measures
        if self._table.latency is not None:
            _ = self.scenario.draws

    # ---- what is asked of it

    def cross_field_errors(self) -> list[tuple[str, str]]:
        table = self._table
        if table.latency is None and table.stragglers is None:
            return [("latency", "missing; give it, or stragglers with times")]
        if table.latency is not None and table.stragglers is not None:
            return [("stragglers", "must be left out with latency: who takes long straggles")]
        if (table.times is None) != (table.stragglers is None):
            if table.times is None:
                return [("times", "missing; stragglers need it, like { ok = 1, straggle = 5 }")]
            return [("times", "must be left out with latency, which has the times")]
        most = MOST_DRAWN // self.n
        if table.rounds > most:
            rounds = f"rounds, jobs + {table.delay}, must be at most {most} with {self.n} workers"
            return [("jobs", f"{rounds} (got {table.rounds})")]
        if table.patience.then == "never" and "delay" in table.measure:
            sentence = 'delay is not known of jobs that are lost, which patience.then = "never" has'
            return [("measure", f"{sentence}; take exact")]
        return self._errors_of_times()

    def _errors_of_times(self) -> list[tuple[str, str]]:
        table = self._table
        if table.stragglers is not None:
            for key in ("work", "scaling"):
                if getattr(table, key) != type(table).model_fields[key].default:
                    return [(key, "must be left out with times, which are those of the load")]
        else:
            found = self.scenario.cross_field_errors()
            if found:
                return [("scaling" if key == "system" else key, said) for key, said in found]
        if table.start == "first":
            try:
                if table.latency is None or self.recorded is None:
                    sentence = 'needs latency of a recording with order = "replay"'
                    return [("start", f'"first" {sentence}')]
            except FastgcError as problem:
                return [("scaling", str(problem))]
        return []

    def describe(self) -> dict[str, Any]:
        return {
            "kernel": "sequences",
            "rounds": self.iterations,
            "load": self._table.system.burden(),
        }

    @cached_property
    def exact_method(self) -> SequenceLaws:
        """The laws of everything asked for."""
        return SequenceLaws(self._table, self.iterations, self._recorded, self.play)

    def _recorded(self) -> Values | None:
        return self.recorded

    def play(self, times: Values) -> Block:
        """Play the rounds of times (T, R, n)."""
        table, shape = self._table, times.shape[:2]
        seconds, state = np.empty(shape), np.empty(shape, np.int64)
        done = np.empty((len(times), table.jobs), np.int64)
        kernel.play(times, self.code, self.factor, self.then, seconds, state, done)
        by_round = np.ascontiguousarray(seconds.T), np.ascontiguousarray(state.T)
        return Block(*by_round, np.ascontiguousarray(done.T), table.delay)

    def evaluate(self, batch: Batch, trials: int, shared: Shared | None, *, keep: bool) -> Block:
        """Draw a batch's times, the same on common draws, and play its rounds."""
        return self._block(batch, trials)

    def _block(self, batch: Batch, trials: int) -> Block:
        return self.play(np.ascontiguousarray(self.times(batch)[..., :trials].transpose(2, 0, 1)))

    def times(self, batch: Batch) -> Values:
        """Every worker's times in every round, (R, n, T)."""
        if self._stragglers is not None:
            times = self._table.times
            assert times is not None
            alive = self._stragglers.draw(self.n, batch).alive
            return np.where(alive, times.ok, times.straggle)
        if self._table.start == "first":
            assert self.recorded is not None
            rows = np.arange(batch.iterations) % len(self.recorded)
            once = self.recorded[rows][..., np.newaxis]
            return np.broadcast_to(once, (*once.shape[:2], batch.trials))
        return self.scenario.draws.times(batch)

    def samples(self, block: Block) -> Samples:
        """Seconds of every round, (T, R)."""
        return {"seconds": np.ascontiguousarray(block.seconds.T)}

    def replay(self, seed: int, stream: str, trial: int, *, common: bool = False) -> Replayed:
        """Every round: its seconds, who straggles, whether it was waited for, what is decoded."""
        batch = Batch(seed, stream, trial - trial % WORD, 1, self.iterations)
        times = np.ascontiguousarray(self.times(batch)[..., trial % WORD][np.newaxis])
        block = self.play(times)
        found = []
        for r, (seconds, state) in enumerate(zip(block.seconds, block.state, strict=True)):
            late = np.flatnonzero((times[0, r] > seconds[0]) & (state[0] != kernel.FREE))
            found.append(
                {
                    "seconds": float(seconds[0]),
                    "stragglers": [int(worker) for worker in late],
                    "waited": bool(state[0] == kernel.WAITED),
                    "decoded": [int(job) for job in np.flatnonzero(block.done[:, 0] == r)],
                }
            )
        return found

    @staticmethod
    def columns(iterations: Sequence[Mapping[str, Any]]) -> dict[str, Sequence[Any]]:
        found = Experiment.columns(iterations)
        return {"round": found.pop("iteration")} | found
