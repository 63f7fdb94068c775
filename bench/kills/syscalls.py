"""What a process does to a folder, step by step; at one of the steps it is killed."""

import contextlib
import fcntl
import json
import os
import signal
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any
from unittest.mock import patch

PATHS = ("mkdir", "rmdir", "unlink", "replace", "rename", "link")
HANDLES = ("write", "fsync", "close")


class Syscalls:
    """Counts the calls of `os` that change a folder, and kills the process before one of them.

    ``folder``: calls that concern files elsewhere are left alone; ``at``: the step, from 0, before
    which the process is killed; ``half``: kill it in the midst of that step: half of a write is
    done; ``journal``: every step that is done is noted here, and every new file gets a second name
    beside it, so that what it held can be read later; ``deaf``: nothing is synced, on any call.
    """

    def __init__(
        self,
        folder: Path,
        at: int | None = None,
        *,
        half: bool = False,
        journal: Path | None = None,
        deaf: bool = False,
    ) -> None:
        self._folder = str(folder)
        self._at = at
        self._half = half
        self._deaf = deaf
        self._beside = None if journal is None else journal.parent
        self._log = -1
        if journal is not None:
            self._log = os.open(journal, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
        self._own = {name: getattr(os, name) for name in ("open", *PATHS, *HANDLES)}
        self._own_flock = fcntl.flock
        self._handles: dict[int, str] = {}
        self._lock = threading.RLock()
        self.names: list[str] = []

    @contextlib.contextmanager
    def counting(self) -> Iterator[None]:
        """Count while the block runs."""
        with contextlib.ExitStack() as stack:
            stack.enter_context(patch.object(os, "open", self._open))
            for name in PATHS:
                stack.enter_context(patch.object(os, name, self._on_path(name)))
            for name in HANDLES:
                stack.enter_context(patch.object(os, name, self._on_handle(name)))
            stack.enter_context(patch.object(fcntl, "flock", self._flock))
            yield

    def note(self, kind: str, *what: Any) -> None:
        """Add a line to the journal."""
        if self._log >= 0:
            self._own["write"](self._log, json.dumps([kind, *what]).encode() + b"\n")

    def _step(self, name: str) -> bool:
        """Count a step; die before it, or return that this is the one of which half is done."""
        number = len(self.names)
        self.names.append(name)
        if number != self._at:
            return False
        if not self._half:
            os.kill(os.getpid(), signal.SIGKILL)
        return True

    def _is_inside(self, path: Any) -> bool:
        return isinstance(path, str | os.PathLike) and os.fspath(path).startswith(self._folder)

    def _open(self, path: Any, flags: int, *more: Any, **named: Any) -> int:
        if not self._is_inside(path):
            return int(self._own["open"](path, flags, *more, **named))
        with self._lock:
            is_new = bool(flags & os.O_CREAT) and not os.path.exists(path)
            half = bool(flags & os.O_CREAT) and self._step("open")
            handle = int(self._own["open"](path, flags, *more, **named))
            self._handles[handle] = os.fspath(path)
            if is_new:
                inode = os.stat(path).st_ino
                if self._beside is not None:
                    self._own["link"](path, self._beside / str(inode))
                self.note("name", os.fspath(path), inode)
            if half:
                os.kill(os.getpid(), signal.SIGKILL)
            return handle

    def _on_path(self, name: str) -> Callable[..., Any]:
        def call(path: Any, *more: Any, **named: Any) -> Any:
            if not self._is_inside(path):
                return self._own[name](path, *more, **named)
            with self._lock:
                half = self._step(name)
                found = self._own[name](path, *more, **named)
                if name == "mkdir":
                    self.note("folder", os.fspath(path))
                elif name in ("unlink", "rmdir"):
                    self.note("gone", os.fspath(path))
                elif name == "link":
                    self.note("name", os.fspath(more[0]), os.stat(path).st_ino)
                else:
                    self.note("moved", os.fspath(path), os.fspath(more[0]))
                if half:
                    os.kill(os.getpid(), signal.SIGKILL)
                return found

        return call

    def _on_handle(self, name: str) -> Callable[..., Any]:
        def call(handle: int, *more: Any) -> Any:
            path = self._handles.get(handle)
            if path is None:
                return self._own[name](handle, *more)
            with self._lock:
                half = self._step(name)
                if half and name == "write":
                    self._own[name](handle, more[0][: len(more[0]) // 2])
                elif name != "fsync":
                    done = self._own[name](handle, *more)
                    if name == "close":
                        del self._handles[handle]
                else:
                    done = None
                    if not self._deaf:
                        synced = os.fstat(handle).st_ino
                        self.note(
                            *(("listed", path) if os.path.isdir(path) else ("written", synced))
                        )
                if half:
                    os.kill(os.getpid(), signal.SIGKILL)
                return done

        return call

    def _flock(self, handle: Any, operation: int) -> None:
        half = handle in self._handles and self._step("flock")
        self._own_flock(handle, operation)
        if half:
            os.kill(os.getpid(), signal.SIGKILL)
