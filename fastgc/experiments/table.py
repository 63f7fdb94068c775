"""What the tables of all kinds of experiments share: what is measured, and how they are pickled."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping
from typing import Annotated, Any, ClassVar, Self

import pydantic
from pydantic import Field

from fastgc import registry
from fastgc.errors import FastgcError
from fastgc.experiments.experiment import Experiment
from fastgc.experiments.measures import of_statistic

Open = Annotated[float, Field(gt=0, lt=1)]
Finite = Annotated[float, Field(allow_inf_nan=False)]


class MeasuredTable(registry.ExperimentTable):
    """The keys of every experiment.

    Attributes
    ----------
    UNITS : mapping of str to str
        Each measure, and the unit of one value; "1" for pure numbers.
    """

    UNITS: ClassVar[Mapping[str, str]] = {}

    name: str = "experiment1"
    kind: str
    measure: tuple[str, ...]
    quantiles: tuple[Open, ...] = ()
    thresholds: tuple[Finite, ...] = ()
    sweep: dict[str, tuple[Any, ...]] = Field(default_factory=dict)
    method: str

    @pydantic.field_validator("measure")
    @classmethod
    def _once(cls, measure: tuple[str, ...]) -> tuple[str, ...]:
        if not measure:
            raise ValueError("must name at least one measure")
        if len(set(measure)) != len(measure):
            raise ValueError(f"must name each measure once (got {list(measure)})")
        return measure

    @classmethod
    @abstractmethod
    def current(cls) -> type[Self]:
        """Return the class with the members that are registered now."""

    @classmethod
    def unit(cls, measure: str, statistic: str) -> str:
        """Unit of a statistic of a measure."""
        return of_statistic(cls.UNITS[measure], statistic)

    @property
    @abstractmethod
    def compiled(self) -> Experiment[Any]:
        """What answers every question about the point; made once, and in no pickle."""

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle as fields: the class with the members registered here is made anew elsewhere."""
        return _restored, (self.kind, {key: getattr(self, key) for key in type(self).model_fields})


#: The table of every kind of experiment, by the kind's name.
KINDS: dict[str, type[MeasuredTable]] = {}


def _restored(name: str, fields: dict[str, Any]) -> MeasuredTable:
    return KINDS[name].current().model_construct(**fields)


def complaints_of_code(code: Any, stragglers: Any) -> list[tuple[str, str]]:
    """(key path, sentence) for what stragglers make of a code's number of workers.

    Either is None where it is not sound on its own.
    """
    if code is None or stragglers is None:
        return []
    try:
        n = code.number_of_workers()
    except FastgcError as problem:
        return [("code", str(problem))]
    return [(f"stragglers.{field}", sentence) for field, sentence in stragglers.complaints(n)]
