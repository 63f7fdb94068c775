"""What lies beside a file of results: its unfinished run, and its raw samples."""

from __future__ import annotations

from pathlib import Path

PARTIAL_SUFFIX = ".part"
SAMPLES_SUFFIX = ".samples"


def partial_of(path: Path) -> Path:
    """Return the file of a run that is not done, also of a path without a name, as ``.`` is."""
    return path.parent / (path.name + PARTIAL_SUFFIX)


def samples_of(path: Path) -> Path:
    """Return the folder of a file's raw samples."""
    return path.parent / (path.name + SAMPLES_SUFFIX)
