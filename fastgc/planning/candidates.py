"""Every system that fits the workers, scheme by scheme."""

from __future__ import annotations

from dataclasses import dataclass

from fastgc.study.design import DesignTable
from fastgc.systems.system import System


@dataclass(frozen=True)
class Line:
    """Systems of a scheme that differ in one parameter, in its order.

    Attributes
    ----------
    scheme : str
    systems : tuple of System
    kind : str
        Of the lines of one kind the best system is listed.
    """

    scheme: str
    systems: tuple[System, ...]
    kind: str = ""


def lines(table: DesignTable) -> list[Line]:
    """Return every system of the schemes asked for."""
    return [
        Line(scheme, offered.systems, offered.kind)
        for scheme in table.wanted
        for offered in table.candidates(scheme)
    ]
