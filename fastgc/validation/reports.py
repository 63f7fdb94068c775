"""What a file holds, a search finds, or measurement says of a paper: as rows or data, as a page.

`fastgc.validation.errata`: what of a paper is confirmed, its errata, and its studies, as a page.
"""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from fastgc import planning, report, theory
from fastgc.errors import FastgcError, StoppedError, StorageError, StudyError, public
from fastgc.registry.activity import Batch
from fastgc.registry.complaints import one_line, unknown
from fastgc.report import pages, papers
from fastgc.report.document import Document
from fastgc.report.pages import ReportedResult
from fastgc.report.papers import PaperPart
from fastgc.results import measurements, store
from fastgc.results.rows import Result
from fastgc.results.verdict_data import Verdict, verdict_of
from fastgc.runs.run import opened, run
from fastgc.study.packaged import packaged
from fastgc.study.source import RESULTS, Source
from fastgc.study.study import Study
from fastgc.validation.measuring import DEFAULT_TRIALS, Method
from fastgc.validation.multiple_testing import disagreements
from fastgc.validation.validate import select, validate
from fastgc.version import __version__


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


def measured(path: Path, result: Result | None = None) -> ReportedResult:
    """Return what a file of results holds, with what it says of itself.

    ``result`` is that of the run that has just written it, if it is there.

    Raises FastgcError if there is no such file, or it is not one of fastgc's.
    """
    place = store.existing(path)
    stored = store.load(place)
    return ReportedResult(
        result=opened(place) if result is None else result,
        seed=stored.identified()["seed"],
        study=Study.parse(stored.asked()) if stored.study else None,  # `opened` has read it
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
    """Return one page on what files of results hold, and on how the systems of designs rank.

    ``progress``, ``interrupted``: as for `fastgc.design`. Raises FastgcError if one of them cannot
    be read, or is a study that was not run.
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


# ---- papers


@public
def errata(
    paper: str,
    *,
    source: str | Path | None = None,
    out: str | Path | None = None,
    trials: int = DEFAULT_TRIALS,
    seed: int = 1,
    threads: int | None = None,
    method: Method = "both",
    batch: Batch | None = None,
) -> dict[str, Any]:
    """Say what of a paper measurement confirms, and what is an erratum.

    Parameters
    ----------
    paper : str
        Its name, as in ids of claims; or an id or its beginning, like ``binary.proposition3``.
    source : str or Path, optional
        A file that `fastgc.validate` wrote; by default all claims of the paper are measured.
    out, trials, seed, threads, method, batch : optional
        As in `fastgc.validate`; nothing is measured with ``source``, and they are not looked at.

    Returns
    -------
    dict
        Plain data: ``confirmed``, ``errata``, ``not_reproducible``, ``undecided``, ``added``, see
        `fastgc.report.papers.page`; and ``disagreements``, sentences on exact values that
        their samples contradict, which are bugs of fastgc.

    Raises
    ------
    FastgcError
        If there is no such paper, the file cannot be read, or holds no verdicts on the paper.
    StoppedError
        If the run was asked to stop.

    Examples
    --------
    >>> import fastgc
    >>> page = fastgc.validation.errata("hierarchical", method="exact", trials=1000)
    >>> page["citation"]
    'Ferdinand, Draper, Hierarchical Coded Computation'
    >>> page["counts"]["errata"] <= len(page["errata"])
    True
    """
    version, options, (name, _, some) = __version__, "", paper.partition(".")
    ids = [each.id for each in select(paper)] if some else []
    beside = [e.id for e in select(None, name) if {e.corrects, e.reads} & {*ids}] if some else []
    ids = list(dict.fromkeys(ids + beside))
    if source is None:
        how: dict[str, Any] = {"seed": seed, "threads": threads, "method": method, "batch": batch}
        asked: dict[str, Any] = {"claims": ids} if some else {"paper": paper}
        found: Sequence[Verdict] = validate(**asked, trials=trials, out=out, **how)
        options = f"--trials {trials}" * (trials != DEFAULT_TRIALS)
        options = f"{options} --method {method}".strip() if method != "both" else options
    else:
        path = Path(source)
        stored = store.load(path)
        every = [verdict_of(data) for data in stored.verdicts]
        found = [each for each in every if (each.claim in ids if some else _paper(each) == name)]
        if not found:
            held = ", ".join(dict.fromkeys(map(_paper, every)))
            about = f"there are some on {held}" if held else "it is none of a complete validation"
            raise FastgcError(f"{path}: holds no verdicts on paper {paper!r}; {about}")
        seed, version = stored.identified()["seed"], stored.provenance["fastgc"]
    made = papers.page(name, found, version=version, seed=seed, options=options)
    left: dict[str, Any] = {"not_judged": []} if some else {}
    return made | left | {"disagreements": contradictions(found)}


def _paper(verdict: Verdict) -> str:
    return verdict.claim.partition(".")[0]


def reproduce(
    paper: str,
    folder: str | Path,
    *,
    trials: int | None = None,
    seed: int = 1,
    threads: int | None = None,
    method: Method = "both",
    batch: Batch | None = None,
    command: str = "",
) -> tuple[Document, list[Verdict]]:
    """Judge a paper's claims, run its packaged studies, and make a page of both.

    ``folder``: where everything measured is kept, a file each; the same call goes on from it.
    ``trials``: at most so many for each point of a study, and for each experiment of a claim.
    ``seed``, ``method``: of the claims; ``threads``, ``batch``: as in `fastgc.run`. ``command``:
    what the page says made it. Returns the page, and the verdicts on all claims.

    Raises FastgcError if there is no such paper, or a file in the folder holds something else;
    StorageError if the folder cannot be made or written; StoppedError if it was asked to stop.
    """
    select(None, paper)
    if paper not in theory.paper_names():
        raise FastgcError(f"paper: {unknown('paper', paper, theory.paper_names())}")
    if trials is not None and trials < 1:
        raise FastgcError(f"trials: must be at least 1 (got {trials})")
    place = Path(folder)
    try:
        place.mkdir(parents=True, exist_ok=True)
    except OSError as problem:
        name = one_line(str(place))
        raise StorageError(f"{name}: cannot be made ({problem.strerror})") from None
    file, most = place / f"{paper}-claims.h5", trials or DEFAULT_TRIALS
    own = f"fastgc validate --paper {paper} --trials {most} --seed {seed} -o {file}"
    how: dict[str, Any] = {"seed": seed, "threads": threads, "method": method, "batch": batch}
    validate(paper=paper, trials=most, out=file, **how)
    judged = measured(file)
    studies = [
        _studied(each, place, trials, threads, batch)
        for each in packaged()
        if each.startswith(f"{paper}/")
    ]
    claims = PaperPart(f"the claims of {paper}", judged, command=own)
    page = papers.of_papers(claims, studies, [command] if command else [])
    return page, judged.result.verdicts


def _studied(
    name: str, folder: Path, trials: int | None, threads: int | None, batch: Batch | None
) -> PaperPart:
    try:
        study = Study.parse(name)
    except StudyError as problem:  # it needs what is not installed
        return PaperPart(name, None, problem.complaints[0])
    file = folder / f"{name.replace('/', '-')}.h5"
    most = study.stop.trials if trials is None else min(study.stop.trials, trials)
    result = run(study, out=file, trials=most, threads=threads, batch=batch)
    if not result.complete:
        said = f"kept in {result.path}; the same command goes on"
        raise StoppedError(f"stopped early by {result.stopped_by}: {said}")
    return PaperPart(
        name, measured(file, result), command=f"fastgc run {name} --trials {most} -o {file}"
    )


def contradictions(found: Sequence[Verdict]) -> list[str]:
    """Return sentences on exact values that their samples contradict, which are bugs of fastgc."""
    return report.disagreements(disagreements(found)).splitlines()
