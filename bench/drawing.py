"""Contests in drawing alone: straggler patterns."""

import itertools
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from bench import peers
from bench.contests import FASTGC, SEED, Contest
from bench.timing import Contestant, Moments
from fastgc import registry
from fastgc.draws.patterns import Patterns
from fastgc.draws.streams import WORD, Batch, block_trials
from fastgc_kernels.draw import pattern_words as pattern_kernel


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
    packed: bool = False,
) -> Contest:
    stragglers: Any = registry.members("stragglers")[model["model"]].model_validate(model)
    trials = max(WORD, int(block_trials(n, 1) * size) // WORD * WORD)
    number = itertools.count()

    blocks = max(1, int(16 * size))

    def draw() -> Patterns:
        for _ in range(blocks):
            batch = Batch(SEED, "bench", next(number) * trials, trials // WORD, 1)
            patterns: Patterns = stragglers.draw(n, batch)
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
