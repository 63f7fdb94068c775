"""A recording as commands and callers name it: a table, and the threshold of its stragglers."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from fastgc.arrays import Values
from fastgc.errors import FastgcError, LongTableError
from fastgc.latency import remarks
from fastgc.latency.names import unit_of, units_of, without_unit
from fastgc.latency.remarks import of_rounds
from fastgc.latency.trace_tables import recorded_text
from fastgc.latency.traces import DEFAULT_THRESHOLD, LAYOUT, Trace, parse
from fastgc.registry.complaints import show, unknown


@dataclass(frozen=True)
class Source:
    """A recording: its name, trace, and the threshold in its unit above which a time straggles.

    ``units`` are those that the file's first line says, or that names of columns of times end in;
    None for a name without.
    """

    name: str
    trace: Trace
    threshold: float
    units: frozenset[str | None] = frozenset([None])

    @property
    def unit(self) -> str | None:
        """What times are in, where the recording says it, and says one."""
        return next(iter(self.units)) if len(self.units) == 1 else None

    def in_unit(self, given: str | None) -> str | None:
        """Return what times are in, by the recording or as given; refuse what contradicts it."""
        if given is None or self.unit is None:
            return given or self.unit
        if given != self.unit and unit_of(given) != (unit_of(self.unit) or self.unit):
            raise FastgcError(
                f"unit: {self.name} says that its times are in {self.unit} (got {show(given)}); "
                "leave it out, or give times in that unit"
            )
        return self.unit

    @property
    def rows(self) -> Values:
        """Times (rounds, n) of the rounds that all workers have."""
        return self.trace.rows

    @property
    def barrier(self) -> str | None:
        """A sentence where times are those of rounds, not of workers."""
        return of_rounds(self.rows)

    @property
    def warnings(self) -> tuple[str, ...]:
        """What a reader must know before all else."""
        said = self.barrier or remarks.sentence(self.trace, self.threshold)
        return (*(() if said is None else (said,)), *remarks.left_out(self.trace))

    @property
    def since(self) -> list[int]:
        """After how many rows each worker goes on as it does at the end, (n,)."""
        found = {} if self.barrier is not None else self.trace.changes
        return [found[j][-1] if j in found else 0 for j in range(self.trace.n)]


def read(
    trace: str | Path | Mapping[str, Any],
    threshold: float | str | None = None,
    *,
    workers: int = 1,
    rounds: int = 2,
) -> Source:
    """Read a recording and the threshold of its stragglers.

    ``trace`` is a wide table, or ``{"file": …, "worker": …, "value": …}`` with the keys that a
    study's trace has; ``threshold`` a time, or a multiple of the median of all values (``"1.5
    median"`` by default). It must have at least so many ``workers``, and so many ``rounds`` that
    all workers have.
    """
    if not isinstance(trace, str | Path | Mapping):
        raise FastgcError(
            f"trace: must name a file, or be a mapping with file (got {type(trace).__name__}); "
            'write times (rounds, workers) to one: numpy.savetxt("t.csv", times, delimiter=",", '
            'header="a,b", comments="")'
        )
    given: Mapping[str, Any] = trace if isinstance(trace, Mapping) else {"file": str(trace)}
    for key in given:
        if key not in ("file", *LAYOUT):
            raise FastgcError(f"trace: {unknown('key', key, ['file', *LAYOUT])}")
    if "file" not in given:
        raise FastgcError("trace: must name a file")
    file = str(given["file"])
    name = Path(file).name
    layout = {key: value for key, value in given.items() if key != "file"}
    try:
        text = recorded_text(file)
        found = parse(text, name, **layout)
    except LongTableError:
        raise
    except FastgcError as problem:
        raise FastgcError(f"trace: {problem}") from None
    try:
        limit = found.threshold(DEFAULT_THRESHOLD if threshold is None else threshold)
    except FastgcError as problem:
        raise FastgcError(f"threshold: {problem}") from None
    wanted = (
        (found.n, workers, "worker", "workers"),
        (len(found.rows), rounds, "iteration of all workers", "iterations of all workers"),
    )
    for count, least, one, many in wanted:
        if count < least:
            what = one if least == 1 else many
            raise FastgcError(f"trace: {name} must have at least {least} {what} (has {count})")
    units = units_of(text, found.workers, given.get("value"))
    return Source(name, replace(found, workers=without_unit(found.workers)), limit, units)
