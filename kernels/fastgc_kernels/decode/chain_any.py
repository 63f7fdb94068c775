"""Straggler sets of any code with independent columns: what a set may swap or lose.

With H = (BᵀB)⁻¹ and x = B⁺1, a set T costs x_Tᵀ K x_T, K = (H_TT)⁻¹. Beside a set stand K and u = K
x_T: to take back straggler a lowers the error by u_a²/K_aa, and swaps are updates of rank one, in
so many steps as K has entries. Swaps are Metropolis steps (1953); updates are Sherman and
Morrison's (1950).
"""

import numpy as np

from fastgc_kernels._arrays import Bytes, Floats, Integers, Numbers
from fastgc_kernels._jit import inline, jit


@jit
def start(
    members: Numbers, s: int, H: Floats, x: Floats, K: Floats, u: Floats, cost: Floats
) -> None:
    """Fill K (sets, ≥ s, ≥ s), u (sets, ≥ s) and the cost (sets,) of sets of s stragglers."""
    g = np.empty(s)
    for i in range(members.shape[0]):
        own, K_own, u_own = members[i], K[i], u[i]
        cost[i] = 0.0
        for b in range(s):
            j = own[b]
            d, r = H[j, j], x[j]
            for a in range(b):
                total = 0.0
                for c in range(b):
                    total += K_own[a, c] * H[j, own[c]]
                g[a] = total
            for a in range(b):
                d -= H[j, own[a]] * g[a]
                r -= H[j, own[a]] * u_own[a]
            inverse = 1.0 / d
            for a in range(b):
                f = g[a] * inverse
                for c in range(b):
                    K_own[a, c] += f * g[c]
                K_own[a, b] = -f
                K_own[b, a] = -f
                u_own[a] -= f * r
            K_own[b, b] = inverse
            u_own[b] = r * inverse
            cost[i] += r * r * inverse


@inline
def _swap(own, s, a, j, H, x, limit, K, u, cost, h, g):
    """Swap the straggler at place a for worker j if the cost stays above a limit.

    Returns the cost, and whether they were swapped.
    """
    part = 1.0 / K[a, a]
    row = K[a]
    u_part = u[a] * part
    t = 0.0
    for b in range(s):
        h[b] = H[j, own[b]]
    h[a] = 0.0
    for b in range(s):
        t += row[b] * h[b]
        g[b] = 0.0
    t *= part
    for c in range(s):
        other = K[c]
        f = h[c]
        for b in range(s):
            g[b] += other[b] * f
    d, r = H[j, j], x[j]
    for b in range(s):
        g[b] -= row[b] * t
        d -= h[b] * g[b]
        r -= h[b] * (u[b] - row[b] * u_part)
    after = cost - u[a] * u_part + r * r / d
    if not after > limit:
        return cost, False
    inverse = 1.0 / d
    for b in range(s):
        h[b] = row[b]
    for b in range(s):
        if b != a:
            f, f_own, target = g[b] * inverse, h[b] * part, K[b]
            for c in range(s):
                target[c] += f * g[c] - f_own * h[c]
            u[b] -= h[b] * u_part + g[b] * inverse * r
    for b in range(s):
        K[b, a] = -g[b] * inverse
        K[a, b] = -g[b] * inverse
    K[a, a] = inverse
    u[a] = r * inverse
    return after, True


@jit
def steps(
    members: Numbers,
    s: int,
    odds: Floats,
    numbers: Floats,
    H: Floats,
    x: Floats,
    limit: float,
    K: Floats,
    u: Floats,
    cost: Floats,
    removable: Bytes,
) -> None:
    """Swap stragglers for survivors, then fill ``removable``, as `chain_groups.steps` does.

    ``limit`` is that of the cost; K, u and cost are those of `start`, and follow the swaps.
    """
    sets, n = members.shape
    h, g = np.empty(s), np.empty(s)
    for i in range(sets):
        own = members[i]
        if s < n:
            for step in range(numbers.shape[1] // 3):
                a = np.int64(numbers[i, 3 * step] * s)
                b = s + np.int64(numbers[i, 3 * step + 1] * (n - s))
                old, new = own[a], own[b]
                if not numbers[i, 3 * step + 2] * odds[old] < odds[new]:
                    continue
                cost[i], taken = _swap(own, s, a, new, H, x, limit, K[i], u[i], cost[i], h, g)
                if taken:
                    own[a], own[b] = new, old
        for a in range(s):
            removable[i, a] = cost[i] - u[i, a] * u[i, a] / K[i, a, a] > limit


@jit
def drop(
    s: int,
    parents: Integers,
    places: Integers,
    K: Floats,
    u: Floats,
    cost: Floats,
    K_out: Floats,
    u_out: Floats,
    cost_out: Floats,
) -> None:
    """Fill K_out, u_out and cost_out with those of the picked sets, less the stragglers they lose.

    As `chain_sets.drop` does with the sets: the last straggler takes the place of the lost one.
    ``parents`` and ``places`` (sets,) count all sets alike.
    """
    for i in range(parents.size):
        source, u_own = K[parents[i]], u[parents[i]]
        target, u_new = K_out[i], u_out[i]
        place, last = places[i], s - 1
        row = source[place]
        part = 1.0 / row[place]
        u_part = u_own[place] * part
        cost_out[i] = cost[parents[i]] - u_own[place] * u_part
        for a in range(last):
            b = last if a == place else a
            f = row[b] * part
            other = source[b]
            for c in range(last):
                target[a, c] = other[c] - f * row[c]
            if place < last:
                target[a, place] = other[last] - f * row[last]
            u_new[a] = u_own[b] - row[b] * u_part
