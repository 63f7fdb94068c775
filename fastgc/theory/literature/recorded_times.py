"""Workers' times as they were recorded: a table, a threshold, and the order of its rows."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from fastgc.theory.cases.completion import answers, completion, whole
from fastgc.theory.cases.tables import Table, built, decoding, frc
from fastgc.theory.common.numerics import binomial_probabilities
from fastgc.theory.literature import paper
from fastgc.theory.papers.claim import Case, Cases

Rows = Sequence[Sequence[float]]

#: Seconds of four workers in five iterations; some are exactly 2.
_TIMES: Rows = (
    (1.0, 2.0, 3.0, 4.0),
    (2.5, 2.5, 1.0, 1.5),
    (2.0, 3.0, 4.0, 1.0),
    (1.0, 1.0, 1.0, 5.0),
    (3.0, 2.0, 2.5, 1.5),
)


@paper.formula
def replayed_errors(rows: Rows, d: int, threshold: float, shift: int = 0) -> list[float]:
    """Errors of frc in every row of a table, workers slower than a threshold straggling.

    ``shift`` moves columns: worker j plays column j + shift. A worker that takes exactly the
    threshold has answered.

    >>> replayed_errors([[1.0, 2.0], [3.0, 2.5]], d=1, threshold=2.0)
    [0.0, 2.0]
    """
    errors = []
    for row in rows:
        n = len(row)
        late = [row[(column - shift) % n] > threshold for column in range(n)]
        lost = sum(all(late[group : group + d]) for group in range(0, n, d))
        errors.append(float(d * lost))
    return errors


def _trace(order: str, threshold: float | str) -> Table:
    return {"model": "trace", "order": order, "threshold": threshold}


def _recorded(experiment: Table, theory: float, statistic: str = "mean", **more: Any) -> Case:
    """Measured exactly, with the table as its trace."""
    experiment = experiment | {"method": "exact"}
    given: Table = {"experiment": experiment, "rows": [list(row) for row in _TIMES]}
    (quantity,) = experiment["measure"]
    case = built("value_on_trace", theory, **given, quantity=quantity, statistic=statistic, **more)
    tables = ("stragglers", "latency", "code", "system")
    point = {key: x for name in tables for key, x in experiment.get(name, {}).items()}
    point |= {"shuffle": experiment["shuffle"]} if "shuffle" in experiment else {}
    return replace(case, point=point | {"statistic": statistic} | more)


def _mean(values: Sequence[float]) -> float:
    return math.fsum(values) / len(values)


@paper.claim("trace.rows.derived", "Derived by counting rows")
def _() -> Cases:
    """Where iterations are rows of a table, replayed or drawn anew, frc's mean error is that over
    all rows; a time equal to the threshold does not straggle."""
    for order in ("replay", "rows"):
        for d, threshold in ((1, 2.0), (2, 1.0), (2, 2.0), (1, 2.4)):
            experiment = decoding("error", frc(4, d), _trace(order, threshold))
            yield _recorded(experiment, _mean(replayed_errors(_TIMES, d, threshold)))
    median = sorted(time for row in _TIMES for time in row)
    middle = (median[9] + median[10]) / 2.0
    experiment = decoding("error", frc(4, 1), _trace("rows", "1.5 median"))
    yield _recorded(experiment, _mean(replayed_errors(_TIMES, 1, 1.5 * middle)))


@paper.claim("trace.pooled.derived", "Derived: one law for all workers")
def _() -> Cases:
    """Where all times are one pooled law, workers straggle independently with the share of times
    above the threshold, not those equal to it: frc's mean error is n q^d."""
    for d, threshold in ((1, 2.0), (2, 2.0), (2, 2.5)):
        q = _mean([float(time > threshold) for row in _TIMES for time in row])
        experiment = decoding("error", frc(4, d), _trace("pooled", threshold))
        yield _recorded(experiment, 4 * q**d)


@paper.claim("trace.lag.derived", "Derived by pairs of rows")
def _() -> Cases:
    """Where rows are replayed in their order, the last followed by the first, and worker j plays
    column j + l in iteration l if columns are shuffled cyclically, the errors h iterations apart
    have the covariance of a row's with those of the h-th after it."""
    for shuffle, iterations, lag in (
        ("none", 3, 1), ("none", 3, 2), ("cyclic", 2, 1), ("cyclic", 4, 3),
    ):  # fmt: skip
        turns = [i if shuffle == "cyclic" else 0 for i in range(iterations)]
        errors = [replayed_errors(_TIMES, 2, 2.0, turn) for turn in turns]
        # a trial starts at any row, and goes on with the next
        played = [
            [each[(start + i) % len(_TIMES)] for i, each in enumerate(errors)]
            for start in range(len(_TIMES))
        ]
        mean = _mean([error for trial in played for error in trial])
        products = [trial[i] * trial[i + lag] for trial in played for i in range(iterations - lag)]
        experiment = decoding("error_lag", frc(4, 2), _trace("replay", 2.0), iterations, shuffle)
        yield _recorded(experiment, _mean(products) - mean * mean, index=lag)


@paper.claim("trace.latency.derived", "Derived: an empirical law is a discrete one")
def _() -> Cases:
    """If times are drawn from the values of a table, all alike, the k-th of n is late with a
    binomial probability: its mean is the sum over values of that times the step to the next."""
    values = sorted(time for row in _TIMES for time in row)
    for n, k in ((4, 3), (6, 6), (5, 1)):
        theory = 0.0
        for before, value in zip([0.0, *values], values, strict=False):
            late = _mean([float(time > before) for time in values])
            tail = math.fsum(binomial_probabilities(n, 1.0 - late)[:k].tolist())
            theory += (value - before) * tail
        latency = {"distribution": "empirical", "order": "pooled"}
        yield _recorded(completion(whole(answers(n, k)), latency), theory)
