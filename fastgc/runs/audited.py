"""What a run's file holds, made ready to be audited: its units from its study, its rows anew."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from fastgc.engine.units import Unit
from fastgc.errors import FastgcError, StudyError
from fastgc.registry.given import plain
from fastgc.results.stored import StoredRun, StoredUnit
from fastgc.runs.audit import (
    Exhibit,
    is_same_version,
    named,
    of_row,
    other_stream,
    row_difference,
    subject,
)
from fastgc.runs.plan import Plan
from fastgc.runs.recomputing import Difference, Subject
from fastgc.study.study import Study, members_of


def of_run(stored: StoredRun) -> Exhibit:
    """Make the file of a run ready to be audited."""
    exhibit = Exhibit(rows=len(stored.rows))
    data = stored.asked()
    study, missing = _study(data, exhibit)
    known = {unit.key: unit for unit in stored.units}
    plan = None if study is None else Plan.of(study, known)
    stands_in = {} if plan is None else _units(plan, stored, known, exhibit)
    is_whole = study is not None and not missing
    for unit in stored.units:
        if unit.key not in stands_in:
            _stranger(unit, stored, exhibit, is_whole=is_whole)
    if study is not None:
        if is_whole and study.identity() != stored.identity:
            _says(stored, exhibit, "the study in the file is not the one that its tallies are of")
        _copies(data, study, exhibit)
    if plan is not None and len(stands_in) == len(plan.units):
        _rows(plan, list(stands_in.values()), stored, exhibit, is_whole=is_whole)
    elif stored.rows:
        exhibit.unchecked.append(f"{len(stored.rows)} rows: their tallies are not of this study")
    return exhibit


def _study(data: dict[str, Any], exhibit: Exhibit) -> tuple[Study | None, list[str]]:
    """Check the study in a file: where it has parts that are not installed here, without them.

    ``data`` keeps what is left; also returns the names of the experiments that were left out.
    """
    try:
        return Study.parse(data), []
    except StudyError as problem:
        whole = problem
    tables = data.get("experiment")
    if not isinstance(tables, list) or data.get("common_random_numbers"):
        exhibit.unchecked.append(f"all blocks and rows: {whole.complaints[0]}")
        return None, ["all"]
    sound, missing = [], []
    for i, given in enumerate(tables):
        table = {"name": f"experiment{i + 1}"} | given
        try:
            Study.parse({**data, "experiment": [table]})
            sound.append(table)
        except StudyError as problem:
            missing.append(table["name"])
            exhibit.unchecked.append(f"experiment {table['name']}: {problem.complaints[0]}")
    data["experiment"] = sound
    return (Study.parse(data) if sound else None), missing


def _units(
    plan: Plan, stored: StoredRun, known: dict[str, StoredUnit], exhibit: Exhibit
) -> dict[str, StoredUnit]:
    """Find the file's units among the study's; return those whose tallies have the right form."""
    found = {}
    for unit in plan.units:
        own = known.get(unit.key)
        points = _points(unit)
        if own is None:
            _says(stored, exhibit, f"{named(points)}: the file has no tally of it")
        elif subject(named(points), points, unit, own, stored, exhibit):
            found[unit.key] = own
        else:
            known.pop(unit.key)
    return found


def _points(unit: Unit) -> tuple[dict[str, Any], ...]:
    return tuple(
        {"experiment": point.experiment, "point": dict(point.sweep)} for point in unit.points
    )


def _stranger(unit: StoredUnit, stored: StoredRun, exhibit: Exhibit, *, is_whole: bool) -> None:
    """Say of a unit that the study does not have why it is not checked."""
    if any(each.stored is unit for each in exhibit.subjects):
        return
    name = _name(unit.key)
    reason = other_stream(stored) or (
        "the study in the file has no such tally" if is_whole else "its experiment is left out"
    )
    exhibit.subjects.append(Subject(name, (), unit, None, reason))
    if is_whole and is_same_version(stored) and not other_stream(stored):
        exhibit.differences.append(Difference(name, (), reason))


def _name(key: str) -> str:
    """Return what can be said of a unit by its key alone."""
    try:
        found = json.JSONDecoder().raw_decode(key)[0]["experiment"]
    except (ValueError, TypeError, KeyError):
        return key.split(" ")[0]
    return str(found)


def _says(stored: StoredRun, exhibit: Exhibit, what: str) -> None:
    """Count as a difference what another version may say otherwise in all honesty."""
    if is_same_version(stored):
        exhibit.differences.append(Difference("study", (), what))
    else:
        version = stored.provenance.get("fastgc")
        exhibit.unchecked.append(f"{what}; the file is of fastgc {version}")


def _copies(data: dict[str, Any], study: Study, exhibit: Exhibit) -> None:
    """Say which files that the study names are no more what they were: their copies are used."""
    carried = _files(study)
    for name in study.files:
        content = carried.get(name)
        if content is None or _is_description(content):
            continue
        rest = {other: text for other, text in study.files.items() if other != name}
        try:
            now = _files(Study.parse(data | {"files": rest}))
        except FastgcError:
            state = "is not here, or cannot be read"
        else:
            if now.get(name) == content:
                continue
            state = "has changed since"
        exhibit.remarks.append(f"{name} {state}; the copy in the file was used")


def _is_description(content: Any) -> bool:
    """Whether the file has of large data only what they were: sampling tells if they still are."""
    return isinstance(content, dict) and isinstance(content.get("samples"), int)


def _files(study: Study) -> dict[str, Any]:
    """Return the content of every file that a study has read, by name."""
    found: dict[str, Any] = {}
    for point in study.points():
        for _, members in members_of(point.table):
            for member in members:
                found |= member.files()
    content: dict[str, Any] = plain(found)[0]
    return content


def _rows(
    plan: Plan,
    units: Sequence[StoredUnit],
    stored: StoredRun,
    exhibit: Exhibit,
    *,
    is_whole: bool,
) -> None:
    """Hold the file's rows against those that follow from its tallies, and exact ones anew."""
    again: dict[str, list[dict[str, Any]]] = {}
    for each in plan.rows(units):
        as_read = json.loads(json.dumps(each.as_dict()))
        again.setdefault(_address(as_read), []).append(as_read)
    strange = 0
    for row in stored.rows:
        same = again.get(_address(row))
        if not same:
            strange += 1
            if is_whole and is_same_version(stored):
                what = f"{row['quantity']} {row['statistic']}: nothing gives such a row"
                exhibit.differences.append(of_row(row, what))
            continue
        exhibit.compared += 1
        found = row_difference(row, same.pop(0))
        if found is not None:
            exhibit.differences.append(found)
    if strange and not (is_whole and is_same_version(stored)):
        exhibit.unchecked.append(f"{strange} rows: nothing here gives them")
    left = [row for rows in again.values() for row in rows]
    if left and is_same_version(stored):
        for row in left:
            what = f"{row['quantity']} {row['statistic']} ({row['method']}): the file has no row"
            exhibit.differences.append(of_row(row, what))


def _address(row: dict[str, Any]) -> str:
    keys = ("experiment", "point", "quantity", "statistic", "index", "method")
    return json.dumps([row[key] for key in keys], sort_keys=True)
