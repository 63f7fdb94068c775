"""What a sample's scores cost, and how steeply: the three models of training.

Scores are (outputs, samples), samples side by side; where trials are, in `descent`, the
same losses are rounded otherwise, in other orders. Softmax is shifted by the largest score, log(1 +
u) corrected for what 1 + u loses (Kahan).
"""

import numpy as np

from fastgc_kernels._arrays import Floats, Integers
from fastgc_kernels._jit import inline, jit
from fastgc_kernels._vectors import added, lane, load, parts_added, spread
from fastgc_kernels.draw.variates import exp, log

LINEAR, LOGISTIC, SOFTMAX = 0, 1, 2


@jit
def _exponentials(values: Floats) -> None:
    for i in range(values.size):
        values[i] = exp(values[i])


@jit
def _logarithms(values: Floats) -> None:
    # log(1 + u) for u ≥ 0, with all digits also where u is small
    for i in range(values.size):
        u = values[i]
        whole = 1.0 + u
        values[i] = log(whole) - ((whole - 1.0) - u) / whole


@jit
def _highest(scores: Floats, out: Floats) -> None:
    for i in range(out.size):
        out[i] = scores[0, i]
    for c in range(1, scores.shape[0]):
        own = scores[c]
        for i in range(out.size):
            out[i] = max(out[i], own[i])


@jit
def slopes(model: int, scores: Floats, labels: Floats, count: int, work: Floats) -> None:
    """Replace scores by the derivatives of the samples' losses by them.

    ``work`` (2, ≥ count) is overwritten.
    """
    first, second = work[0, :count], work[1, :count]
    if model == LINEAR:
        own = scores[0]
        for i in range(count):
            own[i] -= labels[i]
    elif model == LOGISTIC:
        own = scores[0]
        for i in range(count):
            first[i] = -abs(own[i])
        _exponentials(first)
        for i in range(count):
            u = first[i]
            own[i] = -labels[i] * (u if labels[i] * own[i] >= 0.0 else 1.0) / (1.0 + u)
    else:
        _highest(scores, first)
        for i in range(count):
            second[i] = 0.0
        for c in range(scores.shape[0]):
            own = scores[c]
            for i in range(count):
                own[i] -= first[i]
            _exponentials(own[:count])
            for i in range(count):
                second[i] += own[i]
        for c in range(scores.shape[0]):
            own = scores[c]
            for i in range(count):
                own[i] = own[i] / second[i] - (1.0 if labels[i] == c else 0.0)


@jit
def costs(model: int, scores: Floats, labels: Floats, out: Floats, work: Floats) -> None:
    """Loss ``out`` (m,) of each sample, of scores (outputs, m); scores are overwritten.

    ``work`` (2, ≥ m) is overwritten too.
    """
    count = out.size
    first, second = work[0, :count], work[1, :count]
    own = scores[0]
    if model == LINEAR:
        for i in range(count):
            off = own[i] - labels[i]
            out[i] = 0.5 * off * off
    elif model == LOGISTIC:
        for i in range(count):
            own[i] *= labels[i]
            out[i] = -abs(own[i])
        _exponentials(out)
        _logarithms(out)
        for i in range(count):
            out[i] += 0.0 if own[i] > 0.0 else -own[i]
    else:
        # log Σ exp less the labelled score, as log(1 + others): a small loss keeps its digits
        _highest(scores, first)
        for i in range(count):
            second[i] = scores[np.int64(labels[i]), i] - first[i]
            out[i] = 0.0
        for c in range(scores.shape[0]):
            row = scores[c]
            for i in range(count):
                row[i] -= first[i]
            _exponentials(row[:count])
            for i in range(count):
                out[i] += row[i] - 1.0 if labels[i] == c else row[i]
        _logarithms(out)
        for i in range(count):
            out[i] -= second[i]


# ---- Mean losses of several trials over all samples, tile after tile
#
# A tile holds the features of `SAMPLES` samples as (P, SAMPLES): samples lie side by side. A block
# of `FEATURES` of them stays in the cache while all trials' rows of weights pass over it. Tiles for
# registers and cache: Goto and van de Geijn (2008).


SAMPLES = 64
FEATURES = 32


@jit
def _add_scores(tile: Floats, low: int, high: int, weights: Floats, out: Floats) -> None:
    """Add to scores ``out`` (SAMPLES,) what features low … high − 1 give; both multiples of 4."""
    for j in range(low, high, 4):
        x0, x1, x2, x3 = tile[j], tile[j + 1], tile[j + 2], tile[j + 3]
        t0, t1, t2, t3 = weights[j], weights[j + 1], weights[j + 2], weights[j + 3]
        for v in range(SAMPLES):
            out[v] += (t0 * x0[v] + t1 * x1[v]) + (t2 * x2[v] + t3 * x3[v])


@jit
def losses(model, units, tiles, starts, y, rest, samples, thetas, out):
    """Mean loss ``out`` (m,) at each of the parameters ``thetas`` (m, Q).

    ``tiles`` (n, P, SAMPLES) hold y.size samples, the features of tile i before ``starts[i]``, a
    multiple of 4, being 0; ``rest`` is added to their summed loss, which is divided by ``samples``.
    """
    width = tiles.shape[1]
    scores = np.empty((out.size, units, SAMPLES))
    work = np.empty((3, SAMPLES))
    cost = work[2]
    for t in range(out.size):
        out[t] = rest
    for i in range(tiles.shape[0]):
        labels = y[SAMPLES * i : SAMPLES * (i + 1)]
        count = labels.size
        for t in range(out.size):
            for o in range(units):
                own = scores[t, o]
                for v in range(SAMPLES):
                    own[v] = 0.0
        for low in range(starts[i], width, FEATURES):
            high = min(low + FEATURES, width)
            for t in range(out.size):
                for o in range(units):
                    weights = thetas[t, o * width : (o + 1) * width]
                    _add_scores(tiles[i], low, high, weights, scores[t, o])
        for t in range(out.size):
            costs(model, scores[t], labels, cost[:count], work)
            total = 0.0
            for v in range(count):
                total += cost[v]
            out[t] += total
    for t in range(out.size):
        out[t] /= samples


# ---- Gradients of mini-batches: sums over a few samples, row after row
#
# Samples are rows of X (N, P), features padded with zeros to a multiple of `WIDTH`. Parameters lie
# in one flat vector: rows of weights (outputs, P).


WIDTH = 8  # features are a multiple of it
LANES = 64  # numbers that are multiplied side by side in an inner product
ROWS = 16  # samples whose features stay in the cache between scores and gradient


@jit
def _product(x: Floats, weights: Floats) -> float:
    whole = weights.size & -LANES
    i = 0
    many = spread(0.0, LANES)
    while i < whole:
        many += load(x, i, LANES) * load(weights, i, LANES)
        i += LANES
    total = parts_added(many, WIDTH)
    while i < weights.size:
        total += load(x, i, WIDTH) * load(weights, i, WIDTH)
        i += WIDTH
    return added(total)


@jit
def _spread(X: Floats, rows: Integers, factors: Floats, gradient: Floats) -> None:
    # adds Σ_i factors[o, i] X[rows[i]] to row o of ``gradient`` (outputs, P)
    count = rows.size
    whole = count - count % 4
    for o in range(gradient.shape[0]):
        g = gradient[o]
        f = factors[o]
        for i in range(0, whole, 4):
            x0, x1, x2, x3 = X[rows[i]], X[rows[i + 1]], X[rows[i + 2]], X[rows[i + 3]]
            f0, f1, f2, f3 = f[i], f[i + 1], f[i + 2], f[i + 3]
            for j in range(g.size):
                g[j] += (f0 * x0[j] + f1 * x1[j]) + (f2 * x2[j] + f3 * x3[j])
        for i in range(whole, count):
            x0 = X[rows[i]]
            f0 = f[i]
            for j in range(g.size):
                g[j] += f0 * x0[j]


@jit
def gradient(model, units, X, y, rows, theta, out):
    """Gradient ``out`` (Q,) of the summed loss of the samples ``rows`` (b,) at ``theta`` (Q,).

    ``units`` is the number of rows of weights that meet the features: 1 or classes.
    """
    width = X.shape[1]
    weights = theta.reshape(units, width)
    for j in range(out.size):
        out[j] = 0.0
    scores = np.empty((units, ROWS))
    work = np.empty((3, ROWS))
    labels = work[2]
    for start in range(0, rows.size, ROWS):
        own = rows[start : start + ROWS]
        count = own.size
        for i in range(count):
            labels[i] = y[own[i]]
            x = X[own[i]]
            for o in range(units):
                scores[o, i] = _product(x, weights[o])
        slopes(model, scores, labels, count, work)
        _spread(X, own, scores, out.reshape(units, width))


# ---- What selections need of the data, once: a triangle with all residuals, and smoothness
#
# `triangle` is a QR by Householder's reflections (Golub and Van Loan, Matrix Computations, section
# 5.2), tile after tile; `largest_eigenvalues` of XᵀX come from power iteration (von Mises and
# Pollaczek-Geiringer, 1929).


FOLDED = 64  # samples that are folded into the triangle at a time
NOTHING = 1e-30  # share of a feature's square that rounding leaves where the feature is used up


@inline
def _tile_product(a, b):
    total = spread(0.0, 4)
    i = 0
    while i < FOLDED:
        total += load(a, i, 4) * load(b, i, 4)
        i += 4
    return (lane(total, 0) + lane(total, 1)) + (lane(total, 2) + lane(total, 3))


@jit
def triangle(X: Floats, y: Floats, width: int, out: Floats) -> None:
    """Fill ``out`` (f + 1, f + 1) with R where RᵀR = [X y]ᵀ[X y], X (N, ≥ f), R upper triangular.

    Then ‖Xθ − y‖² = ‖R (θ, −1)‖² without the loss of digits that XᵀX would bring. ``width`` is f.
    """
    size = width + 1
    out[:] = 0.0
    tile = np.empty((size, FOLDED))  # a feature a row
    least = np.empty(size)
    for start in range(0, X.shape[0], FOLDED):
        count = min(FOLDED, X.shape[0] - start)
        for j in range(width):
            for v in range(FOLDED):
                tile[j, v] = X[start + v, j] if v < count else 0.0
        for v in range(FOLDED):
            tile[width, v] = y[start + v] if v < count else 0.0
        for j in range(size):
            least[j] = NOTHING * _tile_product(tile[j], tile[j])
        for j in range(size):
            _reflect(tile, j, least[j], out)


@jit
def _reflect(tile: Floats, j: int, least: float, out: Floats) -> None:
    # feature j of the tile becomes 0 by a reflection of the tile and row j of the triangle; a
    # square of at most ``least`` is what rounding has left of nothing
    v = tile[j]
    square = _tile_product(v, v)
    if square <= least:
        return
    head = out[j, j]
    length = np.sqrt(head * head + square)
    first = head + length if head > 0.0 else head - length
    out[j, j] = -length if head > 0.0 else length
    factor = 2.0 / (first * first + square)
    for c in range(j + 1, tile.shape[0]):
        x = tile[c]
        share = factor * (first * out[j, c] + _tile_product(v, x))
        out[j, c] -= share * first
        for i in range(FOLDED):
            x[i] -= share * v[i]


MOST = 10_000  # multiplications by XᵀX
CLOSE = 1e-13  # share by which the last one may have raised the estimate


@jit
def largest_eigenvalues(X: Floats, bounds: Integers, beginning: Floats, out: Floats) -> None:
    """Largest eigenvalue ``out`` (G,) of X_gᵀX_g, X_g being rows bounds[g] … bounds[g + 1] − 1.

    Iteration begins at ``beginning`` (P,); the rows of X (N, P) have a multiple of `WIDTH` numbers.
    """
    vector = np.empty(X.shape[1])
    image = np.empty(X.shape[1])
    for g in range(out.size):
        for j in range(vector.size):
            image[j] = beginning[j]
        out[g] = 0.0
        for _ in range(MOST):
            length = np.sqrt(_in_eight(image, image))
            if length == 0.0:
                out[g] = 0.0
                break
            for j in range(vector.size):
                vector[j] = image[j] / length
                image[j] = 0.0
            for i in range(bounds[g], bounds[g + 1]):
                x = X[i]
                score = _in_eight(x, vector)
                for j in range(vector.size):
                    image[j] += score * x[j]
            before = out[g]
            out[g] = _in_eight(vector, image)
            if out[g] - before <= CLOSE * out[g]:
                break


@jit
def _in_eight(a: Floats, b: Floats) -> float:
    total = spread(0.0, WIDTH)
    i = 0
    while i < a.size:
        total += load(a, i, WIDTH) * load(b, i, WIDTH)
        i += WIDTH
    return lane(parts_added(total, 1), 0)
