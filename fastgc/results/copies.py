"""What other programs read in a file of results, held against the rows that fastgc reads."""

from __future__ import annotations

import io
from pathlib import Path

import numpy as np

from fastgc.registry.complaints import one_line
from fastgc.registry.inside import is_inside
from fastgc.results import for_other_programs, sound
from fastgc.results.hdf5 import h5py
from fastgc.results.stored import StoredRun

#: Attributes of dimension scales, which hold places in one file.
_OF_SCALES = ("DIMENSION_LIST", "REFERENCE_LIST")


def differing(path: Path, stored: StoredRun) -> list[str]:
    """Return the names in a file's group ``results`` that are not what its rows and verdicts give.

    Parameters
    ----------
    path : Path
    stored : StoredRun
        What was read of the file.
    """
    with (
        sound.reading(one_line(str(path)), "bring back a copy"),
        h5py.File(path, "r", locking=False) as file,
        h5py.File(io.BytesIO(), "w") as again,
    ):
        group = again.create_group("results")
        for_other_programs.fill(group, stored.rows)
        for_other_programs.say(group, stored.verdicts)
        found, wanted = _contents(sound.group(file, "results")), _contents(group)
    return sorted(
        name for name in found.keys() | wanted.keys() if found.get(name) != wanted.get(name)
    )


def _contents(group: h5py.Group) -> dict[str, object]:
    """Everything in a group, by names, in a form that can be compared."""
    contents: dict[str, object] = {}

    def note(name: str, entry: h5py.Group | h5py.Dataset) -> None:
        attributes = {
            key: np.asarray(value).tolist()
            for key, value in entry.attrs.items()
            if key not in _OF_SCALES
        }
        is_data = isinstance(entry, h5py.Dataset)
        sound.require(not is_data or is_inside(entry))
        values = np.asarray(entry[()]) if is_data else np.empty(0)
        contents[name] = attributes, values.shape, str(values.dtype), values.tobytes()

    group.visititems(note)
    return contents
