"""``fastgc replay``: one trial of a study, alone, with everything that happened in it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from fastgc.errors import FastgcError
from fastgc.roads import Plan
from fastgc.study import Study


def replay(
    study: Study | Mapping[str, Any] | str | Path,
    *,
    trial: int,
    experiment: str | None = None,
    point: Mapping[str, Any] | None = None,
    seed: int | None = None,
    overrides: Sequence[str] = (),
) -> dict[str, Any]:
    """Draw one trial again and decode it.

    Parameters
    ----------
    study : str, Path, dict or Study
        As for `fastgc.run`; with the same seed the trial is the one that was sampled there.
    trial : int
        Number of the trial, from 0.
    experiment : str, optional
        Its name; needed where the study has several.
    point : mapping, optional
        Values of swept keys; needed where several points are left.
    seed, overrides : optional
        As for `fastgc.run`.

    Returns
    -------
    dict
        ``experiment``, ``point``, ``trial`` and, for each iteration, who straggled, which columns
        of B survived, the error, whether it is exact, and the partitions nobody holds.

    Raises
    ------
    FastgcError
        If there is no such experiment, point or trial.

    Examples
    --------
    >>> import fastgc
    >>> found = fastgc.replay({
    ...     "code": {"family": "frc", "n": 4, "d": 2},
    ...     "stragglers": {"model": "uniform", "stragglers": 4},
    ... }, trial=12_345_678_901)
    >>> found["iterations"][0]["error"]
    4.0
    """
    if trial < 0:
        raise FastgcError(f"trial: must be at least 0 (got {trial})")
    checked = Study.parse(study, overrides=overrides, seed=seed, method="monte-carlo")
    fitting = [
        (unit, place, member)
        for unit in Plan.of(checked).units
        for place, member in enumerate(unit.members)
        if experiment in (None, member.experiment)
        and all(member.sweep.get(key) == value for key, value in (point or {}).items())
    ]
    if not fitting:
        raise FastgcError(f"experiment: the study has no {experiment or 'experiment'} at {point}")
    if len(fitting) > 1:
        unit, _, member = fitting[0]
        raise FastgcError(
            f"experiment: {len(fitting)} points fit; say which, like {member.experiment} "
            f"at {dict(member.sweep)}"
        )
    unit, place, member = fitting[0]
    return {
        "experiment": member.experiment,
        "point": dict(member.sweep),
        "seed": unit.seed,
        "trial": trial,
        "iterations": unit.samplers[place].replay(unit.seed, unit.stream, trial),
    }
