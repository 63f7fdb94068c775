"""What a run's file is held against: units from its study, rows anew from its tallies."""

import json
from collections.abc import Sequence
from typing import Any

from fastgc.errors import StudyError
from fastgc.results.stored import StoredUnit
from fastgc.runs.plan import Plan, name_of
from fastgc.runs.recomputing import Audit
from fastgc.study.study import Study


def of_run(audit: Audit) -> None:
    """Give an audit the units and rows that the study in its file has today."""
    stored = audit.stored
    try:
        study = Study.parse(stored.asked())
    except StudyError as problem:  # as of a part that is not installed here
        for own in stored.units:
            audit.stranger(_name(own.key), own, problem.complaints[0], wrong=False)
        audit.unchecked.append(f"{audit.rows} rows: {problem.complaints[0]}")
        return
    known = {unit.key: unit for unit in stored.units}
    plan = Plan.of(study, known)
    fitting = []
    for unit in plan.units:
        given = known.pop(unit.key, None)
        points = tuple(
            {"experiment": point.experiment, "point": dict(point.sweep)} for point in unit.points
        )
        if given is None:
            audit.says(f"{name_of(unit)}: the file has no tally of it")
        elif audit.add(name_of(unit), points, unit, given):
            fitting.append(given)
    for own in known.values():
        reason = "the study in the file has no such tally"
        audit.stranger(_name(own.key), own, reason, wrong=True)
    if study.identity() != stored.identity:
        audit.says("the study in the file is not the one that its tallies are of")
    if len(fitting) == len(plan.units):
        _rows(audit, plan, fitting)
    elif stored.rows:
        audit.unchecked.append(f"{audit.rows} rows: their tallies are not of this study")


def _name(key: str) -> str:
    """Return what can be said of a unit by its key alone."""
    try:
        found = json.JSONDecoder().raw_decode(key)[0]["experiment"]
    except (ValueError, TypeError, KeyError):
        return key.split(" ")[0]
    return str(found)


def _rows(audit: Audit, plan: Plan, units: Sequence[StoredUnit]) -> None:
    """Hold the file's rows against those that follow from its tallies, and exact ones anew."""
    again: dict[str, list[dict[str, Any]]] = {}
    for each in plan.rows(units):
        as_read = json.loads(json.dumps(each.as_dict()))
        again.setdefault(_address(as_read), []).append(as_read)
    strange = []
    for row in audit.stored.rows:
        same = again.get(_address(row))
        if same:
            audit.rows_compared += 1
            audit.hold_row(row, same.pop(0))
        else:
            strange.append(row)
    if audit.is_same_version:
        for row in strange:
            audit.of_row(row, f"{row['quantity']} {row['statistic']}: nothing gives such a row")
        for row in (row for rows in again.values() for row in rows):
            what = f"{row['quantity']} {row['statistic']} ({row['method']}): the file has no row"
            audit.of_row(row, what)
    elif strange:
        audit.unchecked.append(f"{len(strange)} rows: nothing here gives them")


def _address(row: dict[str, Any]) -> str:
    keys = ("experiment", "point", "quantity", "statistic", "index", "method")
    return json.dumps([row[key] for key in keys], sort_keys=True)
