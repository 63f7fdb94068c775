"""``fastgc.dry_run``: what a run will take, from a pilot, before it is paid for."""

import math
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from fastgc.engine.blocks import Share
from fastgc.engine.executors.surroundings import available_cores
from fastgc.errors import FastgcError
from fastgc.registry.activity import Step
from fastgc.runs.estimate import CostEstimate
from fastgc.runs.pilots import Pilot, exact_pilots
from fastgc.runs.plan import Options, Plan, name_of
from fastgc.runs.precision import precision_of
from fastgc.study.study import Study

PILOT_SECONDS = 1.0  # of processor time, for each point that is sampled
ALL_PILOTS_SECONDS = 60.0  # shared by all points where there are many


def dry_run(
    study: Study | Mapping[str, Any] | str | Path,
    *,
    out: str | Path | None = None,
    trials: int | None = None,
    seed: int | None = None,
    threads: int | None = None,
    method: str | None = None,
    overrides: Sequence[str] = (),
    shard: tuple[int, int] | None = None,
    checkpoint_seconds: float | None = None,
    pilot_seconds: float = PILOT_SECONDS,
    progress: Callable[[Step], None] | None = None,
) -> CostEstimate:
    """Say what `fastgc.run` of the same study takes; write nothing.

    A pilot samples the first blocks of every point: those that the run begins with. It takes
    ``pilot_seconds`` of one core a point (with many points less each, 60 seconds for all of them)
    or a quarter of the point's trials if that is less, and tells how long a trial takes and how
    precise the mean will be. Exact methods are tried for up to some 5 seconds, and estimated
    beyond.

    Parameters
    ----------
    study, out, trials, seed, threads, method, overrides, shard, checkpoint_seconds
        As for `fastgc.run`. ``out`` names the file in the lines for a batch queue; what it may
        hold already is not looked at.
    pilot_seconds : float
        Of processor time, for each point that is sampled; at least one block, or its first trials
        where a block takes longer, is sampled in any case.
    progress : callable, optional
        Called with a `Step` before each pilot.

    Returns
    -------
    CostEstimate
        Of every point and of the whole study; `CostEstimate.as_dict` is plain data.

    Raises
    ------
    FastgcError
        For every mistake in the study.

    Examples
    --------
    >>> import fastgc
    >>> estimate = fastgc.dry_run({
    ...     "code": {"family": "frc", "n": 40, "d": 2},
    ...     "stragglers": {"model": "iid", "p": 0.1},
    ... }, trials=200_000)
    >>> [sampled] = estimate.sampled
    >>> sampled.ending.trials, sampled.ending.stopped_by
    (200000, 'trials')
    """
    began = time.process_time()
    options = Options.among(locals())
    checked = options.study(study)
    options.check()
    if threads is not None and threads < 1:
        raise FastgcError(f"threads: must be at least 1 (got {threads})")
    if not 0 < pilot_seconds < math.inf:
        raise FastgcError(
            f"pilot_seconds: must be a number of seconds above 0 (got {pilot_seconds})"
        )
    threads = threads or available_cores()
    plan = Plan.of(checked)
    plan.closed_forms  # noqa: B018 — found once; they are in every row
    start_up = time.process_time() - began
    rule = precision_of(checked.stop)
    exact = tuple(exact_pilots(plan))
    shares = [Share.of(unit.block, checked.stop.trials, options.shard) for unit in plan.units]
    points = sum(len(unit.points) for unit in plan.units)
    each = min(pilot_seconds, ALL_PILOTS_SECONDS / max(1, points))
    pilots: list[Pilot] = []
    for number, (unit, share) in enumerate(zip(plan.units, shares, strict=True)):
        if progress is not None:
            progress(Step("parts", number, len(shares), name_of(unit)))
        pilots.append(Pilot(unit, rule, threads))
        pilots[-1].run(share, each * len(unit.points))
    start_up += sum(pilot.preparing for pilot in pilots)
    found = CostEstimate(plan, study, options, threads, start_up, exact, pilots, shares)
    found.memory  # noqa: B018 — what this process takes now
    return found
