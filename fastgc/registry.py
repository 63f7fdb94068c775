"""Where the members of each room (codes, straggler models, …) are collected.

A member is a pydantic class whose tag names it in a study. fastgc's own members register with the
same decorator as a user's::

    @register("stragglers")
    class Never(Member):
        model: Literal["never"] = "never"

An installed package adds its own through an entry point in the group ``fastgc.code``,
``fastgc.stragglers``, ``fastgc.latency`` or ``fastgc.system`` whose object is the class.
"""

from __future__ import annotations

import functools
import importlib
import operator
from collections.abc import Callable
from importlib.metadata import entry_points
from typing import Annotated, Any, ClassVar, Self, TypeVar, get_args

import pydantic
from pydantic_core import CoreSchema

from fastgc import documented
from fastgc.errors import FastgcError

Class = TypeVar("Class", bound=type[pydantic.BaseModel])
Made = TypeVar("Made")

#: room → (key that holds a member's tag, package whose import registers fastgc's own members)
ROOMS: dict[str, tuple[str, str]] = {
    "code": ("family", "fastgc.codes"),
    "stragglers": ("model", "fastgc.stragglers"),
    "latency": ("distribution", "fastgc.latency"),
    "system": ("family", "fastgc.systems"),
    "problem": ("model", "fastgc.training.problems"),
    "optimizer": ("method", "fastgc.training.optimizers"),
    "selection": ("method", "fastgc.training.selections"),
}

_members: dict[str, dict[str, type[pydantic.BaseModel]]] = {room: {} for room in ROOMS}
_loaded: set[str] = set()


class Table(pydantic.BaseModel):
    """Base of whatever a study holds: checked strictly, and never changed."""

    model_config = pydantic.ConfigDict(strict=True, extra="forbid", frozen=True)

    @classmethod
    def __get_pydantic_json_schema__(
        cls, core: CoreSchema, handler: pydantic.GetJsonSchemaHandler
    ) -> dict[str, Any]:
        """Describe the table and its keys by what docstrings say of them."""
        schema = handler(core)
        own = handler.resolve_ref_schema(schema)
        said = documented.keys(cls)
        for key, entry in own.get("properties", {}).items():
            if key in said:
                entry.setdefault("description", said[key])
        summary = documented.summary(cls)
        if summary is not None:
            own["description"] = summary
        return schema

    def settings(self) -> dict[str, Any]:
        """Return the table as JSON data: its tag, and what differs from the defaults.

        A key that a later version adds, with a default that changes nothing, changes no text.
        """
        tags = {
            key: field.default
            for key, field in type(self).model_fields.items()
            if get_args(field.annotation) == (field.default,)
        }
        return tags | self.model_dump(mode="json", exclude_defaults=True)

    def misfits(self) -> list[tuple[str, str]]:
        """Return (key path, sentence) for parts that are sound but do not fit together."""
        return []


class ExperimentTable(Table):
    """Base of the table of every kind of experiment.

    ``ROOMS`` names the keys that hold a member of the room of that name.
    """

    ROOMS: ClassVar[tuple[str, ...]] = ()

    @classmethod
    def crossing(cls, parts: dict[str, Any]) -> list[tuple[str, str]]:
        """Return (key path, sentence) for what members make of each other.

        ``parts`` holds every member that is sound on its own, None for the others, also where
        the rest of the table is wrong.
        """
        return []


class Member(Table):
    """Base of every member of a room.

    Parameters that are lists should be annotated as tuples: a frozen member holds no list, and a
    study's arrays fit them.

    Attributes
    ----------
    looks_at_code : bool
        Whether `complaints_with` has something to say: only then the code is built to be asked.
    """

    looks_at_code: ClassVar[bool] = False

    def identity(self) -> dict[str, Any]:
        """Return, as JSON data, what changes the member's numbers; a file counts by its content."""
        return self.settings()

    def bind(self, code: Any) -> Self:
        """Return the member as it is for one code; only some depend on the code."""
        return self

    def files(self) -> dict[str, Any]:
        """Return the content, arrays or data, of every file that the member read, by name."""
        return {}

    def complaints(self, n: int) -> list[tuple[str, str]]:
        """Return (field, sentence) for whatever does not fit n workers."""
        return []

    def complaints_with(self, code: Any, shuffle: str) -> list[tuple[str, str]]:
        """Return (field, sentence) for whatever does not fit a code under a shuffle.

        A member that defines this sets ``looks_at_code``.
        """
        return []


def discriminator(room: str) -> str:
    """Return the key that holds a member's tag: ``family`` of a code, ``model`` of stragglers."""
    return _room(room)[0]


def register(room: str) -> Callable[[Class], Class]:
    """Make a class a member of a room, under the tag that its discriminator field defaults to.

    Parameters
    ----------
    room : {"code", "stragglers", "latency", "system"}
        Codes and systems name themselves by ``family: Literal["…"] = "…"``, straggler models by
        ``model``, laws of latency by ``distribution``.

    Raises
    ------
    FastgcError
        If there is no such room, the class is no `Member`, has no tag, or its tag is taken.
    """
    key, _ = _room(room)

    def add(cls: Class) -> Class:
        tag = _tag(cls, key)
        # A user's class must find fastgc's own tags taken, whichever comes first.
        if not cls.__module__.startswith("fastgc."):
            _load(room)
        known = _members[room].get(tag)
        if known is not None and _path(known) != _path(cls):
            raise FastgcError(
                f"{_path(cls)}: the {key} {tag!r} is taken by {_path(known)}; choose another tag"
            )
        _members[room][tag] = cls
        return cls

    return add


def members(room: str) -> dict[str, type[pydantic.BaseModel]]:
    """Return every member of a room by its tag, in alphabetical order.

    Examples
    --------
    >>> "frc" in members("code")
    True
    """
    _load(room)
    return dict(sorted(_members[room].items()))


def union(room: str) -> Any:
    """Return the discriminated union of a room's members, as they are now, for pydantic.

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
    """Return the union of a room's members or None, for a key that may be left out."""
    return operator.or_(union(room), None)


def _room(room: str) -> tuple[str, str]:
    if room not in ROOMS:
        raise FastgcError(f"registry: there is no room {room!r}; the rooms are {', '.join(ROOMS)}")
    return ROOMS[room]


def _path(cls: type) -> str:
    return f"{cls.__module__}.{cls.__qualname__}"


def _tag(cls: type[pydantic.BaseModel], key: str) -> str:
    if not (isinstance(cls, type) and issubclass(cls, Member)):
        raise FastgcError(f"registry: {cls!r} must be a subclass of fastgc.registry.Member")
    field = cls.model_fields.get(key)
    tag = None if field is None else field.default
    if field is None or not isinstance(tag, str) or get_args(field.annotation) != (tag,):
        raise FastgcError(f'{_path(cls)}: needs a tag, {key}: Literal["name"] = "name"')
    return tag


def _load(room: str) -> None:
    _, package = _room(room)
    if room in _loaded:
        return
    _loaded.add(room)
    try:
        importlib.import_module(package)
        for entry in entry_points(group=f"fastgc.{room}"):
            _load_entry(room, entry)
    except BaseException:
        # The next call must fail in the same way, not find half a room.
        _loaded.discard(room)
        raise


def _load_entry(room: str, entry: Any) -> None:
    try:
        cls = entry.load()
    except Exception as problem:
        source = f" of package {entry.dist.name}" if entry.dist is not None else ""
        raise FastgcError(
            f"entry point {entry.name!r} in group fastgc.{room}{source} cannot be loaded "
            f"({type(problem).__name__}: {problem}); repair or uninstall it"
        ) from problem
    register(room)(cls)
