"""A run's rows, handed out while it runs: each point's as soon as it and all before it are done."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from fastgc.experiments.table import Point
from fastgc.results.rows import Row
from fastgc.results.stored import StoredUnit
from fastgc.runs.plan import Plan


class Stream:
    """Hands out rows in the order of the finished run, so that they can be printed for good.

    ``plan``: the methods of every point; ``units``: what is sampled, in the order of the plan's
    units; ``found``: called with the rows of one or more points, as plain data.
    """

    def __init__(
        self, plan: Plan, units: Sequence[StoredUnit], found: Callable[[list[dict[str, Any]]], None]
    ) -> None:
        self._plan, self._units, self._found = plan, units, found
        tables = [id(point.table) for point in plan.points]
        self._place_of = place_of = {table: place for place, table in enumerate(tables)}
        # by point: its place among those enumerated, and the unit that samples it
        self._exact = {place_of[id(p.point.table)]: place for place, p in enumerate(plan.known)}
        self._unit = {
            place_of[id(point.table)]: number
            for number, unit in enumerate(plan.units)
            for point in unit.points
        }
        self._open = [(each in self._exact) + (each in self._unit) for each in range(len(tables))]
        self._points = 0
        self._rows = 0

    def enumerated(self, place: int) -> None:
        """Take note that the exact method of a point is done."""
        self._done(self._plan.known[place].point)

    def sampled(self, number: int) -> None:
        """Take note that a unit is done."""
        # points that share trials are done at the end, all at once
        unit = self._plan.units[number]
        if not unit.together:
            self._done(unit.points[0])

    def close(self, entries: Sequence[Row]) -> None:
        """Hand out what was not: ratios, and of a run that was stopped what there is so far."""
        self._tell(entries[self._rows :])

    def _done(self, point: Point) -> None:
        self._open[self._place_of[id(point.table)]] -= 1
        while self._points < len(self._open) and not self._open[self._points]:
            number = self._unit.get(self._points)
            stored = None if number is None else self._units[number]
            exact = self._exact.get(self._points)
            rows = self._plan.rows_of(self._points, exact, number, stored)
            self._points += 1
            self._rows += len(rows)
            self._tell(rows)

    def _tell(self, rows: Sequence[Row]) -> None:
        if rows:
            self._found([row.in_full() for row in rows])
