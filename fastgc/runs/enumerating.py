"""The exact and the rare method of a study's points, side by side."""

from collections.abc import Callable
from concurrent.futures import FIRST_COMPLETED, wait

import numpy as np

from fastgc.arrays import Values
from fastgc.engine.executors.pool import Job, Pool
from fastgc.engine.units import Unit
from fastgc.errors import StoppedError
from fastgc.experiments.methods import RareFound
from fastgc.runs.plan import Plan, enumerated, rare_part, sought

WAIT_SECONDS = 0.2
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
    unknown = [place for place in range(len(plan.known)) if place not in plan.found]
    left = [place for place in unknown if not plan.known[place].is_rare]
    waiting: list[tuple[int, Job[list[RareFound]]]] = []
    while left or waiting:
        while left and pool.has_room and interrupted() is None:
            place = left.pop(0)
            waiting.append((place, pool.submit(enumerated, plan.alone(place))))
        if not waiting:
            break
        wait([job.future for _, job in waiting], WAIT_SECONDS, FIRST_COMPLETED)
        ready = [(place, job) for place, job in waiting if job.done()]
        for place, job in ready:
            plan.learn(place, job.result())
            progress(place)
        waiting = [each for each in waiting if each not in ready]
    try:
        for place in unknown:
            if plan.known[place].is_rare:
                reason = interrupted()
                if reason is not None:
                    return reason
                islands = Islands(plan.alone(place), pool, interrupted)
                plan.learn(place, sought(islands.unit, plan.asked(place), islands))
                progress(place)
    except StoppedError as stopped:
        return str(stopped)
    return interrupted() if left else None


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
        starts = list(range(first, first + islands, ISLANDS))
        parts: dict[int, Values] = {}
        waiting: dict[int, Job[Values]] = {}
        while len(parts) < len(starts):
            reason = self._interrupted()
            if reason is not None:
                for job in waiting.values():
                    job.cancel()
                raise StoppedError(reason)
            for start in starts:
                if start not in parts and start not in waiting and self._pool.has_room:
                    count = min(ISLANDS, first + islands - start)
                    waiting[start] = self._pool.submit(rare_part, self.unit, event, start, count)
            futures = [job.future for job in waiting.values()]
            wait(futures, WAIT_SECONDS, FIRST_COMPLETED)
            for start in [start for start, job in waiting.items() if job.done()]:
                parts[start] = waiting.pop(start).result()
        return np.concatenate([parts[start] for start in starts])
