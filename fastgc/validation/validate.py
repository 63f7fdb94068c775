"""Claims + measurements → verdicts."""

import functools
import hashlib
import json
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Executor
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path
from typing import Any

import fastgc
from fastgc.engine.executors.opening import pool_for
from fastgc.engine.payloads import build_fingerprint
from fastgc.errors import FastgcError
from fastgc.experiments import KINDS
from fastgc.registry.activity import Step
from fastgc.registry.complaints import one_line, unlisted
from fastgc.registry.numbers import count_of
from fastgc.results import lock
from fastgc.results.checkpointer import Checkpointer
from fastgc.results.rows import Row
from fastgc.results.stored import StoredRun
from fastgc.results.verdicts import NONE, Verdict, Verdicts, verdict_of
from fastgc.study.claims import papers
from fastgc.theory.papers.claim import Case, Claim
from fastgc.validation import own
from fastgc.validation.decision_rules import Evidence
from fastgc.validation.measuring import DEFAULT_ALPHA, DEFAULT_TRIALS, Method, Options, measure
from fastgc.validation.multiple_testing import PendingVerdicts


def validate(
    claims: own.Given | Sequence[own.Given] | None = None,
    *,
    paper: str | None = None,
    trials: int = DEFAULT_TRIALS,
    seed: int = 1,
    threads: int | None = None,
    executor: str | Executor | None = None,
    alpha: float = DEFAULT_ALPHA,
    method: Method = "both",
    out: str | Path | None = None,
    checkpoint_seconds: float | None = None,
    progress: Callable[[Step], None] | None = None,
    decided: Callable[[Verdict], None] = lambda verdict: None,
    interrupted: Callable[[], str | None] = lambda: None,
) -> Verdicts:
    """Measure what theorems claim, and say of each whether the measurement agrees.

    Parameters
    ----------
    claims : str, Path, dict, Claim or a sequence of these, optional
        Ids of claims, or beginnings of ids such as ``"agc.theorem1"``; files with ``[[claim]]``
        tables, or the same as data; claims made by `fastgc.claim`.
    paper : str, optional
        All claims of one paper. By default all claims of all papers.
    trials : int
        At most so many for each experiment; sampling stops when the interval is narrow enough.
    seed, threads, executor : optional
        As in `fastgc.run`.
    alpha : float
        Probability that any true statement of the whole run is refuted (Holm).
    method : str
        "both": cases are judged on the exact method where there is one, and a sample is held beside
        it; "exact" leaves out that sample; "monte-carlo" judges on samples alone.
    out : str or Path, optional
        HDF5 file that keeps what was measured. The same call again goes on from it; of a finished
        one, fastgc's own statements are judged again without being measured.
    checkpoint_seconds : float, optional
        As in `fastgc.run`.
    progress : callable, optional
        Called with a `Step` at the beginning, now and then, and at the end.
    decided : callable, optional
        Called with each `Verdict` as soon as it is final, in the order in which they fall.
    interrupted : callable, optional
        Asked often; a text it returns stops the run.

    Returns
    -------
    list of Verdict
        One a claim; notebooks show it as a table.

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
    counted = trials if isinstance(trials, int) else count_of(trials)
    if counted is None:
        raise FastgcError(f"trials: must be at least 1, a whole number (got {trials})")
    path = None if out is None else Path(out)
    options = Options(counted, seed, alpha, method, path, checkpoint_seconds)
    options.check()
    if checkpoint_seconds is not None and out is None:
        raise FastgcError("checkpoint_seconds: checkpoints need a file; name one with out")
    chosen = select(claims, paper, interrupted)
    with ExitStack() as stack:
        keeper = None
        way: dict[str, Any] = {}
        if path is not None:
            stack.enter_context(lock.writing(path))
            identity = _identity(chosen, seed)
            way = how(method, counted)
            keeper = Checkpointer(
                path, "", identity, points=lambda: [way], checkpoint_seconds=checkpoint_seconds
            )
            stack.enter_context(keeper.explaining())
        pending = PendingVerdicts(chosen, alpha, decided)

        def show(step: Step) -> None:
            if progress is not None:
                progress(replace(step, decided=pending.decided))

        measured = measure(
            chosen,
            stack.enter_context(pool_for(executor, threads)),
            options,
            keeper=keeper,
            kept={} if keeper is None else kept_evidence(keeper.finished, chosen, way),
            progress=None if progress is None else show,
            found=pending.update,
            interrupted=interrupted,
        )
        verdicts = Verdicts(pending.finish(measured))
        if keeper is not None:
            keeper.keep(measured.units, _rows(verdicts), verdicts, complete=True)
    return verdicts


def _identity(claims: Sequence[Claim], seed: int) -> str:
    known = papers.register()
    said = {claim.id: own.content(claim) for claim in claims if claim not in known}
    return json.dumps({"validation": [claim.id for claim in claims], "seed": seed} | said)


def select(
    claims: own.Given | Sequence[own.Given] | None,
    paper: str | None = None,
    interrupted: Callable[[], str | None] = lambda: None,
) -> list[Claim]:
    """Claims by id, beginning of an id, or paper; those of a study file, or made in Python."""
    known = [claim for claim in papers.register() if paper in (None, claim.paper)]
    if paper is not None and not known:
        more = papers.installed()
        if paper not in more:
            names = [*papers.names(), *more]
            raise FastgcError(
                f"paper: {unlisted('paper', paper, names, '`fastgc validate --list`')}"
            )
        known = list(more[paper].claims)
    wanted = own.listed(claims)
    if not wanted:
        return known
    chosen: list[Claim] = []
    for given in wanted:
        made = own.claims_of(given, interrupted)
        if made is not None:
            chosen += own.beside(chosen, made)
            continue
        name = str(given)
        fitting = own.named(name, known) or own.named(name, own.installed())
        if not fitting and name.endswith(".h5"):
            raise FastgcError(
                f"claim: {one_line(name)} is a file of results; give claims or a file that states "
                "some (`fastgc show` prints the verdicts that results hold)"
            )
        if not fitting:
            parts = [claim.id.split(".") for claim in known]
            ids = [".".join(p[:length]) for p in parts for length in range(1, len(p) + 1)]
            raise FastgcError(f"claim: {unlisted('claim', name, ids, '`fastgc validate --list`')}")
        chosen += [claim for claim in fitting if claim not in chosen]
    return chosen


def _rows(verdicts: list[Verdict]) -> list[Row]:
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
    if case.is_finite or not case.experiment:
        return None
    kind = case.experiment.get("kind", "decoding")
    is_ratio = case.against is not None and case.how == "ratio"
    table = KINDS[kind].table
    return table.unit(case.quantity, "ratio" if is_ratio else case.statistic)


# ---- what a finished validation measured: judged again without being measured


@functools.cache
def build() -> str:
    """Return what tells the sources apart that measure: those of fastgc and of its kernels."""
    home = Path(fastgc.__file__).parent
    found = hashlib.sha256(build_fingerprint().encode())
    for path in sorted(home.rglob("*.py")):
        found.update(path.relative_to(home).as_posix().encode() + b"\0" + path.read_bytes())
    return found.hexdigest()


def how(method: str, trials: int) -> dict[str, Any]:
    """Return, for the file, how everything in it was measured."""
    return {"build": build(), "method": method, "trials": trials}


def kept_evidence(
    run: StoredRun | None, claims: Sequence[Claim], wanted: Mapping[str, Any]
) -> dict[int, Evidence]:
    """Return what a finished file holds of the cases of fastgc's own statements, by identity."""
    if run is None or run.provenance.get("points") != [dict(wanted)]:
        return {}
    known = {}
    for verdict in map(verdict_of, run.verdicts):
        for finding in verdict.findings:
            if finding.method != NONE:
                known[_key(finding.case)] = Evidence(
                    finding.estimate,
                    finding.method,
                    finding.kurtosis,
                    finding.sampled,
                    certificate=finding.certificate,
                    counterexample=finding.counterexample,
                )
    own = set(papers.register())
    cases = [case for claim in claims if claim in own for case in claim.cases]
    keys = {id(case): _key(case) for case in cases}
    return {case: known[key] for case, key in keys.items() if key in known}


def _key(case: Case) -> str:
    measured = [case.experiment, case.against, case.quantity, case.statistic, case.index, case.how]
    return json.dumps(measured, sort_keys=True)
