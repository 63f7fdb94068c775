"""Contests in decoding alone, also of codes whose columns depend on each other, or nearly so."""

import math
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

import numpy as np

import fastgc
from bench import peers
from bench.contests import FASTGC, SEED, Contest, Floats, Survivors, booleans, moments
from bench.decoding import LOOP, WHY, binary_matrix, mean_factored
from bench.physical import MULTIPLIES, Limit, factored
from bench.timing import Contestant, Moments
from fastgc.codes.code import Code
from fastgc.decoding.decoder import Decoder
from fastgc.draws.streams import Batch
from fastgc.stragglers.iid import Iid
from fastgc.stragglers.uniform import Uniform

Peers = Mapping[str, tuple[Callable[[Survivors], Floats], int]]
BATCH = "SVD batch"


def _alone(
    name: str,
    code: Code,
    model: Any,
    adds: float,
    words: int,
    loop: int,
    others: Peers,
    size: float,
) -> Contest:
    """Patterns drawn beforehand: ``words`` of 64, for the loop so many, and so many for others.

    ``adds`` are the multiply–adds that a pattern takes at least.
    """
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
        Limit(MULTIPLIES, adds, WHY),
    )


def independent(name: str, n: int, d: int, stragglers: float, size: float) -> Contest:
    """Any B with independent columns; a share of stragglers, or exactly so many."""
    B = binary_matrix(n, d)
    code = fastgc.codes.matrix(rows=tuple(map(tuple, B.tolist())))
    model: Any = Iid(model="iid", p=stragglers) if stragglers < 1 else None
    adds = mean_factored(n, stragglers) if model else factored(stragglers)
    model = model or Uniform(model="uniform", stragglers=int(stragglers))
    found: Peers = {"ridge batch": (peers.Ridge(B), 200), "same algorithm": (peers.Dual(B), 800)}
    return _alone(name, code, model, adds, 512, 100, found, size)


def _exactly(
    name: str, code: Code, stragglers: int, words: int, loop: int, batch: int, size: float
) -> Contest:
    model = Uniform(model="uniform", stragglers=stragglers)
    found: Peers = {BATCH: (peers.Singular(code.B), batch)} if batch else {}
    return _alone(name, code, model, factored(stragglers), words, loop, found, size)


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
