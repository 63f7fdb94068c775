"""What paper codedreduce prints: an example with its matrices, and sizes of data.

Example 2 runs message by message with the matrices printed in (4). Which row of the decoding
matrix is used follows from where its zeros are, never from what it decodes: a wrong entry of either
matrix makes a wrong sum.
"""

import itertools
import math
from collections.abc import Sequence
from fractions import Fraction

_HALF = Fraction(1, 2)
Rows = Sequence[Sequence[Fraction | int]]

#: Row i of the encoding matrix: what child i sends of three partitions.
ENCODING: Rows = ((_HALF, 1, 0), (0, 1, -1), (_HALF, 0, 1))
#: Rows of the decoding matrix.
DECODING: Rows = ((0, 1, 2), (1, 0, 1), (2, -1, 0))

Terms = dict[int, Fraction]
_GISETTE = (6552, 5001)
_SYNTHETIC = (7644, 6500)
#: Data points and features of the figures' data.
DATA = {8: _GISETTE, 9: _GISETTE, 10: _SYNTHETIC, 11: _SYNTHETIC, 12: (32760, 5000)}


def example_row(survivors: Sequence[int]) -> int:
    """Number of the first row of A that is 0 for all but these children."""
    for number, row in enumerate(DECODING, 1):
        if {child for child, a in enumerate(row, 1) if a} <= set(survivors):
            return number
    return 0


def example_coefficient(row: int, child: int) -> Fraction:
    """By what a row of A multiplies a child's message."""
    return Fraction(DECODING[row - 1][child - 1])


def example_failures() -> int:
    """Example 2: count the patterns of at most one straggler per parent that are not decoded.

    A pattern is the straggling child, 0 for none, of the master and of its three children. It is
    decoded if the master's sum has 1 of every one of 15 data points.
    """
    whole = dict.fromkeys(range(15), Fraction(1))
    return sum(_decoded(each) != whole for each in itertools.product(range(4), repeat=4))


def example_load() -> Fraction:
    """Example 2: the largest share of the data points that a worker holds."""
    shares = []
    for subtree in range(3):
        own, leaves = _allocation(subtree)
        shares += [len(own), *map(len, leaves)]
    return Fraction(max(shares), 15)


def _encoded(data: Sequence[Terms], row: Sequence[Fraction | int]) -> Terms:
    return {
        point: c * b for part, b in zip(data, row, strict=True) for point, c in part.items() if b
    }


def _allocation(subtree: int) -> tuple[Terms, list[Terms]]:
    """What a child of the master and its three children hold; CR.Allocate with 4 of 15 points."""
    plain = {point: Fraction(1) for point in range(15)}
    given = _encoded(_cut(plain, 3), ENCODING[subtree])
    sets = _cut(given, 5)
    own = sets[0] | sets[1]
    return own, [_encoded(sets[2:], row) for row in ENCODING]


def _cut(data: Terms, parts: int) -> list[Terms]:
    points = sorted(data)
    size = len(points) // parts
    return [{p: data[p] for p in points[i * size : (i + 1) * size]} for i in range(parts)]


def _decoded(pattern: Sequence[int]) -> Terms:
    """CR.Execute: coefficient of every data point in what the master recovers."""
    messages = []
    for subtree in range(3):
        own, leaves = _allocation(subtree)
        messages.append(_add(_recovered(leaves, pattern[1 + subtree]), own))
    return _recovered(messages, pattern[0])


def _recovered(messages: Sequence[Terms], straggler: int) -> Terms:
    """Combine the survivors' messages with the first row that is 0 at the straggler."""
    number = example_row([child for child in (1, 2, 3) if child != straggler])
    total: Terms = {}
    if number:
        for a, message in zip(DECODING[number - 1], messages, strict=True):
            if a:
                total = _add(total, {point: a * c for point, c in message.items()})
    return total


def _add(a: Terms, b: Terms) -> Terms:
    found = {point: a.get(point, Fraction(0)) + b.get(point, Fraction(0)) for point in {*a, *b}}
    return {point: c for point, c in found.items() if c}


def times_as_large(samples: int, features: int, figure: int) -> Fraction:
    """How many times as many numbers such data have as a figure's."""
    return Fraction(samples * features, math.prod(DATA[figure]))


def features_of_figure(figure: int) -> int:
    """Features of a figure's data, as its own section or caption has them."""
    return DATA[figure][1]


def speedup_over(first: float, second: float) -> float:
    """How many times as long as the second the first takes, by what a third is faster than both."""
    return first / second
