"""The file of a run: what it held before, its checkpoints, and whom it refuses."""

from __future__ import annotations

import platform
import time
from collections.abc import Iterable, Sequence
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path
from typing import Any

import fastgc
from fastgc import engine, store, streams
from fastgc.errors import FastgcError
from fastgc.results import Row
from fastgc.store import StoredRun, StoredUnit
from fastgc.study import Study

FIRST_CHECKPOINT = 5.0  # seconds; later ones come so seldom that they cost at most 1 %
CHECKPOINT_SECONDS = 30.0
CHECKPOINT_SHARE = 0.01


class Keeper:
    """The file of a run: what it held before, and its checkpoints."""

    def __init__(self, path: Path, study: Study, shard: tuple[int, int]) -> None:
        self.path = path
        self.partial = path.with_name(path.name + store.PARTIAL_SUFFIX)
        self.shard = shard
        self._study = study
        before = self._before()
        self.units = {unit.key: unit for unit in before.units} if before is not None else {}
        self._kept = _sizes(self.units.values()) if before and before.complete else None
        self._next = time.monotonic() + FIRST_CHECKPOINT

    def _before(self) -> StoredRun | None:
        for path in (self.partial, self.path):
            if path.exists():
                found = store.load(path)
                _refuse_strangers(path, found, self._study, self.shard)
                return found
        return None

    def is_due(self) -> bool:
        """Whether it is time for a checkpoint."""
        return time.monotonic() >= self._next

    def keep(self, units: Sequence[StoredUnit], rows: list[Row], *, complete: bool) -> None:
        """Write everything; a complete file takes its final name.

        A complete file that holds just this already is left alone.
        """
        if complete and self._kept == _sizes(units):
            return
        started = time.monotonic()
        image = StoredRun(
            study=self._study.text(),
            identity=self._study.identity(),
            provenance=provenance(),
            shard=self.shard,
            units=list(units),
            rows=[row.as_dict() for row in rows],
            complete=complete,
        )
        store.save(self.path if complete else self.partial, image)
        if complete:
            self.partial.unlink(missing_ok=True)
        spent = time.monotonic() - started
        self._next = time.monotonic() + max(CHECKPOINT_SECONDS, spent / CHECKPOINT_SHARE)


def provenance() -> dict[str, Any]:
    """What a file needs so that its numbers can be made again."""
    return {
        "fastgc": fastgc.__version__,
        "stream_version": streams.STREAM_VERSION,
        "written": datetime.now(UTC).isoformat(timespec="seconds"),
        "python": platform.python_version(),
        **{name: version(name) for name in ("numba", "numpy", "h5py", "pydantic")},
    }


def _refuse_strangers(path: Path, found: StoredRun, study: Study, shard: tuple[int, int]) -> None:
    """A file of another study, shard or stream version is neither continued nor overwritten."""
    if found.identity != study.identity():
        raise FastgcError(f"{path}: holds another study or seed; name another file or remove it")
    if found.shard != shard:
        own, shards = found.shard
        raise FastgcError(f"{path}: holds shard {own}/{shards}; name another file or remove it")
    if found.provenance.get("stream_version") != streams.STREAM_VERSION:
        raise FastgcError(
            f"{path}: was sampled with stream version {found.provenance.get('stream_version')}, "
            f"this fastgc has {streams.STREAM_VERSION}; name another file or remove it"
        )


def _sizes(units: Iterable[StoredUnit]) -> list[tuple[str, int]]:
    return [(unit.key, engine.total(unit).trials) for unit in units]
