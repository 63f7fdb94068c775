"""What is drawn beside completion times, with known means: controls of their mean."""

from collections.abc import Sequence

import numpy as np

from fastgc.arrays import Values
from fastgc.draws.streams import WORD, Batch
from fastgc.errors import FastgcError
from fastgc.experiments.completion.scenario import Scenario
from fastgc.experiments.measures import WithControl
from fastgc.registry.cached import cached_property
from fastgc.statistics.controls import Pilot, pilot, slopes
from fastgc.systems.timing.evaluator import Evaluator
from fastgc.systems.timing.laws import distribution
from fastgc.systems.timing.laws.structure_law import work_of
from fastgc.systems.timing.structure import Structure

WITHOUT_PORT = "with the same system without its port as control"
OF_LAYERS = "with the order statistics of its layers as controls"

#: Of a time with fewer finite moments no control is trusted: slopes need the fourth.
_MOMENTS = 4.0
#: Additions that the laws of controls may take, some tenth of a second, and at how many times.
_MOST_WORK, _TIMES = 5e8, 300
#: Trials and workers' times of the pilot that slopes are taken from.
_PILOT, _PILOT_TIMES = 4096, 1 << 20


class Control:
    """A weighted sum of controls, drawn with each completion time; its ``mean`` is known.

    Its weights are the slopes of a pilot run of fixed draws: the same in every shard, and no part
    of what is sampled, so that the mean is not biased. ``pilot`` is what that run says of mean
    times, None without controls. ``fused``: completion times are drawn without workers' times.
    """

    def __init__(self, scenario: Scenario, *, fused: bool) -> None:
        self._scenario = scenario
        self._draw = scenario.fused if fused else None
        self.how = OF_LAYERS if scenario.port.receive == 0 else WITHOUT_PORT
        controls: Sequence[tuple[float, Structure]] = ()  # factors and systems, of known mean times
        has_law = scenario.times is not None and not scenario.may_fail
        if has_law and scenario.finite_moments > _MOMENTS:
            if self._draw is not None:
                controls = self._draw.controls
            elif scenario.port.receive > 0 and scenario.structure.QUEUES:
                controls = [(1.0, scenario.structure)]
        means = np.array([_mean(scenario, *each) for each in controls])
        self._weights = means
        self.pilot: Pilot | None = None
        if means.size:
            done, beside = self._pilot()
            self._weights = slopes(done, beside)
            weighted = np.zeros(done.size)
            for weight, own in zip(self._weights, beside, strict=True):
                weighted += weight * own
            self.pilot = pilot(done, weighted, slope=1.0)
        self.mean = float((self._weights * means).sum())

    @classmethod
    def of(cls, scenario: Scenario, *, fused: bool) -> "Control | None":
        """Return the controls of a scenario; None where there are none of known mean."""
        try:
            found = cls(scenario, fused=fused)
        except FastgcError:  # there is no law that is known, or it takes too long
            return None
        return found if found._weights.any() else None

    @property
    def reduction(self) -> WithControl:
        """What means of completion times are estimated with."""
        assert self.pilot is not None
        return WithControl(self.mean, self.how, self.pilot)

    def drawn(self, batch: Batch) -> tuple[Values, Values]:
        """Return completion times without workers' times, and the sum beside each, (L, T)."""
        assert self._draw is not None and self._draw.weighted is not None
        return self._draw.weighted(batch, self._weights)

    def of_times(self, times: Values) -> Values:
        """Return the sum beside the rounds of workers' times (L, n, …, T), (L, T)."""
        return np.asarray(self._weights[0] * self._without_port(times))

    def _without_port(self, times: Values) -> Values:
        return np.stack([self._portless.done(own) for own in times])

    @cached_property
    def _portless(self) -> Evaluator:
        return Evaluator(self._scenario.structure)

    def _pilot(self) -> tuple[Values, Values]:
        """Completion times (T,) and controls (m, T) of the pilot run."""
        scenario = self._scenario
        if self._draw is not None:
            assert self._draw.beside is not None
            done, beside = self._draw.beside(Batch(0, "pilot", 0, _PILOT // WORD, 1))
            return done[0], np.ascontiguousarray(beside[:, 0])
        trials = min(_PILOT, max(WORD, _PILOT_TIMES // (scenario.n * scenario.tasks)))
        times = scenario.draws.times(Batch(0, "pilot", 0, trials // WORD, 1))
        return scenario.evaluator.done(times[0]), self._without_port(times)


def _mean(scenario: Scenario, factor: float, structure: Structure) -> float:
    assert scenario.times is not None
    law = distribution(structure, scenario.times)
    work = work_of(law)
    if work is None:
        raise FastgcError("it is not known how long the law of a control takes")
    if work * (_TIMES + law.breaks.size) > _MOST_WORK:
        raise FastgcError("the law of a control takes too long")
    return factor * law.mean()
