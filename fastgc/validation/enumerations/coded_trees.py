"""Examples 1 and 2 of paper codedreduce, message by message, with the matrices printed in (4)."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from fractions import Fraction

_HALF = Fraction(1, 2)
_Rows = tuple[tuple[Fraction | int, ...], ...]

#: Row i of the encoding matrix: what child i sends of three partitions.
_B: _Rows = ((_HALF, 1, 0), (0, 1, -1), (_HALF, 0, 1))
#: Rows of the decoding matrix.
_A: _Rows = ((0, 1, 2), (1, 0, 1), (2, -1, 0))

Terms = dict[int, Fraction]


def example_row(survivors: Sequence[int]) -> int:
    """Number of the first row of A that needs only these children and returns the plain sum."""
    for number, row in enumerate(_A, 1):
        sums = [sum(a * b[i] for a, b in zip(row, _B, strict=True)) for i in range(3)]
        used = {child for child, a in enumerate(row, 1) if a}
        if used <= set(survivors) and sums == [1, 1, 1]:
            return number
    return 0


def example_error(straggler: int) -> Fraction:
    """Example 1: largest deviation of the decoded coefficients from 1, without one worker."""
    row = _A[_row([child for child in (1, 2, 3) if child != straggler])]
    sums = [sum(a * b[i] for a, b in zip(row, _B, strict=True)) for i in range(3)]
    return max((abs(Fraction(x) - 1) for x in sums), default=Fraction(0))


def example_patterns() -> int:
    """Count the patterns of at most one straggler per parent."""
    return sum(1 for _ in _patterns())


def example_failures() -> int:
    """Example 2: count the patterns whose decoded sum is not 1 of every one of 15 data points."""
    return sum(
        _decoded(pattern) != dict.fromkeys(range(15), Fraction(1)) for pattern in _patterns()
    )


def example_load() -> Fraction:
    """Example 2: the largest share of the data points that a worker holds."""
    shares = []
    for subtree in range(3):
        own, leaves = _allocation(subtree)
        shares += [len(own), *map(len, leaves)]
    return Fraction(max(shares), 15)


def _patterns() -> list[tuple[int, ...]]:
    """Straggling child, 0 for none, of the master and of its three children."""
    return list(itertools.product(range(4), repeat=4))


def _encoded(data: Sequence[Terms], child: int) -> Terms:
    """CompAlloc: three partitions of the data with the coefficients of one child."""
    return {
        point: c * b
        for part, b in zip(data, _B[child], strict=True)
        for point, c in part.items()
        if b
    }


def _allocation(subtree: int) -> tuple[Terms, list[Terms]]:
    """What a child of the master and its three children hold; CR.Allocate with 4 of 15 points.

    The ten points of a subtree are cut into five sets of two; the first two stay.
    """
    plain = {point: Fraction(1) for point in range(15)}
    given = _encoded(_cut(plain, 3), subtree)
    sets = _cut(given, 5)
    own = sets[0] | sets[1]
    return own, [_encoded(sets[2:], child) for child in range(3)]


def _cut(data: Terms, parts: int) -> list[Terms]:
    points = sorted(data)
    size = len(points) // parts
    return [{p: data[p] for p in points[i * size : (i + 1) * size]} for i in range(parts)]


def _decoded(pattern: tuple[int, ...]) -> Terms:
    """CR.Execute: coefficient of every data point in what the master recovers."""
    messages = []
    for subtree in range(3):
        own, leaves = _allocation(subtree)
        messages.append(_add(_recovered(leaves, pattern[1 + subtree]), own))
    return _recovered(messages, pattern[0])


def _recovered(messages: Sequence[Terms], straggler: int) -> Terms:
    row = _A[_row([child for child in (1, 2, 3) if child != straggler])]
    total: Terms = {}
    for a, message in zip(row, messages, strict=True):
        if a:
            total = _add(total, {point: a * c for point, c in message.items()})
    return total


def _row(survivors: Sequence[int]) -> int:
    """Place of the row of A whose zero is at a child that does not survive."""
    number = example_row(survivors)
    if not number:
        raise AssertionError("no row of A fits")
    return number - 1


def _add(a: Terms, b: Terms) -> Terms:
    found = {point: a.get(point, Fraction(0)) + b.get(point, Fraction(0)) for point in {*a, *b}}
    return {point: c for point, c in found.items() if c}
