"""Files that a study names: how they are found from its folder on, opened and refused."""

import functools
import os
import stat
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple, TextIO

from fastgc.errors import FastgcError
from fastgc.registry.complaints import show

_GZIP = b"\x1f\x8b"


class Found(NamedTuple):
    """A file that is there: the name that messages use, and its real, absolute path.

    ``modified`` (nanoseconds) and ``size`` (bytes) tell whether it has changed since.
    """

    name: str
    path: str
    modified: int
    size: int


def find(name: str, context: Mapping[str, Any] | None = None) -> Found:
    """Find a file; relative names start at the context's ``folder``, or the working directory.

    Missing files, directories, and all else that is no plain file are refused.
    """
    path = (context or {}).get("folder", Path()) / name
    try:
        real = os.path.realpath(path, strict=True)
        status = os.stat(real)
    except FileNotFoundError:
        raise FastgcError(f"there is no file {path}") from None
    except (OSError, ValueError) as problem:  # ValueError: the name holds a null byte
        raise _unreadable(name, problem) from None
    if stat.S_ISDIR(status.st_mode):
        raise FastgcError(f"{name} is a directory; name a file in it")
    if not stat.S_ISREG(status.st_mode):  # it may have no end, or never begin
        raise FastgcError(f"{name} is no plain file; name one")
    return Found(name, real, status.st_mtime_ns, status.st_size)


@contextmanager
def open_text(found: Found, kind: str = "csv") -> Iterator[TextIO]:
    """Open a file of UTF-8 text with the ends of its lines left as they are.

    The error for other files advises to save it as ``kind``.
    """
    with reading(found.name):
        try:
            with open(found.path, encoding="utf-8-sig", newline="") as stream:
                yield stream
        except UnicodeDecodeError:
            with open(found.path, "rb") as raw:
                if raw.read(2) == _GZIP:
                    raise FastgcError(
                        f"{found.name} is compressed; unpack it first (gunzip)"
                    ) from None
            raise FastgcError(
                f"{found.name} is not UTF-8 text; save it as {kind} in UTF-8"
            ) from None


@contextmanager
def reading(name: str) -> Iterator[None]:
    """Make a sentence, in which a file has a name, of what goes wrong while it is read."""
    try:
        yield
    except OSError as problem:
        raise _unreadable(name, problem) from None


def text_of(name: str, context: Mapping[str, Any] | None = None) -> str:
    """Return the text of a csv table: from the contents that a study carries, else from its file.

    The context has ``folder``, where relative names start, and ``files``, contents by name.
    """
    carried = (context or {}).get("files", {})
    if name not in carried:
        return _text(find(name, context))
    text = carried[name]
    if not isinstance(text, str):
        raise FastgcError(f"files: {show(name)} must be the text of a csv table")
    return text


@functools.lru_cache(maxsize=16)
def _text(found: Found) -> str:
    with open_text(found) as stream:
        return stream.read()


def _unreadable(name: str, problem: Exception) -> FastgcError:
    reason = getattr(problem, "strerror", None) or problem
    if isinstance(problem, PermissionError):
        reason = "Permission denied"  # h5py tells it in a page of its own
    return FastgcError(f"{name} cannot be read: {reason}")
