"""``fastgc.open``: reading the result that a file holds."""

from pathlib import Path

from fastgc.errors import FastgcError
from fastgc.results import measurements, store
from fastgc.results.measurements import Measurement
from fastgc.results.rows import RARE, Result, Row
from fastgc.results.verdicts import verdict_of
from fastgc.runs.plan import Plan, rules_of
from fastgc.study.study import Study


def open(path: str | Path) -> Result | Measurement:
    """Read a file of results.

    Parameters
    ----------
    path : str or Path
        A file that ``fastgc run``, ``validate`` or ``measure`` wrote; an unfinished one ends in
        ``.part``.

    Returns
    -------
    Result or Measurement
        The same as `fastgc.run` returned; of a file that ``fastgc validate`` wrote, the rows of its
        cases, and its ``verdicts``; or the same as `fastgc.measure` returned.

    Raises
    ------
    FastgcError
        If there is no such file, or it is not one of fastgc's.

    Examples
    --------
    >>> import fastgc, tempfile
    >>> code, stragglers = {"family": "frc", "n": 8, "d": 2}, {"model": "iid", "p": 0.1}
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     run = fastgc.run({"code": code, "stragglers": stragglers}, out=f"{folder}/result.h5")
    ...     found = fastgc.open(f"{folder}/result.h5")
    >>> found.rows() == run.rows(), round(found["experiment1"]["error"].mean.value, 12)
    (True, 0.08)
    """
    return measurements.load(Path(path)) or opened(path)


def opened(path: str | Path) -> Result:
    """Read a file that ``fastgc run`` or ``fastgc validate`` wrote; see `open`."""
    place = Path(path)
    stored = store.load(place)
    if not stored.study:
        verdicts = [verdict_of(data) for data in stored.verdicts]
        estimates = [finding.estimate for verdict in verdicts for finding in verdict.findings]
        entries = [Row.of(*both) for both in zip(stored.rows, estimates, strict=True)]
        return Result(entries, complete=stored.complete, path=place, verdicts=verdicts)
    study = Study.parse(stored.asked())
    known = {unit.key: unit for unit in stored.units}
    plan = Plan.of(study, known)
    missing = [unit.key for unit in plan.units if unit.key not in known]
    if missing:
        raise FastgcError(f"{place}: its study and its tallies do not fit; sample it again")
    units = [unit.among(known) for unit in plan.units]
    plan.remember(stored.rows)
    note = None if stored.merged is None else stored.merged.note
    return Result(
        entries=[row if row.method in RARE else row.noting(note) for row in plan.rows(units)],
        title=study.title,
        stopped_by=rules_of(units),
        complete=stored.complete,
        path=place,
    )
