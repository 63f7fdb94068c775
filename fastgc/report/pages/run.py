"""The page on a run: what was asked, the answer, pictures, numbers, and how to repeat it."""

from __future__ import annotations

import copy
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from fastgc.registry.numbers import spaced
from fastgc.report import wording
from fastgc.report.columns import distinct
from fastgc.report.document import Block, Cell, Document, Items, Number, Paragraph, Section, Table
from fastgc.report.pages import parts, words
from fastgc.report.pages.answers import answers, interval, partitions_of
from fastgc.report.pages.parts import Measured, drawn
from fastgc.report.pages.words import Data, setting
from fastgc.report.tables import STEPS, spread
from fastgc.results.rows import (
    CLOSED_FORM,
    DESCENDING_CHAIN,
    ENUMERATION,
    ENUMERATION_BOUNDS,
    EXACT,
    LOWER_BOUND,
    MONTE_CARLO,
    UNION_SAMPLING,
)
from fastgc.study.study import Study

#: Said in the sentence around them, or only of interest to whoever repeats the study.
_SAID = ("name", "kind", "measure", "quantiles", "thresholds", "method", "sweep")
_FEW = 4  # values of a swept key that are all said


def asked(study: Study) -> list[str]:
    """Return a sentence on each experiment."""
    said = []
    for data in study.experiment:
        points = [point for point in study.points() if point.experiment == data["name"]]
        swept = {
            key: distinct(point.sweep[key] for point in points if key in point.sweep)
            for key in dict.fromkeys(key for point in points for key in point.sweep)
        }
        measures = ", ".join(name.replace("_", " ") for name in points[0].table.measure)
        settings = wording.point(_settings(data, swept))
        sweep = "".join(f"; {_swept(key, values)}" for key, values in swept.items())
        said.append(f"{data['name']} ({data['kind']}): {measures} for {settings}{sweep}.")
    said += [f"The ratio of {first} to {second}." for first, second in study.ratio]
    return said


def _settings(data: Mapping[str, Any], swept: Iterable[str]) -> dict[str, Any]:
    """An experiment's own keys; dots stand for what is swept."""
    own = copy.deepcopy({key: value for key, value in data.items() if key not in _SAID})
    for path in swept:
        *above, last = path.split(".")
        inside: Any = own
        for key in above:
            inside = inside.setdefault(key, {}) if isinstance(inside, dict) else None
        if isinstance(inside, dict):
            inside[last] = "…"
    return own


def _swept(key: str, values: Sequence[Any]) -> str:
    if len(values) <= _FEW:
        return f"{key} = {', '.join(map(setting, values))}"
    return f"{key} = {setting(values[0])}, …, {setting(values[-1])} ({len(values)} values)"


#: Rows of one number, by the method on which it was reached.
Line = dict[str, Data]

#: Heads of the columns that each method has.
_COLUMNS = {
    EXACT: ["exact"],
    ENUMERATION: ["enumerated"],
    LOWER_BOUND: ["at least"],
    ENUMERATION_BOUNDS: ["enumerated in part", "bounds"],
    UNION_SAMPLING: ["union sampling", "95 % interval", "draws"],
    DESCENDING_CHAIN: ["descending chain", "95 % interval", "draws"],
    MONTE_CARLO: ["sampled", "95 % interval", "trials"],
    CLOSED_FORM: ["closed form"],
}

NO_BREAK = "\N{NO-BREAK SPACE}"

#: Beside a mean the ends of a sample say little; where there is none, they are what was asked.
_ENDS = ("minimum", "maximum")


def numbers(rows: Sequence[Data], kinds: dict[str, str], prefix: str = "") -> list[Section]:
    """Return a section for each experiment, with a table for each of its measures."""
    found = []
    for number, name in enumerate(dict.fromkeys(row["experiment"] for row in rows)):
        mine = [row for row in rows if row["experiment"] == name]
        blocks: list[Block] = []
        for what in dict.fromkeys(row["quantity"] for row in mine):
            own = [row for row in mine if row["quantity"] == what]
            blocks += _tables(own, name, kinds.get(name, ""))
        found.append(Section(f"{prefix}numbers-{number}", name, blocks))
    return found


def _tables(rows: Sequence[Data], name: str, kind: str) -> Iterator[Block]:
    """The numbers of one measure: where it lies first, then how far it spreads."""
    statistics = distinct(row["statistic"] for row in rows)
    if set(statistics) - set(_ENDS):
        statistics = [each for each in statistics if each not in _ENDS]
    places = [each for each in statistics if each != "variance"]
    for some in (places, ["variance"] if "variance" in statistics else []):
        own = [row for row in rows if row["statistic"] in some]
        if own:
            yield from _table(own, some, name, kind)


def _table(
    rows: Sequence[Data], statistics: Sequence[str], name: str, kind: str
) -> Iterator[Block]:
    """A line for each number, with all methods to it side by side."""
    shown = spread(rows, STEPS if statistics != ["variance"] else 0)
    keys = list(dict.fromkeys(key for row in shown for key in row["point"]))
    methods = [method for method in _COLUMNS if any(row["method"] == method for row in shown)]
    lines = sorted(_lines(shown), key=lambda line: _order(line, statistics))
    has_several = len({_what(line, kind) for line in lines}) > 1
    has_remarks = any(map(_remark, lines))
    heads = [*keys, *["number"] * has_several] or ["number"]
    cells = []
    for line in lines:
        first = next(iter(line.values()))
        point = [
            words.setting(first["point"][key]) if key in first["point"] else "" for key in keys
        ]
        names = [_what(line, kind)] * (has_several or not keys)
        values = [cell for method in methods for cell in _cells(line.get(method), method)]
        cells.append([*point, *names, *values, *[_remark(line)] * has_remarks])
    what = rows[0]["quantity"].replace("_", " ") if has_several else _what(lines[0], kind)
    unit = f", in {words.unit(shown[0])}" if words.unit(shown[0]) else ""
    values = [head for method in methods for head in _COLUMNS[method]]
    columns = [*heads, *values, *["remark"] * has_remarks]
    yield Table(f"{name}: {what}{unit}", columns, cells, len(heads))
    left = len({row["index"] for row in rows} - {row["index"] for row in shown})
    if left:
        yield Paragraph(f"{left} more entries stand in the file: fastgc show --csv.")


def _lines(rows: Sequence[Data]) -> list[Line]:
    """The rows of each number, by method."""
    found: dict[str, Line] = {}
    for row in rows:
        place = json.dumps([row["point"], row["statistic"], row["index"]])
        found.setdefault(place, {})[row["method"]] = row
    return list(found.values())


def _order(line: Line, statistics: Sequence[str]) -> int:
    """Each statistic by itself, as the study asks for them; within it the file's order."""
    return statistics.index(next(iter(line.values()))["statistic"])


def _cells(row: Data | None, method: str) -> list[Cell]:
    columns = len(_COLUMNS[method])
    if row is None:
        return [""] * columns
    trials = spaced(row["trials"] or 0).replace(" ", NO_BREAK)
    cells = [Number(row["value"], row["standard_error"]), interval(row), trials]
    return cells[:columns]


def _what(line: Line, kind: str) -> str:
    return words.quantity(next(iter(line.values())), kind)


def _remark(line: Line) -> str:
    notes = [row.get("note") for row in line.values()]
    notes += [row["claim"] for method, row in line.items() if method == CLOSED_FORM]
    return ", ".join(dict.fromkeys(note for note in notes if note))


_COMMANDS = ("fastgc run study.toml -o result.h5", "fastgc report result.h5 -o page.html")


def of_run(measured: Measured) -> Document:
    """Return the page on a run."""
    return Document(
        _title(measured),
        [parts.measured_with([measured])],
        [
            *sections(measured),
            parts.how_measured([measured]),
            parts.repeat(_COMMANDS, "" if measured.study is None else measured.study.text()),
        ],
    )


def sections(measured: Measured, prefix: str = "") -> list[Section]:
    """Return the question, the answer, the pictures and the numbers of a run."""
    rows = measured.result.rows()
    found = [] if measured.study is None else asked(measured.study)
    said: list[Block] = [Items(answer(measured))] if rows else []
    if not measured.result.complete:
        said.insert(
            0, Paragraph("The run is not complete: what stands here is what it has so far.")
        )
    pictures = drawn(measured.result)
    return [
        Section(f"{prefix}asked", "What was asked", [Items(found)]),
        Section(f"{prefix}answer", "The answer", said or [Paragraph("Nothing is measured yet.")]),
        *([Section(f"{prefix}pictures", "Pictures", pictures)] if pictures else []),
        Section(f"{prefix}numbers", "The numbers", numbers(rows, _kinds(measured), prefix)),
    ]


def answer(measured: Measured) -> list[str]:
    """Return what a run says, in sentences."""
    result = measured.result
    return answers(result.rows(), _kinds(measured), partitions_of(result.entries))


def _kinds(measured: Measured) -> dict[str, str]:
    """Return the kind of each experiment by its name."""
    study = measured.study
    return {} if study is None else {each["name"]: each["kind"] for each in study.experiment}


def _title(measured: Measured) -> str:
    path = measured.result.path
    return measured.result.title or ("A run" if path is None else path.name)
