"""What a form of a system is worth: its exact completion time where it is quick, else on draws."""

import math

import numpy as np
from numpy.typing import NDArray

from fastgc.draws.streams import WORD, Batch
from fastgc.errors import FastgcError
from fastgc.latency.draws import Draws
from fastgc.latency.time import Time
from fastgc.searching.forms import Form, Kind
from fastgc.systems.timing.evaluator import Evaluator
from fastgc.systems.timing.laws import distribution, tail_index
from fastgc.systems.timing.laws.structure_law import evaluation_of
from fastgc.systems.timing.structure import Chunks, Layers, Structure

Values = NDArray[np.float64]

#: Additions for one P(T > t), beyond which a law is not computed: a mean takes some hundred.
_MOST_WORK = 2e6
#: Trials of a look at a form, and of those that are drawn together.
QUICK = 1 << 14
_TOGETHER = 1 << 12
#: Means that are infinite, or whose variance is: draws say little of them.
HEAVY = 2.0


class Timed:
    """Completion times of forms of one kind.

    Examples
    --------
    >>> from fastgc.latency import Exponential
    >>> from fastgc.searching.forms import Trees
    >>> from fastgc.searching.system_problem import SystemProblem
    >>> problem = SystemProblem(system="coded-reduce", n=2, latency=(Exponential(mean=1.0),))
    >>> round(Timed(Trees(problem)).exact((0, ((), ()))), 12)  # both, of half the work each
    0.75
    """

    def __init__(self, kind: Kind) -> None:
        self.kind, self.problem = kind, kind.problem
        self._exact: dict[Form, float | None] = {}
        self._quick: dict[Form, float] = {}
        self._times: dict[tuple[str, int, float, int], Values] = {}

    def law(self, form: Form) -> Time | None:
        """Return the law of the completion time; None where it is not known, or takes long."""
        structure, load, receive = self._parts(form)
        times = self.problem.times(load, structure.workers)
        opens = self.problem.port.opens
        try:
            if evaluation_of(structure, times, receive, opens).work() > _MOST_WORK:
                return None
            return distribution(structure, times, receive, opens)
        except FastgcError:
            return None

    def exact(self, form: Form) -> float | None:
        """Return the exact mean or quantile; None where it is not known, or takes long."""
        if form not in self._exact:
            law, level = self.law(form), self.problem.quantile
            value = None if law is None else law.mean() if level is None else law.quantile(level)
            self._exact[form] = None if value is None else float(value)
        return self._exact[form]

    def heavy(self, form: Form) -> bool:
        """Whether a mean is wanted, and samples say little of it: the variance is infinite."""
        structure, load, _ = self._parts(form)
        times = self.problem.times(load, structure.workers)
        return self.problem.quantile is None and tail_index(structure, times) <= HEAVY

    def quick(self, form: Form) -> float:
        """Return about the mean or quantile, of draws that all forms share."""
        if form not in self._quick:
            self._quick[form] = self.of(self.sample(form, "quick", QUICK))
        return self._quick[form]

    def of(self, times: Values) -> float:
        """Return the mean or quantile of completion times."""
        level = self.problem.quantile
        if level is None:
            return math.fsum(times.tolist()) / times.size
        place = min(times.size - 1, math.ceil(level * times.size) - 1)
        return float(np.partition(times, place)[place])

    def sample(self, form: Form, stream: str, trials: int) -> Values:
        """Return completion times (trials,); workers take the same draws in all forms."""
        structure, load, receive = self._parts(form)
        evaluator = Evaluator(structure, receive, self.problem.port.opens)
        found = [
            evaluator.done(self._drawn(structure, load, stream, first))
            for first in range(0, trials, _TOGETHER)
        ]
        return np.concatenate(found)

    def _parts(self, form: Form) -> tuple[Structure, float, float]:
        """Return the structure, the load that a time is for, and how long a message takes."""
        system = self.kind.system(form)
        receive = system.message() * self.problem.port.receive
        return system.structure(), system.share() * self.problem.work, receive

    def _drawn(self, structure: Structure, load: float, stream: str, first: int) -> Values:
        own, n = self.problem, structure.workers
        tasks = structure.tasks if isinstance(structure, Layers | Chunks) else 1
        laws = own.latency if len(own.latency) == 1 else own.latency[:n]
        same = own.scaling == "server-dependent"
        key = stream, n, 1.0 if same else load, first
        if key not in self._times:
            if len(self._times) * _TOGETHER * n * tasks > _KEPT:
                self._times.clear()
            batch = Batch(own.seed, f"search {stream}", first, _TOGETHER // WORD, 1)
            drawn = Draws(laws, n, 1.0 if same else load, own.scaling, tasks)
            self._times[key] = drawn.times(batch)[0]
        times = self._times[key]
        return load * times if same else times.copy()


#: Numbers of draws that are kept for the next form.
_KEPT = 1 << 23
