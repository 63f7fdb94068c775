"""Chunks of work that are sent as they are finished: when all are there, and what the order does.

Partial stragglers: Ramamoorthy, Meng, Girimaji (arXiv:2405.19509); several messages a worker:
Ozfatura, Gündüz, Ulukus (arXiv:1903.01974).
"""

import itertools
import math
from collections.abc import Callable, Sequence

import numpy as np

from fastgc.arrays import Values
from fastgc.theory.cases.completion import completion, late, timed
from fastgc.theory.cases.statements import both, finite, printed_number
from fastgc.theory.cases.tables import Table, exponential, replication, star
from fastgc.theory.cases.tables import maker as table
from fastgc.theory.common import check
from fastgc.theory.common.numerics import half_line
from fastgc.theory.literature import paper
from fastgc.theory.literature.order_statistics import frc_completion_mean
from fastgc.theory.papers.claim import Cases

PARTIAL = "Ramamoorthy, Meng, Girimaji, Leveraging partial stragglers (arXiv:2405.19509)"
_cyclic = table("family", "partial", "n", "d", "draws")
_LAWS = (exponential(), exponential(0.5, 0.5))


# ---- when all chunks are there


@paper.elementwise
def chunks_tail(
    n: int, d: int, t: float, mean: float = 1.0, shift: float = 0.0, draws: str = "speed"
) -> float:
    """P(T > t) of n workers that do chunks w, w + 1, …, w + d − 1 in turn and send each when done.

    1 − tr Mⁿ: from a state c, the next chunks that are there already, N finished ones of the next
    worker lead to max(c, N) − 1 ≥ 0. A chunk takes shift + an exponential time, one for all chunks
    of a worker ("speed"), or each its own ("task"). Derived.

    >>> round(chunks_tail(2, 1, 1.0), 9) == round(1 - (1 - math.exp(-1)) ** 2, 9)
    True
    """
    check.code(n, d)
    done = [1.0, *(_finished(j, t, mean, shift, draws) for j in range(1, int(d) + 1)), 0.0]
    masses = [done[j] - done[j + 1] for j in range(int(d) + 1)]
    step = [[0.0] * int(d) for _ in range(int(d))]
    for c in range(int(d)):
        for number, mass in enumerate(masses):
            if max(c, number) > 0:
                step[c][max(c, number) - 1] += mass
    power = step
    for _ in range(int(n) - 1):
        power = [
            [math.fsum(row[k] * step[k][c] for k in range(len(step))) for c in range(len(step))]
            for row in power
        ]
    return max(0.0, 1.0 - math.fsum(power[c][c] for c in range(len(step))))


def _finished(chunks: int, t: float, mean: float, shift: float, draws: str) -> float:
    """P(a worker has finished so many chunks by t)."""
    from scipy import special

    if draws == "speed":
        return -math.expm1(-max(t / chunks - shift, 0.0) / mean)
    return float(special.gammainc(chunks, max(t - chunks * shift, 0.0) / mean))


@paper.elementwise
def chunks_mean(
    n: int, d: int, mean: float = 1.0, shift: float = 0.0, draws: str = "speed"
) -> float:
    """Mean of that time.

    >>> round(chunks_mean(4, 2), 7), round(chunks_mean(6, 3, draws="task"), 7)
    (1.2928571, 1.4708092)
    """
    check.positive(mean=mean)
    bends = [shift * j for j in range(1, int(d) + 1)] if shift else [0.0]

    def tail(t: Values) -> Values:
        return np.array([float(chunks_tail(n, d, x, mean, shift, draws)) for x in t.tolist()])

    # between j·shift and the next a worker can have finished j chunks, no more
    total = bends[0]
    for low, high in itertools.pairwise(bends):
        total += _gauss(tail, low, high)
    return total + half_line(tail, bends[-1], mean, 1e-9)


def _gauss(function: Callable[..., Values], low: float, high: float) -> float:
    nodes, weights = np.polynomial.legendre.leggauss(24)
    half = 0.5 * (high - low)
    values = function(low + half * (nodes + 1.0)).tolist()
    return half * math.fsum(w * value for w, value in zip(weights.tolist(), values, strict=True))


@paper.claim("partial.cyclic.derived", "Derived: a walk around the ring of workers")
def _() -> Cases:
    """Of n workers of which worker w does the chunks w, w+1, ..., w+d-1 modulo n in turn, and sends
    each when it is finished, all chunks are there by t with probability tr M^n: M is the d x d
    matrix of steps from c to max(c, N) - 1 >= 0, and N the number of a worker's chunks."""
    for n, d in ((4, 2), (6, 3), (12, 3), (20, 4)):
        for draws in ("speed", "task"):
            system = _cyclic(n, d, draws)
            for law in _LAWS:
                theory = chunks_mean(n, d, law["mean"], law["shift"], draws)
                yield timed(completion(system, law, work=float(n)), theory)
            yield late(system | {"load": 1.0}, 2.0, chunks_tail(n, d, 2.0, draws=draws))


@paper.claim("partial.same.derived", "Derived: the fastest of a group finishes every chunk first")
def _() -> Cases:
    """Where d workers do the same d chunks in the same order, each at its own speed, sending chunks
    brings nothing: all are there when one worker of each group has done all of its work."""
    for n, d in ((6, 3), (12, 3), (12, 4)):
        same = _cyclic(n, d) | {"placement": "frc", "order": "sorted"}
        for law in _LAWS:
            theory = frc_completion_mean(n, d, d * law["mean"], d * law["shift"])
            yield timed(completion(same, law, work=float(n)), theory)
            against = completion(replication(n, d), law, work=float(n))
            yield timed(completion(same, law, work=float(n)), 0.0, against=against, scale=d)


@paper.claim("partial.rotated.derived", "Derived: two workers that begin with different chunks")
def _() -> Cases:
    """Two workers that do the same two chunks, each beginning with another one, have both at
    min(2 X_(1), X_(2)): of unit exponential times one per worker, after t with probability
    2 exp(-3t/2) - exp(-2t); n/2 such pairs all have theirs with the product of the others."""
    for n in (2, 4, 12):
        pairs = _cyclic(n, 2) | {"placement": "frc", "load": 1.0}
        for t in (0.5, 2.0, 5.0):
            one = 2.0 * math.exp(-1.5 * t) - math.exp(-2.0 * t)
            yield late(pairs, t, -math.expm1(n // 2 * math.log1p(-one)))


@paper.claim("partial.copies.derived", "Derived: every chunk that is held is waited for")
def _() -> Cases:
    """Where each of d holders must have finished a chunk, all n*d chunks are received, and the
    slowest worker's last one ends the round: at d X_(n) if its chunks take one time."""
    for n, d in ((5, 3), (6, 2), (4, 4)):
        whole = _cyclic(n, d) | {"copies": d}
        yield timed(completion(whole, measure="messages", work=float(n)), n * d)
        slowest = d * math.fsum(1.0 / j for j in range(1, n + 1))
        yield timed(completion(whole, work=float(n)), slowest)


# ---- what the order does


@paper.elementwise
def fewest_worst_chunks(n: int, d: int) -> float:
    """Least number nd − d(d + 1)/2 + 1 of finished chunks that surely are all, of any order.

    Each of n chunks is held by d workers. Derived.

    >>> [fewest_worst_chunks(n, d) for n, d in ((6, 3), (12, 3), (20, 4))]
    [13.0, 31.0, 71.0]
    """
    check.code(n, d)
    return n * d - d * (d + 1) / 2 + 1


def _placed(n: int, d: int, order: str) -> list[list[int]]:
    """Return the cyclic placement: in cyclic order, sorted, or with every other list turned."""
    held = [[(w + j) % n for j in range(d)] for w in range(n)]
    if order == "sorted":
        return [sorted(own) for own in held]
    return [own[::-1] if order == "turned" and w % 2 else own for w, own in enumerate(held)]


def _worst(orders: Sequence[Sequence[int]], copies: int) -> int:
    n, d, worst = len(orders), len(orders[0]), 0
    for chunk in range(1 + max(map(max, orders))):
        places = sorted(own.index(chunk) for own in orders if chunk in own)
        before = sum(places) + d * (n - len(places))
        worst = max(worst, before + sum(d - place for place in places[: copies - 1]))
    return worst + 1


@paper.claim("partial.worst.derived", f"Derived, for Q_max of {PARTIAL}")
def _() -> Cases:
    """So many finished chunks always hold one copy of each: 1 + max over chunks i of the sum of the
    places, from 0, at which its holders do it, and d for each other worker; one chunk fewer may not
    be enough. For more copies, all but one of them add what their workers do from i on."""
    for n, d, copies, order in (
        (4, 2, 1, "cyclic"),
        (6, 3, 1, "cyclic"),
        (6, 3, 1, "sorted"),
        (6, 3, 1, "turned"),
        (6, 3, 2, "cyclic"),
        (5, 3, 3, "sorted"),
        (7, 2, 2, "cyclic"),
    ):
        orders = _placed(n, d, order)
        yield from both("worst_chunks", _worst(orders, copies), orders=orders, copies=copies)


@paper.claim("partial.worst.least.derived", f"Derived, for Q_max of {PARTIAL}")
def _() -> Cases:
    """No order of the cyclic placement is sure of all n chunks with fewer than nd - d(d+1)/2 + 1
    finished ones; the cyclic order is with so many, for there each chunk has every place once."""
    for n, d in ((3, 2), (4, 2), (4, 3), (5, 2)):
        yield finite("fewest_worst_chunks", fewest_worst_chunks(n, d), n=n, d=d)
    for n, d in ((6, 3), (7, 2)):
        orders = _placed(n, d, "cyclic")
        yield from both("worst_chunks", fewest_worst_chunks(n, d), orders=orders, copies=1)


@paper.claim("partial.order.derived", "Derived: the exact law of two orders", relation="<")
def _() -> Cases:
    """Orders that are sure of all chunks with equally many finished ones, 13 for n = 6 and d = 3,
    do not take equally long: with every other worker turned around it is less than in the cyclic
    order, 1.19393 against 1.19865 for unit exponential times."""
    for law in (*_LAWS, exponential(1.0, 0.5)):
        turned: Table = {"family": "partial", "n": 6, "d": 3, "order": _placed(6, 3, "turned")}
        theory = chunks_mean(6, 3, law["mean"], law["shift"])
        yield timed(completion(turned, law, work=6.0), theory)


@paper.claim("partial.sorted.derived", "Derived: the exact law of two orders", relation=">")
def _() -> Cases:
    """Chunks that every worker does by number, as a data loader reads, take longer than the cyclic
    order, by 19 % or more for n = 6 and d = 3 and four laws."""
    for draws in ("speed", "task"):
        for law in _LAWS:
            ordered = _cyclic(6, 3, draws) | {"order": "sorted"}
            theory = 1.19 * chunks_mean(6, 3, law["mean"], law["shift"], draws)
            yield timed(completion(ordered, law, work=6.0), theory)


@paper.claim("partial.faster.printed", f"{PARTIAL}, abstract", holds="somewhere", category="number")
def _() -> Cases:
    """Chunks that are sent as they are finished are about 2 times as fast as a gradient code with
    the same load, for the exact gradient. (For several n, d and laws of ours, in the cyclic order;
    every chunk is a message.)"""
    for n, d in ((4, 2), (6, 3), (12, 3), (20, 4)):
        for law in _LAWS:
            code = completion(star(n, d - 1), law, work=float(n))
            chunks = completion(_cyclic(n, d), law, work=float(n))
            yield printed_number(0, timed(code, 2.0, against=chunks, how="ratio"))
