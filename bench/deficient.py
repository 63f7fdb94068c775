"""Contests in decoding alone, of codes whose columns depend on each other or nearly so."""

import math
from functools import partial

import numpy as np

import fastgc
from bench import peers
from bench.contests import FASTGC, SEED, Contest, Floats, booleans, moments
from bench.physical import MULTIPLIES, Limit, factored
from bench.timing import Contestant, Moments
from fastgc.codes.code import Code
from fastgc.decoding.decoder import Decoder
from fastgc.draws.streams import Batch
from fastgc.stragglers.uniform import Uniform

LOOP = "lstsq loop"
BATCH = "SVD batch"
_WHY = "a Cholesky factor of the stragglers, and one system solved"


def _alone(
    name: str, code: Code, stragglers: int, words: int, loop: int, batch: int, size: float
) -> Contest:
    """Patterns of so many stragglers, drawn beforehand; ``loop`` and ``batch`` for the peers."""
    decoder = Decoder(code)
    patterns = Uniform(model="uniform", stragglers=stragglers).draw(
        code.n, Batch(SEED, "bench", 0, max(1, int(words * size)), 1)
    )
    packed, alive = patterns.packed, booleans(patterns)
    few = alive[: max(min(loop, 8), int(size * loop))]
    found = {LOOP: (partial(peers.lstsq_loop, code.B), few)}
    if batch:
        found[BATCH] = peers.Singular(code.B), alive[: max(len(few), int(size * batch))]
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
        Limit(MULTIPLIES, factored(stragglers), _WHY),
    )


def tandon(
    name: str, n: int, stragglers: int, words: int, loop: int, batch: int, size: float
) -> Contest:
    """Cyclic code, d = 6, exactly so many stragglers: survivors have no full rank."""
    code = fastgc.codes.cyclic(n=n, d=6, seed=1)
    return _alone(name, code, stragglers, words, loop, batch, size)


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
    return _alone(name, code, stragglers, words, loop, batch, size)
