"""Slow, obvious twins of the block bootstrap."""

import math

import numpy as np


def rows_of(starts, length, rows):
    """The rows of one resample, block by block, around the end."""
    return [(start + step) % rows for start in starts for step in range(length)]


def starts_of(uniforms, blocks, rows):
    starts = [int(u * rows) for u in uniforms]
    return [starts[i : i + blocks] for i in range(0, len(starts) - blocks + 1, blocks)]


def blocks_of(series, length):
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


def block_length(series):
    """Politis and White's length of circular blocks (2004, with Patton's correction of 2009).

    (2 G²/D)^(1/3) N^(1/3), D = 4/3 g², with a flat-top window of twice the lag from which on
    correlations are small; no less than that of the chain of first order that neighbours make.
    """
    N = len(series)
    mean = sum(series) / N
    if N < 4 or max(series) - min(series) < 1e-9 * abs(mean):
        return 1
    quiet = max(5, math.ceil(math.sqrt(math.log10(N))))
    most = min(math.ceil(math.sqrt(N)) + quiet, N - 1)

    def covariance(lag):
        return sum((series[t] - mean) * (series[t + lag] - mean) for t in range(N - lag)) / N

    R = [covariance(lag) for lag in range(most + 1)]
    small = [abs(R[lag] / R[0]) < 2 * math.sqrt(math.log10(N) / N) for lag in range(most + 1)]
    for m in range(most - quiet + 1):
        if all(small[m + step] for step in range(1, quiet + 1)):
            break
    else:
        m = max((lag for lag in range(1, most + 1) if not small[lag]), default=0)
    M = min(2 * max(m, 1), most)
    G = g = 0.0
    for lag in range(-M, M + 1):
        window = 1.0 if abs(lag) <= M / 2 else 2 * (1 - abs(lag) / M)
        G += window * abs(lag) * R[abs(lag)]
        g += window * R[abs(lag)]
    # rho of the chain, Kendall's bias taken off: G/g = 2 rho/(1 - rho^2)
    rho = min(0.99, R[1] / R[0] + (1 + 3 * R[1] / R[0]) / N)
    ratio = max(G / g if g > 0 else 0.0, 2 * rho / (1 - rho**2))
    if ratio <= 0:
        return 1
    length = (2 * ratio**2 / (4 / 3)) ** (1 / 3) * N ** (1 / 3)
    return max(1, math.ceil(min(length, N / 3, 3 * math.sqrt(N))))


def quantile(values, level):
    ordered = sorted(values)
    return ordered[max(0, math.ceil(level * len(ordered) * (1 - 1e-12)) - 1)]
