"""What paper agc says of straggling, measured on a recorded trace instead of by simulation.

Each statement has one statistic with a p-value that stays right where the other statements fail:
workers are compared after shuffling each one's runs, which keeps its memory, and iterations after
shuffling whole rows, which keeps what workers do together. A statement is refuted by Holm's rule
over the statements asked for, and confirmed only if the 99 % interval of the deviation lies within
±0.1: then the data would have shown one that matters.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from fastgc.errors import FastgcError
from fastgc.latency.source import read
from fastgc.registry.complaints import unknown
from fastgc.results.verdicts import (
    CONFIRMED,
    REFUTED,
    TRACE,
    UNDECIDED,
    Finding,
    Verdict,
    conclude,
    rejected,
)
from fastgc.statistics.estimates import Estimate
from fastgc.theory.papers.claim import Case, Claim
from fastgc.traces.measurements import (
    MATTERS,
    Measurement,
    Recording,
    across_workers,
    two_classes,
    within_a_worker,
)

SMALLEST_ALPHA = 1e-3  # a p-value of 20 000 permutations is never below 1e-4


_PAPER = "Johri, Yardi, Bodas, Approximate Gradient Coding for Heterogeneous Nodes"


@dataclass(frozen=True)
class _Statement:
    """A statement of the paper and the number that is 0 if it holds."""

    id: str
    statement: str
    citation: str
    quantity: str
    measure: Callable[[Recording], Measurement]


STATEMENTS = (
    _Statement(
        "agc.trace.independent-across-workers",
        "Whether a worker straggles is independent of the others: the number of stragglers varies "
        "by Σ p_j (1 − p_j), so the mean correlation between workers is 0.",
        f"{_PAPER}, Sec. I: 'the straggler behavior is indeed iid across workers'",
        "correlation between workers",
        across_workers,
    ),
    _Statement(
        "agc.trace.two-classes",
        "Workers straggle at two rates, that of the slow class and that of the active: no worker's "
        "own rate differs from that of its class.",
        f"{_PAPER}, Sec. II, heterogeneous straggler model",
        "difference of rates",
        two_classes,
    ),
    _Statement(
        "agc.trace.no-memory-within-a-worker",
        "Given its class, a worker straggles independently of its earlier iterations: the "
        "correlation of an iteration with the next is 0.",
        f"{_PAPER}, Sec. II: 'independent of any of its previous iteration'",
        "correlation at lag 1",
        within_a_worker,
    ),
)


def validate(
    trace: str | Path | Mapping[str, Any],
    threshold: float | str | None = None,
    *,
    claims: str | Sequence[str] | None = None,
    seed: int = 1,
    alpha: float = 0.01,
    interrupted: Callable[[], str | None] = lambda: None,
) -> list[Verdict]:
    """Measure on a trace what paper agc says of straggling, one verdict for each statement.

    ``trace`` and ``threshold`` are as of `fastgc.traces.show`; ``claims`` are ids or beginnings of
    ids, all three by default. The probability that any true statement is refuted is at most
    ``alpha`` (Holm), which is at least 0.001; ``seed`` is that of the permutations. No verdict is
    expected beforehand: ``expected`` equals ``verdict``. Where times are those of rounds, not of
    workers, every statement is undecided.

    Refused are traces of fewer than 2 workers or iterations, and those in which no worker straggles
    or all always do. A text that ``interrupted`` returns stops the measurement with a StoppedError.
    """
    chosen = select(claims)
    if not SMALLEST_ALPHA <= alpha < 1:
        raise FastgcError(
            f"alpha: with a trace must be at least {SMALLEST_ALPHA:g} and less than 1 (got {alpha})"
        )
    source = read(trace, threshold, workers=2)
    name, rows, limit = source.name, source.rows, source.threshold
    point = {"trace": name, "n": source.trace.n, "iterations": len(rows), "threshold": limit}
    if source.barrier is not None:
        nothing = Measurement.nothing(source.barrier)
        return weigh([(each, nothing) for each in chosen], point, alpha)
    straggled = rows > limit
    if straggled.all() or not straggled.any():
        who = "every worker is always" if straggled.all() else "no worker is ever"
        raise FastgcError(
            f"threshold: {who} slower than {limit:.6g} in {name}, whose times lie in "
            f"{rows.min():.6g} … {rows.max():.6g}; choose one between"
        )
    recording = Recording(straggled, source.trace.workers, seed, interrupted)
    return weigh([(each, each.measure(recording)) for each in chosen], point, alpha)


def select(claims: str | Sequence[str] | None) -> list[_Statement]:
    """Return the statements with these ids or beginnings of ids."""
    wanted = [claims] if isinstance(claims, str) else list(claims or ["agc"])
    for name in wanted:
        if not matching(name):
            known = [each.id for each in STATEMENTS]
            raise FastgcError(f"claim: {unknown('claim on a trace', name, known)}")
    return [each for each in STATEMENTS if any(each in matching(name) for name in wanted)]


def matching(name: str) -> list[_Statement]:
    """Return the statements whose id is ``name`` or starts with it."""
    return [each for each in STATEMENTS if each.id == name or each.id.startswith(name + ".")]


def weigh(
    measured: Sequence[tuple[_Statement, Measurement]], point: Mapping[str, Any], alpha: float
) -> list[Verdict]:
    """Return the verdicts; the probability that any true statement is refuted is at most alpha."""
    verdicts = []
    fallen = rejected([found.p_value for _, found in measured], alpha)
    for (each, found), is_rejected in zip(measured, fallen, strict=True):
        verdict = UNDECIDED
        if is_rejected:
            verdict = REFUTED
        elif found.value is not None and abs(found.value) + found.half_width <= MATTERS:
            verdict = CONFIRMED
        case = Case(point, 0.0, {"trace": point["trace"]}, each.quantity)
        estimate = Estimate(found.value, found.standard_error, point["iterations"])
        finding = Finding(
            case,
            estimate,
            TRACE,
            verdict,
            found.half_width,
            found.needed if verdict == UNDECIDED else None,
            found.p_value,
            found.remark,
        )
        made = partial(tuple, (case,))
        claim = Claim(each.id, "agc", each.statement, each.citation, "=", verdict, made)
        verdicts.append(conclude(claim, [finding]))
    return verdicts
