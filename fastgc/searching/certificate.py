"""What is certain of the best matrix: its value, and how it stands against the families."""

import hashlib
import math
from fractions import Fraction
from functools import cache
from typing import Any

import numpy as np

from fastgc.arrays import Values as Matrix
from fastgc.searching.candidates import MatrixCandidate
from fastgc.searching.judge import EXACT, MARGIN, Judge, Objective, exact_spectrum
from fastgc.searching.problem import SearchTable
from fastgc.version import __version__

Valued = tuple[Objective, MatrixCandidate]

#: Bits of the denominators of fractions that are written out.
_BITS = 8192
#: Values within this share of each other are compared as fractions.
_NEAR = 1e-6

#: Verdicts on the families that fit: of weighted ones none is looked at.
BETTER = "better than every 0/1 family"
_NO_BETTER, _NONE_FITS = "no better than a family", "no family fits"

#: What goals are called.
NAMES = {"mean": "mean error", "worst": "worst error", "exact": "probability of exact recovery"}


def certify(judge: Judge, best: list[Valued], families: list[Valued]) -> dict[str, Any]:
    """Return the certificate of the first of ``best``, as plain data.

    It is held against the runner-up and all families that fit the sizes and loads.
    """
    problem = judge.problem
    winner = best[0]
    ordered = sorted(families, key=lambda one: one[0])
    rivals = [each for each in ordered if not np.array_equal(each[1].B, winner[1].B)]
    runner_up = [each for each in best[1:] if not each[1].is_family][:1]
    own, rows = _compared(judge, winner, [*rivals, *runner_up])
    may = [row for row in rows if row["family"]]
    standings = {row["standing"] for row in may}
    if winner[1].is_family or standings & {"equal", "better"}:
        verdict = _NO_BETTER
    elif not may:
        verdict = _NONE_FITS
    else:
        verdict = BETTER if standings <= {"worse"} else "undecided"
    bound = lower_bound(problem)
    is_optimal = False
    if bound and own["exact"] is not None:
        is_optimal = Fraction(own["exact"]) == bound
    elif bound is not None:  # but for rounding, of which 0 is
        near = MARGIN * float(bound) if bound else EXACT * problem.partitions
        is_optimal = bool(own["value"] <= float(bound) + near)
    made: dict[str, Any] = {
        "fastgc": __version__,
        "problem": problem.settings(),
        "by": winner[1].name,
        "family": winner[1].table,
        "sha256": digest(winner[1].B),
        **own,
        "bound": None if bound is None else str(bound),
        "optimal": is_optimal,
        "verdict": verdict,
        "statement": "",
        "compared": rows,
    }
    made["statement"] = statement(problem, made, may)
    if is_optimal:
        made["statement"] += "; no code has less, for that is a lower bound"
    return made


def lower_bound(problem: SearchTable) -> Fraction | None:
    """Return what no matrix of these sizes and loads is below, where a bound is known."""
    if problem.goal == "mean" and problem.p is not None:
        return mean_error(problem.n, problem.d, problem.p, problem.partitions)
    if problem.goal == "worst" and problem.s is not None and problem.partitions == problem.n:
        return Fraction(worst_error(problem.n, problem.d, problem.s))
    return None


# ---- Lower bounds on the error of any code whose workers hold few partitions
#
# All rest on one fact: a partition that no survivor holds costs 1, whatever the weights are, for
# the row of B is 0 there. So the error of a pattern is at least the number of such partitions.


def mean_error(n: int, d: int, p: float | Fraction, k: int | None = None) -> Fraction:
    """Return a lower bound on the mean error with independent stragglers.

    Partition i, which r_i workers hold, is lost with probability p^{r_i}; the sum of r_i is at most
    n·d, and a sum of convex terms is least where the r_i are as equal as integers can be.
    Fractional repetition reaches it where d divides n = k.

    ``n``, ``d``: workers, and partitions that one holds at most; ``p``: probability to straggle, a
    float being read as the decimal that it is written as; ``k``: partitions, n by default.
    """
    k = n if k is None else k
    p = p if isinstance(p, Fraction) else Fraction(repr(float(p)))
    least, more = divmod(min(n * d, n * k), k)
    return (k - more) * p**least + more * p ** (least + 1)


def worst_error(n: int, d: int, s: int) -> int:
    """Return a lower bound on the worst error of s stragglers, k = n: partitions surely lost.

    The largest of three numbers.

    1. Survivors hold at most (n − s) d partitions.
    2. The mean over all sets of s stragglers: partition i is lost in C(n − r_i, s − r_i) of C(n, s)
       sets, which is convex in r_i, and some set loses at least the mean.
    3. Stragglers chosen one partition after another: with a workers gone and j partitions lost, the
       n − a others hold at most (n − a) d places of n − j partitions, so some partition has at most
       ⌊(n − a) d/(n − j)⌋ holders left, which go next. The least over all numbers of holders that
       may turn up is sure.

    For s < d it is 0, which cyclic codes reach (Tandon et al., ICML 2017).
    """
    sets = n * Fraction(math.comb(n - d, n - s), math.comb(n, s))
    return max(n - (n - s) * d, math.ceil(sets), _lost(n, d, s, 0, 0))


@cache
def _lost(n: int, d: int, budget: int, gone: int, lost: int) -> int:
    if lost == n:
        return 0
    most = (n - gone) * d // (n - lost)
    if most <= budget:
        return min(1 + _lost(n, d, budget - c, gone + c, lost + 1) for c in range(most + 1))
    # a partition with more holders than stragglers are left may be all there is
    return 0


# ---- Against rivals


def digest(B: Matrix) -> str:
    """Return the SHA-256 of a matrix: little-endian float64, row by row."""
    return hashlib.sha256(B.astype("<f8").tobytes()).hexdigest()


def _compared(
    judge: Judge, winner: Valued, rivals: list[Valued]
) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    found = exact_spectrum(winner[1].B)
    exact = judge.exact_value(found)
    own: dict[str, Any] = {
        "value": float(exact),
        "exact": _short(exact),
        "method": "all patterns, as fractions",
        "spectrum": {
            "sums": [_short(each) or float(each) for each in found.sums],
            "worst": [_short(each) or float(each) for each in found.worst],
            "exact": list(found.counts),
        },
    }
    rows = []
    for cost, candidate in rivals:
        row: dict[str, Any] = {
            "name": candidate.name,
            "family": candidate.table,
            "sha256": digest(candidate.B),
            "value": judge.value(cost),
            "exact": None,
        }
        close = abs(cost.first - winner[0].first) <= _NEAR * max(winner[0].first, 1e-12)
        if close:
            other = judge.exact_value(exact_spectrum(candidate.B))
            row |= {"value": float(other), "exact": _short(other)}
            is_worse = (other < exact) == (judge.problem.goal == "exact")
            row["standing"] = "equal" if exact == other else "worse" if is_worse else "better"
        elif winner[0].beats(cost):
            row["standing"] = "worse"
        else:
            row["standing"] = "better" if cost.beats(winner[0]) else "equal to rounding"
        rows.append(row)
    return own, rows


def _short(value: Fraction) -> str | None:
    return str(value) if value.denominator.bit_length() <= _BITS else None


def statement(problem: SearchTable, made: dict[str, Any], rows: list[dict[str, Any]]) -> str:
    """Return in a sentence what was found, and against which family."""
    value = f"{NAMES[problem.goal]} {made['value']:.6g} by {made['by']}"
    if made["verdict"] in (_NO_BETTER, _NONE_FITS):
        return f"{value}: {made['verdict']}"
    if not rows:
        return f"{value}: no family reaches the goal"
    first = max if problem.goal == "exact" else min
    rival = first(rows, key=lambda row: row["value"])
    rival_is = f"{rival['name']}, the best family, has {rival['value']:.6g}"
    if made["verdict"] == "undecided":
        return f"{value}; {rival_is}: undecided which is better"
    own, theirs = made["value"], rival["value"]
    if problem.goal == "exact":
        own, theirs, what = 1 - own, 1 - theirs, "fewer failures"
    else:
        what = "less"
    share = 100 * (1 - own / theirs) if theirs > 0 else 0.0
    than = f"{rival['name']}, the best family ({rival['value']:.6g})"
    return f"{value}: {share:.3g} % {what} than {than}"
