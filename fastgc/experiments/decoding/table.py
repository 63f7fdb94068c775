"""What a decoding experiment says in a study."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, ClassVar, Literal

import pydantic
from pydantic import Field

from fastgc import registry
from fastgc.codes.family import Family
from fastgc.decoding.rule import DecodingRule
from fastgc.experiments.decoding.measures import MEASURES
from fastgc.experiments.measures import of_statistic
from fastgc.experiments.table import (
    Decoder,
    Finite,
    MeasuredTable,
    Shuffle,
    complaints_of_code,
    decoders,
)
from fastgc.stragglers.stragglers import Stragglers


class DecodingTable(MeasuredTable):
    """The keys of a decoding experiment; ``code`` and ``stragglers`` are any registered members.

    Parameters
    ----------
    method : {"auto", "exact", "monte-carlo", "both", "rare"}
        Exact where it costs no more than the trials asked for, else sampled ("auto", the
        default), with rare events on methods of their own; only exact; only sampled; both; or only
        the chances of events, on the methods for rare ones.
    code : table
        Who holds which partition.
    stragglers : table
        Who does not answer.
    iterations : int
        Iterations of a trial, at most 1 000 000; 1 by default.
    rho : float, optional
        One-step decoding multiplies every survivor's answer by it; by default k/(r d) with r
        survivors, where d is the sum of a worker's weights in B, on average over workers. Needed
        where that is not positive.
    variance_reduction : bool
        Whether sampled means of one iteration are conditioned on the number of stragglers, where
        its law is known; true by default.
    """

    ROOMS: ClassVar[tuple[str, ...]] = ("code", "stragglers")
    UNITS: ClassVar[Mapping[str, str]] = {name: each.unit for name, each in MEASURES.items()}

    kind: Literal["decoding"] = "decoding"
    method: Literal["auto", "exact", "monte-carlo", "both", "rare"] = "auto"
    code: Family
    stragglers: Stragglers
    iterations: Annotated[int, Field(ge=1, le=1_000_000)] = 1
    shuffle: Shuffle = "none"
    decoder: Decoder | DecodingRule = "optimal"
    rho: Finite | None = None
    variance_reduction: bool = True
    measure: tuple[str, ...] = ("error",)

    @classmethod
    def current(cls) -> type[DecodingTable]:
        """Return the class with the members that are registered now."""
        return _current()

    @classmethod
    def crossing(cls, parts: dict[str, Any]) -> list[tuple[str, str]]:
        """Return (key path, sentence) for stragglers that do not fit the code's workers."""
        return complaints_of_code(parts["code"], parts["stragglers"])

    @classmethod
    def unit(cls, measure: str, statistic: str) -> str:
        """Unit of a statistic of a measure."""
        own: Any = registry.members("measure").get(measure)
        unit = cls.UNITS[measure] if own is None else own.unit
        return of_statistic(unit, statistic)


@registry.made_once("code", "stragglers", "decoder", "measure")
def _current() -> type[DecodingTable]:
    measure: Any = Literal[(*MEASURES, *registry.members("measure"))]
    return pydantic.create_model(
        "DecodingTable",
        __base__=DecodingTable,
        code=(registry.union("code"), ...),
        stragglers=(registry.union("stragglers"), ...),
        decoder=(decoders(), "optimal"),
        measure=(tuple[measure, ...], ("error",)),
    )
