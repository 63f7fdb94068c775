"""The errors that fastgc raises: one sentence each, with the place and the remedy.

Public names are looked up here, so that one sentence says where a name is that is not there.
"""

import os
import re
import shlex
import sys
import warnings
from collections.abc import Callable, Iterable, Mapping
from functools import wraps
from importlib import import_module
from pathlib import Path
from typing import Any, ParamSpec, TypeVar, Unpack, get_args, get_origin

P = ParamSpec("P")
R = TypeVar("R")


class FastgcError(ValueError):
    """A mistake by the user: what is wrong, where, and what to do instead.

    * ``sentence`` (str): What is wrong and what to do instead.
    * ``key`` (str, optional): The parameter or key that it is about, with which the message begins.

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


class ArgumentError(FastgcError, TypeError):
    """An argument that a function does not take: a mistake, and Python's own type of this one."""

    @classmethod
    def require(cls, function: str, given: Iterable[str], known: Iterable[str]) -> None:
        """Refuse what is given by a name that is not known, with the nearest one that is."""
        for word in given:
            if word not in known:
                takes = nearest(word, known, 0.6) or f"; it takes {', '.join(known)}"
                raise cls(f"{function}: there is no argument {word!r}{takes}")


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


def nearest(word: str, known: Iterable[str], cutoff: float = 0.5) -> str:
    """Return ``; did you mean 'x'?`` where a known word is near, else nothing."""
    import difflib  # of mistakes only

    near = difflib.get_close_matches(word, list(known), 1, cutoff)
    return f"; did you mean {near[0]!r}?" if near else ""


def public(function: Callable[P, R]) -> Callable[P, R]:
    """Let a misspelt argument of a function get one sentence with the nearest right name."""
    code = function.__code__
    known = [*code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]]
    for each in function.__annotations__.values():
        origin: Any = get_origin(each)
        known += get_args(each)[0].__annotations__ if origin is Unpack else ()

    @wraps(function)
    def called(*values: P.args, **given: P.kwargs) -> R:
        ArgumentError.require(function.__name__, given, known)
        return function(*values, **given)

    return called


#: The rooms of names of 1.x that are not in `fastgc` itself any more.
_MOVED = dict.fromkeys(("Batch", "audit", "dry_run", "merge", "replay"), "runs")
_MOVED |= {"complete": "systems", "errata": "validation", "search": "planning", "trace": "traces"}


def lazily(
    package: str, file: str
) -> tuple[Callable[[str], Any], Callable[[], list[str]], list[str]]:
    """Return a package's ``__getattr__``, which imports what its stub says, ``__dir__`` and names.

    So ``import fastgc`` and ``fastgc --help`` load neither numba nor h5py nor pydantic. A function
    that is made, whose signature is in the stub, stands below a comment with its module's name.
    """
    homes, home = dict[str, str](), ""
    stub = Path(file).with_suffix(".pyi").read_text(encoding="utf-8")
    line = re.compile(r"^(?:from (\S+) import (\w+) as|# (\S+)$|def (\w+))", re.MULTILINE)
    for module, name, heading, made in line.findall(stub):
        home = module or heading or home
        homes |= {name or made: home} if name or made else {}

    def find(name: str) -> Any:
        if name in homes:
            is_room = homes[name] == package
            module = import_module(f"{package}.{name}" if is_room else homes[name])
            return module if is_room else getattr(module, name)
        if package == "fastgc" and name in _MOVED:
            raise AttributeError(f"since version 2.0 fastgc.{name} lies in fastgc.{_MOVED[name]}")
        raise AttributeError(f"module {package!r} has no attribute {name!r}{nearest(name, homes)}")

    names = sorted(homes)
    return find, lambda: names, names
