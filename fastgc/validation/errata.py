"""``fastgc.errata``: what of a paper is confirmed, and its errata; with its studies, as a page."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from fastgc import report, theory
from fastgc.errors import FastgcError, StoppedError, StorageError, StudyError
from fastgc.registry.activity import Batch
from fastgc.registry.complaints import one_line, unknown
from fastgc.report import pages
from fastgc.report.document import Document
from fastgc.report.pages import Measured, Part
from fastgc.results import store
from fastgc.results.rows import Result
from fastgc.results.verdicts import Verdict, verdict_of
from fastgc.runs.run import run
from fastgc.study.packaged import packaged
from fastgc.study.study import Study
from fastgc.validation.measuring import DEFAULT_TRIALS, Method
from fastgc.validation.multiple_testing import disagreements
from fastgc.validation.reports import measured
from fastgc.validation.validate import validate
from fastgc.version import __version__


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
        Its name, as in ids of claims.
    source : str or Path, optional
        A file that `fastgc.validate` wrote; by default all claims of the paper are measured.
    out, trials, seed, threads, method, batch : optional
        As in `fastgc.validate`; nothing is measured with ``source``, and they are not looked at.

    Returns
    -------
    dict
        Plain data: ``confirmed``, ``errata``, ``not_reproducible``, ``undecided``, ``added``, see
        `fastgc.report.pages.page`; and ``disagreements``, sentences on exact values that
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
    >>> page = fastgc.errata("hierarchical", method="exact", trials=1000)
    >>> page["citation"]
    'Ferdinand, Draper, Hierarchical Coded Computation'
    >>> page["counts"]["errata"] <= len(page["errata"])
    True
    """
    version, options = __version__, ""
    if source is None:
        asked: dict[str, Any] = {"trials": trials, "seed": seed, "threads": threads}
        found: Sequence[Verdict] = validate(
            paper=paper, method=method, out=out, batch=batch, **asked
        )
        options = f"--trials {trials}" * (trials != DEFAULT_TRIALS)
        options = f"{options} --method {method}".strip() if method != "both" else options
    else:
        path = Path(source)
        stored = store.load(path)
        every = [verdict_of(data) for data in stored.verdicts]
        found = [verdict for verdict in every if _paper(verdict) == paper]
        if not found:
            held = ", ".join(dict.fromkeys(map(_paper, every)))
            about = f"there are some on {held}" if held else "it is none of a complete validation"
            raise FastgcError(f"{path}: holds no verdicts on paper {paper!r}; {about}")
        seed, version = stored.identified()["seed"], stored.provenance["fastgc"]
    made = pages.page(paper, found, version=version, seed=seed, options=options)
    return made | {"disagreements": report.disagreements(disagreements(found)).splitlines()}


def _paper(verdict: Verdict) -> str:
    return verdict.claim.partition(".")[0]


@dataclass(frozen=True)
class Reproduced:
    """A paper's page with what it rests on.

    ``document``: the page, of what there is; ``verdicts``: on all claims that were judged;
    ``stopped_by``: what stopped it early; the same call goes on.
    """

    document: Document
    verdicts: list[Verdict]
    stopped_by: str | None

    @property
    def disagreements(self) -> list[str]:
        """Sentences on exact values that their samples contradict, which are bugs of fastgc."""
        return report.disagreements(disagreements(self.verdicts)).splitlines()


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
) -> Reproduced:
    """Judge a paper's claims, run its packaged studies, and make a page of both.

    ``paper``: Its name, as in ids of claims. ``folder``: Where everything measured is kept, a file
    each; it is made if it is not there. The same call goes on from it. ``trials``: At most so many
    for each point of a study, and for each experiment of a claim; by default what each study says,
    and that of `fastgc.validate`. ``seed``, ``method``: Of the claims. ``threads``, ``batch``: As
    in `fastgc.run`. ``command``: What the page says made it.

    Raises FastgcError if there is no such paper, or a file in the folder holds something else.
    Raises StorageError if the folder cannot be made or written.
    """
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
    given, stopped = batch or Batch(), list[str]()

    def interrupted() -> str | None:
        reason = stopped[0] if stopped else given.interrupted()
        if reason is not None and not stopped:
            stopped.append(reason)
        return reason

    fallen: list[Verdict] = []
    how = replace(given, interrupted=interrupted, found=fallen.append)
    file, most = place / f"{paper}-claims.h5", trials or DEFAULT_TRIALS
    name = f"the claims of {paper}"
    own = f"fastgc validate --paper {paper} --trials {most} --seed {seed} -o {file}"
    try:
        asked: dict[str, Any] = {"trials": most, "seed": seed, "threads": threads}
        validate(paper=paper, method=method, out=file, batch=how, **asked)
        claims = Part(name, measured(file), command=own)
    except StoppedError as early:
        claims = Part(name, _so_far(file, fallen, seed), str(early), own)
    studies = [
        _studied(each, place, trials, threads, how, interrupted)
        for each in packaged()
        if each.startswith(f"{paper}/")
    ]
    title = theory.paper(paper).citation or paper
    page = pages.of_papers(claims, studies, title, [command] if command else [])
    judged = [] if claims.measured is None else claims.measured.result.verdicts
    return Reproduced(page, judged, stopped[0] if stopped else None)


def _studied(
    name: str,
    folder: Path,
    trials: int | None,
    threads: int | None,
    how: Batch,
    interrupted: Callable[[], str | None],
) -> Part:
    """Run a packaged study."""
    if (reason := interrupted()) is not None:
        return Part(name, None, f"It was not begun: stopped early by {reason}")
    try:
        study = Study.parse(name)
    except StudyError as problem:  # it needs what is not installed
        return Part(name, None, problem.complaints[0])
    file = folder / f"{name.replace('/', '-')}.h5"
    most = study.stop.trials if trials is None else min(study.stop.trials, trials)
    own = replace(how, found=None)
    result = run(study, out=file, trials=most, threads=threads, batch=own)
    early = f"It was stopped early by {result.stopped_by}; the same command goes on"
    command = f"fastgc run {name} --trials {most} -o {file}"
    return Part(name, measured(file, result), "" if result.complete else early, command)


def _so_far(file: Path, fallen: Sequence[Verdict], seed: int) -> Measured | None:
    place = store.existing(file)
    if not fallen or not place.exists():
        return None
    stored = store.load(place)
    result = Result([], stopped_by="", complete=False, path=place, verdicts=list(fallen))
    trials = sum(unit.trials for unit in stored.units)
    return Measured(result, seed, stored.provenance, trials=trials)
