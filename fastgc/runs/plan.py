"""The roads to every number of a study: closed form, enumeration, Monte Carlo; and their rows."""

from __future__ import annotations

import json
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from fastgc.engine.units import Unit
from fastgc.errors import FastgcError
from fastgc.experiments.point import Point
from fastgc.experiments.rare import RELATIVE, Asked, RareFound, Sampling
from fastgc.registry.cached import cached_property
from fastgc.results.rows import (
    CLOSED_FORM,
    EXACT,
    LOWER_BOUND,
    MONTE_CARLO,
    RARE,
    Row,
    growth,
    stored_estimate,
)
from fastgc.results.stored import Place, StoredUnit
from fastgc.statistics import strata
from fastgc.statistics.estimates import Estimate
from fastgc.statistics.tallies import Tally
from fastgc.study.study import Study
from fastgc.theory import closed_forms

RATIO = "ratio"
T = TypeVar("T")
NOT_RARE = 'method = "rare" gives probabilities of events alone; "auto" gives the rest, too'
#: What takes so long is enumerated however few trials are asked for.
CHEAP_SECONDS = 2.0

#: Value and claim by (quantity, statistic, index).
ClosedForms = dict[tuple[str, str, int | str | None], tuple[float, str | None]]


@dataclass(frozen=True)
class Plan:
    """The roads that a study takes: points known exactly, and units that are sampled.

    ``reasons`` says why points are sampled that have ``method = "auto"``, by their tables'
    identities and the quantity that is to say it. Of the points in ``exact`` the last ``rare`` take
    the road to rare events; ``known`` has the rows of those that are done, by their place.
    """

    study: Study
    points: tuple[Point, ...]
    exact: tuple[Point, ...]
    units: tuple[Unit, ...]
    reasons: Mapping[int, Mapping[str, str]]
    rare: int = 0
    known: dict[int, list[Row]] = field(default_factory=dict)

    @classmethod
    def of(cls, study: Study, sampled_before: Container[str] = ()) -> Plan:
        """Choose each point's roads.

        ``auto`` enumerates where that takes no more patterns than the trials asked for, or less
        than some 2 seconds; points on common random numbers are always sampled, and so are those
        of which a file already holds trials (``sampled_before`` has their keys). Where points are
        sampled, it also looks for events that are too rare to be seen so; it draws no trial where
        theory and these roads give all that is requested, exactly. A point of which the
        exact method leaves something out is sampled as well.
        """
        exact, rare, units = list[Point](), list[Point](), list[Unit]()
        reasons = dict[int, Mapping[str, str]]()
        points = tuple(study.points())
        for point in points:
            unit = Unit([point], study.seed, study.canonical(point))
            how = point.table.method
            needed = point.compiled.exact_cost()
            if needed == 0:
                how = "exact"
            if how == "auto":
                reason = _why_not_exact(study, point, needed)
                how = "monte-carlo" if reason is not None else "exact"
                if reason:
                    reasons[id(point.table)] = {point.table.measure[0]: reason}
                elif how == "exact" and (rest := _left_out(point)):
                    how, reasons[id(point.table)] = "both", rest
                if how == "exact" and unit.key in sampled_before:
                    how = "both"
                if how == "monte-carlo" and not study.common_random_numbers:
                    rare += [point] * (point.compiled.rare_road() is not None)
                    if unit.key not in sampled_before and _is_known(point):
                        continue
            if how == "rare":
                _require_rare(study, point)
                rare.append(point)
            if how in ("exact", "both"):
                _require_exact(study, point)
                exact.append(point)
            if how in ("monte-carlo", "both"):
                units.append(unit)
        if study.common_random_numbers and units:
            together = [point for unit in units for point in unit.points]
            units = [Unit(together, study.seed, "common", together=True)]
        return cls(study, points, (*exact, *rare), tuple(units), reasons, len(rare))

    @cached_property
    def closed_forms(self) -> dict[int, ClosedForms]:
        """Every point's closed forms, by its table's identity: found once, shown often."""
        found: dict[str, ClosedForms] = {}
        forms = {}
        for table in (point.table for point in self.points):
            text = table.model_dump_json()
            if text not in found:
                found[text] = _closed_forms(text)
            forms[id(table)] = found[text]
        return forms

    @cached_property
    def _sampled(self) -> frozenset[int]:
        """Identities of the tables of all points that are sampled."""
        return frozenset(id(point.table) for unit in self.units for point in unit.points)

    def exactly(self, place: int) -> Unit:
        """What `enumerated` needs, here or in another process, of a point in ``exact``."""
        return Unit([self.exact[place]], self.study.seed, "")

    def is_rare(self, place: int) -> bool:
        """Whether a point in ``exact`` takes the road to rare events."""
        return place >= len(self.exact) - self.rare

    def asked(self, place: int) -> Asked:
        """What is asked of the rare road of a point in ``exact``."""
        stop, table = self.study.stop, self.exact[place].table
        always = table.method == "rare"
        known = frozenset[Any]() if always else frozenset(self.closed_forms[id(table)])
        relative = RELATIVE if stop.relative_error is None else stop.relative_error
        sampled = always or id(table) in self._sampled
        return Asked(self.study.seed, stop.trials, relative, always, known, sampled)

    def learn(self, place: int, found: Iterable[RareFound]) -> None:
        """Take what the exact or the rare road has given of a point in ``exact``."""
        point = self.exact[place]
        self.known[place] = [_row(self, point, *each[:3], how, each[3]) for how, each in found]
        if not self.is_rare(place) and id(point.table) not in self._sampled:
            self.known[place] += [
                _row(self, point, *each[:3], EXACT, each[3]) for each in point.compiled.not_exact()
            ]
        if self.is_rare(place) and point.table.method == "rare":
            self.known[place] += self._not_rare(place)

    def _not_rare(self, place: int) -> Iterator[Row]:
        """What is requested of a point whose method is "rare", and is no rare event."""
        point, rows = self.exact[place], self.known[place]
        given = {row.quantity for row in rows}
        known = given | {quantity for quantity, _, _ in self.closed_forms[id(point.table)]}
        left_out = [(name, "mean") for name in point.table.measure if name not in known]
        left_out += [
            (name, f"quantile({level!r})")
            for name in point.table.measure
            for level in point.table.quantiles
            if name in given and name != "exact"
        ]
        for quantity, statistic in left_out:
            nothing = Estimate(None, None, note=NOT_RARE)
            yield _row(self, point, quantity, statistic, None, EXACT, nothing)

    def remember(self, rows: Iterable[Mapping[str, Any]]) -> None:
        """Take the rows of rare roads and of worst cases from those of a file.

        They need not be found anew, which may take long.
        """
        searched = (*RARE, EXACT, LOWER_BOUND)
        kept = [
            Row.of(dict(row), stored_estimate(row)) for row in rows if row["method"] in searched
        ]
        for place, point in enumerate(self.exact):
            if self.is_rare(place) or point.compiled.exact_cost() == 0:
                own = point.experiment, point.sweep
                self.known[place] = [row for row in kept if (row.experiment, row.point) == own]

    def enumerate(self) -> None:
        """Enumerate every point in ``exact`` that was not."""
        for place in range(len(self.exact)):
            if place in self.known:
                continue
            unit = self.exactly(place)
            if self.is_rare(place):
                self.learn(place, sought(unit, self.asked(place), partial(rare_part, unit)))
            else:
                self.learn(place, enumerated(unit))

    def describe(self) -> list[dict[str, Any]]:
        """How each point is measured: its kernel, and what counts as exact."""
        return [
            {"experiment": point.experiment, "point": point.sweep} | point.compiled.describe()
            for point in self.points
        ]

    def places(self) -> list[list[Place]]:
        """Whose raw samples each unit has, point by point, and what they are."""
        return [
            [Place(p.experiment, p.sweep, p.compiled.SAMPLES) for p in unit.points]
            for unit in self.units
        ]

    def rows(self, stored: Sequence[StoredUnit], *, so_far: bool = False) -> list[Row]:
        """All rows: enumerated, sampled so far, and closed forms.

        ``so_far``: what was not enumerated yet is left out.
        """
        if not so_far:
            self.enumerate()
        exact = [row for place in sorted(self.known) for row in self.known[place]]
        ratios = _exact_ratio_rows(self.study, self.exact, exact)
        sampled = [
            row
            for unit, own in zip(self.units, stored, strict=True)
            for row in _rows_of_unit(self, unit, own)
        ]
        rows = [*exact, *ratios, *sampled, *_theory_rows(self, self.points)]
        return sorted(rows, key=self._place)

    def rows_of(
        self, place: int, exact: int | None, number: int | None, stored: StoredUnit | None
    ) -> list[Row]:
        """All rows of the point in ``points`` at a place, in the order of `rows`.

        ``exact`` is its place in ``exact``, None where it is not enumerated; ``number`` that in
        ``units`` of the unit that samples it alone, with what is ``stored`` of it; both are None
        where it is not sampled.
        """
        rows = [] if exact is None else list(self.known[exact])
        if number is not None and stored is not None:
            rows += _rows_of_unit(self, self.units[number], stored)
        return [*rows, *_theory_rows(self, [self.points[place]])]

    def _place(self, row: Row) -> tuple[int, int]:
        """Where the study has a row: its experiment, ratios after all of them, and its point."""
        names, sweeps = self._places
        return names[row.experiment], sweeps[row.experiment, json.dumps(row.point)]

    @cached_property
    def _places(self) -> tuple[dict[str, int], dict[tuple[str, str], int]]:
        """Places of experiments and ratios by name, and of points by experiment and sweep."""
        points = self.study.points()
        sweeps = [(point.experiment, json.dumps(point.sweep)) for point in points]
        for a, b in self.study.ratio:
            sweeps += [(f"{a}/{b}", sweep) for name, sweep in sweeps if name == a]
        return _numbered(name for name, _ in sweeps), _numbered(sweeps)


def enumerated(unit: Unit) -> list[RareFound]:
    """What the exact road gives of a unit's one point; may run in another process."""
    [point] = unit.points
    found = list(point.compiled.exact_rows())
    # asked for afterwards: a search for the worst may have known better
    method = point.compiled.exact_method()
    return [(method, each) for each in found]


def sought(unit: Unit, asked: Asked, sampling: Sampling) -> list[RareFound]:
    """What the rare road gives of a unit's one point."""
    [point] = unit.points
    road = point.compiled.rare_road()
    assert road is not None
    return list(road.rows(asked, sampling))


def rare_part(unit: Unit, event: int, first: int, islands: int) -> NDArray[np.float64]:
    """What islands of one event of a unit's one point give; may run in another process."""
    [point] = unit.points
    road = point.compiled.rare_road()
    assert road is not None
    return road.part(event, unit.seed, first, islands)


def name_of(unit: Unit) -> str:
    """What people call a unit: its point, or the number of its points."""
    return called([(point.experiment, point.sweep) for point in unit.points])


def called(points: Sequence[tuple[str, Mapping[str, Any]]]) -> str:
    """What people call points, of each its experiment and swept values: one, or their number."""
    if len(points) > 1:
        return f"{len(points)} points together"
    [(experiment, sweep)] = points
    swept = ", ".join(f"{key}={value}" for key, value in sweep.items())
    return f"{experiment} {swept}".strip()


def _numbered(names: Iterable[T]) -> dict[T, int]:
    return {name: place for place, name in enumerate(dict.fromkeys(names))}


def _why_not_exact(study: Study, point: Point, needed: int | None) -> str | None:
    """Why ``auto`` does not take the exact road: None where it does, empty if there is none ever.

    ``needed`` is the number of patterns that it takes, None where there is no such road.
    """
    if needed is None:
        return point.compiled.obstacle()
    if study.common_random_numbers:
        return "exact road not taken: common random numbers"
    if needed <= study.stop.trials:
        return None
    seconds = point.compiled.exact_seconds(needed)
    if seconds <= CHEAP_SECONDS:
        return None
    return f"exact road not taken: {needed} patterns, about {seconds:.2g} s"


def _is_known(point: Point) -> bool:
    """Whether all that a point is asked for is known exactly without enumeration."""
    if point.compiled.rare_road() is None:
        return False
    known = _closed_forms(point.table.model_dump_json())
    return not point.compiled.needs_trials(known)


def _left_out(point: Point) -> dict[str, str]:
    """Quantities of which the exact method leaves something out, and why."""
    found: dict[str, str] = {}
    for quantity, _, _, estimate in point.compiled.not_exact():
        found.setdefault(quantity, estimate.note or "")
    return found


def _require_exact(study: Study, point: Point) -> None:
    """Complain before anything runs where there is no exact road."""
    if point.compiled.exact_cost() is None:
        try:
            next(point.compiled.exact_rows())
        except FastgcError as problem:
            place = f"{study.where}: experiment.{point.experiment}"
            raise FastgcError(f"{place}.{problem}") from None


def _require_rare(study: Study, point: Point) -> None:
    """Complain before anything runs where there is no rare road."""
    if point.compiled.rare_road() is None:
        raise FastgcError(
            f'{study.where}: experiment.{point.experiment}.method: "rare" is for '
            f'{point.compiled.RARE}; use "auto" or "monte-carlo"'
        )


def _row(
    plan: Plan,
    point: Point,
    quantity: str,
    statistic: str,
    index: int | str | None,
    method: str,
    estimate: Estimate,
) -> Row:
    """One road's row, beside the closed form if there is one."""
    theory = plan.closed_forms[id(point.table)]
    value, claim = theory.get((quantity, statistic, index), (None, None))
    unit = point.table.unit(quantity, statistic)
    named = point.experiment, point.sweep, quantity, statistic, index, method
    return Row(*named, estimate, value, claim, unit, partitions=point.compiled.partitions)


def _exact_ratio_rows(study: Study, exact: Sequence[Point], rows: Sequence[Row]) -> Iterator[Row]:
    """Ratios of means that are both known exactly."""
    first = {point.experiment: point.table.measure[0] for point in exact}
    means = [
        row
        for row in rows
        if (row.quantity, row.statistic, row.index) == (first[row.experiment], "mean", None)
    ]
    for a, b in study.ratio:
        for upper in means:
            for lower in means:
                if (upper.experiment, lower.experiment) == (a, b) and upper.point == lower.point:
                    ratio = _quotient(upper.estimate.value, lower.estimate.value)
                    ratio = _of_partitions(
                        ratio, upper.quantity, upper.partitions, lower.partitions
                    )
                    named = f"{a}/{b}", upper.point, upper.quantity, RATIO, None, upper.method
                    yield Row(*named, ratio, unit="1")


def _of_partitions(
    ratio: Estimate, quantity: str, upper: int | None, lower: int | None
) -> Estimate:
    """Say how many partitions two codes have, where the ratio of their errors depends on it."""
    if upper == lower or growth(quantity, "mean") == 0:
        return ratio
    return ratio.noting(f"of codes with {upper} and {lower} partitions")


def _quotient(upper: float | None, lower: float | None) -> Estimate:
    if upper is None or lower is None:
        return Estimate(None, None, note="infinite, or of nothing")
    if lower == 0:
        return Estimate(None, None, note="the second mean is 0")
    return Estimate(upper / lower, 0.0)


def _rows_of_unit(plan: Plan, unit: Unit, stored: StoredUnit) -> Iterator[Row]:
    """What was sampled of a unit so far, with ratios between its points."""
    tally = stored.total()
    if not tally.trials:
        return
    reasons = {table: dict(own) for table, own in plan.reasons.items()}
    for point, quantity, statistic, index, estimate in unit.rows(tally):
        if statistic == "mean" and quantity in reasons.get(id(point.table), ()):
            # said once
            estimate = estimate.noting(reasons[id(point.table)].pop(quantity))
        yield _row(plan, point, quantity, statistic, index, MONTE_CARLO, estimate)
    yield from _ratio_rows(plan.study, unit, tally)


def _ratio_rows(study: Study, unit: Unit, tally: Tally) -> Iterator[Row]:
    """Ratios of mean values on common random numbers, at the points both experiments share."""
    if not unit.together:
        return
    for a, b in study.ratio:
        for i, upper in enumerate(unit.points):
            for j, lower in enumerate(unit.points):
                if (upper.experiment, lower.experiment) != (a, b) or upper.sweep != lower.sweep:
                    continue
                quantity = upper.table.measure[0]
                own = (each.compiled.partitions for each in (upper, lower))
                ratio = _of_partitions(unit.compare(tally, i, j, "ratio"), quantity, *own)
                named = f"{a}/{b}", upper.sweep, quantity, RATIO, None, MONTE_CARLO
                yield Row(*named, ratio, unit="1")


def _theory_rows(plan: Plan, points: Iterable[Point]) -> Iterator[Row]:
    """Closed forms as rows of their own road."""
    for point in points:
        forms = plan.closed_forms[id(point.table)]
        for (quantity, statistic, index), (value, _) in forms.items():
            if quantity in point.table.measure:
                exact = Estimate(value, 0.0)
                if value > 0:
                    exact = strata.not_surely_zero(exact)
                yield _row(plan, point, quantity, statistic, index, CLOSED_FORM, exact)


def _closed_forms(text: str) -> ClosedForms:
    """Every closed form that applies to a table, given as JSON."""
    return {
        (form.quantity, form.statistic, form.index): (form.value, form.claim)
        for form in closed_forms(json.loads(text))
    }
