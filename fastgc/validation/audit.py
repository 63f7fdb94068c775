"""``fastgc.audit``: a file of results, held against what its study or its claims give today."""

import secrets
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Executor
from pathlib import Path

from fastgc.engine.executors.opening import pool_for
from fastgc.errors import FastgcError
from fastgc.registry.activity import Step
from fastgc.results import store
from fastgc.results.rows import ENUMERATION, EXACT, MONTE_CARLO, Row
from fastgc.results.verdicts import Finding, verdict_of
from fastgc.runs.audit import Audit, of_run
from fastgc.statistics.estimates import Estimate
from fastgc.study.claims import papers
from fastgc.validation.finite import measure as measure_finite
from fastgc.validation.requests import Measuring, requests_of

DEFAULT_SHARE = 0.001
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
    (True, 2, 0.0)
    """
    if not 0 < share <= 1:
        raise FastgcError(f"share: must be more than 0 and at most 1 (got {share})")
    if seed is not None and not 0 <= seed < 2**64:
        raise FastgcError(f"seed: must be at least 0 and below 2⁶⁴ (got {seed})")
    if seed is None:  # a forger must not foresee which blocks are drawn
        seed = secrets.randbits(64)
    found = Audit(str(path), store.load(Path(path)), seed, share)
    if found.stored.study:
        of_run(found)
    else:
        of_validation(found)
    with pool_for(executor, threads) as pool:
        found.carry_out(pool, progress, interrupted)
    return found


def of_validation(audit: Audit) -> None:
    """Give an audit the units and rows that the cases in a validation's file have today."""
    stored = audit.stored
    said = stored.identified()
    verdicts = [verdict_of(data) for data in stored.verdicts]
    installed = {claim.id: claim for claim in papers.register()}
    pairs = [(verdict.claim, finding) for verdict in verdicts for finding in verdict.findings]
    cases = [(claim, finding.case) for claim, finding in pairs]
    if not verdicts:
        audit.unchecked.append("verdicts: the file has none yet")
        ids = [name for name in installed if name in said["validation"]]
        cases = [(name, case) for name in ids for case in installed[name].cases]
    claims = {id(case): claim for claim, case in cases}
    exact = {id(finding.case) for _, finding in pairs if finding.method == EXACT}
    again: Again = {id(case): {} for _, case in cases}
    units = {unit.key: unit for unit in stored.units}
    for request in requests_of(case for _, case in cases):
        points = tuple(
            {"experiment": claims[id(case)], "point": dict(case.point)} for case in request.cases
        )
        name = f"{points[0]['experiment']} ({request.name})"
        try:
            measuring = Measuring(request, said["seed"])
        except FastgcError as problem:
            audit.unchecked.append(f"{name}: {problem}")
            continue
        known = units.pop(measuring.unit.key, None)
        fits = known is not None and audit.add(name, points, measuring.unit, known)
        if known is not None and fits and known.trials:
            sampled = measuring.sampled(known.total())
            for case, evidence in zip(request.cases, sampled, strict=True):
                again[id(case)][MONTE_CARLO] = evidence.estimate
        if measuring.has_exact_method:
            for case in measuring.cases:
                if id(case) in exact and (value := measuring.exactly(case)) is not None:
                    again[id(case)][EXACT] = value
    for unit in units.values():
        audit.stranger(unit, "no case in the file has such a tally", wrong=bool(verdicts))
    theories = {}
    if audit.is_same_version:
        for verdict in verdicts:
            own = installed[verdict.claim].cases if verdict.claim in installed else ()
            for finding, case in zip(verdict.findings, own, strict=False):
                theories[id(finding.case)] = case.theory
    if verdicts:
        _rows(audit, [finding for _, finding in pairs], again, theories)


def _rows(
    audit: Audit, findings: Sequence[Finding], again: Again, theories: Mapping[int, float]
) -> None:
    """Hold rows and findings against what was measured again, and theory's values."""
    rows = audit.stored.rows
    if len(findings) != len(rows):
        audit.differs("rows", (), f"has {len(rows)} rows of {len(findings)} cases")
        return
    for row, finding in zip(rows, findings, strict=True):
        found = again[id(finding.case)]
        if finding.method == ENUMERATION:
            found[ENUMERATION] = Estimate(measure_finite(finding.case.experiment), 0.0)
        estimate = found.get(finding.method)
        # what could not be measured again, or never was, is compared with itself
        audit.rows_compared += estimate is not None or finding.estimate.value is None
        theory = theories.get(id(finding.case), finding.case.theory)
        anew = Row.of(row, estimate or finding.estimate).as_dict() | {"theory": theory}
        kept = Row.of(row, finding.estimate).as_dict() | {"theory": finding.case.theory}
        if audit.hold_row(row, anew) and audit.hold_row(kept, anew):
            sampled = found.get(MONTE_CARLO)
            if finding.sampled is not None and sampled is not None:
                beside = Row.of(row, finding.sampled).as_dict() | {"method": MONTE_CARLO}
                audit.hold_row(beside, Row.of(beside, sampled).as_dict())
    if left := len(rows) - audit.rows_compared:
        audit.unchecked.append(f"{left} rows: what they were computed from is not checked")
    if not audit.is_same_version:
        audit.unchecked.append("theory's values: the file is of another version of fastgc")
    audit.unchecked.append("verdicts are not judged anew: their level is not in the file")
