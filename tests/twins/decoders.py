"""Slow, obvious twins of decoders and of what is measured of a decoded sum.

Patterns are boolean arrays (n,), True where the worker survived; B is partitions × workers.
"""

import itertools
import math

import numpy as np

from twins import times


def every_pattern(n):
    """All 2ⁿ patterns (2ⁿ, n); bit j of the row's number is worker j."""
    return np.array([[bool(v >> j & 1) for j in range(n)] for v in range(2**n)])


def optimal_vector(B, alive):
    """The shortest minimiser, (n,), 0 for stragglers."""
    x = np.zeros(B.shape[1])
    if alive.any():
        x[alive] = np.linalg.pinv(B[:, alive]) @ np.ones(len(B))
    return x


def one_step_vector(B, alive, rho=None):
    """Every survivor with the same weight: ρ = k/(r d), d the mean sum of a worker's weights."""
    if rho is None and alive.any():
        rho = len(B) / (alive.sum() * B.sum() / B.shape[1])
    return np.where(alive, 0.0 if not alive.any() else rho, 0.0)


def algorithm3_vector(n, s, alive):
    """Algorithm 3: the first class that answered completely, each of its workers with weight 1.

    Classes are residues mod s + 1, in the order r … s, 0 … r − 1 with r = n mod (s + 1).
    """
    r = n % (s + 1)
    for c in (*range(r, s + 1), *range(r)):
        workers = [j for j in range(n) if j % (s + 1) == c]
        if all(alive[j] for j in workers):
            return np.array([float(j in workers) for j in range(n)])
    return np.zeros(n)


def error_of(B, x):
    return float(((B @ x - 1) ** 2).sum())


def largest_error(B, stragglers, vector=optimal_vector):
    """Largest error of all sets of that many stragglers."""
    n = B.shape[1]
    return max(
        error_of(B, vector(B, np.array([j not in gone for j in range(n)])))
        for gone in itertools.combinations(range(n), stragglers)
    )


def normal_pair(key, trial, iteration, address):
    """Marsaglia's polar method on uniform numbers of a trial, an iteration and an address."""
    while True:
        x, y = (2 * u - 1 for u in times.two(key, trial, iteration, address))
        square = x * x + y * y
        if square < 1:
            scale = math.sqrt(-2 * math.log(square) / square)
            return x * scale, y * scale
        address += 1 << 20


def normals(key, trial, iteration, rows, columns=16):
    """Standard normal numbers (rows, columns), two an address."""
    addresses = range(0, rows * columns, 2)
    pairs = [normal_pair(key, trial, iteration, address) for address in addresses]
    return np.array(pairs).reshape(rows, columns)


def rounding_error(B, x, gradients):
    """Relative error of the decoded sum when everything is held in single precision."""
    single = np.float32
    total = np.zeros(gradients.shape[1], single)
    for j in np.flatnonzero(x):
        answer = np.zeros(gradients.shape[1], single)
        for i in np.flatnonzero(B[:, j]):
            answer = (answer + single(B[i, j]) * gradients[i].astype(single)).astype(single)
        total = (total + single(x[j]) * answer).astype(single)
    true = gradients.astype(single).astype(float).sum(axis=0)
    return np.linalg.norm(total.astype(float) - true) / np.linalg.norm(true)


def noise_error(B, x, gradients, noise, level):
    """The same when each number of an answer is multiplied by 1 + level · normal."""
    answers = B.T @ gradients
    received = answers * (1 + level * noise)
    true = gradients.sum(axis=0)
    return np.linalg.norm(x @ received - true) / np.linalg.norm(true)
