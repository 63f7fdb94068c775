"""Contests in completion times: drawing them.

All calls take about 5 ms, so that on a busy machine all are interrupted about as often.
"""

import itertools
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial

import numpy as np

from bench import completion_peers as peers
from bench.completion_peers import SHIFT, Values
from bench.contests import FASTGC, SEED, Contest, moments
from bench.timing import Contestant
from fastgc.draws.streams import WORD, Batch, block_trials
from fastgc.latency import Exponential
from fastgc.latency.draws import Draws
from fastgc.latency.time import Compiled
from fastgc.systems import Structure
from fastgc.systems.timing.group_structures import Layers
from fastgc.systems.timing.order_draws import fused
from fastgc.systems.timing.rounds import Evaluator
from fastgc.systems.timing.stars import Flat, Tree

LAW = Exponential(mean=1.0, shift=SHIFT)
_compiled = LAW.time().compiled()
assert _compiled is not None
COMPILED: Compiled = _compiled
LOOP = "loop"
TOLERANCE = 1e-12
N, K = 100, 80

OfTimes = Callable[[Values], Values]


@dataclass(frozen=True)
class Peer:
    """``draw`` makes completion times of so many ``trials``, ``calls`` times in a row.

    ``of_times`` are those of given times (T, n).
    """

    draw: Callable[[int], Values]
    of_times: OfTimes
    trials: int
    calls: int = 1

    def contestant(self, name: str, size: float) -> Contestant:
        """What is timed; ``size`` scales it, for tests."""
        trials = max(WORD, int(self.trials * size))
        calls = max(1, int(self.calls * size))

        def run() -> Values:
            parts = [self.draw(trials) for _ in range(calls)]
            return parts[0] if calls == 1 else np.concatenate(parts)

        return Contestant(name, run, trials * calls)


def _rng() -> np.random.Generator:
    return np.random.default_rng(SEED)


def _loop(n: int, once: Callable[[Values], float], trials: int) -> Peer:
    return Peer(
        partial(peers.one_by_one, once, _rng(), n),
        lambda given: np.array([once(row) for row in given]),
        trials,
    )


def _vectorised(n: int, of_times: OfTimes, trials: int, calls: int) -> Peer:
    rng = _rng()
    return Peer(lambda count: of_times(peers.times(rng, count, n)), of_times, trials, calls)


def _same(n: int, own: OfTimes, others: Mapping[str, Peer]) -> Callable[[], Mapping[str, float]]:
    def same() -> Mapping[str, float]:
        given = Draws([LAW], n).times(Batch(SEED, "bench", 0, 5, 1))[0]
        expected = own(given)
        return {
            name: float(np.abs(peer.of_times(np.ascontiguousarray(given.T)) - expected).max())
            for name, peer in others.items()
        }

    return same


def _own(draw: Callable[[Batch], Values], n: int, blocks: int, size: float) -> Contestant:
    """fastgc on fresh blocks of a study's size; the last one's values are looked at."""
    trials = max(WORD, int(block_trials(n, 1) * size) // WORD * WORD)
    blocks = max(1, int(blocks * size))
    number = itertools.count()

    def run() -> Values:
        for _ in range(blocks):
            values = draw(Batch(SEED, "bench", next(number) * trials, trials // WORD, 1))
        return values

    return Contestant(FASTGC, run, trials * blocks)


def _drawing(
    name: str,
    structure: Structure,
    others: Mapping[str, Peer],
    *,
    blocks: int,
    size: float,
    receive: float = 0.0,
) -> Contest:
    n = structure.workers
    draw = fused(structure, COMPILED, receive)
    if draw is None:
        raise ValueError(f"{name}: every worker would be drawn")
    return Contest(
        name,
        [
            _own(draw, n, blocks, size),
            *(peer.contestant(other, size) for other, peer in others.items()),
        ],
        moments,
        _same(n, Evaluator(structure, receive).done, others),
        TOLERANCE,
    )


def times(size: float) -> Contest:
    """Workers' times, a hundred a trial; NumPy's stay in the cache."""
    rng = _rng()
    draws = Draws([LAW], N)
    trials, calls = max(WORD, int(16_384 * size)), max(1, int(64 * size))

    def repeated(draw: Callable[[], Values]) -> Values:
        for _ in range(calls):
            values = draw()
        return values

    others: dict[str, Callable[[], Values]] = {
        "ziggurat": lambda: peers.times(rng, trials, 1),
        "float32 ziggurat": lambda: SHIFT + rng.standard_exponential(trials, dtype=np.float32),
    }
    own = _own(draws.times, N, 2, size)
    return Contest(
        "times",
        [
            Contestant(FASTGC, own.run, own.trials * N),
            *(
                Contestant(other, partial(repeated, draw), trials * calls)
                for other, draw in others.items()
            ),
        ],
        moments,
    )


def order(size: float) -> Contest:
    """One order statistic: the 80th of 100."""
    others = {
        LOOP: _loop(N, partial(peers.order_once, K), 1000),
        "partition": _vectorised(N, partial(peers.order, K), 1000, 10),
    }
    return _drawing("order-100", Flat(N, K), others, blocks=16, size=size)


def layers(size: float) -> Contest:
    """Ten layers of 100 workers, from 95 answers down to 50."""
    k = tuple(range(95, 45, -5))
    others = {
        LOOP: _loop(N, partial(peers.layers_once, k), 1000),
        "sort": _vectorised(N, partial(peers.layers, k), 500, 20),
    }
    return _drawing(
        "layers-100",
        Layers(N, k),
        others,
        blocks=3,
        size=size,
    )


def tree(size: float) -> Contest:
    """A tree of two layers, 12 children a parent, 9 of them waited for, with a serial port."""
    n, need, receive = 12, 9, 0.02
    workers = n + n * n
    structure = Tree(
        tuple(i // n for i in range(workers)), (need,) * (n + 1) + (0,) * n * n, (n, 2, need)
    )
    others = {
        LOOP: _loop(workers, partial(peers.tree_once, n, need, receive), 100),
        "sort": _vectorised(workers, partial(peers.tree, n, need, receive), 500, 8),
    }
    return _drawing(
        "tree-156",
        structure,
        others,
        blocks=1,
        size=size,
        receive=receive,
    )
