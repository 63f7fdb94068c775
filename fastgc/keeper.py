"""The file of a run: what it held before, its checkpoints, and whom it refuses."""

from __future__ import annotations

import functools
import platform
import time
from collections.abc import Callable, Iterable, Sequence
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path
from typing import Any

import fastgc
from fastgc import engine, store, streams
from fastgc.errors import FastgcError
from fastgc.store import StoredRun, StoredUnit

FIRST_CHECKPOINT = 5.0  # seconds; later ones come so seldom that they cost at most 1 %
CHECKPOINT_SECONDS = 30.0
CHECKPOINT_SHARE = 0.01


class Keeper:
    """The file of a run: what it held before, and its checkpoints.

    Parameters
    ----------
    path : Path
        The file; until it is complete, results are in ``path`` with ``.part`` after its name.
    study : str
        The study's text, to be kept.
    identity : str
        Says whether a file that is there belongs to this run.
    shard : (i, N)
        Which of N parts of the blocks this run samples.
    points : callable
        Gives what is to be kept of how each point was measured.
    """

    def __init__(
        self,
        path: Path,
        study: str,
        identity: str,
        shard: tuple[int, int] = (0, 1),
        points: Callable[[], list[dict[str, Any]]] = list,
    ) -> None:
        self.path = path
        self.partial = path.with_name(path.name + store.PARTIAL_SUFFIX)
        self.shard = shard
        self._study = study
        self._identity = identity
        self._points = functools.cache(points)
        self.places: list[list[tuple[str, dict[str, Any]]]] = []
        before = self._before()
        self.units = {unit.key: unit for unit in before.units} if before is not None else {}
        self._kept = _sizes(self.units.values()) if before and before.complete else None
        self._next = time.monotonic() + FIRST_CHECKPOINT

    def _before(self) -> StoredRun | None:
        for path in (self.partial, self.path):
            if path.exists():
                found = store.load(path)
                self._refuse_strangers(path, found)
                return found
        return None

    def _refuse_strangers(self, path: Path, found: StoredRun) -> None:
        """A file of another study, shard or stream version is neither continued nor replaced."""
        remedy = "name another file or remove it"
        if found.identity != self._identity:
            raise FastgcError(
                f"{path}: holds another study or seed, or a file that the study names has changed; "
                f"{remedy}"
            )
        if found.shard != self.shard:
            own, shards = found.shard
            raise FastgcError(f"{path}: holds shard {own}/{shards}; {remedy}")
        version_found = found.provenance.get("stream_version")
        if version_found != streams.STREAM_VERSION:
            raise FastgcError(
                f"{path}: was sampled with stream version {version_found}, this fastgc has "
                f"{streams.STREAM_VERSION}; {remedy}"
            )

    def is_due(self) -> bool:
        """Whether it is time for a checkpoint."""
        return time.monotonic() >= self._next

    def keep(
        self, units: Sequence[StoredUnit], rows: list[dict[str, Any]], *, complete: bool
    ) -> None:
        """Write everything; a complete file takes its final name.

        A complete file that holds just this already is left alone.
        """
        if complete and self._kept == _sizes(units):
            return
        started = time.monotonic()
        image = StoredRun(
            study=self._study,
            identity=self._identity,
            provenance=provenance() | {"points": self._points()},
            shard=self.shard,
            units=list(units),
            rows=rows,
            complete=complete,
            samples=self.places,
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


def _sizes(units: Iterable[StoredUnit]) -> list[tuple[str, int]]:
    return [(unit.key, engine.total(unit).trials) for unit in units]
