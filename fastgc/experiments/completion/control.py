"""What is drawn beside completion times, with known means: controls of their mean."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from fastgc.errors import FastgcError
from fastgc.experiments.completion.scenario import Scenario
from fastgc.systems.timing.laws import distribution
from fastgc.systems.timing.laws.evaluation import GateEvaluation, LayersEvaluation
from fastgc.systems.timing.structure import Own, Ring, Structure

WITHOUT_PORT = "with the same system without its port as control"
OF_LAYERS = "with the order statistics of its layers as controls"

#: More are not worth their products.
MOST = 12
#: Additions that the law of a control may take, some tenth of a second, and at how many times.
_MOST_WORK, _TIMES = 5e8, 300
#: Of a time with fewer finite moments no control is trusted: slopes need the fourth.
_MOMENTS = 4.0


class Control:
    """Which controls a scenario's rounds have.

    Parameters
    ----------
    scenario : Scenario
    fused : bool
        Whether completion times are drawn without workers' times.

    Attributes
    ----------
    chosen : tuple of int
        Places of those that are taken among all that are drawn; none where there are none.
    how : str
        What a note calls them.
    means : float array
        Of those that are taken.
    """

    def __init__(self, scenario: Scenario, *, fused: bool) -> None:
        found: Sequence[tuple[float, Structure]] = ()
        if scenario.times is None or scenario.may_fail or scenario.finite_moments <= _MOMENTS:
            pass
        elif fused and scenario.fused is not None:
            found = scenario.fused.controls
        elif scenario.port.receive > 0 and not isinstance(scenario.structure, Own | Ring):
            found = [(1.0, scenario.structure)]
        places = np.linspace(0, len(found) - 1, min(MOST, len(found))).astype(int)
        self.how = OF_LAYERS if scenario.port.receive == 0 else WITHOUT_PORT
        self.chosen: tuple[int, ...] = tuple(places.tolist())
        self.means: NDArray[np.float64] = np.empty(0)
        try:
            means = [_mean(scenario, *found[place]) for place in self.chosen]
            self.means = np.array(means, float)
        except FastgcError:  # there is no law that is known, or it takes too long
            self.chosen = ()

    def averages(self, beside: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the controls that are taken, averaged over rounds, (m, T), of all (…, L, T)."""
        chosen = beside if len(beside) == len(self.chosen) else beside[list(self.chosen)]
        return np.ascontiguousarray(chosen[:, 0] if chosen.shape[1] == 1 else chosen.mean(axis=1))


def _mean(scenario: Scenario, factor: float, structure: Structure) -> float:
    """Mean of a control; an error where its law takes too long."""
    assert scenario.times is not None
    law = distribution(structure, scenario.times)
    evaluate = law.evaluate
    if not isinstance(evaluate, GateEvaluation | LayersEvaluation):
        raise FastgcError("nobody knows how long the law of a control takes")
    if evaluate.work() * (_TIMES + law.breaks.size) > _MOST_WORK:
        raise FastgcError("the law of a control takes too long")
    return factor * law.mean()
