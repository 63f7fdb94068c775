"""The registry: the members of each plug-in group (codes, straggler models, …).

A member is a pydantic class whose tag names it in a study; `fastgc help own-model` shows some.
fastgc's own register with the same decorator as a user's. Every group has a base class whose
methods a member fills in. An installed package adds its own through an entry point whose group is
the group's name after ``fastgc.``, like ``fastgc.stragglers``, and whose object is the class.
"""

import functools
import operator
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from importlib import import_module
from importlib.metadata import entry_points
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, NamedTuple, Self, TypeVar, get_args

import pydantic
from pydantic_core import CoreSchema

from fastgc import registry
from fastgc.arrays import Brief
from fastgc.errors import ArgumentError, FastgcError
from fastgc.registry import documented, plugins

Class = TypeVar("Class", bound=type[pydantic.BaseModel])


class PluginGroup(NamedTuple):
    """A plug-in group: members of one kind, fastgc's own and those of users.

    >>> from fastgc import registry
    >>> registry.GROUPS["code"].key
    'family'
    """

    key: str  #: Of a member's table, with its tag.
    package: str  #: Whose import registers fastgc's own members.
    bases: str  #: Classes of which every member is a subclass, as a user imports them.


GROUPS = {
    "code": PluginGroup("family", "fastgc.codes", "fastgc.codes.Family"),
    "stragglers": PluginGroup("model", "fastgc.stragglers", "fastgc.stragglers.Stragglers"),
    "latency": PluginGroup("distribution", "fastgc.latency", "fastgc.latency.Law or DrawnLaw"),
    "system": PluginGroup("family", "fastgc.systems", "fastgc.systems.System"),
    "decoder": PluginGroup("method", "fastgc.decoding", "fastgc.decoding.DecodingRule"),
    "measure": PluginGroup(
        "measure",
        "fastgc.experiments.decoding.measures",
        "fastgc.experiments.decoding.DecodingMeasure",
    ),
    "problem": PluginGroup("model", "fastgc.training.problems", "fastgc.training.problems.Problem"),
    "optimizer": PluginGroup(
        "method", "fastgc.training.optimizers", "fastgc.training.optimizers.Optimizer"
    ),
    "selection": PluginGroup(
        "method", "fastgc.training.selections", "fastgc.training.selections.Selection"
    ),
}


class _Constructor(type(pydantic.BaseModel)):  # type: ignore[misc]
    """Lets a constructor say what is wrong as a study does: one sentence with the key."""

    def __call__(cls, *values: Any, **given: Any) -> Any:
        if values:
            keys = ", ".join(cls.model_fields)
            raise ArgumentError(f"{cls.__name__}: arguments must be named: {keys}")
        try:
            return super().__call__(**given)
        except pydantic.ValidationError:
            return registry.made(cls, cls.__name__, **given)


if TYPE_CHECKING:  # which knows no other metaclass for what pydantic makes of fields
    _Model = pydantic.BaseModel
else:
    _Model = _Constructor("_Model", (pydantic.BaseModel,), {"__module__": __name__})


class Table(Brief, _Model):
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

    def model_copy(self, *, update: Mapping[str, Any] | None = None, deep: bool = False) -> Self:
        """Return a copy with some keys changed, without what was computed from the old ones."""
        copied = super().model_copy(update=update, deep=deep)
        for key in copied.__dict__.keys() - type(self).model_fields.keys():
            del copied.__dict__[key]
        return copied

    def settings(self) -> dict[str, Any]:
        """Return the table as JSON data: its tag, and what differs from the defaults.

        A key that a later version adds, with a default that changes nothing, changes no text.
        """
        tags = {
            key: field.default
            for key, field in type(self).model_fields.items()
            if get_args(field.annotation) == (field.default,)
        }
        return tags | self.model_dump(mode="json", exclude_defaults=True, by_alias=True)

    def cross_field_errors(self) -> list[tuple[str, str]]:
        """Return (key path, sentence) for parts that are sound but do not fit together."""
        return []


class ExperimentTable(Table):
    """Base of the table of every kind of experiment.

    ``GROUPS`` names the keys that hold a member of the plug-in group of that name.
    """

    GROUPS: ClassVar[tuple[str, ...]] = ()

    @classmethod
    def member_errors(cls, parts: dict[str, Any]) -> list[tuple[str, str]]:
        """Return (key path, sentence) for what members make of each other.

        ``parts`` holds every member that is sound on its own, None for the others, also where
        the rest of the table is wrong.
        """
        return []


class Member(Table):
    """Base of every member of a plug-in group.

    Parameters that are lists should be annotated as tuples: a frozen member holds no list, and a
    study's arrays fit them.

    * ``GROUP`` (str or None): The group whose members a base class is the base of.
    * ``RESERVED`` (frozenset of str): Tags that no member can have.
    * ``CHECKS`` (mapping of method to callable): What looks at the values that a plug-in's methods
      return, beside what bases look at.
    """

    GROUP: ClassVar[str | None] = None
    RESERVED: ClassVar[frozenset[str]] = frozenset()
    CHECKS: ClassVar[Mapping[str, plugins.Check]] = {
        "identity": plugins.data,
        "files": plugins.data,
        "complaints": plugins.complaints,
    }

    @classmethod
    def __get_pydantic_json_schema__(
        cls, core: CoreSchema, handler: pydantic.GetJsonSchemaHandler
    ) -> dict[str, Any]:
        schema = super().__get_pydantic_json_schema__(core, handler)
        if cls.GROUP is not None:
            key = GROUPS[cls.GROUP].key
            tag = handler.resolve_ref_schema(schema).get("properties", {}).get(key, {})
            if "const" in tag:  # a base class has no tag yet
                tag.setdefault("description", f'The {key} of the {cls.GROUP}: "{tag["const"]}".')
        return schema

    @classmethod
    def missing(cls) -> list[str]:
        """Return the methods that the class must have and has not."""
        return plugins.missing(cls)

    def identity(self) -> dict[str, Any]:
        """Return, as JSON data, what changes the member's numbers; a file counts by its content."""
        return self.settings()

    def files(self) -> dict[str, Any]:
        """Return the content, arrays or data, of every file that the member read, by name."""
        return {}

    def complaints(self, n: int) -> list[tuple[str, str]]:
        """Return (field, sentence) for whatever does not fit n workers."""
        return []


class Registry:
    """Members by their tags, in the plug-in groups that there are."""

    def __init__(self, groups: Mapping[str, PluginGroup]) -> None:
        self.groups = groups
        self._members: dict[str, dict[str, type[pydantic.BaseModel]]] = {
            name: {} for name in groups
        }
        self._loaded: set[str] = set()

    def register(self, group: str) -> Callable[[Class], Class]:
        """Make a class a member of a group, under the tag that its discriminator field defaults to.

        Parameters
        ----------
        group : str
            One of `GROUPS`, which say its base class and the key of its tag: that of a straggler
            model is ``model: Literal["…"] = "…"``, for example. Claims are made by `fastgc.claim`
            and need no group.

        Raises
        ------
        FastgcError
            If there is no such group, the class is no subclass of the group's base, lacks one of
            its methods, has no tag, or its tag is taken.

        Returns
        -------
        decorator
            Of a class, which it returns.

        Examples
        --------
        >>> register("bridge")
        Traceback (most recent call last):
        ...
        fastgc.errors.FastgcError: registry: there is no plug-in group 'bridge'; ...
        """
        key, bases = self._group(group).key, self._group(group).bases

        def add(cls: Class) -> Class:
            name = plugins.path(cls) if isinstance(cls, type) else repr(cls)
            if not (isinstance(cls, type) and issubclass(cls, Member) and group == cls.GROUP):
                raise FastgcError(f"{name}: must be a subclass of {bases}")
            if lacking := ", ".join(cls.missing()):
                raise FastgcError(f"{name}: lacks {lacking}, which {bases} asks of every member")
            model: type[pydantic.BaseModel] = cls
            field = model.model_fields.get(key)
            tag = None if field is None else field.default
            if field is None or not isinstance(tag, str) or get_args(field.annotation) != (tag,):
                raise FastgcError(f'{name}: needs a tag, {key}: Literal["name"] = "name"')
            # a user's class must find fastgc's own tags taken, whichever comes first
            if not plugins.is_own(cls):
                self._load(group)
            known = self._members[group].get(tag)
            taken = "fastgc's own" if tag in cls.RESERVED else None
            if known is not None and plugins.path(known) != name:
                taken = taken or f"taken by {plugins.path(known)}"
            if taken is not None:
                raise FastgcError(f"{name}: the {key} {tag!r} is {taken}; choose another tag")
            plugins.guard(cls)
            self._members[group][tag] = cls
            return cls

        return add

    def members(self, group: str) -> dict[str, type[pydantic.BaseModel]]:
        """Return every member of a group by its tag, in alphabetical order.

        Parameters
        ----------
        group : str
            One of `GROUPS`.

        Returns
        -------
        dict of str to class
            fastgc's own members, those registered here, and those of installed packages.

        Raises
        ------
        FastgcError
            If there is no such group, or an installed package has a member that does not fit.

        Examples
        --------
        >>> "frc" in members("code")
        True
        """
        self._load(group)
        return dict(sorted(self._members[group].items()))

    @contextmanager
    def restored(self) -> Iterator[None]:
        """Take back, at the end, what is registered meanwhile."""
        kept = {group: self.members(group) for group in self.groups}
        try:
            yield
        finally:
            self._members, self._loaded = kept, set(self.groups)

    def _group(self, name: str) -> PluginGroup:
        if name not in self.groups:
            raise FastgcError(
                f"registry: there is no plug-in group {name!r}; the groups are "
                f"{', '.join(self.groups)}; "
                'a tag is the default of its own key, like model: Literal["mine"] = "mine"'
            )
        return self.groups[name]

    def _load(self, group: str) -> None:
        if group in self._loaded:
            return
        self._loaded.add(group)
        try:
            import_module(self._group(group).package)
            for entry in entry_points(group=f"fastgc.{group}"):
                self.register(group)(plugins.load(entry))
        except BaseException:
            # the next call must fail in the same way, not find half a group
            self._loaded.discard(group)
            raise


REGISTRY = Registry(GROUPS)
register, members = REGISTRY.register, REGISTRY.members


def union(group: str, *, optional: bool = False) -> Any:
    """Return the discriminated union of a group's members, as they are now, for pydantic.

    If it is ``optional``, the key may be left out: then None is a value, too.
    """
    classes = list(members(group).values())
    found: Any = classes[0]
    if len(classes) > 1:
        tag = pydantic.Field(discriminator=GROUPS[group].key)
        found = Annotated[functools.reduce(operator.or_, classes), tag]
    return operator.or_(found, None) if optional else found
