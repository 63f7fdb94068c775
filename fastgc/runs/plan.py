"""What is asked of a run, and its methods: closed form, enumeration, Monte Carlo; their rows."""

import json
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

from fastgc.arrays import Values
from fastgc.engine.blocks import Precision
from fastgc.engine.units import Unit
from fastgc.errors import FastgcError
from fastgc.experiments.experiment import by_cost
from fastgc.experiments.methods import ExactMethod, Method, MethodRow, RareRequest, Statistic
from fastgc.experiments.table import Point
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
from fastgc.results.stored import StoredUnit
from fastgc.statistics import estimates
from fastgc.statistics.estimates import Estimate
from fastgc.statistics.tallies import Tally
from fastgc.study.printed_numbers import compared
from fastgc.study.study import Stop, Study
from fastgc.theory import closed_forms

RATIO = "ratio"
NOT_RARE = 'method = "rare" gives probabilities of events alone; "auto" gives the rest, too'
#: What takes so long is enumerated however few trials are asked for.
CHEAP_SECONDS = 2.0

#: What may be measured.
StudySource = Study | Mapping[str, Any] | str | Path
#: Value and claim by (quantity, statistic, index).
ClosedForms = dict[tuple[str, str, int | str | None], tuple[float, str | None]]


class KnownPoint(NamedTuple):
    """A point known without plain sampling, by one of its methods."""

    point: Point
    method: Method


@dataclass(frozen=True)
class Plan:
    """The methods that a study takes: points known without sampling, and units that are sampled.

    ``reasons`` says why points are sampled that have ``method = "auto"``, by their tables'
    identities and the quantity that is to say it. ``found`` has the rows of the entries of
    ``known`` that are done, by their place.
    """

    study: Study
    points: tuple[Point, ...]
    known: tuple[KnownPoint, ...]
    units: tuple[Unit, ...]
    reasons: Mapping[int, Mapping[str, str]]
    found: dict[int, list[Row]] = field(default_factory=dict)

    @classmethod
    def of(cls, study: Study, sampled_before: Container[str] = ()) -> "Plan":
        """Choose each point's methods.

        ``auto`` enumerates where that takes no more patterns than the trials asked for, or less
        than some 2 seconds; points on common random numbers are always sampled, and so are those
        of which a file already holds trials (``sampled_before`` has their keys). Where points are
        sampled, it also looks for events that are too rare to be seen so; it draws no trial where
        theory and these methods give all that is requested, exactly. A point of which the
        exact method leaves something out is sampled as well.
        """
        known, units = list[KnownPoint](), list[Unit]()
        reasons = dict[int, Mapping[str, str]]()
        points = tuple(study.points())
        for point in points:
            unit = Unit([point], study.seed, study.canonical(point))
            methods, is_sampled, why = _choice(study, point, is_new=unit.key not in sampled_before)
            known += [KnownPoint(point, each) for each in methods]
            units += [unit] if is_sampled else []
            if why:
                reasons[id(point.table)] = why
        known.sort(key=lambda each: each.method.in_parts)
        if study.common_random_numbers and units:
            together = [point for unit in units for point in unit.points]
            units = [Unit(together, study.seed, "common", together=True)]
        return cls(study, points, tuple(known), tuple(units), reasons)

    @cached_property
    def closed_forms(self) -> dict[int, ClosedForms]:
        """Every point's closed forms, by its table's identity: found once, shown often."""
        texts = {id(point.table): point.table.model_dump_json() for point in self.points}
        forms = {text: _closed_forms(text) for text in dict.fromkeys(texts.values())}
        return {table: forms[text] for table, text in texts.items()}

    def alone(self, place: int) -> Unit:
        """What `exact_rows` and `rare_part` need of an entry of ``known``, in any process."""
        return Unit([self.known[place].point], self.study.seed, "")

    def asked(self, place: int) -> RareRequest:
        """What is asked of the method of an entry of ``known``."""
        stop, table = self.study.stop, self.known[place].point.table
        always = table.method == "rare"
        known = frozenset[Any]() if always else frozenset(self.closed_forms[id(table)])
        relative = RareRequest.relative if stop.relative_error is None else stop.relative_error
        sampled = always or id(table) in self._where[1]
        return RareRequest(self.study.seed, stop.trials, relative, always, known, sampled)

    def learn(self, place: int, found: Iterable[MethodRow]) -> None:
        """Take what an entry of ``known`` has given."""
        point, method = self.known[place]
        rows = [_row(self, point, own, how) for how, own in found]
        if isinstance(method, ExactMethod) and id(point.table) not in self._where[1]:
            rows += [_row(self, point, own, EXACT) for own in method.left_out()]
        if point.table.method == "rare" and method.in_parts:  # the rest of what is requested
            given = {row.quantity for row in rows}
            known = given | {quantity for quantity, _, _ in self.closed_forms[id(point.table)]}
            wanted = [(name, "mean") for name in point.table.measure if name not in known]
            wanted += [
                (name, f"quantile({level!r})")
                for name in point.table.measure
                for level in point.table.quantiles
                if name in given and name != "exact"
            ]
            nothing = Estimate(None, None, note=NOT_RARE)
            rows += [_row(self, point, (*each, None, nothing), EXACT) for each in wanted]
        self.found[place] = rows

    def remember(self, rows: Iterable[Mapping[str, Any]]) -> None:
        """Take the rows of rare events and of worst cases from those of a file.

        They need not be found anew, which may take long.
        """
        searched = (*RARE, EXACT, LOWER_BOUND)
        kept = [
            Row.of(dict(row), stored_estimate(row)) for row in rows if row["method"] in searched
        ]
        for place, (point, method) in enumerate(self.known):
            if method.in_parts or method.is_worst_case:
                own = point.experiment, point.sweep
                self.found[place] = [row for row in kept if (row.experiment, row.point) == own]

    def find(self, place: int, trials: int | None = None) -> None:
        """Find what an entry of ``known`` gives; rare events by at most so many trials."""
        asked = self.asked(place)
        asked = replace(asked, trials=asked.trials if trials is None else trials)
        sampling = partial(rare_part, self.alone(place))
        self.learn(place, self.known[place].method.rows(asked, sampling))

    def enumerate(self) -> None:
        """Find what every entry of ``known`` gives that was not found yet."""
        for place in range(len(self.known)):
            if place not in self.found:
                self.find(place)

    def describe(self) -> list[dict[str, Any]]:
        """How each point is measured: its kernel, and what counts as exact."""
        return [
            {"experiment": point.experiment, "point": point.sweep} | point.compiled.describe()
            for point in self.points
        ]

    def rows(self, stored: Sequence[StoredUnit], *, so_far: bool = False) -> list[Row]:
        """All rows: enumerated, sampled so far, and closed forms.

        ``so_far``: what was not enumerated yet is left out.
        """
        if not so_far:
            self.enumerate()
        exact = [row for place in sorted(self.found) for row in self.found[place]]
        ratios = _exact_ratios(self.study, exact)
        sampled = [
            row
            for unit, own in zip(self.units, stored, strict=True)
            for row in _unit_rows(self, unit, own)
        ]
        rows = [*exact, *ratios, *sampled, *_theory_rows(self, self.points)]
        places = self._places
        rows.sort(key=lambda row: places[row.experiment, json.dumps(row.point)])
        return compared(self.study.printed, rows)

    def point_rows(self, point: Point, stored: Sequence[StoredUnit]) -> list[Row]:
        """All rows of a point that shares no trials, in the order of `rows`."""
        known, units = self._where
        place, number = known.get(id(point.table)), units.get(id(point.table))
        rows = [] if place is None else list(self.found[place])
        if number is not None:
            rows += _unit_rows(self, self.units[number], stored[number])
        return [*rows, *_theory_rows(self, [point])]

    @cached_property
    def _where(self) -> tuple[dict[int, int], dict[int, int]]:
        units = {id(p.table): i for i, unit in enumerate(self.units) for p in unit.points}
        return {id(each.point.table): place for place, each in enumerate(self.known)}, units

    @cached_property
    def _places(self) -> dict[tuple[str, str], int]:
        # of experiments and sweeps, point by point; ratios come after all of them
        sweeps = [(point.experiment, json.dumps(point.sweep)) for point in self.study.points()]
        for a, b in self.study.ratio:
            sweeps += [(f"{a}/{b}", sweep) for name, sweep in sweeps if name == a]
        return {sweep: place for place, sweep in enumerate(dict.fromkeys(sweeps))}


def exact_rows(unit: Unit) -> list[MethodRow]:
    """What the exact method gives of a unit's one point; may run in another process."""
    return unit.compiled[0].exact_method.rows()


def rare_part(unit: Unit, event: int, first: int, islands: int) -> Values:
    """What islands of one event of a unit's one point give; may run in another process."""
    [point] = unit.points
    method = point.compiled.rare_method
    assert method is not None
    return method.part(event, unit.seed, first, islands)


def stop_rules(units: Iterable[StoredUnit]) -> str:
    """Which rules have stopped units; "enumeration" where nothing was sampled."""
    stopped = dict.fromkeys(unit.stopped_by for unit in units if unit.stopped_by)
    return ", ".join(stopped) or "enumeration"


def unit_name(unit: Unit) -> str:
    """What people call a unit: its point, or the number of its points."""
    return called([(point.experiment, point.sweep) for point in unit.points])


def called(points: Sequence[tuple[str, Mapping[str, Any]]]) -> str:
    """What people call points, of each its experiment and swept values: one, or their number."""
    if len(points) > 1:
        return f"{len(points)} points together"
    [(experiment, sweep)] = points
    swept = ", ".join(f"{key}={value}" for key, value in sweep.items())
    return f"{experiment} {swept}".strip()


def _choice(
    study: Study, point: Point, *, is_new: bool
) -> tuple[Sequence[Method], bool, Mapping[str, str]]:
    # its methods, whether it is sampled, and why, by the quantity that is to say it
    own, wanted = point.compiled, point.table.method
    exact = own.exact_method
    place = f"{study.where}: experiment.{point.experiment}"
    if wanted in ("exact", "both") or exact.is_worst_case:
        if exact.why_not is not None:
            raise FastgcError(f"{place}.{exact.refusal()}")
        return [exact], wanted == "both" and not exact.is_worst_case, {}
    if wanted == "rare":
        if own.rare_method is None:
            only = f'"rare" is for {own.RARE}; use "auto" or "monte-carlo"'
            raise FastgcError(f"{place}.method: {only}")
        return [own.rare_method], False, {}
    if wanted == "monte-carlo" or study.common_random_numbers:
        why = exact.why_not if wanted == "auto" else ""
        why = "exact method not taken: common random numbers" if why is None else why
        return [], True, {point.table.measure[0]: why} if why else {}
    methods, why = by_cost([own], CHEAP_SECONDS, study.stop.trials)
    if why is None:
        left_out: dict[str, str] = {}
        for quantity, _, _, estimate in exact.left_out():
            left_out.setdefault(quantity, estimate.note or "")
        return methods, bool(left_out) or not is_new, left_out
    # theory and the method for rare events may know all that the point is asked for
    forms = _closed_forms(point.table.model_dump_json()) if is_new and methods else {}
    is_known = is_new and any(each.gives_all(forms) for each in methods)
    return methods, not is_known, {point.table.measure[0]: why} if why else {}


def _row(plan: Plan, point: Point, found: Statistic, method: str) -> Row:
    quantity, statistic, index, estimate = found
    theory = plan.closed_forms[id(point.table)]
    value, claim = theory.get((quantity, statistic, index), (None, None))
    unit = point.table.unit(quantity, statistic)
    named = point.experiment, point.sweep, quantity, statistic, index, method
    return Row(*named, estimate, value, claim, unit, partitions=point.compiled.partitions)


def _pairs(study: Study, of: Sequence[Row] | Sequence[Point]) -> Iterator[tuple[str, int, int]]:
    """Ratios' names, and places of what they are of: at the points both experiments share."""
    known = [(each.experiment, each.point if isinstance(each, Row) else each.sweep) for each in of]
    for a, b in study.ratio:
        for i, (upper, point) in enumerate(known):
            for j, lower in enumerate(known):
                if upper == a and lower == (b, point):
                    yield f"{a}/{b}", i, j


def _ratio_row(
    named: tuple[str, dict[str, Any], str, str, None, str], ratio: Estimate, *of: int | None
) -> Row:
    """The row of a ratio ``of`` codes with so many partitions."""
    if of[0] != of[1] and growth(named[2], "mean") != 0:
        ratio = ratio.noting(f"of codes with {of[0]} and {of[1]} partitions")
    return Row(*named, ratio, unit="1")


def _exact_ratios(study: Study, rows: Sequence[Row]) -> Iterator[Row]:
    if not study.ratio:
        return
    first = {point.experiment: point.table.measure[0] for point in study.points()}
    means = [
        row
        for row in rows
        if (row.quantity, row.statistic, row.index) == (first[row.experiment], "mean", None)
    ]
    for name, i, j in _pairs(study, means):
        upper, lower = means[i], means[j]
        a, b = upper.estimate.value, lower.estimate.value
        if a is None or b is None:
            ratio = Estimate(None, None, note="infinite, or of nothing")
        elif b == 0:
            ratio = Estimate(None, None, note="the second mean is 0")
        else:
            ratio = Estimate(a / b, 0.0)
        named = name, upper.point, upper.quantity, RATIO, None, upper.method
        yield _ratio_row(named, ratio, upper.partitions, lower.partitions)


def _unit_rows(plan: Plan, unit: Unit, stored: StoredUnit) -> Iterator[Row]:
    tally = stored.total()
    if not tally.trials:
        return
    reasons = {id(each.table): dict(plan.reasons.get(id(each.table), ())) for each in unit.points}
    for point, quantity, statistic, index, estimate in unit.rows(tally):
        if statistic == "mean" and quantity in reasons.get(id(point.table), ()):
            # said once
            estimate = estimate.noting(reasons[id(point.table)].pop(quantity))
        yield _row(plan, point, (quantity, statistic, index, estimate), MONTE_CARLO)
    for name, i, j in _pairs(plan.study, unit.points) if unit.together else ():
        upper, lower = unit.points[i], unit.points[j]
        named = name, upper.sweep, upper.table.measure[0], RATIO, None, MONTE_CARLO
        partitions = upper.compiled.partitions, lower.compiled.partitions
        yield _ratio_row(named, unit.compare(tally, i, j, "ratio"), *partitions)


def _theory_rows(plan: Plan, points: Iterable[Point]) -> Iterator[Row]:
    for point in points:
        forms = plan.closed_forms[id(point.table)]
        for (quantity, statistic, index), (value, _) in forms.items():
            if quantity in point.table.measure:
                exact = Estimate(value, 0.0)
                if value > 0:
                    exact = estimates.not_surely_zero(exact)
                yield _row(plan, point, (quantity, statistic, index, exact), CLOSED_FORM)


def _closed_forms(text: str) -> ClosedForms:
    return {
        (form.quantity, form.statistic, form.index): (form.value, form.claim)
        for form in closed_forms(json.loads(text))
    }


def precision_rule(stop: Stop) -> Precision | None:
    """Return the rule that looks at precision, if a study has one."""
    if stop.relative_error is None and stop.absolute_error is None:
        return None
    return Precision(least_certain, stop.relative_error, stop.absolute_error, stop.events)


def least_certain(unit: Unit, tally: Tally) -> Estimate:
    """Mean of the first measure; of several points or entries the least certain one."""
    known = [each for each in unit.firsts(tally) if each.value]
    return max(
        known,
        key=lambda each: (each.standard_error or 0.0) / abs(each.value or 1.0),
        default=Estimate(None, None),
    )
