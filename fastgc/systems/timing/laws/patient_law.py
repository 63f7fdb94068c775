"""The law of a master's time that waits on after the fastest worker, for workers of one law."""

from __future__ import annotations

import math

import numpy as np

from fastgc.latency.elementary import expm1, log, log1p, power
from fastgc.latency.time import Time, Values
from fastgc.systems.timing.laws.completion_law import CompletionLaw
from fastgc.systems.timing.structure import Flat, Patient, Replicated


def patient(structure: Patient, plain: CompletionLaw, time: Time) -> CompletionLaw:
    """Return the law of max(C, min((1 + patience)·F, L)); see `Patient`.

    Parameters
    ----------
    structure : Patient
    plain : CompletionLaw
        The law of C.
    time : Time
        That of every worker's time.

    Notes
    -----
    It is later than t where C is, and where C is not but F > u = t/(1 + patience) and L > t: all
    workers take longer than u, enough of them at most t, and not all.
    """
    slower = 1.0 + structure.patience

    def evaluate(t: Values) -> tuple[Values, Values]:
        on_time, late = plain.evaluate(t)
        waited = _waited(structure.part, time, t / slower, t)
        return np.maximum(on_time - waited, 0.0), late + waited

    moved = slower * plain.breaks
    breaks = np.union1d(plain.breaks, moved[moved < plain.maximum])
    return type(plain)(
        evaluate, plain.decodable, plain.minimum, plain.maximum, breaks, plain.tail_index
    )


def _waited(part: Flat | Replicated, time: Time, u: Values, t: Values) -> Values:
    """P(all workers take longer than u, and enough but not all of them at most t)."""
    above, late = time.survival(u), time.survival(t)
    # of workers above u: the share that is late, and the rest, each with its digits
    with np.errstate(divide="ignore", invalid="ignore"):
        q = np.where(above > 0, np.minimum(late / above, 1.0), 1.0)
        between = np.where(late < 0.5, above - late, time.cdf(t) - time.cdf(u))
        p = np.where(above > 0, np.clip(between / above, 0.0, 1.0), 0.0)
    if isinstance(part, Replicated):
        inside = _groups(part, p, q)
    else:
        inside = _enough_not_all(part.n, part.need, p, q)
    return np.asarray(power(above, part.n) * np.maximum(inside, 0.0))


def _enough_not_all(n: int, need: int, p: Values, q: Values) -> Values:
    """P(need ≤ K < n) for a binomial K of n with chance p = 1 − q."""
    from scipy import special  # its import takes longer than many a command

    few, many = special.betainc(need, n - need + 1, p), special.betainc(n - need + 1, need, q)
    with np.errstate(divide="ignore"):
        some_late = -expm1(n * log1p(-q))
    return np.asarray(np.where(p < 0.5, few - power(p, n), some_late - many))


def _groups(part: Replicated, p: Values, q: Values) -> Values:
    """P(enough groups have an answer, but not all workers have answered)."""
    from scipy import special  # its import takes longer than many a command

    size, groups = part.size, part.n // part.size
    with np.errstate(divide="ignore", invalid="ignore"):
        none = power(q, size)
        answered = -expm1(size * log(q))
        mixed = sum(math.comb(size, i) * power(p, i) * power(q, size - i) for i in range(1, size))
        # of all groups some worker is late: answered^groups − p^n, with its digits
        some = expm1(groups * log1p(mixed / power(p, size)))
        late = np.where(p > 0, power(p, part.n) * some, 0.0)
    late = np.where(np.isfinite(late), late, power(answered, groups) - power(p, part.n))
    if part.need == groups:
        return np.asarray(late)
    lacking = special.betainc(part.need, groups - part.need + 1, answered) - power(answered, groups)
    rest = special.betainc(1, groups, none) - special.betainc(
        groups - part.need + 1, part.need, none
    )
    return np.asarray(late + np.where(answered < 0.5, lacking, rest))
