"""Saving and loading files of results.

No file is modified in place. A checkpoint is a whole new image, written beside the old file, synced
and renamed over it, so that a kill at any moment leaves the last checkpoint readable.
"""

import io
import json
from collections.abc import Iterable, Sequence
from dataclasses import asdict
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fastgc.errors import FastgcError
from fastgc.registry.complaints import one_line
from fastgc.registry.files import USER_BLOCK, unsealed, with_seal
from fastgc.results import frames, sound
from fastgc.results.image import partial_path, replace, writing
from fastgc.results.sound import h5py, write_text
from fastgc.results.stored import Merger, StoredRun, StoredUnit
from fastgc.results.verdict_data import verdict_of
from fastgc.statistics.tallies import LIMBS, ExactSums, Histogram, Tally

REMEDY = "bring back a copy, or remove it and run its command again"


def save(path: Path, run: StoredRun) -> None:
    """Write a run as a whole new image and rename it over ``path``.

    Raises StorageError if the image cannot be written; the old file is as it was.
    """
    with writing(path):
        replace(path, file_image(run))


def file_image(run: StoredRun) -> memoryview:
    """Return the file of a run, byte for byte."""
    buffer = io.BytesIO()
    with h5py.File(buffer, "w", libver="v110", userblock_size=USER_BLOCK) as file:
        fill(file, run)
    return with_seal(buffer)


def existing(path: Path) -> Path:
    """Return a file of results, or that of its unfinished run where only that exists."""
    partial = partial_path(path)
    return partial if partial.exists() and not path.exists() else path


def load(path: Path, remedy: str | None = None) -> StoredRun:
    """Read a file of results.

    ``remedy``: what to do if it is damaged, not one of fastgc's, or of another schema.

    Raises FastgcError if there is no such file, or it is not one of fastgc's.
    """
    name = one_line(str(path))
    instead = f"; {remedy or 'name one that fastgc has written'}"
    try:
        if path.is_dir():
            raise FastgcError(f"{name}: is a directory; name a file in it")
        if path.exists() and not path.is_file():  # it may have no end
            raise FastgcError(f"{name}: is no plain file{instead}")
        image = unsealed(path, remedy or REMEDY)
    except FileNotFoundError:
        partial = partial_path(path)
        see = ""
        if partial.exists():
            see = f"; its run is not complete: see {one_line(str(partial))}"
        raise FastgcError(f"{name}: there is no such file{see}") from None
    except OSError as error:
        raise FastgcError(f"{name}: cannot be read ({error.strerror})") from None
    if image is None:
        if path.suffix.lower() == ".csv" and remedy is None:
            instead = "; if it holds recorded times, `fastgc trace show` looks at them"
        raise FastgcError(f"{name}: is not a file of fastgc results{instead}")
    with sound.reading(name, remedy or REMEDY), h5py.File(io.BytesIO(image), "r") as file:
        if "fastgc_measurement" in file.attrs:
            said = "is a measurement, which `fastgc show` reads"
            raise FastgcError(f"{name}: {said}; a study takes its times as latency.file")
        found = int(file.attrs["fastgc_schema"])
        if found != SCHEMA_VERSION:
            said = f"has schema {found}; this fastgc reads {SCHEMA_VERSION}, fastgc 1.0.0 reads 4"
            raise FastgcError(f"{name}: {said}{instead}")
        return read(file)


SCHEMA_VERSION = 5


def fill(file: "h5py.File", run: StoredRun) -> None:
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
    frames.fill_results(results, run.rows)
    frames.say(results, run.verdicts)
    if not run.complete:
        _pack(file.create_group("unfinished"), run.units)
        return
    for number, unit in enumerate(run.units):
        group = file.create_group(f"tallies/{number}")
        write_text(group, "key", unit.key)
        group.attrs["block"] = unit.block
        group.attrs["done"] = unit.done
        group.attrs["stopped_by"] = unit.stopped_by or ""
        group.create_dataset("digests", data=unit.digests)
        _fill_tally(group.create_group("blocks"), unit.tally)
        if unit.partial is not None:
            _fill_tally(group.create_group("partial"), unit.partial)


def _fill_tally(group: "h5py.Group", tally: Tally) -> None:
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


def _pack(group: "h5py.Group", units: Sequence[StoredUnit]) -> None:
    """Write all units side by side, in a few arrays.

    HDF5 takes a millisecond to make a unit's groups: too long for a checkpoint of 10 000 units.
    """
    tallies = [each for unit in units for each in (unit.tally, unit.partial) if each is not None]
    seen = [each for tally in tallies for each in tally.histograms]
    write_text(group, "keys", json.dumps([[unit.key, unit.stopped_by] for unit in units]))
    counts = {
        "units": [(unit.block, unit.done, unit.partial is not None) for unit in units],
        "tallies": [(each.trials, *each.shape) for each in tallies],
        "histograms": [(len(each.counts), each.not_finite, each.too_large) for each in seen],
        "bins": [both for each in seen for both in sorted(each.counts.items())],
    }
    for name, rows in counts.items():
        group[name] = np.array(rows, np.int64).reshape(-1, 2 if name == "bins" else 3)
    group["ends"] = np.array([(each.low, each.high) for each in seen], float).reshape(-1, 2)
    group["digests"] = np.concatenate([np.empty(0, np.uint64), *(unit.digests for unit in units)])
    sums = np.concatenate([np.empty((0, LIMBS), np.int64), *(t.sums.limbs() for t in tallies)])
    group.create_dataset("sums", data=sums, compression="gzip", compression_opts=1, shuffle=True)


def _unpacked(group: "h5py.Group") -> list[StoredUnit]:
    units, tallies, shapes, bins = (
        sound.array(group, name, "i", 2) for name in ("units", "tallies", "histograms", "bins")
    )
    sound.require(all(not each.size or each.min() >= 0 for each in (units, tallies, shapes, bins)))
    sums, ends = sound.array(group, "sums", "i", 2), sound.array(group, "ends", "f", 2)
    sound.require(sums.shape[1] == LIMBS and sums.dtype == np.int64)
    counts = (dict(own.tolist()) for own in _cut(bins, shapes[:, 0]))
    left_out = zip(counts, ends.tolist(), shapes[:, 1:].tolist(), strict=True)
    seen = [Histogram(own, *both, *more) for own, both, more in left_out]
    sizes = tallies[:, 0].tolist(), _cut(sums, tallies[:, 1]), _cut(seen, tallies[:, 2])
    found = [Tally(n, ExactSums.from_limbs(own), more) for n, own, more in zip(*sizes, strict=True)]
    keys = sound.typed(json.loads(sound.text(group, "keys")), list[tuple[str, str | None]])
    digests = _cut(sound.array(group, "digests", "u", 1), units[:, 1])
    made = []
    for (key, by), (block, done, _), own, (tally, *more) in zip(
        keys, units.tolist(), digests, _cut(found, 1 + units[:, 2]), strict=True
    ):
        rest = more[0] if more else None
        sound.require(block and len(more) < 2 and all(each.shape == tally.shape for each in more))
        made.append(StoredUnit(key, block, done, own, tally, rest, by))
    return made


def _cut(values: Any, lengths: NDArray[np.int64]) -> Iterable[Any]:
    """Cut values that stand side by side into parts of these lengths; all must be used up."""
    ends = np.concatenate([[0], np.cumsum(lengths)]).tolist()
    sound.require(ends[-1] == len(values))
    return [values[first:last] for first, last in pairwise(ends)]


def read(file: "h5py.File") -> StoredRun:
    """Return what a file holds.

    Raises Exception of any kind, where the file is not as `fill` writes it: see `sound.reading`.
    """
    if "unfinished" in file:
        units = _unpacked(sound.group(file, "unfinished"))
    else:
        tallies = sound.group(file, "tallies") if "tallies" in file else ()
        units = [_unit(sound.group(tallies, str(number))) for number in range(len(tallies))]
    own, shards = (int(number) for number in file.attrs["shard"])
    sound.require(0 <= own < shards)
    verdicts = json.loads(sound.text(file, "verdicts"))
    for verdict in verdicts:
        verdict_of(verdict)
    merged = _merger(json.loads(sound.text(file, "merged")), units) if "merged" in file else None
    return StoredRun(
        study=sound.text(file, "study"),
        identity=sound.text(file, "identity"),
        provenance=sound.provenance(json.loads(sound.text(file, "provenance"))),
        shard=(own, shards),
        units=units,
        rows=sound.rows(json.loads(sound.text(file, "rows"))),
        verdicts=verdicts,
        complete=bool(file.attrs["complete"]),
        merged=merged,
    )


def _unit(group: "h5py.Group") -> StoredUnit:
    done = sound.whole(group.attrs["done"])
    digests = sound.array(group, "digests", "u", 1)
    tally = _read_tally(sound.group(group, "blocks"))
    partial = _read_tally(sound.group(group, "partial")) if "partial" in group else None
    sound.require(partial is None or partial.shape == tally.shape)
    sound.require(len(digests) == done)
    return StoredUnit(
        key=sound.text(group, "key"),
        block=sound.whole(group.attrs["block"], 1),
        done=done,
        digests=digests,
        tally=tally,
        partial=partial,
        stopped_by=str(group.attrs["stopped_by"]) or None,
    )


def _merger(entry: dict[str, Any], units: list[StoredUnit]) -> Merger:
    found: Merger = sound.typed(entry, Merger)
    sound.require(found.shards >= 1 and found.parts)
    own = [part.shard for part in found.parts]
    sound.require(len(set(own)) == len(own) and all(0 <= shard < found.shards for shard in own))
    sizes = [(len(part.done), len(part.rest)) for part in found.parts]
    sound.require(set(sizes) == {(len(units), len(units))})
    for number, unit in enumerate(units):
        dealt = [part.done[number] for part in found.parts]
        sound.require(min(dealt) >= 0 and sum(dealt) <= unit.done)  # more trials may have come
    return found


def _read_tally(group: "h5py.Group") -> Tally:
    histograms: list[Histogram] = []
    while f"histogram{len(histograms)}" in group:
        own = sound.group(group, f"histogram{len(histograms)}")
        bins, counts = (sound.array(own, name, "i", 1).tolist() for name in ("bin", "count"))
        sound.require(not bins or (min(bins) >= 0 and min(counts) >= 0))
        extremes = float(own.attrs["low"]), float(own.attrs["high"])
        left_out = sound.whole(own.attrs["not_finite"]), sound.whole(own.attrs["too_large"])
        histograms.append(Histogram(dict(zip(bins, counts, strict=True)), *extremes, *left_out))
    sums = sound.array(group, "sums", "i", 2)
    sound.require(sums.shape[1] == LIMBS and sums.dtype == np.int64)
    return Tally(
        trials=sound.whole(group.attrs["trials"]),
        sums=ExactSums.from_limbs(sums),
        histograms=histograms,
    )
