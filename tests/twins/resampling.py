"""Slow, obvious twins of the block bootstrap."""

from __future__ import annotations

import math

import numpy as np


def rows_of(starts, length, rows):
    """The rows of one resample, block by block, around the end."""
    return [(start + step) % rows for start in starts for step in range(length)]


def starts_of(uniforms, blocks, rows):
    """Where the blocks of each resample start."""
    starts = [int(u * rows) for u in uniforms]
    return [starts[i : i + blocks] for i in range(0, len(starts) - blocks + 1, blocks)]


def blocks_of(series, length):
    """Means of the circular blocks that start at each row."""
    rows = len(series)
    return [
        sum(series[(start + step) % rows] for step in range(length)) / length
        for start in range(rows)
    ]


def mean_interval(series, length, uniforms, confidence):
    """The expanded BCa interval of one column's mean."""
    from scipy import stats

    rows = len(series)
    means = blocks_of(series, length)
    mean = sum(means) / rows
    found = []
    for starts in starts_of(uniforms, max(2, rows // length), rows):
        found.append(sum(means[start] for start in starts) / len(starts))
    found.sort()
    size = len(found)
    near = 1e-12 * abs(mean)
    below = sum(each < mean - near for each in found)
    equal = sum(abs(each - mean) <= near for each in found)
    bias = stats.norm.ppf((below + equal / 2) / size)
    skewness = stats.skew(means) / math.sqrt(max(2, rows // length))
    few = rows / length
    reach = stats.t.ppf((1 + confidence) / 2, few - 1) * math.sqrt(few / (few - 1))
    ends = []
    for side in (-1, 1):
        moved = bias + side * reach
        level = stats.norm.cdf(bias + moved / (1 - skewness / 6 * moved))
        beyond = math.floor(round((level if side < 0 else 1 - level) * size, 6))
        open_ = beyond < 1 or 1 - skewness / 6 * moved <= 0
        ends.append(side * math.inf if open_ else found[beyond - 1 if side < 0 else size - beyond])
    return tuple(ends)


def lower_bound(series, length, uniforms, confidence):
    """The lower end of one column's studentised interval, one-sided."""
    rows = len(series)
    blocks = max(2, rows // length)
    means = blocks_of(series, length)
    centre = sum(means) / rows
    spread = math.sqrt(sum((m - centre) ** 2 for m in means) / rows)
    error = spread * math.sqrt(rows / (rows - length)) / math.sqrt(blocks)
    found = []
    for starts in starts_of(uniforms, blocks, rows):
        own = [means[start] for start in starts]
        found.append((sum(own) / blocks - centre) / (np.std(own, ddof=1) / math.sqrt(blocks)))
    found.sort()
    return sum(series) / rows - found[math.ceil(confidence * len(found)) - 1] * error


def quantile(values, level):
    """The smallest value with a share of at least ``level`` up to it."""
    ordered = sorted(values)
    return ordered[max(0, math.ceil(level * len(ordered) * (1 - 1e-12)) - 1)]
