"""Chunks of work that are sent as they are finished: what their order does, and what they bring."""

from collections.abc import Sequence

from fastgc.theory.cases.completion import completion, timed
from fastgc.theory.cases.statements import both, finite, printed_number
from fastgc.theory.cases.tables import exponential, star
from fastgc.theory.cases.tables import maker as table
from fastgc.theory.common import check
from fastgc.theory.literature import paper
from fastgc.theory.literature.sources import SOURCES
from fastgc.theory.papers.claim import Cases

PARTIAL = SOURCES["2405.19509"]
_cyclic = table("family", "partial", "n", "d", "draws")
_LAWS = (exponential(), exponential(0.5, 0.5))


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
