"""``fastgc.errata``: what of a paper is confirmed, and its errata, measured or read from a file."""

from collections.abc import Callable, Sequence
from concurrent.futures import Executor
from pathlib import Path
from typing import Any

from fastgc import report
from fastgc.errors import FastgcError, StorageError
from fastgc.registry.activity import Batch, Step
from fastgc.report import forms
from fastgc.report.pages import errata as site_pages
from fastgc.report.pages.errata import page
from fastgc.results import store
from fastgc.results.verdicts import Verdict, verdict_of
from fastgc.validation.measuring import DEFAULT_TRIALS, Method
from fastgc.validation.multiple_testing import disagreements
from fastgc.validation.validate import validate
from fastgc.version import __version__


def errata(
    paper: str,
    *,
    source: str | Path | None = None,
    trials: int = DEFAULT_TRIALS,
    seed: int = 1,
    threads: int | None = None,
    executor: str | Executor | None = None,
    method: Method = "both",
    out: str | Path | None = None,
    progress: Callable[[Step], None] | None = None,
    interrupted: Callable[[], str | None] = lambda: None,
) -> dict[str, Any]:
    """Say what of a paper measurement confirms, and what is an erratum.

    Parameters
    ----------
    paper : str
        Its name, as in ids of claims.
    source : str or Path, optional
        A file that `fastgc.validate` wrote; by default all claims of the paper are measured.
    trials, seed, threads, executor, method, out, progress, interrupted : optional
        As in `fastgc.validate`; nothing is measured with ``source``, and they are not looked at.

    Returns
    -------
    dict
        Plain data: ``confirmed``, ``errata``, ``not_reproducible``, ``undecided``, ``added``, see
        `fastgc.report.pages.errata.page`; and ``disagreements``, sentences on exact values that
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
    if source is not None:
        return _from_file(paper, Path(source))
    found = validate(
        paper=paper,
        trials=trials,
        seed=seed,
        threads=threads,
        method=method,
        out=out,
        batch=Batch(executor=executor, progress=progress, interrupted=interrupted),
    )
    options = [f"--trials {trials}"] if trials != DEFAULT_TRIALS else []
    options += [f"--method {method}"] if method != "both" else []
    return _page(paper, found, __version__, seed, " ".join(options))


def site(
    folder: str | Path,
    *,
    source: str | Path | None = None,
    progress: Callable[[Step], None] | None = None,
    interrupted: Callable[[], str | None] = lambda: None,
    **measuring: Any,
) -> list[dict[str, Any]]:
    """Write a page on each paper into a folder, and a front page that leads to them.

    The folder can be put anywhere: links are relative, and pages stand alone.

    * ``folder``: made if it is not there; files of these names are replaced.
    * ``source``: a file that `fastgc.validate` wrote; by default all claims are measured.
    ``progress``, ``interrupted``, ``**measuring``: as ``progress``, ``interrupted`` and the other
        parameters of `errata`.

    Returns the pages, as `errata` returns them.
    """
    place = Path(folder)
    try:
        place.mkdir(parents=True, exist_ok=True)
    except OSError as problem:
        raise StorageError(f"{place}: cannot be made ({problem.strerror})") from None
    if source is None:
        executor = measuring.pop("executor", None)
        batch = Batch(executor=executor, progress=progress, interrupted=interrupted)
        found: list[Verdict] = list(validate(batch=batch, **measuring))
        seed, version = measuring.get("seed", 1), __version__
    else:
        stored = store.load(Path(source))
        found = [verdict_of(data) for data in stored.verdicts]
        seed, version = stored.identified()["seed"], stored.provenance["fastgc"]
    names = list(dict.fromkeys(map(_paper, found)))
    if not names:
        raise FastgcError(f"{source}: holds no verdicts on papers; it is none of a validation")
    by_paper = {name: [each for each in found if _paper(each) == name] for name in names}
    pages = [_page(name, own, version, seed) for name, own in by_paper.items()]
    for name, document in site_pages.documents(pages).items():
        forms.save(document, place / name)
    return pages


def _from_file(paper: str, path: Path) -> dict[str, Any]:
    stored = store.load(path)
    verdicts = [verdict_of(data) for data in stored.verdicts]
    own = [verdict for verdict in verdicts if _paper(verdict) == paper]
    if not own:
        held = ", ".join(dict.fromkeys(map(_paper, verdicts)))
        about = f"there are some on {held}" if held else "it is none of a complete validation"
        raise FastgcError(f"{path}: holds no verdicts on paper {paper!r}; {about}")
    seed = stored.identified()["seed"]
    return _page(paper, own, stored.provenance["fastgc"], seed)


def _page(
    paper: str, found: Sequence[Verdict], version: str, seed: int, options: str = ""
) -> dict[str, Any]:
    made = page(paper, found, version=version, seed=seed, options=options)
    return made | {"disagreements": report.disagreements(disagreements(found)).splitlines()}


def _paper(verdict: Verdict) -> str:
    return verdict.claim.partition(".")[0]
