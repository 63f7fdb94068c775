"""The pages on a run, a ranking, an advice and a measurement: asked, answered, in numbers."""

import importlib.util
import json
from collections.abc import Sequence

from fastgc.report import printed, ranking
from fastgc.report.document import Block, Code, Document, Figure, Items, Paragraph, Section
from fastgc.report.measurement import decoded, following, remarks, subject, times
from fastgc.report.pages import parts
from fastgc.report.pages.answers import answers
from fastgc.report.pages.parts import Measured, drawn
from fastgc.report.tables import of_rows
from fastgc.results.measurements import Measurement
from fastgc.results.ranking import Ranking
from fastgc.version import __version__


def of_run(measured: Measured) -> Document:
    """Return the page on a run."""
    study = "" if measured.study is None else measured.study.text()
    commands = ("fastgc run study.toml -o result.h5", parts.SHOW)
    how = [parts.how_measured([measured]), parts.repeat(commands, study)]
    lead = [parts.measured_with([measured])]
    return Document(measured.title, lead, [*sections(measured), *how])


def sections(measured: Measured, prefix: str = "") -> list[Section]:
    """Return the answer, the pictures and the numbers of a run."""
    rows = measured.result.rows()
    said: list[Block] = [] if measured.result.complete else [Paragraph(_SO_FAR)]
    said.append(Items(answer(measured)) if rows else Paragraph("Nothing is measured yet."))
    found: list[tuple[str, str, Sequence[Block]]] = [
        ("answer", "The answer", said),
        ("printed", "Printed numbers", printed.blocks(beside(measured))),
        ("pictures", "Pictures", drawn(measured.result)),
        ("numbers", "The numbers", of_rows(rows, "fastgc show --rows prints")),
    ]
    return [Section(f"{prefix}{name}", title, blocks) for name, title, blocks in found if blocks]


_SO_FAR = "The run is not complete: what stands here is what it has so far."


def answer(measured: Measured) -> list[str]:
    """Return what a run says, in sentences."""
    experiments = [] if measured.study is None else measured.study.experiment
    kinds = {each["name"]: each["kind"] for each in experiments}
    laws = ("latency", "stragglers", "problem", "work")
    jobs = {
        each["name"]: json.dumps(list(map(each.get, laws)), default=str) for each in experiments
    }
    rows = [row.in_full() | {"partitions": row.partitions} for row in measured.result.entries]
    said = answers(rows, kinds, jobs)
    numbers = beside(measured)
    return [printed.counts(numbers), *said] if numbers else said


def beside(measured: Measured) -> list[printed.Beside]:
    """Return the printed numbers of a run's study beside its own."""
    tables = () if measured.study is None else measured.study.printed
    return printed.beside(tables, measured.result.entries)


def of_ranking(found: Ranking, study: str = "", title: str = "") -> Document:
    """Return the page on a ranking; ``study`` is the text of what was asked."""
    said = [Paragraph(text, head) for head, text in ranking.said(found)]
    sections = [Section("answer", "The answer", said)]
    if len(found):
        numbers: list[Block] = [*ranking.tables(found), Items(ranking.notes(found))]
        sections.append(Section("numbers", "The numbers", numbers))
    if study:
        sections.append(parts.repeat(["fastgc design study.toml"], study))
    by = f"Ranked by the {found.goal} of the completion time with fastgc {__version__}."
    lead = f"{ranking.subject(found)}. {by}" if found.trace else by
    if not title:
        title = "What to do about stragglers" if found.trace else "Which system is best"
    return Document(title, [lead], sections)


def of_recordings(found: Sequence[Ranking]) -> Document:
    """Return the page on what to do in each recording of a folder: a table and its picture."""
    made: list[Block] = [ranking.side_by_side(found)]
    if importlib.util.find_spec("matplotlib") is not None:
        picture = ranking.picture(found)
        made.insert(0, Figure(picture))
    said = [Paragraph(each.verdict, each.trace) for each in found]
    sections = [Section("numbers", "What each saves", made), Section("said", "What to do", said)]
    lead = f"{len(found)} recordings. Judged with fastgc {__version__}."
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
        sections.append(Section("study", "The study", [Code(found.study)]))
    made = found.facts["provenance"]
    lead = [
        f"{subject(found)}: {found.facts['work']}.",
        f"Measured with fastgc {made['fastgc']}, {made['written'][:10]}.",
    ]
    name = found.facts["experiment"]
    title = "Against the clock" + ("" if name.startswith("experiment") else f": {name}")
    return Document(title, lead, sections)


def of_measurements(made: Sequence[Measurement]) -> Document:
    """Return the page on systems that were run for real, one by one."""
    return parts.joined([of_measurement(each) for each in made], "Against the clock")
