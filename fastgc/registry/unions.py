"""Types of a study's keys, made of the members of a room as they are when asked."""

from __future__ import annotations

import functools
import operator
from collections.abc import Callable
from typing import Annotated, Any, TypeVar

import pydantic

from fastgc.registry.rooms import discriminator, members

Made = TypeVar("Made")


def union(room: str) -> Any:
    """Return the discriminated union of a room's members, as they are now, for pydantic.

    Parameters
    ----------
    room : str
        One of `ROOMS`.

    Returns
    -------
    type
        An annotation of a field.

    Raises
    ------
    FastgcError
        As `members`.

    Examples
    --------
    >>> import pydantic
    >>> adapter = pydantic.TypeAdapter(union("code"))
    >>> adapter.validate_python({"family": "frc", "n": 8, "d": 2}).build().n
    8
    """
    classes = list(members(room).values())
    if len(classes) == 1:
        return classes[0]
    key = discriminator(room)
    return Annotated[functools.reduce(operator.or_, classes), pydantic.Field(discriminator=key)]


def made_once(*rooms: str) -> Callable[[Callable[[], Made]], Callable[[], Made]]:
    """Keep what a function makes of the members of rooms until one of the rooms changes.

    Parameters
    ----------
    rooms : str
        The rooms whose members the function looks at.

    Returns
    -------
    decorator
        Of a function without arguments.

    Raises
    ------
    FastgcError
        When the function is called, as `members`.

    Examples
    --------
    >>> @made_once("code")
    ... def families():
    ...     return list(members("code"))
    >>> families() is families()
    True
    """

    def keep(make: Callable[[], Made]) -> Callable[[], Made]:
        @functools.lru_cache(maxsize=1)
        def made(known: tuple[type[pydantic.BaseModel], ...]) -> Made:
            return make()

        @functools.wraps(make)
        def kept() -> Made:
            return made(tuple(cls for room in rooms for cls in members(room).values()))

        return kept

    return keep


def optional(room: str) -> Any:
    """Return the union of a room's members or None, for a key that may be left out.

    Parameters
    ----------
    room : str
        One of `ROOMS`.

    Returns
    -------
    type
        An annotation of a field.

    Raises
    ------
    FastgcError
        As `members`.

    Examples
    --------
    >>> import pydantic
    >>> pydantic.TypeAdapter(optional("code")).validate_python(None) is None
    True
    """
    return operator.or_(union(room), None)
