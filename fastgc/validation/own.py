"""Statements that are no paper's here: of a study file, of Python."""

import json
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, overload

from fastgc.study.claims import read
from fastgc.study.study import Study
from fastgc.theory.papers.claim import Case, Claim

Theory = Callable[..., Any]

#: What names claims beside an id: a file, its content as data, or claims themselves.
Given = str | Path | Mapping[str, Any] | Claim


@overload
def claim(
    *, id: str, quantity: str, experiment: Mapping[str, Any], theory: str | float, **keys: Any
) -> Claim: ...


@overload
def claim(
    *, id: str, quantity: str, experiment: Mapping[str, Any], theory: None = None, **keys: Any
) -> Callable[[Theory], Claim]: ...


def claim(
    *,
    id: str,
    quantity: str,
    experiment: Mapping[str, Any],
    theory: str | float | None = None,
    statement: str | None = None,
    sweep: Mapping[str, Sequence[Any]] | None = None,
    **keys: Any,
) -> Claim | Callable[[Theory], Claim]:
    """Make a statement of one's own, which `fastgc.validate` measures.

    Decorates a function that is the theory: its parameters are names at a point, as in the
    expressions of a study's ``[[claim]]`` tables, and its docstring is the statement.

    Parameters
    ----------
    id : str
        What verdicts call it, like ``"mine.lemma3"``.
    quantity : str
        The measure that it is about, like ``"error"``.
    experiment : mapping
        The experiment that tests it, as a ``[[experiment]]`` table of a study.
    theory : str or float, optional
        An expression or a number; then nothing is decorated.
    statement : str, optional
        What is claimed, in words; by default the function's docstring.
    sweep : mapping of str to sequence, optional
        Key paths like ``"code.d"`` and their values: a case at every point.
    **keys
        Any other key of a ``[[claim]]`` table: ``relation``, ``where``, ``statistic``, ``index``,
        ``against``, ``how``, ``holds``, ``limit``, ``size``, ``rate``, ``scale``, ``digits``,
        ``tolerance``, ``citation``, ``expected``, ``kind``.

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
    ...     experiment={"code": {"family": "frc", "n": 8, "d": 2},
    ...                 "stragglers": {"model": "iid", "p": 0.1}},
    ...     sweep={"code.d": [1, 2, 4]},
    ... )
    ... def lemma3(n, d, p):
    ...     \"\"\"FRC loses n p^d partitions on average.\"\"\"
    ...     return n * p**d
    >>> [verdict] = fastgc.validate(lemma3)
    >>> verdict.verdict
    'confirmed'
    """
    table = {
        "id": id,
        "quantity": quantity,
        "experiment": {**experiment, **({} if sweep is None else {"sweep": sweep})},
        **keys,
    }

    def made(function: Theory) -> Claim:
        said = statement or function.__doc__ or getattr(function, "__name__", id)
        return read.made({**table, "statement": said}, function)

    if theory is None:
        return made
    if statement is not None:
        table["statement"] = statement
    return read.made({**table, "theory": theory})


def content(claim: Claim) -> dict[str, Any]:
    """Return, as JSON data, all that a claim says; files count by their content."""
    return {
        "statement": [claim.statement, claim.citation, claim.relation, claim.expected],
        "holds": [claim.holds, claim.limit, claim.kind],
        "cases": [_content(case) for case in claim.cases],
    }


def _content(case: Case) -> dict[str, Any]:
    tables = [table for table in (case.experiment, case.against) if table]
    named = [{**table, "name": f"arm{number}"} for number, table in enumerate(tables)]
    is_run = named and not case.is_finite  # else nothing is drawn, or nothing is measured
    study = Study.parse({"experiment": named}) if is_run else None
    said = [case.theory, case.quantity, case.statistic, case.index, case.how, case.digits]
    limits = [case.scale, case.tolerance, case.size, case.rate]
    return {
        "point": json.loads(json.dumps(dict(case.point))),
        "said": said + limits,
        "tables": [study.canonical(point) for point in study.points()] if study else tables,
    }
