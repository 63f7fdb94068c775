"""What a decoding experiment says in a study."""

from __future__ import annotations

from typing import Annotated, Any, Literal

import pydantic
from pydantic import Field

from fastgc import registry
from fastgc.decoding import Decoder
from fastgc.experiments.decoding.measures import MEASURES

Open = Annotated[float, Field(gt=0, lt=1)]
Finite = Annotated[float, Field(allow_inf_nan=False)]


class DecodingTable(pydantic.BaseModel):
    """The keys of a decoding experiment; ``code`` and ``stragglers`` are any registered members."""

    model_config = pydantic.ConfigDict(strict=True, extra="forbid", frozen=True)

    name: str = "experiment1"
    kind: Literal["decoding"] = "decoding"
    method: Literal["auto", "exact", "monte-carlo", "both"] = "auto"
    code: Any
    stragglers: Any
    iterations: Annotated[int, Field(ge=1, le=1_000_000)] = 1
    shuffle: Literal["none", "random", "cyclic"] = "none"
    decoder: Literal["optimal"] = "optimal"
    measure: tuple[str, ...] = ("error",)
    quantiles: tuple[Open, ...] = ()
    thresholds: tuple[Finite, ...] = ()
    sweep: dict[str, tuple[Any, ...]] = {}

    @pydantic.field_validator("measure")
    @classmethod
    def _once(cls, measure: tuple[str, ...]) -> tuple[str, ...]:
        if not measure:
            raise ValueError("must name at least one measure")
        if len(set(measure)) != len(measure):
            raise ValueError(f"must name each measure once (got {list(measure)})")
        return measure


def describe(table: DecodingTable) -> dict[str, Any]:
    """What a file of results keeps of how a point was decoded."""
    decoder = Decoder(table.code.build())
    return {
        "kernel": decoder.kind,
        "exact_threshold": decoder.exact_threshold,
        "linear_algebra": decoder.linear_algebra,
    }


def table() -> type[DecodingTable]:
    """The table with the members that are registered now."""
    measure: Any = Literal[tuple(MEASURES)]
    return pydantic.create_model(
        "DecodingTable",
        __base__=DecodingTable,
        code=(registry.union("code"), ...),
        stragglers=(registry.union("stragglers"), ...),
        measure=(tuple[measure, ...], ("error",)),
    )
