"""Writing a run to an HDF5 file, and reading it again."""

from __future__ import annotations

import json
from dataclasses import asdict
from typing import Any

import numpy as np

from fastgc.results import for_other_programs, raw_samples
from fastgc.results.hdf5 import h5py
from fastgc.results.merged import MergedShard, Merger
from fastgc.results.stored import Piece, Segment, StoredRun, StoredUnit
from fastgc.results.text import read_text, write_text
from fastgc.statistics.tallies import ExactSums, Histogram, Tally

SCHEMA_VERSION = 5


def fill(file: h5py.File, run: StoredRun) -> None:
    """Write a run to an empty file."""
    file.attrs["fastgc_schema"] = SCHEMA_VERSION
    file.attrs["complete"] = np.int8(run.complete)  # HDF5's own truth values are enums to others
    write_text(file, "study", run.study)
    write_text(file, "identity", run.identity)
    write_text(file, "provenance", json.dumps(run.provenance))
    file.attrs["shard"] = np.array(run.shard, np.int64)
    if run.merged is not None:
        write_text(file, "merged", json.dumps(asdict(run.merged)))
    write_text(file, "rows", json.dumps(run.rows))
    write_text(file, "verdicts", json.dumps(run.verdicts, allow_nan=False))
    results = file.create_group("results")
    for_other_programs.fill(results, run.rows)
    for_other_programs.say(results, run.verdicts)
    raw_samples.fill(file, run)
    for number, unit in enumerate(run.units):
        group = file.create_group(f"tallies/{number}")
        write_text(group, "segments", json.dumps([_plain(s) for s in unit.segments]))
        write_text(group, "key", unit.key)
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
                key=read_text(group["key"]),
                block=int(group.attrs["block"]),
                done=int(group.attrs["done"]),
                digests=group["digests"][()],
                tally=_read_tally(group["blocks"]),
                partial=_read_tally(group["partial"]) if "partial" in group else None,
                stopped_by=str(group.attrs["stopped_by"]) or None,
                segments=[_segment(entry) for entry in json.loads(read_text(group["segments"]))],
            )
        )
    shard = file.attrs["shard"]
    return StoredRun(
        study=read_text(file["study"]),
        identity=read_text(file["identity"]),
        provenance=json.loads(read_text(file["provenance"])),
        shard=(int(shard[0]), int(shard[1])),
        units=units,
        rows=json.loads(read_text(file["rows"])),
        verdicts=json.loads(read_text(file["verdicts"])),
        complete=bool(file.attrs["complete"]),
        merged=_merger(json.loads(read_text(file["merged"]))) if "merged" in file else None,
    )


def _merger(entry: dict[str, Any]) -> Merger:
    parts = [
        part | {"done": tuple(part["done"]), "rest": tuple(part["rest"])} for part in entry["parts"]
    ]
    return Merger(entry["shards"], tuple(MergedShard(**part) for part in parts))


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
