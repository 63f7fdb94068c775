"""What a file holds, or a search finds, for who shows it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from fastgc import planning
from fastgc.errors import FastgcError
from fastgc.registry.complaints import one_line
from fastgc.results import store
from fastgc.results.ranking import Ranking
from fastgc.results.rows import Result
from fastgc.runs.open import open as opened
from fastgc.study.source import RESULTS, Source


def read(
    path: Path,
    *,
    progress: Callable[[planning.Step], None] | None = None,
    interrupted: Callable[[], str | None] = lambda: None,
) -> Result | Ranking:
    """Return the result that a file holds; of a study with a table ``[design]`` its ranking.

    Parameters
    ----------
    path : Path
        What ``fastgc run`` or ``fastgc validate`` wrote, finished or not, or a study.
    progress, interrupted : optional
        As for `fastgc.design`.

    Raises
    ------
    FastgcError
        If it cannot be read, or is a study that was not run.
    """
    if not is_study(path):
        return opened(store.existing(path))
    if "design" not in Source.of(path).data:
        name = one_line(str(path))
        raise FastgcError(
            f"{name}: is a study that was not run; `fastgc run {name} -o result.h5`, "
            "then take result.h5"
        )
    return planning.design(path, progress=progress, interrupted=interrupted)


def is_study(path: Path) -> bool:
    """Return whether it is no file of results; what cannot be read is left to who reads results."""
    try:
        if path.suffix != ".toml" or not path.is_file():
            return False
        with path.open("rb") as file:
            return not file.read(len(RESULTS)).startswith(RESULTS)
    except OSError:
        return False
