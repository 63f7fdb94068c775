"""``fastgc show --replay``: one trial of a study, alone, with everything that happened in it."""

import shlex
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from fastgc.errors import FastgcError
from fastgc.registry import toml
from fastgc.registry.complaints import unknown
from fastgc.registry.given import is_at
from fastgc.study.study import Study

MOST_TRIALS = 10**18  # what a study can ask for


def replay(
    study: Study | Mapping[str, Any] | str | Path,
    *,
    trial: int,
    experiment: str | None = None,
    point: Mapping[str, Any] | None = None,
    seed: int | None = None,
    overrides: Sequence[str] = (),
) -> dict[str, Any]:
    """Draw one trial again, alone.

    Parameters
    ----------
    study : str, Path, dict or Study
        As for `fastgc.run`; with the same seed the trial is the one that was sampled there.
    trial : int
        Number of the trial, from 0.
    experiment : str, optional
        The experiment's name; needed where the study has several.
    point : mapping, optional
        Values of swept keys; needed where the experiment has several points.
    seed, overrides : optional
        As for `fastgc.run`.

    Returns
    -------
    dict
        ``experiment``, ``point``, ``trial``, ``kind`` and ``iterations``. Of each iteration of a
        decoding experiment: who straggled, which columns of B survived, the error, whether it is
        exact, and the partitions no survivor holds; of a completion experiment: the time, every
        worker's time where those were drawn, and who never answers. Of a training experiment, after
        0, 1, … iterations: the measured curves, and who straggles in the next one; where columns of
        B are dealt out anew, also which of them are left.

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
    if isinstance(trial, bool) or not isinstance(trial, int) or not 0 <= trial < MOST_TRIALS:
        raise FastgcError(f"trial: must be an integer, at least 0 and below 10¹⁸ (got {trial!r})")
    checked = Study.parse(study, overrides=overrides, seed=seed)
    points, point = checked.points(), point or {}
    names = list(dict.fromkeys(p.experiment for p in points))
    if experiment not in (None, *names):
        raise FastgcError(f"experiment: {unknown('experiment', experiment, names)}")
    mine = [p for p in points if experiment in (None, p.experiment)]
    own, *others = [p for p in mine if is_at(p.sweep, point)] or (None,)
    if own is None:
        said = f"there is none at {dict(point)}; give swept keys and values, like"
        raise FastgcError(f"point: {said} {dict(mine[0].sweep)}")
    if others:
        words = ["--experiment", own.experiment]
        for key, value in own.sweep.items():
            words += ["--point", f"{key}={toml.written(value)}"]
        said = f"{len(others) + 1} points fit; say which, like {shlex.join(words)}"
        raise FastgcError(f"experiment: {said}")
    if own.compiled.exact_method.is_worst_case:
        raise FastgcError(f"experiment: {own.experiment} is a worst case, which draws no trials")
    common = checked.common_random_numbers
    stream = "common" if common else checked.canonical(own)
    return {
        "experiment": own.experiment,
        "point": dict(own.sweep),
        "seed": checked.seed,
        "trial": trial,
        "kind": own.table.kind,
        "iterations": own.compiled.replay(checked.seed, stream, trial, common=common),
    }
