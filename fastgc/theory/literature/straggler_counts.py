"""How many workers straggle, and which: independently, or so many of them."""

from __future__ import annotations

import math
from dataclasses import replace

from fastgc.theory.cases.tables import built, circulant, decoding, frc, iid, point_of, uniform
from fastgc.theory.common.arguments import check_count
from fastgc.theory.literature import paper
from fastgc.theory.literature.cases import sampled
from fastgc.theory.papers.claim import Case, Cases

FELLER = "Feller, An Introduction to Probability Theory and Its Applications 1 (1968)"

#: Probabilities with few binary digits: 7, 8 and 10 of them, and one with 53.
_DYADIC = (3 / 128, 11 / 256, 77 / 1024, 0.2)


@paper.claim("stragglers.binomial.printed", f"{FELLER}, Chapters VI and IX")
def _() -> Cases:
    """Of n workers that straggle independently with probability p, n p straggle on average, with
    variance n p (1-p)."""
    for p in _DYADIC:
        yield sampled(frc(40, 1), iid(p), 40 * p)
        yield sampled(frc(40, 1), iid(p), 40 * p * (1 - p), statistic="variance")


@paper.claim("stragglers.hypergeometric.derived", f"Derived from {FELLER}, Section II.6")
def _() -> Cases:
    """If s of n workers straggle, all sets alike, d given ones all do with probability
    C(n-d, s-d)/C(n, s): frc loses n times that on average."""
    for n, d, s in ((40, 2, 10), (66, 2, 20), (66, 3, 30), (130, 2, 60)):
        theory = n * math.comb(n - d, s - d) / math.comb(n, s)
        yield sampled(frc(n, d), uniform(s), theory)


@paper.claim("stragglers.alike.derived", "Derived by symmetry")
def _() -> Cases:
    """If s of n workers straggle, all sets alike, each of them does with probability s/n, the first
    and the last no less than others."""
    for n, s, workers in ((40, 20, (0, 17, 38, 39)), (70, 35, (0, 69))):
        experiment = decoding("not_accessed", frc(n, 1), uniform(s))
        for worker in workers:
            point = point_of(experiment) | {"worker": worker}
            yield Case(point, s / n, experiment, "not_accessed", index=worker, tolerance=0.01)


@paper.elementwise
def circulant_worst_error(n: int, stragglers: int) -> float:
    """Largest error s − 1 + [n − s + 1 odd]/(n − s + 1) of the circulant with d = 2, s ≥ 1 of n.

    Stragglers beside each other cost 1 for each neighbour; then one gap is left. Derived.

    >>> circulant_worst_error(9, 3)
    2.142857142857143
    """
    check_count("n", n, 3)
    check_count("stragglers", stragglers, 1, n - 1)
    gap = n - stragglers + 1
    return stragglers - 1 + (1 / gap if gap % 2 else 0.0)


@paper.claim("circulant.worst-case.derived", "Derived: gaps of 1 cost most, and one is left")
def _() -> Cases:
    """The largest error of the circulant with d = 2 over all sets of s of n stragglers is s - 1,
    and 1/(n-s+1) more if that gap is odd."""
    for n, s in ((9, 3), (10, 4), (13, 12), (40, 11), (41, 20)):
        theory = circulant_worst_error(n, s)
        yield built("worst_error", theory, scale=n, code=circulant(n, 2), stragglers=s)


@paper.claim("circulant.single.derived", "Derived: one straggler leaves one gap of n")
def _() -> Cases:
    """A single straggler costs the circulant with d = 2 nothing if n is even and 1/n if it is
    odd, whichever it is; two cost it the mean over their distance."""
    for n in (9, 65, 101, 66):
        case = sampled(circulant(n, 2), uniform(1), 1 / n if n % 2 else 0.0)
        yield replace(case, tolerance=None if n < 64 else 0.02)
    for n in (65, 101):
        costs = (sum(1 / gap for gap in (v, n - v) if gap % 2) for v in range(1, n))
        case = sampled(circulant(n, 2), uniform(2), math.fsum(costs) / (n - 1))
        yield replace(case, tolerance=0.02)
