"""Following a file of results while another process writes it, here or on another machine."""

import os
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from fastgc.errors import FastgcError
from fastgc.registry.complaints import one_line
from fastgc.results import image, lock, store
from fastgc.results.stored import StoredRun

LOOK_SECONDS = 1.0
#: So long, or so many times the longest time between checkpoints, nothing new means that the writer
#: has died, where its lock cannot be asked.
PATIENCE_SECONDS, PATIENCE_TIMES = 600.0, 5.0


@dataclass(frozen=True)
class Sight:
    """What there is to see of a file."""

    #: ``"waiting"``: nothing yet; ``"checkpoint"``: a new one of an unfinished run; ``"complete"``
    #: and ``"left"`` are the last: the run is done, or no process writes it any more.
    state: Literal["waiting", "checkpoint", "complete", "left"]
    path: Path  #: What was read.
    run: StoredRun | None = None  #: What it holds; None where nothing new was read.
    sentence: str = ""  #: What to tell people, with the remedy.


def follow(path: Path, seconds: float = LOOK_SECONDS) -> Iterator[Sight]:
    """Look every so many ``seconds``, and yield what is new, until no process writes the file.

    ``path``: the file's name once it is complete, or that of its unfinished run; ``seconds``: from
    one look to the next. Raises FastgcError if what is there is none of fastgc's files.
    """
    if path.name.endswith(image.PARTIAL_SUFFIX):
        path = path.with_name(path.name.removesuffix(image.PARTIAL_SUFFIX))
    partial, name = image.partial_of(path), one_line(str(path))
    seen: tuple[int, ...] | None = None
    found: StoredRun | None = None
    was_held = is_announced = False
    last, longest = time.monotonic(), 0.0
    while True:
        # asked before the files are looked at: what is there when no process writes is the last
        held = lock.is_held(path)
        was_held |= held is True
        file = partial if partial.exists() else path
        stamp = _stamp(file)
        if stamp is not None and stamp != seen:
            try:
                found = store.load(file)
            except FastgcError:
                if _stamp(file) == stamp:
                    raise
                continue  # it was replaced meanwhile
            if seen is not None:
                longest = max(longest, time.monotonic() - last)
            seen, last = stamp, time.monotonic()
            if file == partial or held is not False:
                yield Sight("checkpoint", file, found)
        waited = time.monotonic() - last
        gone = held is None and waited > max(PATIENCE_SECONDS, PATIENCE_TIMES * longest)
        if held is False or gone:
            if stamp is not None and file == path:
                yield Sight("complete", path, found)
                return
            if stamp is not None:
                how = f"no checkpoint came for {waited:.0f} s" if gone else "no process writes it"
                said = f"{one_line(str(partial))}: is unfinished and {how}; start its command again"
                yield Sight("left", partial, found, f"{said} to go on from there")
                return
            if was_held:
                said = f"{name}: its run has ended and kept nothing; start its command again"
                yield Sight("left", path, None, said)
                return
        if stamp is None and not is_announced:
            is_announced = True
            what = "its first checkpoint" if held else "a run that writes it"
            yield Sight("waiting", path, None, f"{name}: waiting for {what}")
        time.sleep(seconds)


def _stamp(path: Path) -> tuple[int, ...] | None:
    """Return what changes whenever a file is replaced; None where there is none."""
    try:
        known = os.stat(path)
    except OSError:
        return None
    return known.st_ino, known.st_mtime_ns, known.st_size
