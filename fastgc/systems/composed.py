"""Systems whose completion a study says as a term."""

from typing import Annotated, Literal

import pydantic

from fastgc.errors import FastgcError
from fastgc.registry import register
from fastgc.registry.makers import maker
from fastgc.systems.system import LARGEST, System
from fastgc.systems.timing.terms import Term, parse


def _readable(text: str) -> str:
    try:
        workers = parse(text).workers
    except FastgcError as problem:
        raise ValueError(problem.sentence) from None
    if not 1 <= workers <= LARGEST:
        raise ValueError(f"must name 1 to {LARGEST} workers, from w0 on (got {workers})")
    return text


@register("system")
class TermSystem(System):
    """A system that is done when a term of its workers' answers says.

    * ``term`` (str): ``2 of (w0, w1, w2)`` is done with any two of three workers' answers, and what
      is in brackets may be such a term, too. ``w0 .. w5`` names six workers, ``w0[1]`` what worker
      0 does second, ``2 * w0 + 1.5`` is there after twice worker 0's time and 1.5 seconds; a number
      alone is a moment that comes in any case: ``1 of (4 of (w0 .. w4), 2.5)`` has a deadline.
    * ``load`` (float, optional): The share of the work that a worker's time stands for; an n-th.

    Workers are w0, w1, … up to the last that is named; those between that are not named stay idle.

    >>> term("2 of (1 of (w0, w1), 1 of (w2, w3), w4)").workers()
    5
    """

    family: Literal["term"] = "term"
    text: Annotated[str, pydantic.AfterValidator(_readable)] = pydantic.Field(alias="term")

    def term(self) -> Term:
        return parse(self.text)


term = maker(TermSystem)
