"""``fastgc.audit``: a file of results, held against what its study or its claims give today."""

from collections.abc import Callable, Sequence
from concurrent.futures import Executor
from pathlib import Path

from fastgc.engine.executors.opening import pool_for
from fastgc.errors import FastgcError
from fastgc.registry.activity import Step
from fastgc.results import store
from fastgc.results.rows import ENUMERATION, EXACT, MONTE_CARLO, Row
from fastgc.results.stored import StoredRun
from fastgc.results.verdicts import Verdict, verdict_of
from fastgc.runs.audit import (
    DEFAULT_SHARE,
    Audit,
    Exhibit,
    carry_out,
    is_same_version,
    of_run,
    other_stream,
    row_difference,
    subject,
)
from fastgc.runs.recomputing import Difference, Subject
from fastgc.statistics.estimates import Estimate
from fastgc.study.claims import papers
from fastgc.theory.papers.claim import Case
from fastgc.validation.finite import measure as measure_finite
from fastgc.validation.requests import Measuring, requests_of

#: What was measured of a case again, by its identity: by the method that decides, and as sampled.
Again = dict[int, dict[str, Estimate]]


def audit(
    path: str | Path,
    *,
    share: float = DEFAULT_SHARE,
    seed: int | None = None,
    threads: int | None = None,
    executor: str | Executor | None = None,
    progress: Callable[[Step], None] | None = None,
    interrupted: Callable[[], str | None] = lambda: None,
) -> Audit:
    """Draw blocks of a file at random, sample them again, and compare.

    A file keeps a digest of every block of trials. Blocks are recomputed from the study in the file
    (of a validation: from its cases), so that digests which were forged to fit each other are found
    as well. Rows are computed anew, from the file's sums or exactly; with a share of 1 the sums are
    those of all blocks.

    Parameters
    ----------
    path : str or Path
        A file that ``fastgc run`` or ``fastgc validate`` wrote; an unfinished one ends in
        ``.part``.
    share : float
        Of each unit's blocks, more than 0 and at most 1; at least one block of each is drawn.
    seed : int, optional
        Draws the same blocks again; by default they cannot be foreseen.
    threads, executor : optional
        Where blocks are sampled again, as in `fastgc.run`. They change nothing.
    progress : callable, optional
        Called with a `Step` now and then.
    interrupted : callable, optional
        Asked often; a text it returns ends the audit with what was found so far.

    Returns
    -------
    Audit
        What was checked, what differs, the probability to have missed forged blocks, and what could
        not be checked.

    Raises
    ------
    FastgcError
        If there is no such file, it is not one of fastgc's, or a parameter is out of range.

    Examples
    --------
    >>> import fastgc, os, tempfile
    >>> path = os.path.join(tempfile.mkdtemp(), "a.h5")
    >>> study = {"code": {"family": "frc", "n": 4, "d": 2},
    ...          "stragglers": {"model": "iid", "p": 0.1}, "method": "monte-carlo"}
    >>> run = fastgc.run(study, trials=100_000, out=path)
    >>> found = fastgc.audit(path, share=1)
    >>> found.passed, found.checked, found.missed
    (True, 2, {1: 0.0})
    """
    place = Path(path)
    stored = store.load(place)
    exhibit = of_run(stored) if stored.study else of_validation(stored)
    with pool_for(executor, threads) as pool:
        return carry_out(
            place,
            stored,
            exhibit,
            pool,
            share=share,
            seed=seed,
            progress=progress,
            interrupted=interrupted,
        )


def of_validation(stored: StoredRun) -> Exhibit:
    """Make the file of a validation ready to be audited."""
    exhibit = Exhibit(rows=len(stored.rows))
    verdicts = [verdict_of(data) for data in stored.verdicts]
    said = stored.identified()
    pairs = [(verdict.claim, finding.case) for verdict in verdicts for finding in verdict.findings]
    if not verdicts:
        pairs = _of_installed(said["validation"])
        exhibit.unchecked.append("verdicts: the file has none yet")
    claims = {id(case): claim for claim, case in pairs}
    again: Again = {id(case): {} for _, case in pairs}
    units = {unit.key: unit for unit in stored.units}
    for request in requests_of(case for _, case in pairs):
        points = tuple(
            {"experiment": claims[id(case)], "point": dict(case.point)} for case in request.cases
        )
        name = f"{points[0]['experiment']} ({request.name})"
        try:
            measuring = Measuring(request, said["seed"])
        except FastgcError as problem:
            exhibit.unchecked.append(f"{name}: {problem}")
            continue
        known = units.pop(measuring.unit.key, None)
        if known is not None:
            fits = subject(name, points, measuring.unit, known, stored, exhibit)
            if fits and verdicts and known.trials:
                sampled = measuring.sampled(known.total())
                for case, evidence in zip(request.cases, sampled, strict=True):
                    again[id(case)][MONTE_CARLO] = evidence.estimate
        if verdicts:
            _exactly(measuring, verdicts, again)
    for unit in units.values():
        reason = other_stream(stored) or "no case in the file has such a tally"
        exhibit.subjects.append(Subject(_name(unit.key), (), unit, None, reason))
        if verdicts and is_same_version(stored) and not other_stream(stored):
            exhibit.differences.append(Difference(_name(unit.key), (), reason))
    _rows(verdicts, again, stored, exhibit)
    _theories(verdicts, stored, exhibit)
    if verdicts:
        exhibit.remarks.append("verdicts are not judged anew: their level is not in the file")
    return exhibit


def _of_installed(ids: Sequence[str]) -> list[tuple[str, Case]]:
    known = [claim for claim in papers.register() if claim.id in ids]
    return [(claim.id, case) for claim in known for case in claim.cases]


def _exactly(measuring: Measuring, verdicts: Sequence[Verdict], again: Again) -> None:
    if not measuring.has_exact_method:
        return
    wanted = {id(f.case) for v in verdicts for f in v.findings if f.method == EXACT}
    for case in measuring.cases:
        if id(case) in wanted and (value := measuring.exactly(case)) is not None:
            again[id(case)][EXACT] = value


def _name(key: str) -> str:
    return key if len(key) < 60 else key[:57] + "…"


def _rows(verdicts: Sequence[Verdict], again: Again, stored: StoredRun, exhibit: Exhibit) -> None:
    findings = [finding for verdict in verdicts for finding in verdict.findings]
    if len(findings) != len(stored.rows):
        what = f"has {len(stored.rows)} rows of {len(findings)} cases"
        exhibit.differences.append(Difference("rows", (), what))
        return
    nothing = 0
    for row, finding in zip(stored.rows, findings, strict=True):
        found = again[id(finding.case)]
        if finding.method == ENUMERATION:
            found[ENUMERATION] = Estimate(measure_finite(finding.case.experiment), 0.0)
        estimate = found.get(finding.method)
        if estimate is None and finding.estimate.value is None:
            estimate = finding.estimate  # nothing was measured, and it does not say otherwise
        if estimate is None:
            nothing += 1
            continue
        exhibit.compared += 1
        anew = Row.of(row, estimate).as_dict() | {"theory": finding.case.theory}
        _add(row_difference(row, anew), exhibit)
        _add(row_difference(Row.of(anew, finding.estimate).as_dict(), anew), exhibit)
        if finding.sampled is not None and (sampled := found.get(MONTE_CARLO)) is not None:
            beside = Row.of(row, finding.sampled).as_dict() | {"method": MONTE_CARLO}
            _add(row_difference(beside, Row.of(beside, sampled).as_dict()), exhibit)
    if nothing:
        exhibit.unchecked.append(f"{nothing} rows: what they were computed from is not checked")


def _add(difference: Difference | None, exhibit: Exhibit) -> None:
    if difference is not None and difference not in exhibit.differences:
        exhibit.differences.append(difference)


def _theories(verdicts: Sequence[Verdict], stored: StoredRun, exhibit: Exhibit) -> None:
    if not is_same_version(stored):
        if verdicts:
            exhibit.unchecked.append("theory's values: the file is of another version of fastgc")
        return
    known = {claim.id: claim for claim in papers.register()}
    row = 0
    for verdict in verdicts:
        rows = stored.rows[row : row + len(verdict.findings)]
        row += len(verdict.findings)
        claim = known.get(verdict.claim)
        if claim is None:
            continue
        for own, finding, case in zip(rows, verdict.findings, claim.cases, strict=False):
            again = own | {"theory": case.theory}
            _add(row_difference(own | {"theory": finding.case.theory}, again), exhibit)
