"""What a file holds, or a search finds: as rows or verdicts, and as a page."""

from collections.abc import Callable, Sequence
from pathlib import Path

from fastgc import planning
from fastgc.errors import FastgcError
from fastgc.registry.complaints import one_line
from fastgc.report import pages, papers
from fastgc.report.document import Document
from fastgc.report.pages import Measured
from fastgc.results import measurements, store
from fastgc.results.rows import Result
from fastgc.runs.open import opened
from fastgc.study.source import RESULTS, Source
from fastgc.study.study import Study


def result_of(path: Path) -> Result:
    """Return the result that a file holds, finished or not.

    Raises FastgcError if it cannot be read, or is a study that was not run.
    """
    if is_study(path):
        raise _not_run(path)
    return opened(store.existing(path))


def _not_run(path: Path) -> FastgcError:
    name = one_line(str(path))
    said = f"is a study that was not run; `fastgc run {name} -o result.h5`, then take result.h5"
    return FastgcError(f"{name}: {said}")


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
    paths = list(map(Path, sources))
    timed = {path: None if is_study(path) else measurements.load(path) for path in paths}
    if all(each is not None for each in timed.values()):
        return pages.of_measurements([each for each in timed.values() if each is not None])
    made = []
    for path, measurement in timed.items():
        if measurement is not None:
            made.append(pages.of_measurement(measurement))
        elif is_study(path):
            source = Source.of(path)
            if "design" not in source.data:
                raise _not_run(path)
            found = planning.design(path, progress=progress, interrupted=interrupted)
            title = str(source.data.get("title", "")) or f"Which system is best: {path.name}"
            made.append(pages.of_ranking(found, source.text or "", title))
        else:
            subject = measured(path)
            if subject.study is None and not subject.result.verdicts:
                said = "its validation is not complete; the same command goes on"
                raise FastgcError(f"{path}: {said}")
            verdicts = subject.result.verdicts
            made.append(papers.of_verdicts(subject) if verdicts else pages.of_run(subject))
    return pages.joined(made)
