"""Files that killed runs leave beside a file of results, and samples that are needed no more."""

from __future__ import annotations

import contextlib
import re
from collections.abc import Iterable
from pathlib import Path

from fastgc.errors import FastgcError
from fastgc.results import beside, segments

#: A segment's name, and that of a file on its way to become one.
_NAME = r"\d+-\d+-\d+(-\d+of\d+)?\.h5"
SEGMENT = re.compile(_NAME)
UNFINISHED_SEGMENT = re.compile(rf"\.{_NAME}\.\d+\.tmp")


def remove(path: Path) -> None:
    """Remove half-written files, and raw samples that no file of results refers to.

    The caller must hold the lock of ``path``, so that no other run is writing any of them. Files
    with other names are left alone, and so is everything where it cannot be seen what is needed.
    """
    with contextlib.suppress(OSError):
        _remove(path)


def _remove(path: Path) -> None:
    ends = f"({re.escape(beside.PARTIAL_SUFFIX)})?"
    image = re.compile(rf"\.{re.escape(path.name)}{ends}\.\d+\.tmp")
    _unlink(found for found in path.parent.iterdir() if image.fullmatch(found.name))
    folder = beside.samples_of(path)
    if not folder.is_dir():
        return
    inside = list(folder.iterdir())
    _unlink(found for found in inside if UNFINISHED_SEGMENT.fullmatch(found.name))
    segments = {f"{folder.name}/{f.name}": f for f in inside if SEGMENT.fullmatch(f.name)}
    try:
        partial = beside.partial_of(path)
        unused = segments.keys() - _referred([path, partial])
        if unused:  # a file that was renamed still refers to the segments it was written with
            unused -= _referred(found for found in path.parent.iterdir() if found.is_file())
    except FastgcError:  # what cannot be read may refer to any of them
        return
    _unlink(segments[name] for name in unused)
    with contextlib.suppress(OSError):  # it is not empty
        folder.rmdir()


def _referred(paths: Iterable[Path]) -> set[str]:
    return {name for path in paths for name in segments.segments_of(path)}


def _unlink(files: Iterable[Path]) -> None:
    for file in list(files):
        with contextlib.suppress(OSError):
            file.unlink()
