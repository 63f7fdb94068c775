"""How far a validation is, and how long it will still take."""

from collections.abc import Mapping, Sequence

from fastgc.registry.activity import Step
from fastgc.results.stored import StoredUnit
from fastgc.runs.loop import Step as LoopStep
from fastgc.runs.progress import TimeLeft
from fastgc.validation.requests import Measuring


class Watch:
    """Makes a `Step` of what is measured.

    ``claims``: how many are judged.
    """

    def __init__(self, claims: int, cores: int) -> None:
        self._claims, self._cores = claims, cores
        self._time_left: TimeLeft | None = None
        self._most: list[int] = []
        self._before: list[int] = []
        self._spent: Mapping[int, float] = {}

    def expect(
        self, waiting: Sequence[Measuring], before: Sequence[int], most: Sequence[int]
    ) -> None:
        """Take note of what is to be sampled: the trials it has, and the most it can get.

        An experiment on the exact method takes a short sample beside it, others one that is as long
        as the claim needs.
        """
        self._time_left = TimeLeft([each.has_exact_method for each in waiting], before)
        self._before, self._most = list(before), list(most)

    def step(
        self,
        name: str,
        units: Sequence[StoredUnit] = (),
        step: LoopStep | None = None,
        kept: int | None = None,
    ) -> Step:
        """Return how far it is; ``units`` are those that were begun, in the order of the loop."""
        trials = [unit.trials for unit in units] + self._before[len(units) :]
        done, left = sum(unit.stopped_by is not None for unit in units), None
        if step is not None:
            done, self._spent = step.finished, step.spent
        if self._time_left is not None:
            # sizes are looked at when they have doubled: one that is under way may double again
            known = [
                unit.trials if unit.stopped_by is not None else (2 * unit.trials or None)
                for unit in units
            ]
            known += [None] * (len(self._most) - len(units))
            # what the exact method leaves open is sampled for longer than beside it
            most = [2 * n if n > m else m for n, m in zip(trials, self._most, strict=True)]
            goals = self._time_left.goals(known, most)
            left = self._time_left.remaining(trials, goals, self._spent)
        return Step(
            "experiments",
            done,
            len(self._most),
            name,
            trials=sum(trials),
            before=sum(self._before),
            eta=left,
            decided=0,
            claims=self._claims,
            kept=kept,
            begun={"cores": self._cores},
        )
