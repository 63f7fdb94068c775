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


def mean_interval(series, length, uniforms, confidence):
    """The studentised interval of one column's mean."""
    rows = len(series)
    blocks = max(2, rows // length)
    means = [
        sum(series[(start + step) % rows] for step in range(length)) / length
        for start in range(rows)
    ]
    centre = sum(means) / rows
    spread = math.sqrt(sum((m - centre) ** 2 for m in means) / rows)
    error = spread * math.sqrt(rows / (rows - length)) / math.sqrt(blocks)
    found = []
    for starts in starts_of(uniforms, blocks, rows):
        own = [means[start] for start in starts]
        off = sum(own) / blocks - centre
        own_error = np.std(own, ddof=1) / math.sqrt(blocks)
        found.append(off / own_error)
    found.sort()
    tail = (1 - confidence) / 2
    low = found[max(0, math.ceil(tail * len(found)) - 1)]
    high = found[math.ceil((1 - tail) * len(found)) - 1]
    mean = sum(series) / rows
    return mean - high * error, mean - low * error


def quantile(values, level):
    """The smallest value with a share of at least ``level`` up to it."""
    ordered = sorted(values)
    return ordered[max(0, math.ceil(level * len(ordered) * (1 - 1e-12)) - 1)]
