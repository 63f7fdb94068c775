"""The exact road of a study's points, side by side."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import FIRST_COMPLETED, wait

from fastgc.engine.executors.pool import Job, Pool
from fastgc.experiments.experiment import Found
from fastgc.runs.plan import Plan, enumerated

WAIT_SECONDS = 0.2


def enumerate_points(
    plan: Plan,
    pool: Pool,
    interrupted: Callable[[], str | None] = lambda: None,
    progress: Callable[[int], None] = lambda place: None,
) -> str | None:
    """Enumerate what a plan knows exactly; return why it was interrupted, None where it was not.

    Parameters
    ----------
    plan : Plan
        Takes what is found, point by point.
    pool : Pool
        Where points are enumerated.
    interrupted : callable
        Says why to stop: what is under way is still finished, and nothing new is begun.
    progress : callable
        Called with the place of each point that is done.
    """
    left = [place for place in range(len(plan.exact)) if place not in plan.known]
    waiting: list[tuple[int, Job[list[Found]]]] = []
    while left or waiting:
        while left and pool.has_room and interrupted() is None:
            place = left.pop(0)
            waiting.append((place, pool.submit(enumerated, plan.exactly(place))))
        if not waiting:
            return interrupted()
        wait([job.future for _, job in waiting], WAIT_SECONDS, FIRST_COMPLETED)
        ready = [(place, job) for place, job in waiting if job.done()]
        for place, job in ready:
            plan.learn(place, job.result())
            progress(place)
        waiting = [each for each in waiting if each not in ready]
    return None
