"""A point of a completion experiment: times drawn, evaluated and tallied, or their law.

What is drawn beside completion times, with known means, are controls of their mean.
"""

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any, cast

import numpy as np

from fastgc.arrays import Values
from fastgc.draws.streams import WORD, Trials, block_trials
from fastgc.errors import FastgcError
from fastgc.experiments.completion.completion_measures import DoneDistribution, Rounds, make
from fastgc.experiments.completion.completion_table import CompletionTable
from fastgc.experiments.completion.exact_times import CompletionLaws, RareTimes
from fastgc.experiments.completion.scenario import KEYS, Scenario
from fastgc.experiments.experiment import Experiment, Replayed, Samples, Shared
from fastgc.experiments.measures import ControlSums, Measure
from fastgc.registry.cached import cached_property
from fastgc.statistics.controls import pilot, slopes
from fastgc.stragglers.pattern_law import PatternLaw
from fastgc.stragglers.stragglers import drawing
from fastgc.systems.timing.laws import distribution
from fastgc.systems.timing.laws.structure_law import work_of
from fastgc.systems.timing.order_draws import Draw
from fastgc.systems.timing.rounds import Evaluator
from fastgc.systems.timing.timed_structure import Structure

WITHOUT_PORT = "with the same system without its port as control"
OF_LAYERS = "with the order statistics of its layers as controls"

#: Of a time with fewer finite moments no control is trusted: slopes need the fourth.
_MOMENTS = 4.0
#: Additions that the laws of controls may take, some tenth of a second, and at how many times.
_MOST_WORK, _TIMES = 5e8, 300
#: Trials and workers' times of the pilot that slopes are taken from.
_PILOT, _PILOT_TIMES = 4096, 1 << 20


class Control(ControlSums):
    """A weighted sum of controls, drawn with each completion time; its mean is known.

    Its weights are the slopes of a pilot run of fixed draws: the same in every shard, and no part
    of what is sampled, so that the mean is not biased. ``draw``: draws completion times without
    workers' times; ``controls`` are factors and systems of which mean times are known.
    """

    def __init__(
        self, scenario: Scenario, draw: Draw | None, controls: Sequence[tuple[float, Structure]]
    ) -> None:
        self._draw = draw
        self._portless = Evaluator(scenario.structure)
        means = np.array([_mean(scenario, *each) for each in controls])
        if draw is not None:
            assert draw.beside is not None
            drawn, others = draw.beside(Trials(0, "pilot", 0, _PILOT // WORD, 1))
            done, beside = drawn[0], np.ascontiguousarray(others[:, 0])
        else:
            trials = min(_PILOT, max(WORD, _PILOT_TIMES // (scenario.n * scenario.tasks)))
            times = scenario.draws.times(Trials(0, "pilot", 0, trials // WORD, 1))
            done, beside = scenario.evaluator.done(times[0]), self._without_port(times)
        self._weights = slopes(done, beside)
        weighted = np.zeros(done.size)
        for weight, own in zip(self._weights, beside, strict=True):
            weighted += weight * own
        how = OF_LAYERS if scenario.port.receive == 0 else WITHOUT_PORT
        mean = float((self._weights * means).sum())
        super().__init__(mean, how, pilot(done, weighted, slope=1.0))

    @classmethod
    def of(cls, scenario: Scenario, draw: Draw | None) -> "Control | None":
        """Return the controls of a scenario; None where there are none of known mean."""
        try:
            has_law = scenario.times is not None and not scenario.may_fail
            if not has_law or scenario.finite_moments <= _MOMENTS:
                return None
            controls: Sequence[tuple[float, Structure]] = ()
            if draw is not None:
                controls = draw.controls
            elif scenario.port.receive > 0 and scenario.structure.QUEUES:
                controls = [(1.0, scenario.structure)]
            found = cls(scenario, draw, controls) if controls else None
        except FastgcError:  # there is no law that is known, or it takes too long
            return None
        return found if found is not None and found._weights.any() else None

    def drawn(self, batch: Trials) -> tuple[Values, Values]:
        """Return completion times without workers' times, and the sum beside each, (L, T)."""
        assert self._draw is not None and self._draw.weighted is not None
        return self._draw.weighted(batch, self._weights)

    def beside_times(self, times: Values) -> Values:
        """Return the sum beside the rounds of workers' times (L, n, …, T), (L, T)."""
        return np.asarray(self._weights[0] * self._without_port(times))

    def _without_port(self, times: Values) -> Values:
        return np.stack([self._portless.done(own) for own in times])


def _mean(scenario: Scenario, factor: float, structure: Structure) -> float:
    assert scenario.times is not None
    law = distribution(structure, scenario.times)
    work = work_of(law)
    if work is None:
        raise FastgcError("it is not known how long the law of a control takes")
    if work * (_TIMES + law.breaks.size) > _MOST_WORK:
        raise FastgcError("the law of a control takes too long")
    return factor * law.mean()


class CompletionExperiment(Experiment[Rounds]):
    """One point of a completion experiment.

    Where all workers have one law and only the time is asked for, order statistics are drawn
    themselves; on common random numbers, and in all other cases, every worker's time is drawn.
    """

    RARE = (
        "thresholds of time or waiting, with independent workers whose times have a known law, "
        "but not for groups or layers behind a port"
    )
    PARTS = ("_stragglers", "_fused", "control", "_times", "measures")

    table: CompletionTable

    # ---- parts

    @cached_property
    def scenario(self) -> Scenario:
        """The system, settled, and its workers' times."""
        return Scenario(*(getattr(self.table, key) for key in KEYS))

    @cached_property
    def block(self) -> int:
        return block_trials(self.scenario.n * self.scenario.tasks, self.iterations)

    @cached_property
    def _stragglers(self) -> PatternLaw | None:
        model = self.table.stragglers
        if model is None:
            return None
        return drawing(model, None, self.scenario.n, self.iterations, self.block)

    @cached_property
    def control(self) -> Control | None:
        """What the mean time is regressed on, if anything."""
        if not self.table.variance_reduction or self.scenario.carries:
            return None
        return Control.of(self.scenario, self._fused)

    @cached_property
    def by_name(self) -> dict[str, Measure[Rounds]]:
        return {name: make(name, self) for name in self.table.measure}

    @cached_property
    def conditional(self) -> bool:
        return isinstance(self.first, DoneDistribution)

    @cached_property
    def moments(self) -> float:
        timed = self.table.measure[0] in ("time", "waiting")
        return self.scenario.finite_moments if timed else math.inf

    @cached_property
    def _varying(self) -> set[str]:
        """Measures beside the time that differ from round to round, and follow from the workers'.

        Messages and waiting are known together: either of them is counted with the other.
        """
        scenario, measure = self.scenario, {*self.table.measure}
        same = {"messages": scenario.messages, "waiting": scenario.busy, "lost": scenario.same_lost}
        found = {name for name, value in same.items() if value is None} | {"worker_seconds"}
        return found & measure

    @cached_property
    def _fused(self) -> Draw | None:
        drawn = self.table.stragglers is not None or self._varying
        return None if drawn else self.scenario.fused

    # ---- what is asked of it

    def cross_field_errors(self) -> list[tuple[str, str]]:
        found = self.scenario.cross_field_errors()
        if self.table.between_rounds == "finish" and self.iterations < 2:
            sentence = (
                'must be at least 2 with between_rounds = "finish", for all workers are free when '
                "the first round of a trial begins (got 1)"
            )
            found.append(("iterations", sentence))
        return found

    def describe(self) -> dict[str, Any]:
        return {
            "kernel": type(self.scenario.structure).__name__.lower(),
            "system": self.scenario.system.settings(),
        }

    @cached_property
    def exact_method(self) -> CompletionLaws:
        return CompletionLaws(self.scenario, self.table)

    @cached_property
    def rare_method(self) -> RareTimes | None:
        return RareTimes.of(self.table, self.scenario)

    def samples(self, block: Rounds) -> Samples:
        """Every completion time, (T, L)."""
        return {"time": np.ascontiguousarray(block.done.T)}

    def replay_one(self, batch: Trials, place: int, *, common: bool) -> Replayed:
        block = self.evaluate(batch, batch.trials, {} if common else None, keep=False)
        times = self._times(batch) if self._fused is None or common else None
        found: Replayed = []
        for iteration in range(batch.iterations):
            done = float(block.done[iteration, place])
            row: dict[str, Any] = {"time": done if np.isfinite(done) else None}
            row |= {"workers": None, "stragglers": []}
            if times is not None:
                own = times[iteration, ..., place].astype(object)
                never = own == np.inf
                own[never] = None  # as JSON has it
                lost = never.reshape(len(own), -1).any(axis=1)
                row |= {"workers": own.tolist(), "stragglers": np.flatnonzero(lost).tolist()}
            found.append(row)
        return found

    @staticmethod
    def columns(iterations: Sequence[Mapping[str, Any]]) -> dict[str, Sequence[Any]]:
        return {
            "iteration": range(len(iterations)),
            "time": ["never" if row["time"] is None else row["time"] for row in iterations],
            "stragglers": [row["stragglers"] for row in iterations],
            "earliest workers": [_earliest(row["workers"] or ()) for row in iterations],
        }

    def evaluate(self, batch: Trials, trials: int, shared: Shared | None, *, keep: bool) -> Rounds:
        scenario, measure = self.scenario, self.table.measure
        control = None if shared is not None else self.control
        if self._fused is not None and shared is None:
            drawn = (self._fused(batch),) if control is None else control.drawn(batch)
            found = dict(zip(("done", "control"), drawn, strict=False))
        else:
            times, late = scenario.carried(self._times(batch))
            found = scenario.rounds(times, self._varying)
            if late is not None and "messages" in found:
                found["messages"] += late
            if control is not None:
                found["control"] = control.beside_times(times)
        block = Rounds(**{n: np.ascontiguousarray(own[:, :trials]) for n, own in found.items()})
        if "messages" in measure and block.messages is None:
            block.messages = np.full(block.done.shape, float(cast(float, scenario.messages)))
        if "waiting" in measure and block.waiting is None:
            block.waiting = block.done - cast(float, scenario.busy)
        return block

    @cached_property
    def _times(self) -> Callable[[Trials], Values]:
        """Draws every worker's times, infinite where it never answers: (L, n, …, T)."""
        draws, stragglers, n = self.scenario.draws, self._stragglers, self.scenario.n
        if stragglers is None:
            return draws.times

        def times(batch: Trials) -> Values:
            found = draws.times(batch)
            lost = ~stragglers.draw(n, batch).alive
            np.copyto(found, np.inf, where=lost[:, :, np.newaxis] if found.ndim == 4 else lost)
            return found

        return times


def _earliest(workers: Sequence[Any]) -> str | None:
    """The six workers that answer first, with their times; of several times the first counts."""
    firsts = [own[0] if isinstance(own, list) else own for own in workers]
    order = sorted((time, worker) for worker, time in enumerate(firsts) if time is not None)[:6]
    return "  ".join(f"{worker}: {time:.6g}" for time, worker in order) or None
