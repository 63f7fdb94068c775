"""The pages on a run, a ranking, an advice and a measurement: asked, answered, in numbers."""

import copy
import json
import tomllib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from fastgc.report import advised, printed, ranking, wording
from fastgc.report.document import Block, Code, Document, Interval, Items, Paragraph, Section
from fastgc.report.measurement import decoded, following, remarks, subject, times
from fastgc.report.pages import parts
from fastgc.report.pages.answers import answers, partitions_of
from fastgc.report.pages.parts import Measured, drawn
from fastgc.report.tables import as_blocks
from fastgc.report.text import distinct
from fastgc.report.wording import setting
from fastgc.results.advised import Advice
from fastgc.results.measurements import Measurement
from fastgc.results.ranking import Ranking
from fastgc.study.study import Study
from fastgc.version import __version__

#: Said in the sentence around them, or only needed to repeat the study.
_SAID = ("name", "kind", "measure", "quantiles", "thresholds", "method", "sweep")
#: Keys of an experiment that say under which laws, and on what, its system works.
_LAWS = ("latency", "stragglers", "problem")
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
        sweep = ""
        for key, values in swept.items():
            all_of = ", ".join(map(setting, values))
            if len(values) > _FEW:
                all_of = f"{setting(values[0])}, …, {setting(values[-1])} ({len(values)} values)"
            sweep += f"; {key} = {all_of}"
        said.append(f"{data['name']} ({data['kind']}): {measures} for {settings}{sweep}.")
    said += [f"The ratio of {first} to {second}." for first, second in study.ratio]
    return said


def _jobs(study: Study) -> dict[str, str]:
    """Return the laws, the problem and the work of each experiment, but for what is swept."""
    found = {}
    for data in study.experiment:
        points = [point for point in study.points() if point.experiment == data["name"]]
        own = _settings(data, (key for point in points for key in point.sweep))
        system, work = own.get("system"), own.get("work", 1)
        if isinstance(system, dict) and system.get("family") == "hierarchical":
            tasks = system.get("tasks") or system.get("k")
            tasks = sum(tasks) if isinstance(tasks, list) else tasks
            # without a load the key's work is that of one task
            work = work if "load" in system or "…" in (tasks, work) else tasks * work
        said = work if isinstance(work, str) else f"{work:.12g}"
        found[data["name"]] = json.dumps([*map(own.get, _LAWS), said], default=str)
    return found


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


_COMMANDS = ("fastgc run study.toml -o result.h5", "fastgc report result.h5 -o page.html")


def of_run(measured: Measured) -> Document:
    """Return the page on a run."""
    path = measured.result.path
    return Document(
        measured.result.title or ("A run" if path is None else path.name),
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
    numbers = beside(measured)
    return [
        Section(f"{prefix}asked", "What was asked", [Items(found)]),
        Section(f"{prefix}answer", "The answer", said or [Paragraph("Nothing is measured yet.")]),
        *(
            [Section(f"{prefix}printed", "Printed numbers", printed.blocks(numbers))]
            if numbers
            else []
        ),
        *([Section(f"{prefix}pictures", "Pictures", pictures)] if pictures else []),
        Section(f"{prefix}numbers", "The numbers", as_blocks(rows, "fastgc show --rows prints")),
    ]


def answer(measured: Measured) -> list[str]:
    """Return what a run says, in sentences."""
    result = measured.result
    kinds, jobs = {}, None
    if (study := measured.study) is not None:
        kinds, jobs = {each["name"]: each["kind"] for each in study.experiment}, _jobs(study)
    said = answers(result.rows(), kinds, partitions_of(result.entries), jobs)
    numbers = beside(measured)
    return [printed.counts(numbers), *said] if numbers else said


def beside(measured: Measured) -> list[printed.Beside]:
    """Return the printed numbers of a run's study beside its own."""
    tables = () if measured.study is None else measured.study.printed
    return printed.beside(tables, measured.result.entries)


def of_ranking(found: Ranking, study: str, title: str = "") -> Document:
    """Return the page on a ranking; ``study`` is the text of what was asked."""
    first, goal = found[0], f"{found.goal} of the completion time"
    asked = [*found.assumed, f"Which system has the least {goal}?"]
    interval = ranking.known(found, first)
    sure = "as recorded" if found.scope == "recording" else "exactly"
    sure = f"interval {interval}" if isinstance(interval, Interval) else sure
    said = [f"{first.name}: the {goal} is {ranking.number(first.value)} {found.unit}, {sure}."]
    said.append(found.statement)
    if first.gain is not None and first.system.get("family") != "uncoded":
        interval = ranking.known_gain(found, first)
        behind = f", interval {interval}" if isinstance(interval, Interval) else ""
        said.append(f"Uncoded work takes {ranking.gain(first)} times{behind} as long.")
    numbers: list[Block] = [*ranking.tables(found), Items(ranking.remarks(found))]
    return Document(
        title or "Which system is best",
        [f"Ranked with fastgc {__version__}."],
        [
            Section("asked", "What was asked", [*map(Paragraph, asked)]),
            Section("answer", "The answer", [*map(Paragraph, said)]),
            Section("numbers", "The numbers", numbers),
            parts.repeat(["fastgc design study.toml"], study),
        ],
    )


def of_advice(found: Advice) -> Document:
    """Return the page on what to do about the stragglers of a recording."""
    data = found.as_dict()
    said = [Paragraph(text, head) for head, text in advised.said(data)]
    sections = [Section("answer", "What to do", said)]
    if found.remedies:
        numbers: list[Block] = [*advised.tables(data), Items(advised.notes(data))]
        sections.append(Section("numbers", "The numbers", numbers))
    lead = f"{found.trace}: {advised.subject(data)}. Judged with fastgc {__version__}."
    return Document("What to do about stragglers", [lead], sections)


def of_measurement(found: Measurement) -> Document:
    """Return the page on a system that was run for real."""
    said = [
        Paragraph(each["sentence"], f"{each['comparison'].capitalize()} {each['verdict']}")
        for each in found.verdicts
    ]
    said += [Paragraph(decoded(found), "Decoding error")] if decoded(found) else []
    said += [Paragraph(following(found), "Next")] if following(found) else []
    sections = [Section("answer", "What held, and what did not", said)]
    if len(found.measured):
        below = remarks(found)
        numbers: list[Block] = [times(found), *([Items(below)] if below else [])]
        sections.append(Section("numbers", "The numbers", numbers))
    if found.study:
        sections.append(Section("study", "The study", [Code(found.study, "toml")]))
    made = found.facts["provenance"]
    lead = [
        f"{subject(found)}: {found.facts['work']}.",
        f"Measured with fastgc {made['fastgc']}, {made['written'][:10]}.",
    ]
    name = found.facts["experiment"]
    title = "Against the clock" + ("" if name.startswith("experiment") else f": {name}")
    return Document(title, lead, sections)


def of_measurements(made: Sequence[Measurement]) -> Document:
    """Return the page on several systems that were run for real, one by one."""
    if len(made) == 1:
        return of_measurement(made[0])
    pages, studies = [of_measurement(each) for each in made], {each.study for each in made}
    title = "Against the clock"
    if len(studies) == 1 and (text := studies.pop()):  # once, below all
        own = [[one for one in each.sections if one.name != "study"] for each in pages]
        pages = [replace(each, sections=rest) for each, rest in zip(pages, own, strict=True)]
        title = tomllib.loads(text).get("title") or title
        last = [Section("study", "The study", [Code(text, "toml")])]
    else:
        last = []
    whole = parts.joined(pages, title)
    return replace(whole, sections=[*whole.sections, *last])
