"""Writing a run to an HDF5 file, and reading it again."""

from __future__ import annotations

import json
from dataclasses import asdict
from typing import Any

import h5py
import numpy as np

from fastgc.results import for_other_programs
from fastgc.results.merged import MergedShard, Merger
from fastgc.results.stored import Piece, Place, Segment, StoredRun, StoredUnit
from fastgc.statistics.tallies import ExactSums, Histogram, Tally

SCHEMA_VERSION = 3


def fill(file: h5py.File, run: StoredRun) -> None:
    """Write a run to an empty file."""
    file.attrs["fastgc_schema"] = SCHEMA_VERSION
    file.attrs["complete"] = run.complete
    file.create_dataset("study", data=run.study)
    file.create_dataset("identity", data=run.identity)
    file.create_dataset("provenance", data=json.dumps(run.provenance))
    file.attrs["shard"] = np.array(run.shard, np.int64)
    if run.merged is not None:
        file.create_dataset("merged", data=json.dumps(asdict(run.merged)))
    file.create_dataset("rows", data=json.dumps(run.rows))
    file.create_dataset("verdicts", data=json.dumps(run.verdicts, allow_nan=False))
    results = file.create_group("results")
    for_other_programs.fill(results, run.rows)
    for_other_programs.say(results, run.verdicts)
    for number, unit in enumerate(run.units):
        _fill_samples(file, unit, run.samples[number] if number < len(run.samples) else [])
        group = file.create_group(f"tallies/{number}")
        group.create_dataset("segments", data=json.dumps([_plain(s) for s in unit.segments]))
        group.create_dataset("key", data=unit.key)
        group.attrs["block"] = unit.block
        group.attrs["done"] = unit.done
        group.attrs["stopped_by"] = unit.stopped_by or ""
        group.create_dataset("digests", data=unit.digests)
        _fill_tally(group.create_group("blocks"), unit.tally)
        if unit.partial is not None:
            _fill_tally(group.create_group("partial"), unit.partial)


def _plain(segment: Segment) -> dict[str, Any]:
    """Return a segment as JSON has it; pieces only where it has some."""
    return {key: value for key, value in asdict(segment).items() if value or key != "pieces"}


def _segment(entry: dict[str, Any]) -> Segment:
    members = tuple(
        {name: (tuple(shape), dtype) for name, (shape, dtype) in member.items()}
        for member in entry["members"]
    )
    pieces = tuple(Piece(**piece) for piece in entry.get("pieces", ()))
    return Segment(entry["file"], entry["trials"], entry["partial"], members, pieces)


def _fill_samples(file: h5py.File, unit: StoredUnit, places: list[Place]) -> None:
    """One virtual dataset over all segments for each member's samples."""
    if not unit.segments:
        return
    total = sum(segment.trials for segment in unit.segments)
    for number, place in enumerate(places):
        own = file.require_group("samples").require_group(place.experiment.replace("/", " over "))
        group = own.create_group(str(len(own)))
        group.attrs["point"] = json.dumps(place.point)
        for key, (shape, dtype) in unit.segments[0].members[number].items():
            layout = h5py.VirtualLayout((total, *shape[1:]), dtype=dtype)
            first = 0
            for segment in unit.segments:
                own_shape = segment.members[number][key][0]
                source = h5py.VirtualSource(segment.file, f"{number}/{key}", own_shape)
                _map(layout, first, source, segment)
                first += segment.trials
            # a segment that has gone must not look like perfect decoding
            missing = np.nan if np.dtype(dtype).kind == "f" else np.iinfo(dtype).max
            dataset = group.create_virtual_dataset(key, layout, fillvalue=missing)
            dataset.attrs["meaning"] = place.meanings[key]


def _map(
    layout: h5py.VirtualLayout, first: int, source: h5py.VirtualSource, segment: Segment
) -> None:
    """Map a segment's trials to their places: by its pieces, or else from ``first`` on."""
    start = 0
    for piece in segment.pieces or (Piece(first, segment.trials, 1, segment.trials),):
        places = h5py.MultiBlockSlice(piece.first, piece.stride, piece.runs, piece.length)
        layout[places] = source[start : start + piece.trials]
        start += piece.trials


def _fill_tally(group: h5py.Group, tally: Tally) -> None:
    group.attrs["trials"] = tally.trials
    group.create_dataset("sums", data=tally.sums.limbs(), compression="gzip", shuffle=True)
    for number, histogram in enumerate(tally.histograms):
        own = group.create_group(f"histogram{number}")
        bins = sorted(histogram.counts)
        own.create_dataset("bin", data=np.array(bins, np.int64))
        own.create_dataset("count", data=np.array([histogram.counts[b] for b in bins], np.int64))
        own.attrs["low"] = histogram.low
        own.attrs["high"] = histogram.high
        own.attrs["not_finite"] = histogram.not_finite
        own.attrs["too_large"] = histogram.too_large


def read(file: h5py.File) -> StoredRun:
    """Return what a file holds."""
    units = []
    for number in range(len(file["tallies"]) if "tallies" in file else 0):
        group = file[f"tallies/{number}"]
        units.append(
            StoredUnit(
                key=text(group["key"]),
                block=int(group.attrs["block"]),
                done=int(group.attrs["done"]),
                digests=group["digests"][()],
                tally=_read_tally(group["blocks"]),
                partial=_read_tally(group["partial"]) if "partial" in group else None,
                stopped_by=str(group.attrs["stopped_by"]) or None,
                segments=[_segment(entry) for entry in json.loads(text(group["segments"]))],
            )
        )
    shard = file.attrs["shard"]
    return StoredRun(
        study=text(file["study"]),
        identity=text(file["identity"]),
        provenance=json.loads(text(file["provenance"])),
        shard=(int(shard[0]), int(shard[1])),
        units=units,
        rows=json.loads(text(file["rows"])),
        verdicts=json.loads(text(file["verdicts"])),
        complete=bool(file.attrs["complete"]),
        merged=_merger(json.loads(text(file["merged"]))) if "merged" in file else None,
    )


def _merger(entry: dict[str, Any]) -> Merger:
    parts = [
        part | {"done": tuple(part["done"]), "rest": tuple(part["rest"])} for part in entry["parts"]
    ]
    return Merger(entry["shards"], tuple(MergedShard(**part) for part in parts))


def text(dataset: h5py.Dataset) -> str:
    """Return the text that a dataset holds."""
    return str(dataset.asstr()[()])


def _read_tally(group: h5py.Group) -> Tally:
    histograms: list[Histogram] = []
    while f"histogram{len(histograms)}" in group:
        own = group[f"histogram{len(histograms)}"]
        counts = dict(zip(own["bin"][()].tolist(), own["count"][()].tolist(), strict=True))
        extremes = float(own.attrs["low"]), float(own.attrs["high"])
        left_out = int(own.attrs["not_finite"]), int(own.attrs["too_large"])
        histograms.append(Histogram(counts, *extremes, *left_out))
    return Tally(
        trials=int(group.attrs["trials"]),
        sums=ExactSums.from_limbs(group["sums"][()]),
        histograms=histograms,
    )
