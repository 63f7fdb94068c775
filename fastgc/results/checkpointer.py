"""The file of a run: what it held before, and the checkpoints that a run writes to it."""

import contextlib
import functools
import json
import math
import os
import platform
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path
from typing import Any

from fastgc.errors import FastgcError, StorageError, WorkersError
from fastgc.registry.complaints import one_line
from fastgc.registry.number_types import spaced
from fastgc.results import image, store
from fastgc.results.image import sync
from fastgc.results.rows import Row
from fastgc.results.stored import Merger, StoredRun, StoredUnit, difference
from fastgc.results.verdict_data import Verdict, data_of
from fastgc.version import STREAM_VERSION, __version__

FIRST_CHECKPOINT = 0.5  # seconds of sampling; from one to the next twice as long, up to the usual
CHECKPOINT_SECONDS = 30.0
CHECKPOINT_SHARE = 0.01  # of the time, at most, for checkpoints without a given interval


class Checkpointer:
    """Reads what the file of a run held before, and writes its checkpoints.

    A file belongs to this run if it has the same ``identity``, a hash. ``points`` returns, for the
    file, how each point was measured. Once checkpoints have become rare, ``checkpoint_seconds`` lie
    between them: by default 30, or longer where a checkpoint takes more than 1 % of that.

    Raises FastgcError if ``checkpoint_seconds`` is not above 0, or the file belongs to another run.
    """

    def __init__(
        self,
        path: Path,
        study: str,
        identity: str,
        shard: tuple[int, int] = (0, 1),
        points: Callable[[], list[dict[str, Any]]] = list,
        checkpoint_seconds: float | None = None,
    ) -> None:
        if checkpoint_seconds is not None and not 0 < checkpoint_seconds < math.inf:
            said = f"must be a number of seconds above 0 (got {checkpoint_seconds})"
            raise FastgcError(f"checkpoint_seconds: {said}")
        self.path = path  #: The file's name once it is complete, before that with ``.part``.
        self.partial = image.partial_path(path)
        self.shard = shard
        self._study = study
        self._identity = identity
        self._points = functools.cache(points)
        #: All units by key, those of earlier runs too; the run adds its own.
        self.units: dict[str, StoredUnit] = {}
        self._content: str | None = None
        self._merged: Merger | None = None
        self.holder: Path | None = None  #: The file that keeps what is kept so far.
        self.kept = 0  #: Trials of all units in the file as it is now: its last checkpoint.
        self._load()
        image.remove_temporary_files(path)
        self._asked = checkpoint_seconds
        self._usual = checkpoint_seconds or CHECKPOINT_SECONDS
        self._pause = min(FIRST_CHECKPOINT, self._usual)
        self._next: float | None = None
        self._since = math.inf

    def _load(self) -> None:
        found = {path: self._read(path) for path in (self.partial, self.path) if path.exists()}
        if not found:
            return
        path = self.partial if self.partial in found else self.path
        if len(found) == 2:
            # a kill or a power cut has left the unfinished file beside the finished one
            mine = {unit.key: (unit.done, unit.trials) for unit in found[self.path].units}
            begun = [
                unit
                for unit in found[self.partial].units
                if (own := mine.get(unit.key, (0, 0)))[0] < unit.done or own[1] < unit.trials
            ]
            if not any(unit.trials for unit in begun):
                path = self.path
                self.partial.unlink(missing_ok=True)
        run = found[path]
        self.units = {unit.key: unit for unit in run.units}
        self._merged = run.merged
        if run.complete:
            self._content = _content(run.units, run.rows, run.verdicts)
        self.holder, self.kept = path, _trials(run.units)

    def _read(self, path: Path) -> StoredRun:
        other = self.path if path == self.partial else self.partial
        then = f"goes on from {one_line(str(other))}" if other.exists() else "starts again"
        found = store.load(path, f"name another file, or remove it: the same command then {then}")
        (own, shards), version_found = found.shard, found.provenance.get("stream_version")
        note, remedy = None if found.merged is None else found.merged.note, "or remove it"
        if found.identity != self._identity:
            where, theirs, mine = difference(found.identified(), json.loads(self._identity))
            said = f"holds another study or seed: {where} is {theirs}, here {mine}"
        elif found.shard != self.shard:
            said = f"holds shard {own}/{shards}"
        elif note is not None:
            said = f"was {note}, and no run can fill the gaps"
            remedy = "or merge all shards"
        elif version_found != STREAM_VERSION:
            said = (
                f"was sampled with stream version {version_found}, this fastgc has {STREAM_VERSION}"
            )
        else:
            return found
        raise FastgcError(f"{path}: {said}; name another file {remedy}")

    def is_due(self) -> bool:
        """Return whether a checkpoint is due: time has passed, and there are trials to write.

        The time to the first checkpoint runs from the first call.
        """
        now = time.monotonic()
        if self._next is None:
            self._next = now + self._pause
        self._since = now  # making rows is a part of a checkpoint's cost, too
        return now >= self._next and _trials(self.units.values()) > self.kept

    @contextlib.contextmanager
    def explaining(self) -> Iterator[None]:
        """Add to an error of disk or workers what is kept, what is lost, and how to go on."""
        try:
            yield
        except StorageError as error:
            said = self._what_is_kept("once it can be written ")
            raise StorageError(f"{error}; {said}") from None
        except WorkersError as error:
            raise WorkersError(f"{error}; {self._what_is_kept()}") from None

    def _what_is_kept(self, once: str = "") -> str:
        sampled, kept = _trials(self.units.values()), spaced(self.kept)
        if self.holder is None:
            lost = f"nothing is kept: {spaced(sampled)} trials are lost"
            return f"{lost}; {once}the same command starts again"
        name, goes_on = one_line(str(self.holder)), "the same command goes on from there"
        if not os.path.exists(self.holder):  # whatever its disk says
            gone = f"{name} has gone, which kept {kept} of {spaced(sampled)} trials"
            return f"{gone}; bring it back and {goes_on}"
        lost = spaced(max(0, sampled - self.kept))
        return f"{name} keeps {kept} trials, {lost} more are lost; {once}{goes_on}"

    def keep(
        self,
        units: Sequence[StoredUnit],
        rows: Sequence[Row],
        verdicts: Sequence[Verdict] = (),
        *,
        complete: bool,
    ) -> None:
        """Write units, rows and verdicts as a checkpoint, or, if complete, as the final file.

        A complete file with the same content is not written again.
        """
        plain = [row.as_dict() for row in rows]
        said = [data_of(verdict) for verdict in verdicts]
        if complete and self._content == _content(units, plain, said):
            return
        content = StoredRun(
            study=self._study,
            identity=self._identity,
            provenance=provenance() | {"points": self._points()},
            shard=self.shard,
            units=list(units),
            rows=plain,
            verdicts=said,
            complete=complete,
            merged=self._merged,
        )
        path = self.path if complete else self.partial
        store.save(path, content)
        self.holder, self.kept = path, _trials(units)
        if complete:
            with contextlib.suppress(OSError):  # what stays the next run removes
                if self.partial.exists():
                    self.partial.unlink()
                    sync(self.path.parent)  # or it might come back
                image.remove_temporary_files(self.path)
        now = time.monotonic()
        self._pause = min(2 * self._pause, self._usual)
        cost = 0.0 if self._asked else (now - self._since) / CHECKPOINT_SHARE
        self._next = now + max(self._pause, cost)


def provenance() -> dict[str, Any]:
    """Return the versions that are needed to compute a file's numbers again."""
    return {
        "fastgc": __version__,
        "stream_version": STREAM_VERSION,
        "written": datetime.now(UTC).isoformat(timespec="seconds"),
        "python": platform.python_version(),
        **{name: version(name) for name in ("numba", "numpy", "h5py", "pydantic")},
    }


def _content(
    units: Iterable[StoredUnit], rows: list[dict[str, Any]], verdicts: list[dict[str, Any]]
) -> str:
    return json.dumps([[(unit.key, unit.trials) for unit in units], rows, verdicts])


def _trials(units: Iterable[StoredUnit]) -> int:
    return sum(unit.trials for unit in units)
