"""What a theorem says, as data: statement, relation, the experiments that test it, verdict."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

CONFIRMED = "confirmed"
LOOSE = "confirmed, loose"
REFUTED = "refuted"


@dataclass(frozen=True)
class Case:
    """One parameter point of a claim: the theory's value and what is measured against it.

    Attributes
    ----------
    point
        Parameters in fastgc's vocabulary, to be printed.
    theory
        The value that the statement gives at this point.
    experiment
        One ``[[experiment]]`` table of a study as data, or a finite statement
        ``{"finite": name, ...}`` that ``fastgc.validation.enumerations`` measures.
    quantity, statistic, index
        Which number of the experiment is compared, as in a row of results.
    against
        A second experiment on the same draws; then first − second is measured.
    how
        "difference", or "ratio" to measure first / second of the means instead.
    scale
        Size of the measure, used where the theory is 0: k for errors, 1 for probabilities.
    """

    point: Mapping[str, Any]
    theory: float
    experiment: Mapping[str, Any]
    quantity: str
    statistic: str = "mean"
    index: int | str | None = None
    against: Mapping[str, Any] | None = None
    scale: float = 1.0
    how: Literal["difference", "ratio"] = "difference"


@dataclass(frozen=True)
class Claim:
    """A statement of a paper, as printed or as corrected, and the verdict it should get.

    ``relation`` is one of =, <=, >=, <, > and reads "measured RELATION theory"; ``expected`` is
    "confirmed", "confirmed, loose" or "refuted". The cases are made when they are first asked for.
    """

    id: str
    paper: str
    statement: str
    citation: str
    relation: str
    expected: str
    make: Callable[[], Iterable[Case]] = field(compare=False, repr=False)

    @functools.cached_property
    def cases(self) -> tuple[Case, ...]:
        """The parameter points at which the statement is measured."""
        return tuple(self.make())
