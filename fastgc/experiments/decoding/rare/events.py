"""The events whose chance a decoding experiment asks for: a decoding error above some limit."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from fastgc.codes.code import Code
from fastgc.decoding.decoder import Decoder
from fastgc.experiments.decoding.measures import threshold_margin
from fastgc.experiments.decoding.table import DecodingTable

#: Measures whose thresholds are thresholds of the error of an iteration.
_OF_THE_ERROR = ("error", "norm", "error_per_partition")


@dataclass(frozen=True)
class Event:
    """An error above ``limit``; ``otherwise`` asks for the chance that it does not happen."""

    quantity: str
    statistic: str
    limit: float
    otherwise: bool = False

    @property
    def address(self) -> tuple[str, str, None]:
        """Which row it is."""
        return self.quantity, self.statistic, None


def events_of(table: DecodingTable, code: Code, decoder: Decoder) -> Iterator[Event]:
    """Events that the table's measures and thresholds name, in the order of their rows."""
    margin = threshold_margin(code, decoder.exact_threshold)
    for quantity in table.measure:
        if quantity == "exact":
            yield Event(quantity, "mean", decoder.exact_threshold, otherwise=True)
        elif quantity in _OF_THE_ERROR or (quantity == "mean_error" and table.iterations == 1):
            for threshold in table.thresholds:
                scale = code.k if quantity == "error_per_partition" else 1
                limit = _settled(threshold * scale + margin, margin, decoder)
                if quantity == "norm":
                    limit = limit * limit if limit >= 0 else limit
                yield Event(quantity, f"P(>{threshold!r})", limit)


def _settled(limit: float, margin: float, decoder: Decoder) -> float:
    """0 in place of a limit that only rounding would be below, where errors are exact zeros."""
    return 0.0 if decoder.exact_threshold == 0.0 and 0.0 <= limit <= margin else limit


def has_events(table: DecodingTable) -> bool:
    """Whether a table asks for the chance of an event."""
    wanted = {*_OF_THE_ERROR} | ({"mean_error"} if table.iterations == 1 else set())
    return "exact" in table.measure or bool(table.thresholds and wanted & {*table.measure})
