"""Templates: tables of a study with holes, each beside what is known where it fits."""

from collections.abc import Callable, Iterable, Mapping
from types import UnionType
from typing import Any

from fastgc.theory.papers.claim import ClosedForm

Table = Mapping[str, Any]
#: A template, and what makes closed forms of the experiment that fits and of what its holes hold.
Entry = tuple[Table, Callable[..., Iterable[ClosedForm]]]


def match(template: Any, given: Any, holes: dict[str, Any], key: str = "") -> bool:
    """Whether a table has this form; what stands in its holes goes into ``holes``.

    A type is a hole, named by its key, for a value of the type; a tuple holds what may stand there,
    None if nothing; ``...`` is a key that is not there. Keys not named may hold anything.

    >>> holes = {}
    >>> template = {"family": "frc", "n": int, "d": int, "seed": int | None}
    >>> match(template, {"family": "frc", "n": 8, "d": 2}, holes), holes
    (True, {'n': 8, 'd': 2, 'seed': None})
    """
    if isinstance(template, Mapping):
        return isinstance(given, Mapping) and all(
            own not in given if part is ... else match(part, given.get(own), holes, own)
            for own, part in template.items()
        )
    if isinstance(template, type | UnionType):
        holes[key] = given
        return isinstance(given, template)
    return given in template if isinstance(template, tuple) else bool(given == template)
