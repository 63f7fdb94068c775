"""What all families of codes share: they build a code."""

import copy
from abc import abstractmethod
from collections.abc import Mapping
from typing import Annotated, Any, ClassVar

import numpy as np

from fastgc.codes.code import Code
from fastgc.registry import Member, plugins
from fastgc.registry.number_types import AtMostN, Many, Size

_tried: set[tuple[type, str]] = set()


def _code(family: Any, found: Any) -> str | None:
    if not isinstance(found, Code):
        return "a fastgc.codes.Code, which fastgc.codes.code_of(B) makes of any matrix"
    key = type(family), repr(family)
    if key in _tried:
        return None
    _tried.add(key)
    # every process, and every replay, builds the code anew
    again = family.build()
    ours, theirs = again.columns, found.columns
    if (again.n, again.k) != (found.n, found.k) or not all(
        np.array_equal(getattr(ours, part), getattr(theirs, part))
        for part in ("offsets", "places", "values")
    ):
        _tried.remove(key)
        return (
            "the same matrix whenever it is called; take random numbers from "
            "fastgc.draws.streams.uniforms(seed, name, count), or from a generator whose seed is "
            "a key of the family"
        )
    return None


class Family(Member):
    """Base of every family of codes.

    >>> from typing import Literal
    >>> from fastgc.codes import code_of
    >>> class Star(Family):
    ...     family: Literal["star"] = "star"
    ...     leaves: int
    ...     def build(self):
    ...         return code_of([[1] * self.leaves], f"star({self.leaves})")
    >>> Star(leaves=3).build().n
    3
    """

    ROOM: ClassVar[str | None] = "code"
    CHECKS: ClassVar[Mapping[str, plugins.Check]] = {"build": _code}

    @abstractmethod
    def build(self) -> Code:
        """Return the code."""

    def built(self) -> Code:
        """Return the code, which remembers what it was made from."""
        code = copy.copy(self.build())
        object.__setattr__(code, "made_from", self.settings())
        return code

    def number_of_workers(self) -> int:
        """Return n; a family that knows it need not build the code."""
        return self.build().n

    @property
    def per_trial(self) -> bool:
        """Whether every trial draws a matrix of its own."""
        return False


class SizedFamily(Family):
    """Base of the families whose parameter ``n`` is the number of workers.

    * ``n`` (int): Workers and partitions, 1 ≤ n ≤ 16 384.
    """

    n: Size

    def number_of_workers(self) -> int:
        return self.n


class LargeFamily(SizedFamily):
    """Base of the sized families that are made by their columns, without the matrix.

    * ``n`` (int): Workers and partitions, 1 ≤ n ≤ 4 194 304.
    """

    n: Many


#: The key ``d`` of codes made by their columns.
Replication = Annotated[Many, AtMostN]
