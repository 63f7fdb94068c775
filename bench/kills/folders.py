"""Folders in which scenes run: as they are before, and after an uninterrupted run."""

import shutil
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from bench.kills import judge
from bench.kills.scenes import Scene, small


def uninterrupted(scene: Scene, folder: Path) -> Any:
    """Content of a file that is not killed; also compiles all kernels, in this process."""
    folder.mkdir()
    with small():
        scene.before(folder)
        scene.call(folder)
    return judge.content(folder)


def before(scene: Scene, folder: Path, prepared: Path) -> None:
    """Make what lies in a folder before the first run, from a copy where there is one."""
    if not prepared.exists():
        prepared.mkdir()
        with small():
            scene.before(prepared)
    shutil.copytree(prepared, folder)


def tries(scene: Scene, folder: Path, each: Iterable[Any]) -> Iterator[tuple[Any, Path]]:
    """Yield a folder as it is before the first run, for each; afterwards it goes."""
    for one in each:
        before(scene, folder / str(one), folder / "before")
        yield one, folder / str(one)
        shutil.rmtree(folder / str(one))
