"""Public functions that make members, like `fastgc.codes.frc`: built from the members' classes.

What a class says of its keys is said once; a study's schema and the function's help both show it.
"""

import functools
import operator
from collections.abc import Callable, Sequence
from inspect import Parameter, Signature
from types import UnionType
from typing import Annotated, Any, TypeVar, Union, get_args, get_origin, get_type_hints

from fastgc.errors import ArgumentError
from fastgc.registry import documented
from fastgc.registry.given import made
from fastgc.registry.plugin_groups import GROUPS, Member

Function = TypeVar("Function", bound=Callable[..., Any])


def maker(cls: type[Any], *, build: bool = False) -> Callable[..., Any]:
    """Return the public function of a member, or with ``build`` of what it builds, a code.

    Its name is the member's tag. Its parameters are the keys of the class: required ones first,
    then the class's own, those of the group's base, and those of bases in between. It raises
    FastgcError for whatever is wrong with its arguments.
    """
    base = _base(cls)
    tag = str(cls.model_fields[GROUPS[base.GROUP].key].default)
    name = tag.replace("-", "_")
    label = tag if build else name  # a code is called like its family, in messages too
    returned = get_type_hints(base.build)["return"] if build else cls
    signature = Signature(_parameters(cls, base), return_annotation=returned)

    def make(*args: Any, **given: Any) -> Any:
        ArgumentError.require(name, given, signature.parameters)
        try:
            arguments = signature.bind(*args, **given).arguments
        except TypeError as problem:
            raise ArgumentError(f"{name}(): {problem}") from None
        member = made(cls, label, **arguments)
        return member.built() if build else member

    make.__name__ = make.__qualname__ = name
    make.__module__ = cls.__module__
    make.__signature__ = signature  # type: ignore[attr-defined]
    return described(cls, returned.__name__)(make)


def described(cls: type[Member], returns: str) -> Callable[[Function], Function]:
    """Give a function that returns a ``returns`` the docstring of the member that it makes."""

    def describe(function: Function) -> Function:
        base = _base(cls)
        names = [parameter.name for parameter in _parameters(cls, base)]
        function.__doc__ = documented.function_docstring(cls, names, returns)
        return function

    return describe


def _base(cls: type[Member]) -> Any:
    return next(base for base in cls.__mro__ if "GROUP" in vars(base))


def _parameters(cls: type[Member], base: type[Member]) -> list[Parameter]:
    tag = GROUPS[str(cls.GROUP)].key
    fields = [(name, field) for name, field in cls.model_fields.items() if name != tag]
    kept = {*cls.__annotations__, *base.model_fields}
    fields.sort(
        key=lambda item: (
            not item[1].is_required(),
            not item[1].is_required() and item[0] not in kept,
            item[0] in base.model_fields,
        )
    )
    return [
        Parameter(
            field.alias or name,
            Parameter.POSITIONAL_OR_KEYWORD,
            default=Parameter.empty if field.is_required() else field.default,
            annotation=_as_given(field.annotation),
        )
        for name, field in fields
    ]


def _as_given(annotation: Any) -> Any:
    # as a caller sees it: without limits, and any sequence for a tuple
    origin, parts = get_origin(annotation), get_args(annotation)
    if origin is Annotated:
        return _as_given(parts[0])
    if origin in (Union, UnionType):
        return functools.reduce(operator.or_, map(_as_given, parts))
    if origin is tuple:
        return Sequence[_as_given(parts[0])]  # type: ignore[misc]
    return annotation
