"""What holds for plug-ins, members whose classes are not fastgc's own.

A method that a group's base class asks for is there; what it returns is looked at; where it fails,
the error says whose method it was. What it computes of one trial must not depend on the trials
around it: blocks, shards, threads and a replay ask for the same trial in different company. A
method that draws from a generator of its own, keeps count of its calls or looks at other rows
answers them differently; it is tried on a few trials before it is used.
"""

import functools
from collections.abc import Callable
from importlib.metadata import EntryPoint
from types import FunctionType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fastgc.errors import FastgcError

#: Given the object, what its method returned and the method's arguments: what should have been
#: returned, in words, or None where all is well.
Check = Callable[..., str | None]

_guarded: set[type] = set()


def is_own(cls: type) -> bool:
    """Whether a class is fastgc's own and no plug-in's."""
    return cls.__module__.partition(".")[0] == "fastgc"


def path(cls: type) -> str:
    """Return where a class is found, like ``fastgc.codes.binary.FractionalRepetition``."""
    return f"{cls.__module__}.{cls.__qualname__}"


def overrides(cls: type, base: type, method: str) -> bool:
    """Whether a class has a method of its own where ``base`` has a default."""
    return _owner(cls, method) is not _owner(base, method)


def missing(cls: type) -> list[str]:
    """Return the methods that the bases of a class ask for and the class does not have."""
    asked = {name for base in cls.__mro__ for name in getattr(base, "__abstractmethods__", ())}
    left = getattr(cls, "__abstractmethods__", ())
    return sorted(name for name in asked if name in left or not callable(getattr(cls, name)))


def complaints(member: Any, found: Any, *given: Any) -> str | None:
    """Look at complaints."""
    fits = isinstance(found, list) and all(
        isinstance(pair, tuple) and len(pair) == 2 and all(isinstance(text, str) for text in pair)
        for pair in found
    )
    return None if fits else "a list of pairs of texts, (field, sentence)"


def data(member: Any, found: Any) -> str | None:
    """Look at JSON data by name."""
    return None if isinstance(found, dict) else "a dict"


def guard(cls: type) -> None:
    """Let a plug-in's methods name it where they fail or return what they should not.

    Its methods that a class of fastgc has too are replaced, once. ``CHECKS`` of its bases look at
    the values that methods return, by the method's name.
    """
    if is_own(cls) or cls in _guarded:
        return
    _guarded.add(cls)
    checks: dict[str, Check] = {}
    for base in reversed(cls.__mro__):
        checks |= vars(base).get("CHECKS", {})
    contract = {
        name
        for base in cls.__mro__
        if is_own(base)
        for name, value in vars(base).items()
        if isinstance(value, FunctionType | classmethod) and not name.startswith("_")
    }
    for name in sorted(contract):
        if is_own(_owner(cls, name)):
            continue
        found = _owner(cls, name).__dict__[name]
        if isinstance(found, FunctionType):
            setattr(cls, name, _named(cls, found, checks.get(name)))
        elif isinstance(found, classmethod):
            setattr(cls, name, classmethod(_named(cls, found.__func__, checks.get(name))))


def _owner(cls: type, name: str) -> type:
    return next(base for base in cls.__mro__ if name in vars(base))


def _named(cls: type, method: Callable[..., Any], check: Check | None) -> Callable[..., Any]:
    place = f"{path(cls)}: {method.__name__}"

    @functools.wraps(method)
    def call(self: Any, *args: Any, **given: Any) -> Any:
        try:
            found = method(self, *args, **given)
        except FastgcError as problem:
            if isinstance(self, type):  # asked whether it fits, a class may refuse in its words
                raise
            raise FastgcError(f"{place}: {problem}") from problem
        except Exception as problem:
            raise failure(place, problem) from problem
        expected = None if check is None else check(self, found, *args, **given)
        if expected is not None:
            shown = "None" if found is None else f"a {type(found).__name__}"
            if isinstance(found, np.ndarray):
                shown = f"a {found.dtype} array of shape {found.shape}"
            raise FastgcError(f"{place} must return {expected} (got {shown})")
        return found

    return call


def failure(place: str, problem: Exception) -> FastgcError:
    """Return the error of what a plug-in has failed to do."""
    said = "; ".join(f"{type(problem).__name__}: {problem}".splitlines())
    return FastgcError(f"{place} failed ({said}); repair the plug-in")


def load(entry: EntryPoint) -> Any:
    """Return the object of an entry point; the error for one that fails names its package."""
    try:
        return entry.load()
    except Exception as problem:
        said = "; ".join(str(problem).splitlines())
        package = f" of package {entry.dist.name}" if entry.dist is not None else ""
        raise FastgcError(
            f"entry point {entry.name!r} in group {entry.group}{package} cannot be "
            f"loaded ({type(problem).__name__}: {said}); repair or uninstall it"
        ) from problem


#: Trials that a method is tried on, and those of the small part.
TRIED = 4096
_PART = 64

Rows = NDArray[Any]


def require_rowwise(owner: type, method: str, call: Callable[[Rows], Rows], rows: Rows) -> None:
    """Call a plug-in's method on rows of some trials (trials, …) together and in two parts.

    An error is raised if a trial gets something else in the parts. fastgc's own are not tried.
    """
    if is_own(owner):
        return
    cut = min(_PART, len(rows) // 2)
    parts = [call(part.copy()) for part in (rows[:cut], rows[cut:]) if len(part)]
    whole = call(rows.copy())
    if not np.array_equal(whole, np.concatenate(parts)):
        raise not_rowwise(owner, method)


def not_rowwise(owner: type, method: str) -> FastgcError:
    """Return the error that says what a plug-in's method must be."""
    return FastgcError(
        f"{path(owner)}: {method} returns different results for the same trial when it is called "
        "again or with other trials; it must be a function of the trial's own row of its arguments "
        "alone, without a generator of its own"
    )
