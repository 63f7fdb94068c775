"""Raw samples as other programs read them: one array over all segments, beside its swept keys."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fastgc.errors import FastgcError
from fastgc.results.for_other_programs import udunit, write_setting
from fastgc.results.hdf5 import h5py
from fastgc.results.names import group_names
from fastgc.results.stored import Piece, Place, Sampled, Segment, StoredRun, StoredUnit

#: How the netCDF library knows a dimension that is nothing but a length.
_LENGTH_ONLY = "This is a netCDF dimension but not a netCDF variable.{:10d}"


def fill(file: h5py.File, run: StoredRun) -> None:
    """Write a group for each point that has raw samples, with the number it has in the results."""
    kept = [
        (unit, number, place)
        for unit, places in zip(run.units, run.samples, strict=False)
        if unit.segments
        for number, place in enumerate(places)
    ]
    for unit, number, place in kept:
        _refuse_misfits(unit, number, place)
    numbers: dict[str, dict[str, int]] = {}

    def number_of(experiment: str, point: dict[str, Any]) -> int:
        own = numbers.setdefault(experiment, {})
        return own.setdefault(json.dumps(point, sort_keys=True), len(own))

    for row in run.rows if kept else ():
        number_of(row["experiment"], row["point"])
    for *_, place in kept:
        number_of(place.experiment, place.point)
    names = group_names(numbers)
    for unit, member, place in kept:
        own = file.require_group(f"samples/{names[place.experiment]}")
        own.attrs["experiment"] = place.experiment
        point = own.create_group(f"point{number_of(place.experiment, place.point)}")
        _fill_point(point, unit, member, place)


def read(path: Path) -> list[tuple[str, dict[str, Any], dict[str, NDArray[Any]]]]:
    """Return the raw samples of a file: experiment, point, and arrays by name."""
    found = []
    with h5py.File(path, "r") as file:
        for own in file.get("samples", {}).values():
            for group in own.values():
                point = json.loads(group.attrs["point"])
                arrays = {key: each[()] for key, each in group.items() if each.is_virtual}
                found.append((str(own.attrs["experiment"]), point, arrays))
    return found


def _refuse_misfits(unit: StoredUnit, member: int, place: Place) -> None:
    """Refuse segments of a file that do not hold what its study samples."""
    for segment in unit.segments:
        own = segment.members[member] if member < len(segment.members) else {}
        forms = {key: len(shape) for key, (shape, _) in own.items()}
        wanted = {key: len(said.dimensions) for key, said in place.arrays.items()}
        sound = all(np.dtype(dtype).kind in "fiu" for _, dtype in own.values())
        if not own or not sound or not forms.items() <= wanted.items():
            raise FastgcError(
                f"{place.experiment}: the raw samples beside the file are not of its study; sample "
                "it again"
            )


def _fill_point(group: h5py.Group, unit: StoredUnit, member: int, place: Place) -> None:
    """Write one virtual dataset over all segments for each of a member's arrays."""
    group.attrs["point"] = json.dumps(place.point)
    coordinates = " ".join(write_setting(group, key, place.point[key]) for key in place.point)
    total = sum(segment.trials for segment in unit.segments)
    for key, (shape, dtype) in unit.segments[0].members[member].items():
        layout = h5py.VirtualLayout((total, *shape[1:]), dtype=dtype)
        first = 0
        for segment in unit.segments:
            own_shape = segment.members[member][key][0]
            source = h5py.VirtualSource(segment.file, f"{member}/{key}", own_shape)
            _map(layout, first, source, segment)
            first += segment.trials
        # a segment that has gone must not look like perfect decoding
        missing = np.nan if np.dtype(dtype).kind == "f" else np.iinfo(dtype).max
        dataset = group.create_virtual_dataset(key, layout, fillvalue=missing)
        _describe(dataset, place.arrays[key])
        if coordinates:
            dataset.attrs["coordinates"] = coordinates


def _map(
    layout: h5py.VirtualLayout, first: int, source: h5py.VirtualSource, segment: Segment
) -> None:
    """Map a segment's trials to their places: by its pieces, or else from ``first`` on."""
    start = 0
    for piece in segment.pieces or (Piece(first, segment.trials, 1, segment.trials),):
        places = h5py.MultiBlockSlice(piece.first, piece.stride, piece.runs, piece.length)
        layout[places] = source[start : start + piece.trials]
        start += piece.trials


def _describe(dataset: h5py.Dataset, said: Sampled) -> None:
    """Say what an array is, in which unit, and name its dimensions."""
    dataset.attrs["meaning"] = said.meaning
    if said.unit is not None:
        dataset.attrs["units"] = udunit(said.unit)
    for axis, (name, size) in enumerate(zip(said.dimensions, dataset.shape, strict=True)):
        if name not in dataset.parent:
            # never written: takes no room
            dataset.parent.create_dataset(name, (size,), "i1").make_scale(_LENGTH_ONLY.format(size))
        dataset.dims[axis].attach_scale(dataset.parent[name])
