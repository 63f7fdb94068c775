"""``fastgc.reproduce``: a paper's packaged studies are run and its claims judged, for one page.

Of a single study, its printed numbers stand beside the measured ones.
"""

from collections.abc import Callable, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass, field
from pathlib import Path

from fastgc import report, theory
from fastgc.errors import FastgcError, StoppedError, StorageError, StudyError
from fastgc.registry.activity import Batch, Step
from fastgc.registry.complaints import one_line, unknown
from fastgc.report import pages
from fastgc.report.document import Document
from fastgc.report.pages import Measured, Part
from fastgc.results import store
from fastgc.results.rows import Result
from fastgc.results.verdicts import Verdict
from fastgc.runs.run import run
from fastgc.study.packaged import packaged
from fastgc.study.study import Study
from fastgc.validation.measuring import DEFAULT_TRIALS
from fastgc.validation.multiple_testing import disagreements
from fastgc.validation.reports import measured
from fastgc.validation.validate import validate

ALL = "all"
_SEED = 1  # of the claims; every study has its own


@dataclass(frozen=True)
class Watching:
    """Callbacks that report progress, and that stop a reproduction.

    ``begun``: called with the name and the file of each part, before it begins; ``progress``:
    as of `fastgc.run` and of `fastgc.validate`; ``interrupted``: asked often; a text it returns
    stops the part under way and leaves out all others.
    """

    begun: Callable[[str, Path], None] = lambda name, file: None
    progress: Callable[[Step], None] | None = None
    interrupted: Callable[[], str | None] = lambda: None


@dataclass(frozen=True)
class Reproduced:
    """A reproduction.

    ``document``: the page, of what there is; ``verdicts``: on all claims that were judged;
    ``stopped_by``: what stopped it early; the same call goes on; ``disagreements``: sentences on
    exact values that their samples contradict, which are bugs of fastgc.
    """

    document: Document
    verdicts: list[Verdict] = field(default_factory=list)
    stopped_by: str | None = None
    disagreements: list[str] = field(default_factory=list)


def reproduce(
    paper: str,
    folder: str | Path,
    *,
    trials: int | None = None,
    threads: int | None = None,
    executor: str | Executor | None = None,
    watching: Watching | None = None,
    command: str = "",
) -> Reproduced:
    """Run a paper's packaged studies, judge its claims, and make a page of both; or of one study.

    ``paper``: Its name, as in ids of claims, or ``"all"``; or a study: a packaged one by its name,
    like ``"agc/main"``, or a file. ``folder``: Where everything measured is
    kept, a file each; it is made if it is not there. The same call goes on from it. ``trials``: At
    most so many for each point of a study, and for each experiment of a claim; by default what each
    study says, and that of `fastgc.validate`. ``threads``, ``executor``: As in `fastgc.run`.
    ``watching``: Callbacks for progress and for stopping. ``command``: What the page says made it.
    Returns Reproduced: with its page, which `fastgc.report.forms` prints.

    Raises FastgcError if there is no such paper, or a file in the folder holds something else.
    Raises StorageError if the folder cannot be made or written.
    """
    is_study = "/" in paper or paper.endswith(".toml")
    if not is_study and paper != ALL and paper not in theory.paper_names():
        raise FastgcError(f"paper: {unknown('paper', paper, [*theory.paper_names(), ALL])}")
    if trials is not None and trials < 1:
        raise FastgcError(f"trials: must be at least 1 (got {trials})")
    place = Path(folder)
    try:
        place.mkdir(parents=True, exist_ok=True)
    except OSError as problem:
        name = one_line(str(place))
        raise StorageError(f"{name}: cannot be made ({problem.strerror})") from None
    work = _Work(place, trials, threads, executor, watching or Watching())
    if is_study:
        part = work.study(paper)
        if part.measured is None:
            raise FastgcError(part.reason)
        return Reproduced(pages.of_run(part.measured), stopped_by=work.stopped_by)
    found = []
    for name in theory.paper_names() if paper == ALL else [paper]:
        studies = [work.study(each) for each in packaged() if each.startswith(f"{name}/")]
        found.append(pages.of_paper(name, studies, work.claims(name), command))
    return Reproduced(
        pages.joined(found, "The papers, reproduced"),
        work.verdicts,
        work.stopped_by,
        report.disagreements(disagreements(work.verdicts)).splitlines(),
    )


@dataclass
class _Work:
    folder: Path
    trials: int | None
    threads: int | None
    executor: str | Executor | None
    watching: Watching
    verdicts: list[Verdict] = field(default_factory=list)
    stopped_by: str | None = None

    def study(self, name: str) -> Part:
        """Run a packaged study."""
        stem = name.replace("/", "-") if name in packaged() else Path(name).stem
        file = self.folder / f"{stem}.h5"
        if self.stopped_by is not None:
            return Part(name, None, f"It was not begun: stopped early by {self.stopped_by}")
        try:
            study = Study.read(name)
        except StudyError as problem:  # it needs what is not installed
            return Part(name, None, problem.complaints[0])
        most = study.stop.trials
        trials = most if self.trials is None else min(most, self.trials)
        command = f"fastgc run {name} --trials {trials} -o {file}"
        self.watching.begun(name, file)
        result = run(
            study,
            out=file,
            trials=trials,
            threads=self.threads,
            executor=self.executor,
            progress=self.watching.progress,
            interrupted=self._reason,
        )
        return Part(name, measured(file, result), self._why(result), command)

    def claims(self, paper: str) -> Part:
        """Judge the claims of a paper."""
        name = f"the claims of {paper}"
        file = self.folder / f"{paper}-claims.h5"
        most = self.trials or DEFAULT_TRIALS
        command = f"fastgc validate --paper {paper} --trials {most} -o {file}"
        if self.stopped_by is not None:
            return Part(name, None, f"They were not judged: stopped early by {self.stopped_by}")
        self.watching.begun(name, file)
        fallen: list[Verdict] = []
        try:
            validate(
                paper=paper,
                out=file,
                trials=most,
                seed=_SEED,
                threads=self.threads,
                batch=Batch(
                    executor=self.executor,
                    progress=self.watching.progress,
                    found=fallen.append,
                    interrupted=self._reason,
                ),
            )
        except StoppedError as early:
            self.verdicts += fallen
            return Part(name, _so_far(file, fallen), str(early), command)
        found = measured(file)
        self.verdicts += found.result.verdicts
        return Part(name, found, command=command)

    def _reason(self) -> str | None:
        self.stopped_by = self.stopped_by or self.watching.interrupted()
        return self.stopped_by

    def _why(self, result: Result) -> str:
        if result.complete:
            return ""
        return f"It was stopped early by {result.stopped_by}; the same command goes on"


def _so_far(file: Path, fallen: Sequence[Verdict]) -> Measured | None:
    place = store.existing(file)
    if not fallen or not place.exists():
        return None
    stored = store.load(place)
    result = Result([], stopped_by="", complete=False, path=place, verdicts=list(fallen))
    trials = sum(unit.trials for unit in stored.units)
    return Measured(result, _SEED, stored.provenance, trials=trials)
