"""The page on a run: what was asked, the answer, pictures, numbers, and how to repeat it."""

from __future__ import annotations

from fastgc.report.document import Block, Document, Items, Paragraph, Section
from fastgc.report.pages import method, numbers
from fastgc.report.pages.answers import answers
from fastgc.report.pages.asked import asked
from fastgc.report.pages.comparison import partitions_of
from fastgc.report.pages.drawn import drawn
from fastgc.report.pages.measured import Measured


def of_run(measured: Measured) -> Document:
    """Return the page on a run."""
    return Document(
        _title(measured),
        [method.measured_with([measured])],
        [
            *sections(measured),
            method.section([measured]),
            method.repeat(commands(measured), text(measured)),
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
        Section(f"{prefix}numbers", "The numbers", numbers.sections(rows, kinds(measured), prefix)),
    ]


def answer(measured: Measured) -> list[str]:
    """Return what a run says, in sentences."""
    result = measured.result
    return answers(result.rows(), kinds(measured), partitions_of(result.entries))


def kinds(measured: Measured) -> dict[str, str]:
    """Return the kind of each experiment by its name."""
    study = measured.study
    return {} if study is None else {each["name"]: each["kind"] for each in study.experiment}


def commands(measured: Measured) -> list[str]:
    """Return the commands that measure it again and make the page."""
    return ["fastgc run study.toml -o result.h5", "fastgc report result.h5 -o page.html"]


def text(measured: Measured) -> str:
    """Return the study as a file has it."""
    return "" if measured.study is None else measured.study.text()


def _title(measured: Measured) -> str:
    path = measured.result.path
    return measured.result.title or ("A run" if path is None else path.name)
