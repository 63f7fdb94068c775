"""What is certain of the best matrix: its value, and how it stands against every family."""

import hashlib
import math
from fractions import Fraction
from statistics import NormalDist
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fastgc.registry.shown import finite
from fastgc.searching import bounds
from fastgc.searching.candidates import Candidate, allowed
from fastgc.searching.judge import EXACT, MARGIN, Cost, Judge
from fastgc.searching.problem import Problem
from fastgc.version import __version__

Matrix = NDArray[Any]  # float64, or complex128
Valued = tuple[Cost, Candidate]

#: Fresh draws that decide beyond all patterns, and the probability that any comparison errs.
_DRAWS = 1 << 17
_ERRS = 0.01
#: Draws that must differ before an interval of a mean is believed.
_EVENTS = 100
#: Bits of the denominators of fractions that are written out.
_BITS = 8192
#: Values within this share of each other are compared as fractions.
_NEAR = 1e-6

#: Verdicts: of all families that fit, and of those with entries that the search may have.
BETTER = "better than every family"
BETTER_OF_ENTRIES = "better than every family with such entries"
_NO_BETTER, _NONE_FITS = "no better than a family", "no family fits"

#: What goals are called.
_NAMES = {
    "mean": "mean error",
    "worst": "worst error",
    "exact": "probability of exact recovery",
    "amplification": "mean amplification",
    "time": "mean completion time",
}


def certify(judge: Judge, best: list[Valued], families: list[Valued]) -> dict[str, Any]:
    """Return the certificate of the first of ``best``, as plain data.

    It is held against the runner-up and all families that fit the sizes and loads, also those with
    entries that the search was not allowed.
    """
    problem = judge.problem
    winner = best[0]
    ordered = sorted(families, key=lambda one: one[0])
    rivals = [each for each in ordered if not np.array_equal(each[1].B, winner[1].B)]
    runner_up = [each for each in best[1:] if not each[1].is_family][:1]
    compare = _by_patterns if problem.is_enumerated else _by_draws
    own, rows = compare(judge, winner, [*rivals, *runner_up])
    may = [row for row in rows if row["family"] and row["allowed"]]
    verdict = _verdict(winner, may)
    others = [row for row in rows if row["family"] and not row["allowed"]]
    above = [row for row in others if row["standing"] != "worse" and row["value"] is not None]
    if verdict == BETTER and above:
        verdict = BETTER_OF_ENTRIES
    bound = lower_bound(problem)
    is_optimal = bound is not None and _reaches(problem, own, bound)
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
    if above:
        row = above[0]
        stands = {"better": "is better", "undecided": "is perhaps better"}
        made["statement"] += (
            f"; with other entries {row['name']} ({row['value']:.6g}) "
            f"{stands.get(row['standing'], 'is as good')}"
        )
    if made.get("events", _EVENTS) < _EVENTS:
        made["statement"] += f"; only {made['events']} draws had an error, too few for an interval"
    if is_optimal:
        made["statement"] += "; no code has less, for that is a lower bound"
    return made


def _reaches(problem: Problem, own: dict[str, Any], bound: Fraction) -> bool:
    """Whether a value is that of a bound: as fractions, else but for rounding, of which 0 is."""
    if own["exact"] is not None and bound:
        return Fraction(own["exact"]) == bound
    near = MARGIN * float(bound) if bound else EXACT * problem.partitions
    return problem.is_enumerated and own["value"] <= float(bound) + near


def lower_bound(problem: Problem) -> Fraction | None:
    """Return what no matrix of these sizes and loads is below, where a bound is known.

    Examples
    --------
    >>> lower_bound(Problem(n=8, d=3, p=0.1)), lower_bound(Problem(n=9, d=3, s=5, goal="worst"))
    (Fraction(1, 125), Fraction(2, 1))
    """
    if problem.d is None:
        return None
    if problem.goal == "mean" and problem.p is not None:
        return bounds.mean_error(problem.n, problem.d, problem.p, problem.partitions)
    if problem.goal == "worst" and problem.s is not None and problem.partitions == problem.n:
        return Fraction(bounds.worst_error(problem.n, problem.d, problem.s))
    return None


def digest(B: Matrix) -> str:
    """Return the SHA-256 of a matrix: little-endian float64 or complex128, row by row.

    Examples
    --------
    >>> digest(np.eye(2))[:8]
    '7b38b86d'
    """
    return hashlib.sha256(
        (B + 0.0).astype("<c16" if np.iscomplexobj(B) else "<f8").tobytes()
    ).hexdigest()


def _by_patterns(
    judge: Judge, winner: Valued, rivals: list[Valued]
) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    """Compare by all patterns, and as fractions where double precision cannot tell."""
    found = judge.exact_spectrum(winner[1].B) if math.isfinite(winner[0].first) else None
    if found is None:
        winner = judge.certain(winner[1].B), winner[1]
    value = judge.value(winner[0])
    exact = None if found is None else judge.value_of(found)
    own: dict[str, Any] = {
        "value": finite(value),
        "exact": None,
        "method": "all patterns, double precision",
    }
    if found is not None and exact is not None:
        own |= {"value": float(exact), "exact": _short(exact)}
        own["method"] = "all patterns, as fractions"
        own["spectrum"] = {
            "sums": [_short(each) or float(each) for each in found.sums],
            "worst": [_short(each) or float(each) for each in found.worst],
            "exact": list(found.counts),
        }
    rows = []
    for cost, candidate in rivals:
        theirs = judge.value(cost)
        row: dict[str, Any] = _row(judge.problem, candidate)
        row |= {"value": finite(theirs), "exact": None}
        close = abs(cost.first - winner[0].first) <= _NEAR * max(winner[0].first, 1e-12)
        other = judge.exact_value(candidate.B) if close and exact is not None else None
        if other is not None and exact is not None:
            row |= {"value": float(other), "exact": _short(other)}
            row["standing"] = _standing(judge.problem, exact, other)
        elif winner[0].beats(cost):
            row["standing"] = "worse"
        else:
            row["standing"] = "better" if cost.beats(winner[0]) else "equal to rounding"
        rows.append(row)
    return own, rows


def _short(value: Fraction) -> str | None:
    """Return a fraction as text, where people may want to read it."""
    return str(value) if value.denominator.bit_length() <= _BITS else None


def _standing(problem: Problem, own: Fraction, other: Fraction) -> str:
    """Return how a rival stands against the winner."""
    if own == other:
        return "equal"
    return "better" if (other > own) == (problem.goal == "exact") else "worse"


def _row(problem: Problem, candidate: Candidate) -> dict[str, Any]:
    return {
        "name": candidate.name,
        "family": candidate.table,
        "allowed": allowed(candidate.B, problem.entries),
        "sha256": digest(candidate.B),
    }


def _by_draws(
    judge: Judge, winner: Valued, rivals: list[Valued]
) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    """Compare on fresh draws that all share, with intervals that hold together."""
    quantile = NormalDist().inv_cdf(1 - _ERRS / (2 * max(1, len(rivals))))
    judge.settle(winner[1].B)
    cost, own = judge.sampled(winner[1].B, "fresh", _DRAWS)
    events = int(np.count_nonzero(own))
    facts: dict[str, Any] = {"value": judge.value(cost), "exact": None, "events": events}
    if events >= _EVENTS:
        half = NormalDist().inv_cdf(0.975) * _error(own)
        ends = sorted(judge.value(Cost(cost.first + side)) for side in (-half, half))
        if judge.problem.quantile is not None:
            ends = sorted(judge.ends(winner[1].B, half, "fresh", _DRAWS))
        facts |= {"low": ends[0], "high": ends[1]}
    facts["method"] = f"{_DRAWS} fresh draws; comparisons err with probability {_ERRS} at most"
    rows = []
    for _, candidate in rivals:
        theirs, errors = judge.sampled(candidate.B, "fresh", _DRAWS)
        # of a quantile: how much likelier the rival is late when it is the winner's time
        apart = errors - own
        more = math.fsum(apart.tolist()) / apart.size
        margin = quantile * _error(apart)
        row = _row(judge.problem, candidate) | {"value": judge.value(theirs), "exact": None}
        row |= {"more": more, "low": more - margin, "high": more + margin}
        row["standing"] = "undecided"
        if abs(more) > margin and np.count_nonzero(apart) >= _EVENTS:
            row["standing"] = "worse" if more > 0 else "better"
        rows.append(row)
    return facts, rows


def _error(values: Matrix) -> float:
    mean = math.fsum(values.tolist()) / values.size
    square = math.fsum(((values - mean) ** 2).tolist()) / (values.size - 1)
    return math.sqrt(square / values.size)


def _verdict(winner: Valued, rows: list[dict[str, Any]]) -> str:
    """Return how the winner stands against the families that the search was allowed."""
    standings = {row["standing"] for row in rows}
    if winner[1].is_family or standings & {"equal", "better"}:
        return _NO_BETTER
    if not rows:
        return _NONE_FITS
    return BETTER if standings <= {"worse"} else "undecided"


def named(problem: Problem) -> str:
    """Return what the goal of a problem is called."""
    if problem.quantile is not None:
        return f"{problem.quantile:g}-quantile of the completion time"
    return _NAMES[problem.goal]


def statement(problem: Problem, made: dict[str, Any], rows: list[dict[str, Any]]) -> str:
    """Return in a sentence what was found, and against which family."""
    if made["value"] is None and problem.goal == "amplification":
        return f"no matrix was found that survives every {problem.s} stragglers"
    if made["value"] is None and problem.latency is not None:
        return "no matrix was found that decodes exactly in a finite time; ask for a quantile"
    if made["value"] is None:
        return "no matrix was found that decodes exactly even with all workers"
    value = f"{named(problem)} {made['value']:.6g} by {made['by']}"
    rows = [row for row in rows if row["value"] is not None]
    if made["verdict"] in (_NO_BETTER, _NONE_FITS):
        return f"{value}: {made['verdict']}"
    of_entries = " with such entries" if made["verdict"] == BETTER_OF_ENTRIES else ""
    if not rows:
        return f"{value}: no family{of_entries} reaches the goal"
    first = max if problem.goal == "exact" else min
    rival = first(rows, key=lambda row: row["value"])
    rival_is = f"{rival['name']}, the best family{of_entries}, has {rival['value']:.6g}"
    if made["verdict"] == "undecided":
        return f"{value}; {rival_is}: undecided which is better"
    own, theirs = made["value"], rival["value"]
    if problem.goal == "exact":
        own, theirs, what = 1 - own, 1 - theirs, "fewer failures"
    else:
        what = "less"
    share = 100 * (1 - own / theirs) if theirs > 0 else 0.0
    than = f"{rival['name']}, the best family{of_entries} ({rival['value']:.6g})"
    return f"{value}: {share:.3g} % {what} than {than}"
