"""Claims + measurements → verdicts."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from fastgc import theory
from fastgc.engine.executors.threads import in_threads
from fastgc.engine.limits import Limits
from fastgc.engine.units import Unit
from fastgc.errors import FastgcError, StoppedError
from fastgc.experiments import KINDS
from fastgc.registry.complaints import unknown
from fastgc.results import lock
from fastgc.results.keeper import Keeper
from fastgc.results.rows import ENUMERATION, MONTE_CARLO, Row
from fastgc.results.stored import StoredUnit
from fastgc.results.verdicts import (
    Finding,
    Verdict,
    conclude,
    judge,
    may_reject,
    p_value,
    rejected,
)
from fastgc.runs.loop import Loop, Work
from fastgc.statistics.estimates import Estimate
from fastgc.theory.papers.claim import Case, Claim
from fastgc.traces import claims as trace_claims
from fastgc.validation import built, enumerations
from fastgc.validation.requests import NarrowEnough, estimates, requests_of

DEFAULT_TRIALS = 200_000_000


DEFAULT_ALPHA = 0.01


@dataclass(frozen=True)
class Step:
    """How far a validation is."""

    done: int
    total: int
    name: str
    trials: int
    seconds: float


def validate(
    claims: str | Sequence[str] | None = None,
    *,
    paper: str | None = None,
    trace: str | Path | Mapping[str, Any] | None = None,
    threshold: float | str | None = None,
    trials: int = DEFAULT_TRIALS,
    seed: int = 1,
    threads: int | None = None,
    alpha: float = DEFAULT_ALPHA,
    out: str | Path | None = None,
    checkpoint_seconds: float | None = None,
    progress: Callable[[Step], None] | None = None,
    interrupted: Callable[[], str | None] = lambda: None,
) -> list[Verdict]:
    """Measure what theorems claim, and say of each whether the measurement agrees.

    Parameters
    ----------
    claims : str or sequence of str, optional
        Ids of claims, or beginnings of ids such as ``"agc.theorem1"``.
    paper : str, optional
        All claims of one paper. By default all claims of all papers.
    trace, threshold : optional
        Measure on a recorded trace what paper agc says of straggling, instead of the claims that
        are measured by simulation; see `fastgc.traces.claims.validate`. Nothing is expected there,
        ``paper``, ``trials`` and ``out`` are left out, and ``threads`` changes nothing.
    trials : int
        At most so many for each experiment; sampling stops when the interval is narrow enough.
    seed, threads : optional
        As in `fastgc.run`.
    alpha : float
        Chance that any true statement of the whole run is refuted (Holm).
    out : str or Path, optional
        HDF5 file that keeps what was measured. The same call again goes on from it.
    checkpoint_seconds : float, optional
        As in `fastgc.run`.
    progress : callable, optional
        Called with a `Step` after each experiment.
    interrupted : callable, optional
        Asked often; a text it returns stops the run.

    Returns
    -------
    list of Verdict
        One a claim.

    Raises
    ------
    FastgcError
        If there is no such claim or paper, or a parameter is out of range.
    StoppedError
        If the run was asked to stop.

    Examples
    --------
    >>> import fastgc
    >>> [verdict] = fastgc.validate("agc.lemma1.printed")
    >>> verdict.verdict
    'confirmed'
    """
    if not 0 < alpha < 1:
        raise FastgcError(f"alpha: must be between 0 and 1 (got {alpha})")
    if trials < 1:
        raise FastgcError(f"trials: must be at least 1 (got {trials})")
    if threads is not None and threads < 1:
        raise FastgcError(f"threads: must be at least 1 (got {threads})")
    if trace is not None:
        _refuse_beside_trace(
            paper=paper,
            trials=None if trials == DEFAULT_TRIALS else trials,
            out=out,
            checkpoint_seconds=checkpoint_seconds,
        )
        return trace_claims.validate(
            trace, threshold, claims=claims, seed=seed, alpha=alpha, interrupted=interrupted
        )
    if threshold is not None:
        raise FastgcError("threshold: belongs to a trace; give trace too, or leave it out")
    if checkpoint_seconds is not None and out is None:
        raise FastgcError("checkpoint_seconds: checkpoints need a file; name one with out")
    chosen = select(claims, paper)
    with ExitStack() as stack:
        keeper = None
        if out is not None:
            path = Path(out)
            stack.enter_context(lock.writing(path))
            identity = _identity(chosen, seed)
            keeper = Keeper(path, "", identity, checkpoint_seconds=checkpoint_seconds)
            stack.enter_context(keeper.explaining())
        measured = measure(
            chosen,
            trials=trials,
            seed=seed,
            threads=threads,
            alpha=alpha,
            keeper=keeper,
            progress=progress,
            interrupted=interrupted,
        )
        verdicts = weigh(chosen, measured, alpha)
        if keeper is not None:
            keeper.keep(measured.units, _rows(verdicts), complete=True)
    return verdicts


def _refuse_beside_trace(**given: object) -> None:
    for key, value in given.items():
        if value is not None:
            raise FastgcError(f"{key}: must be left out with a trace (got {value})")


def _identity(claims: Sequence[Claim], seed: int) -> str:
    return json.dumps({"validation": [claim.id for claim in claims], "seed": seed})


def select(claims: str | Sequence[str] | None, paper: str | None = None) -> list[Claim]:
    """Claims by id, beginning of an id, or paper."""
    if paper is not None and paper not in theory.paper_names():
        raise FastgcError(f"paper: {unknown('paper', paper, theory.paper_names())}")
    known = [claim for claim in theory.claims() if paper in (None, claim.paper)]
    if claims is None or len(claims) == 0:
        return known
    wanted = [claims] if isinstance(claims, str) else list(claims)
    chosen = []
    for name in wanted:
        fitting = [c for c in known if c.id == name or c.id.startswith(name + ".")]
        if not fitting and trace_claims.matching(name):
            raise FastgcError(f"claim: {name} is measured on a recorded trace; give trace too")
        if not fitting:
            raise FastgcError(f"claim: {unknown('claim', name, [claim.id for claim in known])}")
        chosen += [claim for claim in fitting if claim not in chosen]
    return chosen


@dataclass
class Measured:
    """Estimates by case, and the tallies they came from."""

    estimates: dict[int, Estimate] = field(default_factory=dict)
    units: list[StoredUnit] = field(default_factory=list)
    done: int = 0


def measure(
    claims: Sequence[Claim],
    *,
    trials: int = DEFAULT_TRIALS,
    seed: int = 1,
    threads: int | None = None,
    alpha: float = DEFAULT_ALPHA,
    keeper: Keeper | None = None,
    progress: Callable[[Step], None] | None = None,
    interrupted: Callable[[], str | None] = lambda: None,
) -> Measured:
    """Measure every case of every claim; cases on the same experiment share its trials."""
    cases = [case for claim in claims for case in claim.cases]
    requests = requests_of(cases)
    measured = Measured()
    started = time.monotonic()
    for case in cases:
        if case.is_finite:
            measured.estimates[id(case)] = Estimate(_enumerated(case.experiment), 0.0)
    known: dict[str, StoredUnit] = {} if keeper is None else keeper.units
    units: list[Unit] = []

    def work(number: int) -> Work:
        unit = requests[number].unit(seed)
        stored = known[unit.key] = known.get(unit.key) or unit.fresh()
        units.append(unit)
        measured.units.append(stored)
        rule = NarrowEnough(tuple(requests[number].cases), alpha / len(cases))
        return Work(unit, stored, Limits(trials, rule))

    def finished(number: int) -> None:
        request = requests[number]
        found = estimates(units[number], measured.units[number].total(), request.cases)
        for case, estimate in zip(request.cases, found, strict=True):
            measured.estimates[id(case)] = estimate
        measured.done += 1
        if progress is not None:
            sampled = sum(unit.trials for unit in measured.units)
            seconds = time.monotonic() - started
            progress(Step(measured.done, len(requests), request.name, sampled, seconds))

    checkpoints = None if keeper is None else _Checkpoints(keeper)
    with in_threads(threads) as pool:
        reason = Loop(
            len(requests),
            work,
            pool,
            interrupted=interrupted,
            checkpoints=checkpoints,
            finished=finished,
        ).run()
    if reason is not None:
        raise _stopped(reason, keeper)
    return measured


def _enumerated(experiment: Mapping[str, Any]) -> float:
    """A finite statement, measured by brute force or on what fastgc builds."""
    if "built" in experiment:
        return built.measure(experiment)
    return enumerations.measure(experiment)


@dataclass(frozen=True)
class _Checkpoints:
    """Writes the tallies of all units so far; verdicts wait until all of them are done."""

    keeper: Keeper

    def is_due(self) -> bool:
        return self.keeper.is_due()

    def write(self) -> None:
        self.keeper.keep(list(self.keeper.units.values()), [], complete=False)


def _stopped(reason: str, keeper: Keeper | None) -> StoppedError:
    if keeper is None:
        remedy = "nothing was kept; name a file with -o to be able to go on"
    else:
        keeper.keep(list(keeper.units.values()), [], complete=False)
        remedy = f"kept in {keeper.partial}; the same command goes on"
    return StoppedError(f"stopped early by {reason}: {remedy}")


def weigh(claims: Sequence[Claim], measured: Measured, alpha: float) -> list[Verdict]:
    """Verdicts on claims from what was measured; false refutations of all together ≤ alpha."""
    pairs = [(claim, case) for claim in claims for case in claim.cases]
    significance = alpha / len(pairs)
    chances = []
    for claim, case in pairs:
        estimate = measured.estimates[id(case)]
        enough = may_reject(case, estimate, significance)
        chances.append(p_value(case, claim.relation, estimate) if enough else 1.0)
    findings: dict[str, list[Finding]] = {}
    for (claim, case), is_rejected in zip(pairs, rejected(chances, alpha), strict=True):
        estimate = measured.estimates[id(case)]
        verdict, half, needed = judge(
            case, claim.relation, estimate, is_rejected=is_rejected, significance=significance
        )
        method = ENUMERATION if case.is_finite else MONTE_CARLO
        findings.setdefault(claim.id, []).append(
            Finding(case, estimate, method, verdict, half, needed)
        )
    return [conclude(claim, findings[claim.id]) for claim in claims]


def _rows(verdicts: list[Verdict]) -> list[Row]:
    """A row a case, with its verdict."""
    rows = []
    for verdict in verdicts:
        for finding in verdict.findings:
            case = finding.case
            row = Row(
                verdict.claim,
                dict(case.point),
                case.quantity,
                case.statistic,
                case.index,
                finding.method,
                finding.estimate,
                case.theory,
                verdict.claim,
                _unit(case),
                verdict.relation,
                finding.verdict,
            )
            rows.append(row)
    return rows


def _unit(case: Case) -> str | None:
    """Unit of what a case measures; a finite statement has none that is known."""
    if case.is_finite:
        return None
    kind = case.experiment.get("kind", "decoding")
    is_ratio = case.against is not None and case.how == "ratio"
    table = KINDS[kind].table
    return table.unit(case.quantity, "ratio" if is_ratio else case.statistic)
