"""The pages on a run, a ranking, an advice and a measurement; what all pages have in common."""

import importlib.util
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from fastgc.errors import FastgcError
from fastgc.registry.complaints import one_line
from fastgc.registry.number_types import spaced
from fastgc.report import document as doc
from fastgc.report import printed, ranking
from fastgc.report.answers import answers
from fastgc.report.html import as_html
from fastgc.report.tables import row_tables
from fastgc.report.templating import render, sentence
from fastgc.results import image
from fastgc.results.measurements import Measurement
from fastgc.results.remedies import Ranking
from fastgc.results.rows import Result
from fastgc.study.study import Study
from fastgc.version import __version__

#: The command that makes a page of a file.
SHOW = "fastgc show result.h5 --html -o page.html"


@dataclass(frozen=True)
class ReportedResult:
    """A result with what its file says of how it came about.

    ``provenance`` has versions and when the file was written; ``study`` is None for a validation,
    ``trials`` are of all points together, and ``origin`` says whether it is a shard or was merged.
    """

    result: Result
    seed: int
    provenance: Mapping[str, Any]
    study: Study | None = None
    trials: int = 0
    origin: str = ""

    @property
    def title(self) -> str:
        """The study's title, else the name of the file."""
        path = self.result.path
        return self.result.title or (path.name if path is not None else "A run")


def require_html(path: Path | None) -> None:
    """Refuse a page's name that ends otherwise, before any work."""
    if path is not None and path.suffix.lower() not in (".html", ".htm"):
        raise FastgcError(f"{one_line(str(path))}: a page's name must end in .html")


def save(page: doc.Document, path: Path) -> None:
    """Write a page as HTML; raise StorageError if it cannot be written."""
    image.write(path, f"{as_html(page)}\n".encode())


def drawn(found: Result) -> list[doc.Block]:
    """Return all pictures of a result; or why there are none."""
    if importlib.util.find_spec("matplotlib") is None:
        said = "There are no pictures: matplotlib is not installed, which draws them; "
        return [doc.Paragraph(f"{said}pip install 'fastgc-sim[plot]' brings it.")]
    from fastgc.report import pictures

    try:
        return list(map(doc.Figure, pictures.of(found)))
    except FastgcError:  # there is nothing to be seen
        return []


def joined(pages: Sequence[doc.Document], title: str = "Results") -> doc.Document:
    """Return a page with a section for each page, their names kept apart; of one page, itself."""
    if len(pages) == 1:
        return pages[0]

    def renamed(block: Any, prefix: str) -> Any:
        if isinstance(block, doc.Section):
            block = replace(block, blocks=[renamed(each, prefix) for each in block.blocks])
        if isinstance(block, doc.Paragraph):
            links = {words: f"{prefix}{name}" for words, name in block.links.items()}
            block = replace(block, links=links)
        return replace(block, name=f"{prefix}{block.name}") if getattr(block, "name", "") else block

    sections = []
    for number, each in enumerate(pages, 1):
        own = [renamed(section, f"page{number}-") for section in each.sections]
        blocks: list[doc.Block] = [*map(doc.Paragraph, each.lead), *own]
        sections.append(doc.Section(f"page{number}", each.title, blocks))
    return doc.Document(title, [], sections, contents=True)


def how_measured(subjects: Sequence[ReportedResult]) -> doc.Section:
    """Return the section on how it was measured."""
    facts = render(
        "how_measured.txt",
        has_studies=any(each.study is not None for each in subjects),
        has_verdicts=any(each.result.verdicts for each in subjects),
    )
    runs, notes = [], []
    versions: dict[str, dict[str, None]] = {}
    for each in subjects:
        written = str(each.provenance["written"]).replace("T", " ").replace("+00:00", " UTC")
        trials = spaced(each.trials) if each.trials else "none: all exact"
        runs.append((each.title, str(each.seed), trials, each.result.stopped_by, written))
        notes += [sentence(each.origin)] if each.origin else []
        if not each.result.complete:
            notes.append(f"{each.title} is not complete: the same command goes on.")
        for name, version in each.provenance.items():
            if name not in ("points", "written"):
                versions.setdefault(name.replace("_", " "), {})[str(version)] = None
    heads = ("what", "seed", "trials", "stopped by", "written")
    known = [(name, ", ".join(each)) for name, each in versions.items()]
    blocks: list[doc.Block] = [
        doc.Items(facts.splitlines()),
        doc.Table("What was sampled", heads, runs, 1),
    ]
    blocks.append(doc.Table("Versions", ("program", "version"), known))
    return doc.Section("method", "How it was measured", [*blocks, *map(doc.Paragraph, notes)])


def measured_with(subjects: Sequence[ReportedResult]) -> str:
    """Return the sentence on with what, and from how many trials, a page is made."""
    versions = ", ".join(dict.fromkeys(str(each.provenance["fastgc"]) for each in subjects))
    seeds = ", ".join(dict.fromkeys(str(each.seed) for each in subjects))
    trials = sum(each.trials for each in subjects)
    days = ", ".join(dict.fromkeys(str(each.provenance["written"])[:10] for each in subjects))
    sampled = f"{spaced(trials)} trials" if trials else "without sampling"
    return f"Measured with fastgc {versions}, seed {seeds}, {sampled}, on {days}."


def repeat(commands: Sequence[str], study: str = "", *, alike: bool = True) -> doc.Section:
    """Return the section with the commands, and the study that they need as a file.

    ``alike``: whether they stop after as many trials.
    """
    said = "These commands give the same numbers, bit for bit:"
    if not alike:
        said = (
            "These commands measure the same with the same seed, but may stop after other trials:"
        )
    blocks: list[doc.Block] = [doc.Paragraph(said), doc.Code("\n".join(commands))]
    if study:
        blocks[:0] = [doc.Paragraph("Save this as study.toml:"), doc.Code(study.strip())]
    return doc.Section("repeat", "Repeat it", blocks)


def of_run(measured: ReportedResult) -> doc.Document:
    """Return the page on a run."""
    study = "" if measured.study is None else measured.study.text()
    commands, result = ("fastgc run study.toml -o result.h5", SHOW), measured.result
    alike = result.complete and result.stopped_by in ("trials", "enumeration")
    how = [how_measured([measured]), repeat(commands, study, alike=alike)]
    lead = [measured_with([measured])]
    return doc.Document(measured.title, lead, [*sections(measured), *how])


def sections(measured: ReportedResult, prefix: str = "") -> list[doc.Section]:
    """Return the answer, the pictures and the numbers of a run."""
    rows, said = measured.result.rows(), list[doc.Block]()
    if not measured.result.complete:
        said.append(doc.Paragraph(_SO_FAR))
    said.append(doc.Items(answer(measured)) if rows else doc.Paragraph("Nothing is measured yet."))
    found: list[tuple[str, str, Sequence[doc.Block]]] = [
        ("answer", "The answer", said),
        ("printed", "Printed numbers", printed.blocks(beside(measured))),
        ("pictures", "Pictures", drawn(measured.result)),
        ("numbers", "The numbers", row_tables(rows, "fastgc show --rows prints")),
    ]
    return [
        doc.Section(f"{prefix}{name}", title, blocks) for name, title, blocks in found if blocks
    ]


_SO_FAR = "The run is not complete: what stands here is what it has so far."


def answer(measured: ReportedResult) -> list[str]:
    """Return what a run says, in sentences."""
    experiments = [] if measured.study is None else measured.study.experiment
    kinds = {each["name"]: each["kind"] for each in experiments}
    rows = [row.in_full() | {"partitions": row.partitions} for row in measured.result.entries]
    numbers = beside(measured)
    return [*[printed.counts(numbers)] * bool(numbers), *answers(rows, kinds)]


def beside(measured: ReportedResult) -> list[printed.PrintedComparison]:
    """Return the printed numbers of a run's study beside its own."""
    tables = () if measured.study is None else measured.study.printed
    return printed.beside(tables, measured.result.entries)


def of_ranking(found: Ranking, study: str = "", title: str = "") -> doc.Document:
    """Return the page on a ranking; ``study`` is the text of what was asked."""
    sections = [doc.Section("answer", "The answer", ranking.answer(found))]
    if len(found):
        sections.append(doc.Section("numbers", "The numbers", ranking.numbers(found)))
    if study:
        sections.append(repeat(["fastgc design study.toml"], study))
    by = f"Ranked by the {found.goal} of the completion time with fastgc {__version__}."
    lead = f"{ranking.subject(found)}. {by}" if found.trace else by
    usual = "What to do about stragglers" if found.trace else "Which system is best"
    return doc.Document(title or usual, [lead], sections)


def recordings_page(found: Sequence[Ranking]) -> doc.Document:
    """Return the page on what to do in each recording of a folder."""
    said = [doc.Paragraph(each.verdict, each.trace) for each in found]
    sections = [
        doc.Section("numbers", "What each saves", [ranking.side_by_side(found)]),
        doc.Section("said", "What to do", said),
    ]
    lead = f"{len(found)} recordings. Judged with fastgc {__version__}."
    return doc.Document("What to do about stragglers", [lead], sections)


def of_measurement(found: Measurement) -> doc.Document:
    """Return the page on a system that was run for real."""
    said = ranking.comparisons(found)
    sections = [doc.Section("answer", "What held, and what did not", said)]
    if len(found.measured):
        sections.append(doc.Section("numbers", "The numbers", ranking.rounds(found)))
    if found.study:
        sections.append(doc.Section("study", "The study", [doc.Code(found.study)]))
    made = found.facts["provenance"]
    lead = [
        f"{ranking.measured(found)}: {found.facts['work']}.",
        f"Measured with fastgc {made['fastgc']}, {made['written'][:10]}.",
    ]
    name = found.facts["experiment"]
    title = "Against the clock" + ("" if name.startswith("experiment") else f": {name}")
    return doc.Document(title, lead, sections)


def of_measurements(made: Sequence[Measurement]) -> doc.Document:
    """Return the page on systems that were run for real, one by one."""
    return joined([of_measurement(each) for each in made], "Against the clock")
