"""Contests in decoding: sampling, decoding and tallying together, as a study does it."""

import math
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

import numpy as np

import fastgc
from bench import peers
from bench.contests import FASTGC, SEED, Contest, Floats, Survivors, booleans, decoding, moments
from bench.timing import Contestant, Moments
from fastgc.codes.code import Code
from fastgc.decoding.decoder import Decoder
from fastgc.draws.streams import Batch
from fastgc.stragglers.uniform import Uniform

Draw = Callable[[int], Survivors]
Errors = Callable[[Survivors], Floats]
LOOP = "lstsq loop"


def binary_matrix(n: int, d: int) -> Floats:
    """Random 0/1 code: every worker holds d of n partitions, and B has full rank."""
    rng = np.random.default_rng(SEED)
    while True:
        B = np.zeros((n, n))
        for column in B.T:
            column[rng.choice(n, d, replace=False)] = 1.0
        if np.linalg.matrix_rank(B) == n:
            return B


def _iid(p: float, n: int) -> Draw:
    rng = np.random.default_rng(SEED)
    return lambda trials: peers.boolean(rng, p, trials, n)


def _loop(p: float, B: Floats, trials: int) -> tuple[Callable[[], Floats], int, Errors]:
    rng = np.random.default_rng(SEED)

    def run() -> Floats:
        drawn = ((rng.random(B.shape[1]) >= p)[np.newaxis] for _ in range(trials))
        return np.concatenate([peers.lstsq_loop(B, alive) for alive in drawn])

    return run, trials, partial(peers.lstsq_loop, B)


def _of_iid(
    name: str,
    code: dict[str, Any],
    p: float,
    found: dict[str, tuple[Callable[[], Floats], int, Errors]],
    **how: Any,
) -> Contest:
    """Build a contest with independent stragglers, of which each worker's bits are drawn."""
    return decoding(name, found, code=code, stragglers={"model": "iid", "p": p}, **how)


def _sized(size: float, trials: int) -> int:
    return max(64, int(size * trials))


def _peer(draw: Draw, errors: Errors, trials: int) -> tuple[Callable[[], Floats], int, Errors]:
    return lambda: errors(draw(trials)), trials, errors


def _rows(B: Floats) -> dict[str, Any]:
    return {"family": "matrix", "rows": tuple(map(tuple, B.tolist()))}


def any_matrix(
    name: str, n: int, d: int, p: float, blocks: int, loop: int, batch: int, size: float
) -> Contest:
    """Any B: nothing is known of its structure; errors of 20 workers are looked up in the end."""
    B = binary_matrix(n, d)
    found = {
        LOOP: _loop(p, B, _sized(size, loop)),
        "ridge batch": _peer(_iid(p, n), peers.Ridge(B), _sized(size, batch)),
    }
    how = {"blocks": blocks, "size": size, "kernel": "least-squares"}
    return _of_iid(name, _rows(B), p, found, **how)


def any_100(size: float) -> Contest:
    """Any B, n = 100, d = 10, exactly 20 stragglers."""
    n, s = 100, 20
    B = binary_matrix(n, 10)
    rng = np.random.default_rng(SEED)

    def draw(trials: int) -> Survivors:
        return peers.argpartition(rng, s, trials, n)

    def loop() -> Floats:
        return peers.lstsq_loop(B, peers.choice_loop(rng, s, count, n))

    count = _sized(size, 64)
    found = {
        LOOP: (loop, count, partial(peers.lstsq_loop, B)),
        "ridge batch": _peer(draw, peers.Ridge(B), _sized(size, 100)),
    }
    return decoding(
        "any-100",
        found,
        blocks=2,
        size=size,
        kernel="least-squares",
        code=_rows(B),
        stragglers={"model": "uniform", "stragglers": s},
    )


def patterns_20(size: float) -> Contest:
    """All patterns of any B, n = 20, d = 5; a smaller n where the size is."""
    n = 20 if size >= 1 else 12
    B = binary_matrix(n, 5)
    code = fastgc.codes.matrix(rows=tuple(map(tuple, B.tolist())))
    count = _sized(size, 400)
    chosen = np.random.default_rng(SEED).choice(1 << n, count, replace=False)
    alive = (chosen[:, np.newaxis] >> np.arange(n)) & 1 > 0

    def own() -> Floats:
        return Decoder(code).errors_of_all_patterns()

    def same() -> dict[str, float]:
        return {LOOP: float(np.abs(own()[chosen] - peers.lstsq_loop(B, alive)).max())}

    return Contest(
        "patterns-20",
        [
            Contestant(FASTGC, own, 1 << n),
            Contestant(LOOP, lambda: peers.lstsq_loop(B, alive), count),
        ],
        moments,
        same,
        1e-9 * n,
    )


def frc_20(size: float) -> Contest:
    """Fractional repetition, n = 20, d = 2."""
    n, d, p = 20, 2, 0.2
    B = np.kron(np.eye(n // d), np.ones((d, d))).astype(np.float64)
    rng = np.random.default_rng(SEED)
    trials = _sized(size, 50_000)

    def best_layout() -> Floats:
        straggling = rng.random((d, n // d, trials), dtype=np.float32) < np.float32(p)
        return peers.lost_groups(d, straggling)

    errors = partial(peers.groups, d)
    found = {
        LOOP: _loop(p, B, _sized(size, 400)),
        "reshape": _peer(_iid(p, n), errors, trials),
        "best layout": (best_layout, trials, errors),
    }
    code = {"family": "frc", "n": n, "d": d}
    return _of_iid("frc-20", code, p, found, blocks=64, size=size, kernel="groups")


# ---- decoding alone, also of codes whose columns depend on each other, or nearly so


Peers = Mapping[str, tuple[Callable[[Survivors], Floats], int]]
BATCH = "SVD batch"


def _alone(
    name: str, code: Code, model: Any, words: int, loop: int, others: Peers, size: float
) -> Contest:
    """Patterns drawn beforehand: ``words`` of 64, for the loop so many, and so many for others."""
    decoder = Decoder(code, use_lookup=False)  # which any-20 has
    patterns = model.draw(code.n, Batch(SEED, "bench", 0, max(1, int(words * size)), 1))
    packed, alive = patterns.packed, booleans(patterns)
    few = alive[: max(min(loop, 8), int(size * loop))]
    found: dict[str, tuple[Callable[[Survivors], Floats], Survivors]] = {
        LOOP: (partial(peers.lstsq_loop, code.B), few)
    }
    for peer, (errors, batch) in others.items():
        found[peer] = errors, alive[: max(len(few), int(size * batch))]
    own = decoder.errors(packed)

    def same() -> dict[str, float]:
        there = {peer: errors(few) for peer, (errors, _) in found.items()}
        return {peer: float(np.abs(all_ - own[: len(few)]).max()) for peer, all_ in there.items()}

    def mean(errors: Floats) -> Moments:
        # of the same patterns, though of more or fewer of them
        return moments(errors[: len(few)])

    return Contest(
        name,
        [
            Contestant(FASTGC, lambda: decoder.errors(packed), len(packed)),
            *(Contestant(peer, partial(run, own), len(own)) for peer, (run, own) in found.items()),
        ],
        mean,
        same,
        1e-9 * code.k,
    )


def _exactly(
    name: str, code: Code, stragglers: int, words: int, loop: int, batch: int, size: float
) -> Contest:
    model = Uniform(model="uniform", stragglers=stragglers)
    found: Peers = {BATCH: (peers.Singular(code.B), batch)} if batch else {}
    return _alone(name, code, model, words, loop, found, size)


def tandon(
    name: str, n: int, stragglers: int, words: int, loop: int, batch: int, size: float
) -> Contest:
    """Cyclic code, d = 6, exactly so many stragglers: survivors have no full rank."""
    code = fastgc.codes.cyclic(n=n, d=6, seed=1)
    return _exactly(name, code, stragglers, words, loop, batch, size)


def mds(
    name: str, n: int, d: int, stragglers: int, words: int, loop: int, batch: int, size: float
) -> Contest:
    """Real cyclic MDS code, also where its condition is more than the family allows."""
    coefficients = [1.0]
    for m in range(1, d):
        ratio = math.sin(math.pi * (d - m) / n) / math.sin(math.pi * m / n)
        coefficients.append(coefficients[-1] * ratio)
    B = sum(np.roll(np.eye(n), i, axis=0) * c for i, c in enumerate(coefficients))
    code = fastgc.codes.matrix(rows=tuple(map(tuple, np.asarray(B).tolist())))
    return _exactly(name, code, stragglers, words, loop, batch, size)
