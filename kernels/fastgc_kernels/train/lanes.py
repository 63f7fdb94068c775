"""Products with a number for every trial: a group of trials lies side by side in the last axis.

Every trial's sums have one order of their own, whatever lies beside it. Four rows or columns are
taken at a time, so that numbers once loaded are used more than once, and parameters by tiles that
stay in the cache. Blocks for registers and cache: Goto and van de Geijn (2008).
"""

from fastgc_kernels._arrays import Floats
from fastgc_kernels._jit import inline, jit

LANES = 32  # trials side by side
_TILE = 512  # parameters at a time, a multiple of 4


@jit
def clear(out: Floats) -> None:
    """Set ``out`` (p, LANES) to 0."""
    for a in range(out.shape[0]):
        row = out[a]
        for t in range(LANES):
            row[t] = 0.0


@jit
def products(rows: Floats, theta: Floats, out: Floats) -> None:
    """Fill ``out`` (≥ s, LANES) with rows · theta, rows (s, f) and theta (f, LANES)."""
    count, size = rows.shape
    clear(out[:count])
    for low in range(0, size, _TILE):
        high = min(low + _TILE, size)
        for i in range(0, count - 1, 2):
            _two_rows(rows[i], rows[i + 1], theta, low, high, out[i], out[i + 1])
        if count % 2:
            _one_row(rows[count - 1], theta, low, high, out[count - 1])


@inline
def _two_rows(x, y, theta, low, high, first, second):
    whole = high - (high - low) % 4
    for a in range(low, whole, 4):
        x0, x1, x2, x3 = x[a], x[a + 1], x[a + 2], x[a + 3]
        y0, y1, y2, y3 = y[a], y[a + 1], y[a + 2], y[a + 3]
        t0, t1, t2, t3 = theta[a], theta[a + 1], theta[a + 2], theta[a + 3]
        for t in range(LANES):
            u0, u1, u2, u3 = t0[t], t1[t], t2[t], t3[t]
            first[t] += (x0 * u0 + x1 * u1) + (x2 * u2 + x3 * u3)
            second[t] += (y0 * u0 + y1 * u1) + (y2 * u2 + y3 * u3)
    for a in range(whole, high):
        x0 = x[a]
        y0 = y[a]
        t0 = theta[a]
        for t in range(LANES):
            first[t] += x0 * t0[t]
            second[t] += y0 * t0[t]


@inline
def _one_row(x: Floats, theta: Floats, low: int, high: int, out: Floats) -> None:
    whole = high - (high - low) % 4
    for a in range(low, whole, 4):
        x0, x1, x2, x3 = x[a], x[a + 1], x[a + 2], x[a + 3]
        t0, t1, t2, t3 = theta[a], theta[a + 1], theta[a + 2], theta[a + 3]
        for t in range(LANES):
            out[t] += (x0 * t0[t] + x1 * t1[t]) + (x2 * t2[t] + x3 * t3[t])
    for a in range(whole, high):
        x0 = x[a]
        t0 = theta[a]
        for t in range(LANES):
            out[t] += x0 * t0[t]


@jit
def add_products(rows: Floats, weights: Floats, out: Floats) -> None:
    """Add rowsᵀ · weights to ``out`` (f, LANES), rows (s, f) and weights (≥ s, LANES)."""
    count, size = rows.shape
    whole = count - count % 4
    for low in range(0, size, _TILE):
        high = min(low + _TILE, size)
        for i in range(0, whole, 4):
            _four_rows(rows[i : i + 4], weights[i : i + 4], low, high, out)
        for i in range(whole, count):
            x = rows[i]
            w = weights[i]
            for a in range(low, high):
                x0 = x[a]
                row = out[a]
                for t in range(LANES):
                    row[t] += x0 * w[t]


@inline
def _four_rows(rows: Floats, weights: Floats, low: int, high: int, out: Floats) -> None:
    x0, x1, x2, x3 = rows[0], rows[1], rows[2], rows[3]
    w0, w1, w2, w3 = weights[0], weights[1], weights[2], weights[3]
    for a in range(low, high - 1, 2):
        first = out[a]
        second = out[a + 1]
        p0, p1, p2, p3 = x0[a], x1[a], x2[a], x3[a]
        q0, q1, q2, q3 = x0[a + 1], x1[a + 1], x2[a + 1], x3[a + 1]
        for t in range(LANES):
            u0, u1, u2, u3 = w0[t], w1[t], w2[t], w3[t]
            first[t] += (p0 * u0 + p1 * u1) + (p2 * u2 + p3 * u3)
            second[t] += (q0 * u0 + q1 * u1) + (q2 * u2 + q3 * u3)
    if (high - low) % 2:
        last = out[high - 1]
        p0, p1, p2, p3 = x0[high - 1], x1[high - 1], x2[high - 1], x3[high - 1]
        for t in range(LANES):
            last[t] += (p0 * w0[t] + p1 * w1[t]) + (p2 * w2[t] + p3 * w3[t])
