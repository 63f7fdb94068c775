"""A run's rows, handed out while it runs: each point's as soon as it and all before it are done."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from fastgc.results.rows import Row
from fastgc.results.stored import StoredUnit
from fastgc.runs.plan import Plan


class Stream:
    """Hands out rows in the order of the finished run, so that they can be printed for good.

    Parameters
    ----------
    plan : Plan
        The roads of every point.
    units : sequence of StoredUnit
        What is sampled, in the order of the plan's units.
    found : callable
        Called with the rows of one or more points, as plain data.
    """

    def __init__(
        self,
        plan: Plan,
        units: Sequence[StoredUnit],
        found: Callable[[list[dict[str, Any]]], None],
    ) -> None:
        self._plan, self._units, self._found = plan, units, found
        tables = [id(point.table) for point in plan.points]
        self._waits: list[set[tuple[str, int]]] = [set() for _ in tables]
        place_of = {table: place for place, table in enumerate(tables)}
        for place, point in enumerate(plan.exact):
            self._waits[place_of[id(point.table)]].add(("exact", place))
        self._unit_of: dict[int, int] = {}
        for number, unit in enumerate(plan.units):
            for point in unit.points:
                place = place_of[id(point.table)]
                self._unit_of[place] = number
                self._waits[place].add(("sampled", number))
        self._points = 0
        self._rows = 0

    def enumerated(self, place: int) -> None:
        """Take note that the exact road of a point is done."""
        self._done(("exact", place))

    def sampled(self, number: int) -> None:
        """Take note that a unit is done."""
        # points that share trials are done at the end, all at once
        if not self._plan.units[number].together:
            self._done(("sampled", number))

    def close(self, entries: Sequence[Row]) -> None:
        """Hand out what was not: ratios, and of a run that was stopped what there is so far."""
        self._tell(entries[self._rows :])

    def _done(self, road: tuple[str, int]) -> None:
        for waits in self._waits:
            waits.discard(road)
        while self._points < len(self._waits) and not self._waits[self._points]:
            number = self._unit_of.get(self._points)
            stored = None if number is None else self._units[number]
            rows = self._plan.rows_of(self._points, number, stored)
            self._points += 1
            self._rows += len(rows)
            self._tell(rows)

    def _tell(self, rows: Sequence[Row]) -> None:
        if rows:
            self._found([row.as_dict() for row in rows])
