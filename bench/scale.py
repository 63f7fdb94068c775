"""Contests in large systems: groups of ten thousand workers, sparse codes of a thousand."""

from functools import partial

import numpy as np
from scipy import sparse
from scipy.sparse.linalg import lsmr

from bench import peers
from bench.completion import LOOP
from bench.contests import SEED, Contest, Floats, Survivors, decoding
from fastgc import codes
from fastgc.draws.streams import block_trials

LSMR = "lsmr loop"
ACCURACY = 1e-10  # of lsmr, relative: errors then agree to some 1e-9


def frc_10000(size: float) -> Contest:
    """Fractional repetition, n = 10 000, d = 2."""
    n, d, p = 10_000, 2, 0.2
    rng = np.random.default_rng(SEED)
    trials, looped = max(64, int(1000 * size)), max(64, int(200 * size))

    def best_layout() -> Floats:
        straggling = rng.random((d, n // d, trials), dtype=np.float32) < np.float32(p)
        return peers.lost_groups(d, straggling)

    def loop() -> Floats:
        alive = (rng.random(n) >= p for _ in range(looped))
        return np.array([d * (~each.reshape(-1, d).any(axis=1)).sum() for each in alive], float)

    errors = partial(peers.groups, d)
    return decoding(
        "frc-10000",
        {LOOP: (loop, looped, errors), "best layout": (best_layout, trials, errors)},
        blocks=78,
        size=size,
        kernel="groups",
        compared=64,
        code={"family": "frc", "n": n, "d": d},
        stragglers={"model": "iid", "p": p},
    )


def lsmr_loop(B: sparse.csc_array, survivors: Survivors) -> Floats:
    """Least squares pattern by pattern, as one writes it for a sparse matrix."""
    ones, errors = np.ones(B.shape[0]), np.empty(len(survivors))
    for t, alive in enumerate(survivors):
        A = B[:, np.flatnonzero(alive)]
        x = lsmr(A, ones, atol=ACCURACY, btol=ACCURACY, conlim=0, maxiter=20_000)[0]
        residual = A @ x - ones
        errors[t] = residual @ residual
    return errors


def sparse_code(name: str, n: int, p: float, trials: int, peer_trials: int, size: float) -> Contest:
    """A sparse code, d = 10; ``trials`` are those of fastgc, of one block."""
    d = 10
    held = codes.sparse_regular(n=n, d=d, seed=1).columns
    B = sparse.csc_array((np.array(held.values), held.places, held.offsets), shape=(n, n))
    rng = np.random.default_rng(SEED)
    count = max(4, int(peer_trials * size))

    def loop() -> Floats:
        return lsmr_loop(B, peers.boolean(rng, p, count, n))

    return decoding(
        name,
        {LSMR: (loop, count, partial(lsmr_loop, B))},
        blocks=1,
        size=min(1.0, max(64, trials * size) / block_trials(n, 1)),
        kernel="sparse",
        compared=12 if n <= 1000 else 4,
        tolerance=1e-6,
        code={"family": "sparse-regular", "n": n, "d": d, "seed": 1},
        stragglers={"model": "iid", "p": p},
    )
