"""Claims + measurements → verdicts."""

import json
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path
from typing import Any

from fastgc.engine.executors.local import pool_for
from fastgc.errors import FastgcError
from fastgc.experiments import KINDS
from fastgc.registry.activity import Batch, Step
from fastgc.registry.complaints import one_line, unlisted
from fastgc.registry.numbers import count_of
from fastgc.results import image
from fastgc.results.checkpointer import Checkpointer
from fastgc.results.rows import Row
from fastgc.results.verdicts import Verdict, Verdicts
from fastgc.study.claims import papers, read
from fastgc.theory.papers.claim import Case, Claim
from fastgc.validation import own
from fastgc.validation.measuring import ALPHA, DEFAULT_TRIALS, Method, Options, measure
from fastgc.validation.multiple_testing import PendingVerdicts


def validate(
    claims: own.Given | Sequence[own.Given] | None = None,
    *,
    paper: str | None = None,
    trials: int = DEFAULT_TRIALS,
    seed: int = 1,
    threads: int | None = None,
    method: Method = "both",
    out: str | Path | None = None,
    batch: Batch | None = None,
) -> Verdicts:
    """Measure what theorems claim, and say of each whether the measurement agrees.

    The probability that any true statement of the whole run is refuted is at most 1 % (Holm).

    Parameters
    ----------
    claims : str, Path, dict, Claim or a sequence of these, optional
        Ids of claims, or beginnings of ids such as ``"agc.theorem1"``; files with ``[[claim]]``
        tables, or the same as data; claims made by `fastgc.claim`.
    paper : str, optional
        All claims of one paper. By default all claims of all papers.
    trials : int
        At most so many for each experiment; sampling stops when the interval is narrow enough.
    seed, threads : optional
        As in `fastgc.run`.
    method : str
        "both": cases are judged on the exact method where there is one, and a sample is held beside
        it; "exact" leaves out that sample; "monte-carlo" judges on samples alone.
    out : str or Path, optional
        HDF5 file that keeps what was measured. The same call again goes on from it.
    batch : Batch, optional
        How it is carried out and watched: ``found`` is called with each `Verdict` as soon as it is
        final, in the order in which they fall. Shards and ``max_seconds`` are those of runs.

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
    batch = batch or Batch()
    counted = trials if isinstance(trials, int) else count_of(trials)
    if counted is None or counted < 1:
        raise FastgcError(f"trials: must be at least 1, a whole number (got {trials})")
    if batch.checkpoint_seconds is not None and out is None:
        raise FastgcError("checkpoint_seconds: checkpoints need a file; name one with out")
    if batch.shard != (0, 1) or batch.max_seconds is not None:
        raise FastgcError("shard, max_seconds: are those of `fastgc run`; leave them out here")
    chosen = select(claims, paper, batch.interrupted)
    pending = PendingVerdicts(chosen, ALPHA, batch.found)
    with ExitStack() as stack:
        keeper = None
        if out is not None:
            path = Path(out)
            stack.enter_context(image.locked(path))
            keeper = Checkpointer(
                path,
                "",
                _identity(chosen, seed),
                points=lambda: [{"method": method, "trials": counted}],
                checkpoint_seconds=batch.checkpoint_seconds,
            )
            stack.enter_context(keeper.explaining())

        def show(step: Step) -> None:
            if batch.progress is not None:
                batch.progress(replace(step, decided=pending.decided))

        measured = measure(
            chosen,
            stack.enter_context(pool_for(batch.executor, threads)),
            Options(counted, seed, method),
            keeper=keeper,
            progress=None if batch.progress is None else show,
            found=pending.update,
            interrupted=batch.interrupted,
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
        said = unlisted("paper", paper, papers.names(), "`fastgc validate --list`")
        raise FastgcError(f"paper: {said}")
    if claims is None or claims == () or claims == []:
        return known
    chosen: list[Claim] = []
    several: Sequence[Any] = claims if isinstance(claims, list | tuple) else [claims]
    for given in several:
        if not isinstance(given, str) or given.endswith(".toml"):
            for claim in _own(given, interrupted):
                if any(claim.id == other.id for other in chosen):
                    said = f"there are two claims {claim.id}; name one of them otherwise"
                    raise FastgcError(f"claim: {said}")
                chosen.append(claim)
            continue
        name = given
        fitting = [claim for claim in known if claim.id == name or claim.id.startswith(name + ".")]
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


def _own(given: Any, interrupted: Callable[[], str | None]) -> list[Claim]:
    """Claims of a study file, of its content, or made by `fastgc.claim`."""
    if isinstance(given, Claim):
        return [given]
    if isinstance(given, str | Path | Mapping):
        return read.read(given, interrupted)
    raise FastgcError(
        "claims: must be ids, study files, data with [[claim]] tables, or claims made by "
        f"fastgc.claim (got {type(given).__name__})"
    )


def _rows(verdicts: list[Verdict]) -> list[Row]:
    return [
        Row(
            verdict.claim,
            dict(finding.case.point),
            finding.case.quantity,
            finding.case.statistic,
            finding.case.index,
            finding.method,
            finding.estimate,
            finding.case.theory,
            verdict.claim,
            _unit(finding.case),
            verdict.relation,
            finding.verdict,
        )
        for verdict in verdicts
        for finding in verdict.findings
    ]


def _unit(case: Case) -> str | None:
    """Unit of what a case measures; a finite statement has none that is known."""
    if case.is_finite or not case.experiment:
        return None
    is_ratio = case.against is not None and case.how == "ratio"
    table = KINDS[case.experiment.get("kind", "decoding")].table
    return table.unit(case.quantity, "ratio" if is_ratio else case.statistic)
