"""Runs of descent, with decoded gradients or those of selected workers; what iterations cost."""

import math
from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from fastgc.arrays import Mask, Values
from fastgc.codes.code import Code
from fastgc.codes.structure import CycleGaps, Groups, Structure
from fastgc.decoding.algorithms import packed
from fastgc.decoding.decoder import Decoder
from fastgc.decoding.rule import DecodingRule
from fastgc.draws.patterns import Patterns, unpacked
from fastgc.draws.streams import Trials
from fastgc.experiments.completion.scenario import Scenario
from fastgc.experiments.table import rho_of
from fastgc.experiments.training.training_table import TrainingTable, trials_of_block
from fastgc.latency import Law
from fastgc.latency.draws import Draws
from fastgc.latency.empirical import Empirical
from fastgc.registry.cached import cached_property
from fastgc.stragglers.deadline import Deadline
from fastgc.stragglers.stragglers import drawing
from fastgc.stragglers.trace import Trace
from fastgc.training.coded_training import CodedDescent
from fastgc.training.data import Data, bounds
from fastgc.training.selection_descent import SelectionDescent
from fastgc.training.selections import All, Selection
from fastgc_kernels.decode import circulants


class Durations:
    """Seconds of an iteration: the deadline; else a system's completion; else the last survivor's.

    A worker's time is one for its own load, ``work`` times the share of the partitions that it
    holds. An iteration without survivors takes no time. ``code`` is None with a selection.
    """

    def __init__(self, table: TrainingTable, code: Code | None) -> None:
        self._table = table
        self.code = code

    @property
    def kind(self) -> str:
        """What an iteration's time is."""
        if self.deadline is not None:
            return "deadline"
        if self._table.system is not None:
            return "system"
        return "last survivor" if self._table.selection is None else "last selected"

    @cached_property
    def drawn(self) -> int:
        """Times that an iteration draws."""
        if self._table.latency is None or self.deadline is not None:
            return 0
        if self.scenario is not None:
            return self.scenario.n * self.scenario.tasks
        return self.workers

    @property
    def workers(self) -> int:
        """Workers of the selection, or of the code."""
        if self.code is not None:
            return self.code.n
        assert self._table.selection is not None
        return self._table.selection.workers

    @property
    def deadline(self) -> float | None:
        """What an iteration takes, where stragglers are those that miss a deadline."""
        stragglers = self._table.stragglers
        return stragglers.deadline if isinstance(stragglers, Deadline) else None

    @cached_property
    def scenario(self) -> Scenario | None:
        """The system's rounds, all of whose workers answer."""
        table = self._table
        if table.system is None:
            return None
        assert table.latency is not None  # or the study is refused
        return Scenario(table.system, table.latency, table.work, table.scaling, table.port)

    @cached_property
    def _draws(self) -> Draws:
        table, code = self._table, self.code
        assert code is not None and table.latency is not None
        loads = [table.work * load / code.k for load in code.loads.tolist()]
        return Draws(table.latency, code.n, loads, table.scaling)

    # ---- who answers

    @cached_property
    def decides(self) -> bool:
        """Whether the system's rounds decide whose gradients are in: those that it waits for."""
        scenario, code = self.scenario, self.code
        if scenario is None or code is None or scenario.n != code.n or code.n == 1:
            return False
        return scenario.structure.BY_WORKER and scenario.structure.leaves_out

    @cached_property
    def recorded(self) -> Draws | None:
        """What draws the rows that decide who straggles, where times are of the same rows."""
        table = self._table
        stragglers, laws = table.stragglers, table.latency
        if not isinstance(stragglers, Trace) or laws is None or len(laws) != 1:
            return None
        [law] = laws
        if not isinstance(law, Empirical) or law.trace.digest != stragglers.trace.digest:
            return None
        if law.order != stragglers.order or stragglers.order == "pooled":
            return None
        return Draws(laws, stragglers.trace.n)

    def survivors(self, batch: Trials, times: Values | None) -> Patterns | None:
        """Whose gradients are in, where the times decide it; None where they do not.

        ``times`` are those of the batch, as `times` gives them.
        """
        if self.recorded is not None:
            assert isinstance(self._table.stragglers, Trace)
            alive = self.recorded.times(batch) <= self._table.stragglers.limit
        elif self.decides:
            scenario = self.scenario
            assert scenario is not None and times is not None
            structure, done = scenario.structure, scenario.evaluator.done
            alive = np.array([structure.answered(t, done(t), scenario.port) for t in times])
        else:
            return None
        n = alive.shape[1]
        return Patterns(n, batch, packed=packed(alive.swapaxes(1, 2).reshape(-1, n)))

    @cached_property
    def finite_moments(self) -> float:
        """Tail index of an iteration's time: moments below it are finite."""
        table = self._table
        if self.deadline is not None or table.latency is None:
            return math.inf
        if self.scenario is not None:
            return self.scenario.finite_moments
        tails = [
            law.time(1.0).tail_exponent() if isinstance(law, Law) else math.inf
            for law in table.latency
        ]
        if table.selection is None:
            return min(tails)
        # of each group the fastest counts, and all groups are waited for at first
        each = np.resize(tails, table.selection.workers).reshape(-1, table.selection.holders)
        return float(each.sum(axis=1).min())

    @cached_property
    def certain(self) -> set[str]:
        """Curves without randomness."""
        table, selection = self._table, self._table.selection
        if selection is not None:
            found = {"downloads", "uploads", "gradients"}
            is_random = selection.batch is not None and selection.batch_order == "random"
            if is_random or selection.needs_times:
                return found if isinstance(selection, All) else set()
            return found | {"loss"}
        found = {"downloads", "gradients"}
        if table.stragglers is None and not self.decides:
            found |= {"loss", "gradient_error", "distance", "uploads"}
        if isinstance(table.stragglers, Deadline):
            found.add("time")
        return found

    def prepare(self) -> None:
        """Make what draws the times."""
        if self.deadline is None and self.scenario is not None:
            _ = self.scenario.fused, self.scenario.draws, self.scenario.evaluator
        elif self.deadline is None:
            _ = self._draws

    def times(self, batch: Trials) -> Values:
        """Draw every worker's time of a batch, (L, n, T), or (L, n, tasks, T) for several tasks."""
        return (self._draws if self.scenario is None else self.scenario.draws).times(batch)

    def needs_times(self, wanted: set[str], *, common: bool) -> bool:
        """Whether workers' times must be drawn for the curves ``wanted``.

        ``common`` draws every worker's time, the same for all systems that have the worker.
        """
        if self.decides:
            return True
        if self.deadline is not None or "time" not in wanted:
            return False
        return common or self.scenario is None or self.scenario.fused is None

    def seconds(self, batch: Trials, workers: Patterns, times: Values | None) -> Values:
        """What every iteration takes, (L, T), from the times that `needs_times` wants."""
        scenario = self.scenario
        if times is not None:
            if scenario is not None:
                return scenario.rounds(times, ())["done"]
            return np.asarray(np.max(times, axis=1, initial=0.0, where=workers.alive))
        if self.deadline is not None:
            return np.full((batch.iterations, batch.trials), self.deadline)
        assert scenario is not None and scenario.fused is not None
        return scenario.fused(batch)


class CodedRuns:
    """Training with the gradients that decoding makes of the survivors' answers.

    An iteration of a run draws ``drawn`` numbers; ``wanted`` names the curves to be computed.
    """

    def __init__(
        self, table: TrainingTable, wanted: set[str], code: Code, data: Data, durations: Durations
    ) -> None:
        self._table = table
        self._wanted = wanted
        self._n = code.n
        self._weights = Weights(code, table.decoder, rho_of(table, code))
        self._descent = CodedDescent(table.problem, data, code.k, table.optimizer, table.iterations)
        sizes = np.diff(bounds(data.samples, code.k))
        self._held = float((sizes * np.diff(code.holders[0])).sum())
        self._durations = durations
        self._decides = durations.decides or durations.recorded is not None
        self.drawn: int = code.n
        if self._decides or "time" in wanted:
            durations.prepare()
            self.drawn = max(code.n, durations.drawn)
        self._stragglers = None
        if table.stragglers is not None and not self._decides:
            block = trials_of_block(table, data, self.drawn)
            self._stragglers = drawing(table.stragglers, code, code.n, table.iterations, block)

    def curves(self, batch: Trials, *, common: bool) -> Mapping[str, Values]:
        """Curves (L + 1, T) of a batch's runs; ``gradient_error`` (L, T)."""
        durations = self._durations
        needed = durations.needs_times(self._wanted, common=common)
        times = durations.times(batch) if needed else None
        workers = self._patterns(batch, times)
        shape = batch.iterations, batch.trials
        weights, index = self._weights.rows(workers.shuffled(self._table.shuffle))
        found = self._descent.run(weights, index.reshape(shape), self._wanted)
        # every worker downloads and computes every time
        costs = {"downloads": float(self._n), "gradients": self._held}
        done = np.arange(self._table.iterations + 1.0)[:, np.newaxis]
        curves = {"loss": found["loss"]} | {
            name: np.repeat(cost * done, batch.trials, axis=1)
            for name, cost in costs.items()
            if name in self._wanted
        }
        curves |= found
        if "uploads" in self._wanted:
            curves["uploads"] = cumulative(workers.survivors.reshape(shape))
        if "time" in self._wanted:
            curves["time"] = cumulative(durations.seconds(batch, workers, times))
        return curves

    def answering(self, batch: Trials) -> tuple[Mask, Mask]:
        """Which workers, and which columns of B, have an answer, each (L, n, T)."""
        times = self._durations.times(batch) if self._durations.decides else None
        workers = self._patterns(batch, times)
        return workers.alive, workers.shuffled(self._table.shuffle).alive

    def _patterns(self, batch: Trials, times: Values | None) -> Patterns:
        found = self._durations.survivors(batch, times)
        if found is not None:
            return found
        if self._stragglers is not None:
            return self._stragglers.draw(self._n, batch)
        everyone = np.full((self._n, batch.iterations * batch.groups), ~np.uint64(0))
        return Patterns(self._n, batch, planes=everyone)


def cumulative(each: Values | NDArray[np.int64]) -> Values:
    """Sums (L + 1, T) of what iterations (L, T) cost, from 0 on."""
    total = np.zeros((len(each) + 1, each.shape[1]))
    np.cumsum(each, axis=0, dtype=float, out=total[1:])
    return total


class SelectedRuns:
    """Training in which only some workers, or groups, compute a gradient; see `CodedRuns`."""

    def __init__(
        self, table: TrainingTable, selection: Selection, wanted: set[str], data: Data
    ) -> None:
        self._wanted = wanted
        self.drawn = selection.workers
        self._training = SelectionDescent(
            table.problem, data, table.optimizer, selection, table.iterations
        )
        self._draws = None
        if "time" in wanted or selection.needs_times:
            assert table.latency is not None  # or the study is refused
            self._draws = Draws(table.latency, self.drawn, table.work, table.scaling)

    def curves(self, batch: Trials, *, common: bool) -> Mapping[str, Values]:
        """Curves (L + 1, T) of a batch's runs."""
        times = None if self._draws is None else self._draws.times(batch)
        found = self._training.run(times, batch)
        return {name: curve for name, curve in found.items() if name in self._wanted}


Words = NDArray[np.uint64]
Index = NDArray[np.int64]

#: Up to so many workers, or groups of them, the weights of all patterns are tabulated once.
TABULATED = 14


class Weights:
    """Weights w = B x of the partitions under the decoding vector x of a pattern.

    Where optimal decoding knows a code's structure, weights follow from it; elsewhere each distinct
    pattern of a batch is decoded once.
    """

    def __init__(
        self, code: Code, decoder: str | DecodingRule = "optimal", rho: float | None = None
    ) -> None:
        self._code = code
        self._decoder = Decoder(code, decoder=decoder, rho=rho)
        self._structure: Structure | None = code.structure if decoder == "optimal" else None
        self._table: Values | None = None
        if self._bits <= TABULATED:
            self._table = self._decoded(np.arange(1 << self._bits, dtype=np.uint64).reshape(-1, 1))

    def rows(self, columns: Patterns) -> tuple[Values, Index]:
        """Weights (m, k), and the row of them that each pattern decodes with, iteration-major."""
        if isinstance(self._structure, Groups):
            planes = np.zeros((self._bits, columns.planes.shape[1]), np.uint64)
            for worker, group in enumerate(self._structure.labels):
                if group >= 0:
                    planes[group] |= columns.planes[worker]
            columns = Patterns(self._bits, columns.batch, planes=planes)
        packed = columns.packed
        if self._table is not None:
            return self._table, packed[:, 0].astype(np.int64)
        if isinstance(self._structure, CycleGaps):
            return self._decoded(packed), np.arange(len(packed))
        if packed.shape[1] > 1:
            distinct, index = np.unique(packed, axis=0, return_inverse=True)
            return self._decoded(distinct), index.reshape(-1)
        distinct = np.unique(packed)  # two sorts are faster than one that remembers places
        return self._decoded(distinct.reshape(-1, 1)), np.searchsorted(distinct, packed[:, 0])

    @property
    def _bits(self) -> int:
        if isinstance(self._structure, Groups):
            return max(1, len(self._structure.weights))
        return self._code.n

    def _decoded(self, packed: Words) -> Values:
        code = self._code
        if isinstance(self._structure, Groups):
            bits = unpacked(packed, self._bits)
            weights = np.zeros((len(packed), code.k))
            for worker, group in enumerate(self._structure.labels):
                if group >= 0:
                    weights[:, code.columns[worker][0]] = bits[:, group, np.newaxis]
            return weights
        if isinstance(self._structure, CycleGaps):
            weights = np.empty((len(packed), code.k))
            circulants.gap_weights(packed, code.n, weights)
            return weights
        vectors = self._decoder.vectors(packed)
        weights = np.zeros((len(packed), code.k))
        for worker in range(code.n):  # in one order, on every machine
            places, values = code.columns[worker]
            weights[:, places] += vectors[:, worker, np.newaxis] * values
        return weights
