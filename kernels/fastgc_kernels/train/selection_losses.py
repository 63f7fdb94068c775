"""Mean losses of several trials over all samples, tile after tile.

A tile holds the features of `SAMPLES` samples as (P, SAMPLES): samples lie side by side. A block of
`FEATURES` of them stays in the cache while all trials' rows of weights pass over it. Tiles for
registers and cache: Goto and van de Geijn (2008).
"""

import numpy as np

from fastgc_kernels._arrays import Floats, Integers
from fastgc_kernels._jit import jit
from fastgc_kernels.train.selection_models import costs

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
def losses(
    model: int,
    units: int,
    tiles: Floats,
    starts: Integers,
    y: Floats,
    rest: float,
    samples: int,
    thetas: Floats,
    out: Floats,
) -> None:
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
