"""A point of a completion experiment: times drawn, evaluated and tallied, or their law."""

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fastgc.arrays import Values
from fastgc.draws.streams import WORD, Batch, block_trials
from fastgc.experiments.accumulators import first_trials
from fastgc.experiments.completion.control import Control
from fastgc.experiments.completion.exact import CompletionLaws, RareTimes
from fastgc.experiments.completion.measures import Block, Measure, SpreadOfDone, make
from fastgc.experiments.completion.scenario import Scenario
from fastgc.experiments.completion.table import CompletionTable
from fastgc.experiments.experiment import Experiment, Replayed, Samples, Shared
from fastgc.registry.cached import cached_property
from fastgc.stragglers.pattern_law import PatternLaw
from fastgc.stragglers.stragglers import drawing
from fastgc.systems.timing.order_statistics import Draw


class CompletionExperiment(Experiment[Block]):
    """One point of a completion experiment.

    Where all workers have one law and only the time is asked for, order statistics are drawn
    themselves; on common random numbers, and in all other cases, every worker's time is drawn.
    """

    RARE = (
        "thresholds of time or waiting, with independent workers whose times have a known law, "
        "but not for groups or layers behind a port"
    )

    def __init__(self, table: CompletionTable) -> None:
        super().__init__(table.iterations)
        self._table = table

    # ---- parts

    @cached_property
    def scenario(self) -> Scenario:
        """The system, settled, and its workers' times."""
        table = self._table
        return Scenario(
            table.system,
            table.latency,
            table.work,
            table.scaling,
            table.port,
            table.stragglers,
            table.between_rounds,
            table.send,
        )

    @cached_property
    def block(self) -> int:
        return block_trials(self.scenario.n * self.scenario.tasks, self.iterations)

    @cached_property
    def _stragglers(self) -> PatternLaw | None:
        model = self._table.stragglers
        if model is None:
            return None
        return drawing(model, None, self.scenario.n, self.iterations, self.block)

    @cached_property
    def _control(self) -> Control | None:
        if not self._table.variance_reduction or self.scenario.carries:
            return None
        return Control.of(self.scenario, fused=self._fused is not None)

    @cached_property
    def by_name(self) -> dict[str, Measure]:
        control = None if self._control is None else self._control.reduction
        given = self._table, self.scenario, control, lambda: self._first_rounds
        return {name: make(name, *given) for name in self._table.measure}

    @cached_property
    def _first_rounds(self) -> Block:
        batch = first_trials(self.iterations)
        return self._block(batch, batch.trials, common=False)

    @property
    def conditional(self) -> bool:
        return isinstance(self.first, SpreadOfDone)

    @property
    def leaves_out(self) -> bool:
        return self.conditional

    @property
    def moments(self) -> float:
        timed = self._table.measure[0] in ("time", "waiting")
        return self.scenario.finite_moments if timed else math.inf

    @cached_property
    def _counted(self) -> bool:
        measure, scenario = self._table.measure, self.scenario
        return ("messages" in measure and scenario.messages is None) or (
            "waiting" in measure and scenario.busy is None
        )

    @cached_property
    def _of_workers(self) -> dict[str, Callable[[Values, Values], Values]]:
        scenario = self.scenario
        found: dict[str, Callable[[Values, Values], Values]] = {
            "worker_seconds": scenario.structure.worked
        }
        if scenario.same_lost is None:
            found["lost"] = scenario.lost
        return {name: each for name, each in found.items() if name in self._table.measure}

    @cached_property
    def _fused(self) -> Draw | None:
        drawn = self._table.stragglers is not None or self._counted or self._of_workers
        return None if drawn else self.scenario.fused

    def prepare_parts(self) -> None:
        _ = self._stragglers, self._fused, self._control, self.scenario.draws, self.measures

    # ---- what is asked of it

    def cross_field_errors(self) -> list[tuple[str, str]]:
        found = self.scenario.cross_field_errors()
        if self._table.between_rounds == "finish" and self.iterations < 2:
            sentence = (
                'must be at least 2 with between_rounds = "finish", for all workers are free when '
                "the first round of a trial begins (got 1)"
            )
            found.append(("iterations", sentence))
        counted = "messages" in self._table.measure
        if not found and counted and self.scenario.structure.OPAQUE:
            sentence = "a system that says itself when it is done does not count messages"
            return [("measure", f"{sentence}; leave them out")]
        return found

    def describe(self) -> dict[str, Any]:
        return {
            "kernel": type(self.scenario.structure).__name__.lower(),
            "system": self.scenario.system.settings(),
        }

    @cached_property
    def exact_method(self) -> CompletionLaws:
        return CompletionLaws(self.scenario, self._table)

    @cached_property
    def rare_method(self) -> RareTimes | None:
        return RareTimes.of(self._table, self.scenario)

    def evaluate(self, batch: Batch, trials: int, shared: Shared | None, *, keep: bool) -> Block:
        return self._block(batch, trials, common=shared is not None)

    def samples(self, block: Block) -> Samples:
        """Every completion time, (T, L)."""
        return {"time": np.ascontiguousarray(block.done.T)}

    def replay(self, seed: int, stream: str, trial: int, *, common: bool = False) -> Replayed:
        batch = Batch(seed, stream, trial - trial % WORD, 1, self.iterations)
        block = self._block(batch, batch.trials, common=common)
        drawn = self._fused is None or common
        times = self._times(batch) if drawn else None
        found = []
        for iteration in range(batch.iterations):
            done = float(block.done[iteration, trial % WORD])
            own = None if times is None else times[iteration, ..., trial % WORD]
            found.append(
                {
                    "time": done if np.isfinite(done) else None,
                    "workers": None if own is None else _numbers(own),
                    "stragglers": [] if own is None else _never(own),
                }
            )
        return found

    @staticmethod
    def columns(iterations: Sequence[Mapping[str, Any]]) -> dict[str, Sequence[Any]]:
        return {
            "iteration": range(len(iterations)),
            "time": ["never" if row["time"] is None else row["time"] for row in iterations],
            "stragglers": [row["stragglers"] for row in iterations],
            "earliest workers": [_earliest(row["workers"] or ()) for row in iterations],
        }

    def _block(self, batch: Batch, trials: int, *, common: bool) -> Block:
        evaluator = self.scenario.evaluator
        control = None if common else self._control
        if self._fused is not None and not common:
            if control is None:
                return self._finish(Block(np.ascontiguousarray(self._fused(batch)[:, :trials])))
            done, beside = (np.ascontiguousarray(own[:, :trials]) for own in control.drawn(batch))
            return self._finish(Block(done, control=beside))
        times, late = self.scenario.carried(self._times(batch))
        controls: Values | None = None
        if control is not None:
            controls = np.ascontiguousarray(control.of_times(times)[:, :trials])
        if not self._counted:
            done = np.array([evaluator.done(own)[:trials] for own in times])
            block = self._finish(Block(done, control=controls))
        else:
            counted = [evaluator.counted(own) for own in times]
            done, messages, received = (
                np.array([values[:trials] for values in each], float)
                for each in zip(*counted, strict=True)
            )
            block = Block(done, messages=messages, control=controls)
            block.waiting = done - received * self.scenario.port.receive
            if late is not None:
                block.messages = messages + late[:, :trials]
        for name, value in self._of_workers.items():
            each = [value(own[..., :trials], end) for own, end in zip(times, done, strict=True)]
            setattr(block, name, np.array(each))
        return block

    def _finish(self, block: Block) -> Block:
        scenario, measure = self.scenario, self._table.measure
        if "messages" in measure and scenario.messages is not None:
            block.messages = np.full(block.done.shape, float(scenario.messages))
        if "waiting" in measure and scenario.busy is not None:
            block.waiting = block.done - scenario.busy
        return block

    def _times(self, batch: Batch) -> NDArray[np.float64]:
        """Every worker's times, infinite where it never answers: (L, n, …, T)."""
        times = self.scenario.draws.times(batch)
        if self._stragglers is None:
            return times
        lost = ~self._stragglers.draw(self.scenario.n, batch).alive
        if times.ndim == 4:
            lost = lost[:, :, np.newaxis]
        np.copyto(times, np.inf, where=lost)
        return times


def _numbers(times: NDArray[np.float64]) -> list[Any]:
    return [
        _numbers(row) if np.ndim(row) else (float(row) if np.isfinite(row) else None)
        for row in times
    ]


def _never(times: NDArray[np.float64]) -> list[int]:
    lost = ~np.isfinite(times.reshape(len(times), -1)).all(axis=1)
    return np.flatnonzero(lost).tolist()


def _earliest(workers: Sequence[Any]) -> str | None:
    """The six workers that answer first, with their times; of several times the first counts."""
    firsts = [own[0] if isinstance(own, list) else own for own in workers]
    order = sorted((time, worker) for worker, time in enumerate(firsts) if time is not None)[:6]
    return "  ".join(f"{worker}: {time:.6g}" for time, worker in order) or None
