"""Sums over the trials of a block, written out one trial at a time."""

import math
from collections import defaultdict
from fractions import Fraction

LANES = 32


def in_lanes(addends):
    """Sum in the one order that is promised: trial t goes to lane t mod 32, then lane by lane."""
    lanes = [0.0] * LANES
    for t, addend in enumerate(addends):
        lanes[t % LANES] += addend
    total = 0.0
    for lane in lanes:
        total += lane
    return total


def powers(values, degree):
    """Power sums up to a degree, each power built by multiplying on the right."""
    out = []
    for times in range(degree):
        addends = []
        for value in values:
            power = value
            for _ in range(times):
                power *= value
            addends.append(power)
        out.append(in_lanes(addends))
    return out


def averages(values):
    """Average over iterations of values (L, T) and of their squares, added in order."""
    first, second = [], []
    for trial in zip(*values, strict=True):
        total = square = 0.0
        for value in trial:
            total += value
            square += value * value
        first.append(total / len(values))
        second.append(square / len(values))
    return first, second


def bin_of(value):
    """Number of the bin of a value: its exponent and seven binary digits."""
    if value < 2.0**-1022:  # zero and subnormal numbers stand on a grid of their own
        return math.floor(value / 2.0**-1074) >> 45
    fraction, exponent = math.frexp(value)
    return (exponent + 1022) * 128 + math.floor((2 * fraction - 1) * 128)


def by_survivors(values, survivors, workers):
    """Σa, Σa², Σc, Σc², Σac for every number of survivors, as rational numbers."""
    out = [[Fraction(0)] * 5 for _ in range(workers + 1)]
    for errors, counts in zip(zip(*values, strict=True), zip(*survivors, strict=True), strict=True):
        a, c = defaultdict(Fraction), defaultdict(int)
        for error, count in zip(errors, counts, strict=True):
            a[count] += Fraction(error)
            c[count] += 1
        for r in c:
            for place, term in enumerate((a[r], a[r] ** 2, c[r], c[r] ** 2, a[r] * c[r])):
                out[r][place] += term
    return out
