"""The exact and the rare method of a study's points, side by side."""

from collections.abc import Callable
from functools import partial

import numpy as np

from fastgc.arrays import Values
from fastgc.engine.executors.pool import Pool, side_by_side
from fastgc.engine.units import Unit
from fastgc.errors import StoppedError
from fastgc.runs.plan import Plan, enumerated, rare_part, sought

#: Islands of a rare method that one task samples.
ISLANDS = 8


def enumerate_points(
    plan: Plan,
    pool: Pool,
    interrupted: Callable[[], str | None] = lambda: None,
    progress: Callable[[int], None] = lambda place: None,
) -> str | None:
    """Enumerate what a plan knows exactly; return why it was interrupted, None where it was not.

    ``plan``: takes what is found, point by point; ``pool``: where points are enumerated;
    ``interrupted``: says why to stop: what is under way is still finished, and nothing new is
    begun; ``progress``: called with the place of each point that is done.
    """
    left = [place for place in range(len(plan.known)) if place not in plan.found]
    tasks = (
        (place, partial(enumerated, plan.alone(place)))
        for place in left
        if not plan.known[place].is_rare
    )
    for place, found in side_by_side(pool, tasks, interrupted):
        plan.learn(place, found)
        progress(place)
    for place in (place for place in left if plan.known[place].is_rare):
        reason = interrupted()
        if reason is not None:
            return reason
        islands = Islands(plan.alone(place), pool, interrupted)
        try:
            plan.learn(place, sought(islands.unit, plan.asked(place), islands))
        except StoppedError as stopped:
            return str(stopped)
        progress(place)
    return interrupted() if len(plan.found) < len(plan.known) else None


class Islands:
    """Has islands sampled side by side; see `fastgc.experiments.methods.Sampling`.

    ``unit``: of the one point; ``interrupted``: says why to stop.
    """

    def __init__(self, unit: Unit, pool: Pool, interrupted: Callable[[], str | None]) -> None:
        self.unit = unit
        self._pool = pool
        self._interrupted = interrupted

    def __call__(self, event: int, first: int, islands: int) -> Values:
        """Sample islands of an event, an island a row.

        Raises StoppedError if the run was interrupted.
        """
        end = first + islands
        tasks = [
            (start, partial(rare_part, self.unit, event, start, min(ISLANDS, end - start)))
            for start in range(first, end, ISLANDS)
        ]
        parts = dict(side_by_side(self._pool, tasks, self._interrupted))
        if len(parts) < len(tasks):
            raise StoppedError(self._interrupted() or "")
        return np.concatenate([parts[start] for start, _ in tasks])
