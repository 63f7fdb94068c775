"""Claims + measurements → verdicts; and statements that are no paper's here, made in Python."""

import json
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path
from typing import Any, Unpack, overload

from fastgc.engine.executors.local import pool_for
from fastgc.errors import FastgcError, public
from fastgc.experiments import KINDS
from fastgc.registry.activity import Batch, Step, never
from fastgc.registry.complaints import one_line, unlisted
from fastgc.registry.number_types import count_of
from fastgc.results import image
from fastgc.results.checkpointer import Checkpointer
from fastgc.results.rows import Row
from fastgc.results.verdict_data import Verdict, Verdicts
from fastgc.study.claims import paper_files, read
from fastgc.study.claims.claim_table import ClaimKeys
from fastgc.study.study import Study
from fastgc.theory.papers.claim import Claim
from fastgc.validation.measuring import ALPHA, DEFAULT_TRIALS, Method, Options, ValidationRun
from fastgc.validation.multiple_testing import PendingVerdicts

Theory = Callable[..., Any]

#: What names claims beside an id: a file, its content as data, or claims themselves.
ClaimSource = str | Path | Mapping[str, Any] | Claim


@public
def validate(
    claims: ClaimSource | Sequence[ClaimSource] | None = None,
    *,
    paper: str | None = None,
    trials: float = DEFAULT_TRIALS,
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
        How it is carried out and watched: ``fastgc.runs.Batch(progress=print)`` says how far it is,
        and ``found`` is called with each `Verdict` as soon as it is final, in the order in which
        they fall. Shards and ``max_seconds`` are those of runs.

    Returns
    -------
    Verdicts
        A list with one `Verdict` a claim; notebooks show it as a table.

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
    chosen = select(claims, paper, batch.interrupted or never)
    pending = PendingVerdicts(chosen, ALPHA, batch.found)
    with ExitStack() as stack:
        keeper = None
        if out is not None:
            path, known = Path(out), paper_files.register()
            own = {claim.id: content(claim) for claim in chosen if claim not in known}
            asked = {"validation": [claim.id for claim in chosen], "seed": seed} | own
            stack.enter_context(image.locked(path))
            keeper = Checkpointer(
                path,
                "",
                json.dumps(asked),
                points=lambda: [{"method": method, "trials": counted}],
                checkpoint_seconds=batch.checkpoint_seconds,
            )
            stack.enter_context(keeper.explaining())

        def show(step: Step) -> None:
            if batch.progress is not None:
                batch.progress(replace(step, decided=pending.decided))

        run = ValidationRun(
            chosen,
            stack.enter_context(pool_for(batch.executor, threads)),
            Options(counted, seed, method),
            keeper=keeper,
            progress=None if batch.progress is None else show,
            found=pending.update,
            interrupted=batch.interrupted or never,
        )
        measured = run.measure()
        verdicts = Verdicts(pending.finish(measured))
        if keeper is not None:
            keeper.keep(measured.units, _rows(verdicts), verdicts, complete=True)
    return verdicts


def select(
    claims: ClaimSource | Sequence[ClaimSource] | None,
    paper: str | None = None,
    interrupted: Callable[[], str | None] = lambda: None,
) -> list[Claim]:
    """Claims by id, beginning of an id, or paper; those of a study file, or made in Python."""
    known = [claim for claim in paper_files.register() if paper in (None, claim.paper)]
    if paper is not None and not known:
        names, word = paper_files.names(), paper.casefold()  # which may be an author's
        by = [each for each in names if word in paper_files.citation(each).casefold()]
        said = unlisted("paper", paper, names, "`fastgc validate --list`", *by)
        raise FastgcError(f"paper: {said}")
    if claims is None or claims == ():
        return known
    if claims == []:
        raise FastgcError("claims: the list is empty; leave it out for all of them")
    chosen: list[Claim] = []
    several: Sequence[Any] = claims if isinstance(claims, list | tuple) else [claims]
    for given in several:
        if not isinstance(given, str) or given.endswith(".toml"):
            own = [given] if isinstance(given, Claim) else None
            if isinstance(given, str | Path | Mapping):
                own = read.read(given, interrupted)
            if own is None:
                raise FastgcError(
                    "claims: must be ids, study files, data with [[claim]] tables, or claims made "
                    f"by fastgc.claim (got {type(given).__name__})"
                )
            for claim in own:
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


def _rows(verdicts: list[Verdict]) -> list[Row]:
    rows = []
    for verdict in verdicts:
        for finding in verdict.findings:
            case, unit = finding.case, None
            if case.experiment and not case.is_finite:  # of a finite statement none is known
                table = KINDS[case.experiment.get("kind", "decoding")].table
                is_ratio = case.against is not None and case.how == "ratio"
                unit = table.unit(case.quantity, "ratio" if is_ratio else case.statistic)
            at = verdict.claim, dict(case.point), case.quantity, case.statistic, case.index
            said = case.theory, verdict.claim, unit, verdict.relation, finding.verdict
            rows.append(Row(*at, finding.method, finding.estimate, *said))
    return rows


@overload
def claim(
    *,
    id: str,
    quantity: str,
    experiment: Mapping[str, Any],
    theory: str | float,
    **keys: Unpack[ClaimKeys],
) -> Claim: ...


@overload
def claim(
    *,
    id: str,
    quantity: str,
    experiment: Mapping[str, Any],
    theory: None = None,
    **keys: Unpack[ClaimKeys],
) -> Callable[[Theory], Claim]: ...


@public
def claim(
    *,
    id: str,
    quantity: str,
    experiment: Mapping[str, Any],
    theory: str | float | None = None,
    **keys: Unpack[ClaimKeys],
) -> Claim | Callable[[Theory], Claim]:
    """Make a statement of one's own, which `fastgc.validate` measures.

    Decorates a function that is the theory: its parameters are names at a point, as in the
    expressions of a study's ``[[claim]]`` tables, and its docstring is the statement.

    Parameters
    ----------
    id, quantity : str
        What verdicts call it, like ``"mine.lemma3"``, and the measure that it is about.
    experiment : mapping
        The experiment that tests it, as a ``[[experiment]]`` table of a study.
    theory : str or float, optional
        An expression or a number; then nothing is decorated.
    **keys
        ``statement``, what is claimed, in words, by default the function's docstring; ``sweep``,
        key paths like ``"code.d"`` and their values: a case at every point; and any other key of a
        ``[[claim]]`` table, like ``relation``, ``where``, ``statistic``.

    Returns
    -------
    Claim or decorator
        What `fastgc.validate` takes.

    Raises
    ------
    StudyError
        One line for every mistake.

    Examples
    --------
    >>> import fastgc
    >>> @fastgc.claim(
    ...     id="mine.lemma3",
    ...     quantity="error",
    ...     experiment={"code": fastgc.codes.frc(n=8, d=2), "stragglers": 0.1},
    ...     sweep={"code.d": [1, 2, 4]},
    ... )
    ... def lemma3(n, d, p):
    ...     \"\"\"FRC loses n p^d partitions on average.\"\"\"
    ...     return n * p**d
    >>> [verdict] = fastgc.validate(lemma3)
    >>> verdict.verdict
    'confirmed'
    """
    swept = {"sweep": keys.pop("sweep")} if "sweep" in keys else {}
    table = {"id": id, "quantity": quantity, "experiment": {**experiment, **swept}, **keys}

    def made(function: Theory) -> Claim:
        said = function.__doc__ or getattr(function, "__name__", id)
        return read.made({"statement": said, **table}, function)

    return made if theory is None else read.made({**table, "theory": theory})


def content(claim: Claim) -> dict[str, Any]:
    """Return, as JSON data, all that a claim says; files count by their content."""
    cases = []
    for case in claim.cases:
        tables: list[Any] = [table for table in (case.experiment, case.against) if table]
        if tables and not case.is_finite:  # else nothing is drawn, or nothing is measured
            named = [{**table, "name": f"arm{number}"} for number, table in enumerate(tables)]
            study = Study.parse({"experiment": named})
            tables = [study.canonical(point) for point in study.points()]
        said = [case.theory, case.quantity, case.statistic, case.index, case.how, case.digits]
        said += [case.scale, case.tolerance, case.size, case.rate]
        point = json.loads(json.dumps(dict(case.point)))
        cases.append({"point": point, "said": said, "tables": tables})
    return {
        "statement": [claim.statement, claim.citation, claim.relation, claim.expected],
        "holds": [claim.holds, claim.limit, claim.kind],
        "cases": cases,
    }
