"""The errors that fastgc raises: one sentence each, with the place and the remedy.

Public names are looked up here, so that one sentence says where a name is that is not there.
"""

import os
import re
import shlex
import sys
import warnings
from collections.abc import Callable, Iterable, Mapping
from importlib import import_module
from pathlib import Path
from typing import Any


class FastgcError(ValueError):
    """A mistake by the user: what is wrong, where, and what to do instead.

    * ``sentence`` (str): What is wrong and what to do instead.
    * ``key`` (str, optional): The parameter or key that the sentence is about; the message begins
      with it.

    >>> import fastgc
    >>> try:
    ...     fastgc.codes.frc(n=6, d=4)
    ... except fastgc.FastgcError as mistake:
    ...     print(mistake)
    frc: d: must divide n (got n=6, d=4; 1, 2, 3 or 6 do)
    """

    def __init__(self, sentence: str, key: str | None = None) -> None:
        super().__init__(sentence if key is None else f"{key}: {sentence}")
        self.sentence = sentence
        self.key = key


class MistakesError(FastgcError):
    """Every mistake found, one line each in ``complaints``."""

    def __init__(self, complaints: list[str]) -> None:
        super().__init__("\n".join(complaints))
        self.complaints = complaints


class StudyError(MistakesError):
    """Every mistake found in a study, one line each in ``complaints``."""


class LongTableError(FastgcError):
    """A long table whose columns must be named: in the syntax of a study, and in that of a command.

    * ``said`` (str): What is wrong.
    * ``columns`` (mapping): The keys to give, and the columns that they name.
    * ``rest`` (str): What else is to be said of the columns.
    """

    def __init__(self, said: str, columns: Mapping[str, str], rest: str = "") -> None:
        given = ", ".join(f'{key} = "{column}"' for key, column in columns.items())
        super().__init__(f"{said}; give {given}{rest}")
        options = (shlex.quote(f"{key}={column}") for key, column in columns.items())
        self.in_command = f"{said}; give {' '.join(f'--column {each}' for each in options)}{rest}"


class StoppedError(FastgcError):
    """A run was asked to stop before it was done (exit code 75, or 130 after Ctrl-C)."""


class FastgcWarning(UserWarning):
    """What goes on, but not as well as it could: one sentence with the place and the remedy."""

    @classmethod
    def warn(cls, sentence: str) -> None:
        """Give the warning at the line that called fastgc."""
        caller = frame = sys._getframe(1)
        house, above = os.path.dirname(__file__), caller.f_back
        while above is not None:
            if os.path.dirname(frame.f_code.co_filename).startswith(house):
                caller = above
            frame, above = above, above.f_back
        where = caller.f_code.co_filename, caller.f_lineno
        registry = caller.f_globals.setdefault("__warningregistry__", {})
        warnings.warn_explicit(sentence, cls, *where, registry=registry)


class StorageError(FastgcError):
    """A file of results could not be written or read (exit code 74)."""


class WorkersError(FastgcError):
    """The workers of a run were lost (exit code 74); its last checkpoint is kept."""


def nearest(word: str, known: Iterable[str]) -> str:
    """Return ``; did you mean 'x'?`` where a known word is near, else nothing."""
    import difflib  # of mistakes only

    near = difflib.get_close_matches(word, list(known), 1, cutoff=0.5)
    return f"; did you mean {near[0]!r}?" if near else ""


#: Where names of 1.x are found that are not in `fastgc` itself any more.
_MOVED = {
    "Batch": "fastgc.runs.Batch",
    "audit": "fastgc.runs.audit",
    "complete": "fastgc.systems.complete",
    "dry_run": "fastgc.runs.dry_run",
    "errata": "fastgc.validation.errata",
    "merge": "fastgc.runs.merge",
    "replay": "fastgc.runs.replay",
    "search": "fastgc.planning.search",
    "trace": "fastgc.traces",
}


def lazily(package: str, stub: Path) -> tuple[Callable[[str], Any], set[str]]:
    """Return the ``__getattr__`` of a package, which imports what its stub does, and the names.

    So ``import fastgc`` and ``fastgc --help`` load neither numba nor h5py nor pydantic.
    """
    lines = re.findall(r"from (\S+) import (\w+) as", stub.read_text(encoding="utf-8"))
    homes = {name: home for home, name in lines}

    def find(name: str) -> Any:
        if name in homes:
            is_room = homes[name] == package
            module = import_module(f"{package}.{name}" if is_room else homes[name])
            return module if is_room else getattr(module, name)
        if package == "fastgc" and name in _MOVED:
            raise AttributeError(f"fastgc.{name} is {_MOVED[name]} since version 2.0")
        raise AttributeError(f"module {package!r} has no attribute {name!r}{nearest(name, homes)}")

    return find, {*homes}
