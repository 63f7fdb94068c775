"""Pools of workers that grow and shrink, and workers that are known to be away.

Yang, Interlandi, Grover, Kar, Amizadeh, Weimer (coded elastic computing, 2018).
"""

import math
from collections.abc import Sequence

from fastgc.theory.cases.completion import completion, timed
from fastgc.theory.cases.decoding import compared, decoding
from fastgc.theory.cases.tables import Table, frc, star
from fastgc.theory.common import check
from fastgc.theory.literature import paper
from fastgc.theory.papers.claim import Cases

ELASTIC = "Yang et al., coded elastic computing (2018)"
_POOLS = ((12, 3, (12, 12, 9)), (12, 4, (10, 11, 12, 8)), (20, 4, (16, 20)))


def _pool(sizes: Sequence[int]) -> Table:
    return {"model": "pool", "sizes": list(sizes)}


@paper.elementwise
def present_time(n: int, s: int, present: int, load: float) -> float:
    """Mean time of n − s of so many workers that are there, of unit exponential times times load.

    >>> round(present_time(4, 2, 4, 1.0), 9) == round(1 / 4 + 1 / 3, 9)
    True
    """
    check.count("present", present, n - s, n)
    return load * math.fsum(1.0 / j for j in range(int(present - n + s) + 1, int(present) + 1))


@paper.claim("elastic.error.derived", "Derived: a mean over the sizes of the pool")
def _() -> Cases:
    """In a pool whose sizes are gone through in turn the error of fractional repetition is on
    average that of fixed numbers of survivors: n C(n-d, m)/C(n, m), a mean over the sizes m."""
    for n, d, sizes in _POOLS:
        theory = math.fsum(n * math.comb(n - d, m) / math.comb(n, m) for m in sizes) / len(sizes)
        yield compared(decoding("error", frc(n, d), _pool(sizes)), theory)


@paper.claim("elastic.time.derived", "Derived: n - s of those that are there")
def _() -> Cases:
    """A gradient code for n workers that survives s takes (s+1)/n (H_m - H_(m-n+s)) for unit
    exponential times in a round with m workers, a mean over the pool's sizes m."""
    for n, d, sizes in _POOLS:
        s, load = d, (d + 1) / n
        theory = math.fsum(present_time(n, s, m, load) for m in sizes) / len(sizes)
        yield timed(completion(star(n, s), stragglers=_pool(sizes)), theory)


@paper.claim("elastic.anew.derived", f"Derived, for {ELASTIC}: who is away need not be survived")
def _() -> Cases:
    """A code made anew for the m workers that are there, which waits for as many answers, n - s,
    takes the share n (m-n+s+1)/(m (s+1)) of the time of the code for n."""
    for n, s, m in ((12, 4, 9), (12, 3, 10), (20, 6, 16)):
        anew = completion(star(m, m - n + s))
        fixed = completion(star(n, s), stragglers=_pool([m]))
        share = n * (m - n + s + 1) / (m * (s + 1))
        yield timed(anew, share, against=fixed, how="ratio")
