"""Contests in drawing alone: random words, straggler patterns."""

import itertools
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bench import peers
from bench.contests import FASTGC, SEED, Contest
from bench.timing import Contestant, Moments
from fastgc import registry
from fastgc.draws.patterns import Patterns
from fastgc.draws.streams import WORD, Batch, block_trials
from fastgc_kernels._jit import jit
from fastgc_kernels.draw import patterns as pattern_kernel
from fastgc_kernels.draw.philox import MASK32, SHIFT32, philox

_ZERO = np.uint64(0)


@jit
def fill_words(key: np.uint64, stream: np.uint64, out: NDArray[np.uint64]) -> None:
    """Fill ``out`` (of even size) with words of the generator that all draws are made of."""
    half = out.size // 2
    for i in range(half):
        a, b, c, d = philox(np.uint64(i), stream, _ZERO, _ZERO, key & MASK32, key >> SHIFT32)
        out[i] = a | (b << SHIFT32)
        out[half + i] = c | (d << SHIFT32)


def words(size: float) -> Contest:
    """Fill a buffer that stays in the cache with random 64-bit words."""
    count, times = 1 << 13, max(1, int(100 * size))
    buffer = np.empty(count, np.uint64)
    rng = np.random.default_rng(SEED)
    streams = itertools.count()

    def philox_words() -> NDArray[np.uint64]:
        for _ in range(times):
            fill_words(np.uint64(SEED), np.uint64(next(streams)), buffer)
        return buffer.copy()

    def pcg_words() -> NDArray[np.uint64]:
        for _ in range(times):
            drawn = rng.integers(0, 2**64, count, dtype=np.uint64)
        return drawn

    return Contest(
        "words",
        [
            Contestant(FASTGC, philox_words, count * times),
            Contestant("PCG64", pcg_words, count * times),
        ],
        lambda drawn: (float((drawn / 2.0**64).mean()), 12**-0.5 / drawn.size**0.5),
    )


def _stragglers(drawn: Any) -> Moments:
    if isinstance(drawn, Patterns):
        lost = drawn.n - drawn.survivors
    elif drawn.dtype == bool:
        lost = drawn.shape[1] - drawn.sum(axis=1)
    else:
        survivors = np.empty(WORD * drawn.shape[1], np.int64)
        pattern_kernel.count_survivors(drawn, survivors)
        lost = len(drawn) - survivors
    return float(lost.mean()), float(lost.std() / lost.size**0.5)


def _patterns(
    name: str,
    n: int,
    size: float,
    model: dict[str, Any],
    others: dict[str, tuple[Callable[[int], Any], int]],
    shuffle: str = "none",
    packed: bool = False,
) -> Contest:
    stragglers: Any = registry.members("stragglers")[model["model"]].model_validate(model)
    trials = max(WORD, int(block_trials(n, 1) * size) // WORD * WORD)
    number = itertools.count()

    blocks = max(1, int(16 * size))

    def draw() -> Patterns:
        for _ in range(blocks):
            batch = Batch(SEED, "bench", next(number) * trials, trials // WORD, 1)
            patterns: Patterns = stragglers.draw(n, batch).shuffled(shuffle)
            patterns.packed if packed else patterns.planes  # noqa: B018 — made when asked for
        return patterns

    contestants = [Contestant(FASTGC, draw, trials * blocks)]
    for peer, (run, most) in others.items():
        count = max(WORD, int(most * size) // WORD * WORD)
        contestants.append(Contestant(peer, partial(run, count), count))
    return Contest(name, contestants, _stragglers)


def iid(n: int, size: float, *, packed: bool = False) -> Contest:
    """Patterns of n workers that straggle independently, p = 0.2; bit-sliced, or one a row."""
    rng = np.random.default_rng(SEED)
    p, most = 0.2, 1_000_000 // n

    others: dict[str, tuple[Callable[[int], Any], int]] = {
        "float64": (lambda trials: rng.random((trials, n)) >= p, most),
        "float32": (lambda trials: peers.boolean(rng, p, trials, n), most),
        "same algorithm": (lambda trials: peers.sliced(rng, p, trials, n), 4 * most),
    }
    model = {"model": "iid", "p": p}
    return _patterns(f"iid-{n}", n, size, model, others, packed=packed)


def subsets(size: float) -> Contest:
    """Patterns of 64 workers, exactly 6 of them stragglers."""
    rng = np.random.default_rng(SEED)
    return _patterns(
        "subsets-64",
        64,
        size,
        {"model": "uniform", "stragglers": 6},
        {
            "choice loop": (lambda trials: peers.choice_loop(rng, 6, trials, 64), 1000),
            "argpartition": (lambda trials: peers.argpartition(rng, 6, trials, 64), 10_000),
        },
        packed=True,
    )


def two_class(size: float) -> Contest:
    """Slow and active workers on freshly permuted columns, 64 of them."""
    rng = np.random.default_rng(SEED)
    p = (0.3, 0.8, 0.01)
    return _patterns(
        "two-class-64",
        64,
        size,
        {"model": "two-class", "p_slow": p[0], "p_straggle_slow": p[1], "p_straggle_active": p[2]},
        {"NumPy": (lambda trials: peers.two_class(rng, p, trials, 64), 5000)},
        shuffle="random",
        packed=True,
    )
