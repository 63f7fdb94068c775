"""What a file holds, or a search finds: as rows or verdicts, and as a page."""

from collections.abc import Callable, Sequence
from pathlib import Path

from fastgc import planning
from fastgc.errors import FastgcError
from fastgc.registry.complaints import one_line
from fastgc.report import pages
from fastgc.report.document import Document
from fastgc.report.pages import Measured
from fastgc.results import measurements, store
from fastgc.results.rows import Result
from fastgc.runs.open import opened
from fastgc.study.design import parse
from fastgc.study.source import RESULTS, Source
from fastgc.study.study import Study


def result_of(path: Path) -> Result:
    """Return the result that a file holds, finished or not.

    Raises FastgcError if it cannot be read, or is a study that was not run.
    """
    if is_study(path):
        name = one_line(str(path))
        raise FastgcError(
            f"{name}: is a study that was not run; `fastgc run {name} -o result.h5`, "
            "then take result.h5"
        )
    return opened(store.existing(path))


def is_study(path: Path) -> bool:
    """Return whether it is no file of results; what cannot be read is left to who reads results."""
    try:
        if path.suffix != ".toml" or not path.is_file():
            return False
        with path.open("rb") as file:
            return not file.read(len(RESULTS)).startswith(RESULTS)
    except OSError:
        return False


def measured(path: Path, result: Result | None = None) -> Measured:
    """Return what a file of results holds, with what it says of itself.

    ``result`` is that of the run that has just written it, if it is there.

    Raises FastgcError if there is no such file, or it is not one of fastgc's.
    """
    place = store.existing(path)
    stored = store.load(place)
    study = Study.parse(stored.asked()) if stored.study else None
    return Measured(
        result=opened(place) if result is None else result,
        seed=stored.identified()["seed"],
        study=study,
        provenance=stored.provenance,
        trials=sum(unit.trials for unit in stored.units),
        origin=stored.origin or "",
    )


def page(
    sources: Sequence[str | Path],
    *,
    progress: Callable[[planning.Step], None] | None = None,
    interrupted: Callable[[], str | None] = lambda: None,
) -> Document:
    """Return one page on what sources hold.

    ``sources``: files that ``fastgc run``, ``validate`` or ``measure`` wrote, and studies with a
    table ``[design]``, whose systems are ranked for the page; ``progress``, ``interrupted``: as for
    `fastgc.design`.

    Raises FastgcError if one of them cannot be read, or is a study that was not run.
    """
    several, paths = len(sources) > 1, list(map(Path, sources))
    clocked = [None if is_study(each) else measurements.load(each) for each in paths]
    made = [each for each in clocked if each is not None]
    if len(made) == len(paths):
        return pages.of_measurements(made)
    return pages.joined(
        [
            _page(path, several, progress, interrupted)
            if each is None
            else pages.of_measurement(each)
            for path, each in zip(paths, clocked, strict=True)
        ]
    )


def _page(
    path: Path,
    is_one_of_several: bool,
    progress: Callable[[planning.Step], None] | None,
    interrupted: Callable[[], str | None],
) -> Document:
    if is_study(path):
        source = Source.of(path)
        if "design" not in source.data:
            raise FastgcError(
                f"{path}: is a study that was not run; `fastgc run {path} -o result.h5`, "
                "then report result.h5"
            )
        parse(path)
        found = planning.design(path, progress=progress, interrupted=interrupted)
        title = str(source.data.get("title", ""))
        if not title and is_one_of_several:
            title = f"Which system is best: {path.name}"
        return pages.of_ranking(found, source.text or "", title)
    subject = measured(path)
    if subject.result.verdicts:
        return pages.of_verdicts(subject)
    if subject.study is None:
        raise FastgcError(f"{path}: its validation is not complete; the same command goes on")
    return pages.of_run(subject)
