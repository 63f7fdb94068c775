"""When a round is over, asked while it runs, and predicted from what workers report.

No system is written anew: its own rule is asked, with infinity for each answer that has not come.
A time that is infinite says: wait on; one in the future: wait until then, unless an answer comes.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from fastgc.draws.streams import Batch
from fastgc.experiments.completion.scenario import Scenario
from fastgc.experiments.completion.table import CompletionTable
from fastgc.experiments.training.table import TrainingTable
from fastgc.latency.draws import Draws
from fastgc.latency.laws import Deterministic
from fastgc.systems.system import System
from fastgc.systems.timing.evaluator import Evaluator
from fastgc.systems.timing.structure import Delayed, Flat, Summed

Values = NDArray[np.float64]
Mask = NDArray[np.bool_]


class Rule:
    """When a system's round is over.

    ``real``: the system as its rounds are ended here, where receiving takes the time that it takes;
    ``simulated``: as they are simulated, with the study's port. ``delays`` (n,): seconds after
    which each worker begins.
    """

    def __init__(
        self, system: System, table: CompletionTable | TrainingTable | None = None
    ) -> None:
        latency = None if table is None else table.latency
        self.has_law = latency is not None
        own = system, latency or (Deterministic(value=1.0),)
        self._work = 1.0 if table is None else table.work
        self.real = self.simulated = Scenario(*own)
        if table is not None:
            self.real = Scenario(*own, table.work, table.scaling)
            self.simulated = Scenario(*own, table.work, table.scaling, table.port)
        self.n = self.real.n
        structure = self.real.structure
        delays = structure.delays if isinstance(structure, Delayed) else (0.0,) * self.n
        self.delays = np.array(delays)

    def over(self, arrived: Values) -> float:
        """Return when a round is over by the answers so far: in future, or never with too few.

        ``arrived`` (n,): seconds after the round's begin; infinite where none has come.
        """
        times = (arrived - self.delays)[:, np.newaxis]
        return float(self.done(self.real, times)[0])

    def done(self, scenario: Scenario, times: Values) -> Values:
        """Return when orders that take (n, T) are done, all steps of local ones."""
        evaluator = scenario.evaluator
        if isinstance(scenario.structure, Summed):  # which simulates a step on average
            evaluator = Evaluator(Flat(self.n, self.n), scenario.port.receive)
        return np.asarray(evaluator.done(times))

    def drawn(self, scenario: Scenario, batch: Batch, shares: Values | None = None) -> Values:
        """Return seconds of orders that are drawn from the study's law, (L, n, T).

        With ``shares`` (n,) of workers that have these of the work in place of the system's own.
        """
        draws = scenario.draws
        if shares is not None:
            loads = (shares * self._work).tolist()
            draws = Draws(scenario.latency, self.n, loads, scenario.scaling)
        times = draws.times(batch)
        return np.asarray(times.sum(axis=2) if times.ndim > 3 else times)

    def used(self, arrived: Values, over: float) -> Mask:
        """Return whose answers the master has when the round is over, (n,)."""
        times = (arrived - self.delays)[:, np.newaxis]
        return np.asarray(self.real.answered(times, np.array([over]))[:, 0])

    def predicted(self, began: Values, own: Values) -> tuple[Values, Mask]:
        """Return when rounds are over, and with whose answers, by the workers' own seconds.

        ``began``, ``own`` (rounds, n): seconds after a round's begin, without its delay, at which
        each worker was free for it; and that it then took. NaN, not known, counts as never.
        """
        times = np.nan_to_num((began + own).T, nan=np.inf)
        over = self.done(self.simulated, times)
        return over, self.simulated.answered(times, over).T
