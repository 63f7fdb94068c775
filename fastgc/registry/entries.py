"""What installed packages add to fastgc: their entry points, and the sentence if one is broken."""

from __future__ import annotations

from collections.abc import Iterable
from importlib.metadata import EntryPoint, entry_points
from typing import Any

from fastgc.errors import FastgcError

#: Groups beside those of the rooms: functions for expressions, and claims.
FUNCTIONS = "fastgc.functions"
CLAIMS = "fastgc.claims"


def of_group(group: str) -> tuple[EntryPoint, ...]:
    """Return what installed packages add to a group."""
    return tuple(entry_points(group=group))


def require_known_groups(known: Iterable[str]) -> None:
    """Refuse what a package adds to a group that there is not, which nobody would ever find."""
    names = list(known)
    for group in sorted(entry_points().groups):
        if group.startswith("fastgc.") and group not in names:
            [entry, *_] = entry_points(group=group)
            raise FastgcError(
                f"entry point {entry.name!r}{of_package(entry)} is in the group {group}, which "
                f"nothing looks at; the groups are {', '.join(names)}"
            )


def of_package(entry: EntryPoint) -> str:
    """Say which package an entry point is of, where that is known."""
    return f" of package {entry.dist.name}" if entry.dist is not None else ""


def load(entry: EntryPoint) -> Any:
    """Return the object of an entry point.

    Raises
    ------
    FastgcError
        If it cannot be loaded, with the package's name.
    """
    try:
        return entry.load()
    except Exception as problem:
        said = "; ".join(str(problem).splitlines())
        raise FastgcError(
            f"entry point {entry.name!r} in group {entry.group}{of_package(entry)} cannot be "
            f"loaded ({type(problem).__name__}: {said}); repair or uninstall it"
        ) from problem
