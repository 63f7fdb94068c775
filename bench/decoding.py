"""Contests in decoding: sampling, decoding and tallying together, as a study does it."""

import math
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

import numpy as np
from scipy import sparse

import fastgc
from bench import peers
from bench.contests import FASTGC, SEED, Contest, Floats, Peer, moments, sampled, unit_of
from bench.peers import Survivors
from bench.timing import Contestant
from fastgc.codes.code import Code
from fastgc.decoding.algorithms import unpacked
from fastgc.decoding.decoder import Decoder
from fastgc.draws.streams import WORD, Trials, block_trials
from fastgc.stragglers.uniform import Uniform

Draw = Callable[[int], Survivors]
Errors = Callable[[Survivors], Floats]
Table = dict[str, Any]
LOOP, BATCH = "lstsq loop", "SVD batch"


def binary_matrix(n: int, d: int) -> Floats:
    """Random 0/1 code: every worker holds d of n partitions, and B has full rank."""
    rng = np.random.default_rng(SEED)
    while True:
        B = np.zeros((n, n))
        for column in B.T:
            column[rng.choice(n, d, replace=False)] = 1.0
        if np.linalg.matrix_rank(B) == n:
            return B


def _matrix(B: Floats) -> Table:
    return {"family": "matrix", "rows": tuple(map(tuple, B.tolist()))}


def _model(stragglers: float) -> Table:
    """Stragglers by their probability, or by their number where it is at least 1."""
    if stragglers < 1:
        return {"model": "iid", "p": stragglers}
    return {"model": "uniform", "stragglers": int(stragglers)}


def _draw(stragglers: float, n: int) -> Draw:
    rng = np.random.default_rng(SEED)
    return lambda trials: peers.draw(rng, stragglers, trials, n)


def _loop(draw: Draw, errors: Errors, trials: int) -> Peer:
    """Draw and decode pattern by pattern."""
    return Peer(lambda: np.concatenate([errors(draw(1)) for _ in range(trials)]), trials, errors)


def _batch(draw: Draw, errors: Errors, trials: int) -> Peer:
    return Peer(lambda: errors(draw(trials)), trials, errors)


def _sized(size: float, trials: int) -> int:
    return max(64, int(size * trials))


def _study(
    name: str,
    code: Table,
    stragglers: float,
    found: Mapping[str, Peer],
    kernel: str,
    blocks: float,
    compared: int = 320,
    tolerance: float = 0.0,
) -> Contest:
    """Build a contest in sampling so many blocks; errors of ``compared`` patterns are compared."""
    unit = unit_of(code=code, stragglers=_model(stragglers))
    trials = max(64, int(unit.block * min(1.0, blocks)))
    span = range(max(1, int(blocks)))
    table: Any = unit.points[0].table
    made = table.code.build()
    decoder = Decoder(made)
    if decoder.algorithm != kernel:
        raise ValueError(f"{name}: decoded by {decoder.algorithm}, not by {kernel}")

    def given() -> tuple[Survivors, Floats]:
        batch = Trials(SEED, "bench", 0, -(-compared // WORD), 1)
        patterns = table.stragglers.draw(made.n, batch)
        return unpacked(patterns.packed, made.n)[:compared], decoder.errors(patterns.packed)[
            :compared
        ]

    own = Contestant(FASTGC, lambda: sampled(unit, span, trials), trials * len(span))
    return Contest(name, own, found, given, max(tolerance, 1e-9 * made.k))


def any_matrix(
    name: str, n: int, d: int, stragglers: float, blocks: int, trials: tuple[int, int], size: float
) -> Contest:
    """Any B: nothing is known of its structure; errors of 20 workers are looked up in the end.

    ``trials`` are those of the loop and of the batch.
    """
    B, draw = binary_matrix(n, d), _draw(stragglers, n)
    loop, batch = (_sized(size, count) for count in trials)
    found = {
        LOOP: _loop(draw, partial(peers.lstsq_loop, B), loop),
        "ridge batch": _batch(draw, peers.Ridge(B), batch),
    }
    return _study(name, _matrix(B), stragglers, found, "least-squares", blocks * size)


def patterns(name: str, size: float) -> Contest:
    """All patterns of any B, n = 20, d = 5; a smaller n where the size is."""
    n = 20 if size >= 1 else 12
    B = binary_matrix(n, 5)
    code = fastgc.codes.matrix(rows=_matrix(B)["rows"])
    count = _sized(size, 400)
    chosen = np.random.default_rng(SEED).choice(1 << n, count, replace=False)
    alive = (chosen[:, np.newaxis] >> np.arange(n)) & 1 > 0
    errors = partial(peers.lstsq_loop, B)

    def own() -> Floats:
        return Decoder(code).errors_of_all_patterns()

    return Contest(
        name,
        Contestant(FASTGC, own, 1 << n),
        {LOOP: Peer(lambda: errors(alive), count, errors)},
        lambda: (alive, own()[chosen]),
        1e-9 * n,
    )


def frc(name: str, n: int, blocks: int, trials: tuple[int, int], size: float) -> Contest:
    """Fractional repetition, d = 2; ``trials`` are those of the loop and of the best layout."""
    d, p, is_small = 2, 0.2, n < 100
    rng = np.random.default_rng(SEED)
    looped, count = (_sized(size, each) for each in trials)
    errors = partial(peers.groups, d)
    B = np.kron(np.eye(n // d), np.ones((d, d))) if is_small else np.empty((0, 0))

    def best_layout() -> Floats:
        straggling = rng.random((d, n // d, count), dtype=np.float32) < np.float32(p)
        return peers.lost_groups(d, straggling)

    once = partial(peers.lstsq_loop, B) if is_small else errors
    found = {
        LOOP if is_small else "loop": _loop(_draw(p, n), once, looped),
        "best layout": Peer(best_layout, count, errors),
    }
    code = {"family": "frc", "n": n, "d": d}
    return _study(name, code, p, found, "groups", blocks * size, 320 if is_small else 64)


def sparse_code(name: str, n: int, p: float, trials: int, peer_trials: int, size: float) -> Contest:
    """A sparse code, d = 10; ``trials`` are those of fastgc, of one block."""
    code = {"family": "sparse-regular", "n": n, "d": 10, "seed": 1}
    held = fastgc.codes.sparse_regular(n=n, d=10, seed=1).columns
    B = sparse.csc_array((np.array(held.values), held.places, held.offsets), shape=(n, n))
    errors = partial(peers.lsmr_loop, B)
    found = {"lsmr loop": _batch(_draw(p, n), errors, max(4, int(peer_trials * size)))}
    blocks = min(1.0, max(64, trials * size) / block_trials(n, 1))
    compared = 12 if n <= 1000 else 4
    return _study(name, code, p, found, "sparse", blocks, compared, tolerance=1e-6)


# ---- decoding alone, also of codes whose columns depend on each other, or nearly so


def _alone(
    name: str, code: Code, stragglers: int, words: int, trials: tuple[int, int], size: float
) -> Contest:
    """Patterns drawn beforehand: ``words`` of 64, so many for the loop and for a batch of peers."""
    decoder = Decoder(code, use_lookup=False)  # which any-20 has
    model = Uniform(model="uniform", stragglers=stragglers)
    patterns = model.draw(code.n, Trials(SEED, "bench", 0, max(1, int(words * size)), 1))
    packed, alive = patterns.packed, unpacked(patterns.packed, code.n)
    few = alive[: max(min(trials[0], 8), int(size * trials[0]))]
    many = alive[: max(len(few), int(size * trials[1]))]
    loop, batch = partial(peers.lstsq_loop, code.B), peers.Singular(code.B)
    found = {LOOP: Peer(partial(loop, few), len(few), loop)}
    if trials[1]:
        found[BATCH] = Peer(partial(batch, many), len(many), batch)
    return Contest(
        name,
        Contestant(FASTGC, lambda: decoder.errors(packed), len(packed)),
        found,
        lambda: (few, decoder.errors(packed)[: len(few)]),
        1e-9 * code.k,
        lambda errors: moments(errors[: len(few)]),  # of the same patterns
    )


def tandon(
    name: str, n: int, stragglers: int, words: int, trials: tuple[int, int], size: float
) -> Contest:
    """Cyclic code, d = 6, exactly so many stragglers: survivors have no full rank."""
    return _alone(name, fastgc.codes.cyclic(n=n, d=6, seed=1), stragglers, words, trials, size)


def mds(
    name: str, n: int, d: int, stragglers: int, words: int, trials: tuple[int, int], size: float
) -> Contest:
    """Real cyclic MDS code, also where its condition is more than the family allows."""
    coefficients = [1.0]
    for m in range(1, d):
        ratio = math.sin(math.pi * (d - m) / n) / math.sin(math.pi * m / n)
        coefficients.append(coefficients[-1] * ratio)
    B = sum(np.roll(np.eye(n), i, axis=0) * c for i, c in enumerate(coefficients))
    code = fastgc.codes.matrix(rows=_matrix(np.asarray(B))["rows"])
    return _alone(name, code, stragglers, words, trials, size)
