"""Contests in completion times: drawing them.

Workers' times are `SHIFT` plus an exponential time of mean 1. Peers are NumPy alone: the loop that
a researcher writes, and whole arrays of times (T, n).
"""

import itertools
from collections.abc import Callable, Iterable
from functools import partial

import numpy as np

from bench.contests import FASTGC, SEED, Contest, Floats, Peer
from bench.timing import Contestant
from fastgc.draws.streams import WORD, Trials, block_trials
from fastgc.latency import Exponential
from fastgc.latency.draws import Draws
from fastgc.systems import Structure
from fastgc.systems.timing.group_structures import Layers
from fastgc.systems.timing.order_draws import fused
from fastgc.systems.timing.rounds import Evaluator
from fastgc.systems.timing.stars import Flat, Tree

SHIFT = 0.1
LAW = Exponential(mean=1.0, shift=SHIFT)
TOLERANCE = 1e-12


def _contest(
    name: str,
    structure: Structure,
    once: Callable[[Floats], float],
    looped: int,
    best: tuple[str, Callable[[Floats], Floats], int],
    size: float,
    receive: float = 0.0,
) -> Contest:
    """Build a contest; ``once`` is of one trial's times, ``best`` a peer's name, way and trials."""
    n = structure.workers
    compiled = LAW.time().compiled()
    assert compiled is not None
    draw = fused(structure, compiled, receive)
    if draw is None:
        raise ValueError(f"{name}: every worker would be drawn")
    rng, number = np.random.default_rng(SEED), itertools.count()
    trials = max(WORD, int(block_trials(n, 1) * size) // WORD * WORD)
    looped, count = max(WORD, int(looped * size)), max(WORD, int(best[2] * size))

    def own() -> Floats:
        return draw(Trials(SEED, "bench", next(number) * trials, trials // WORD, 1))

    def loop() -> Floats:
        return np.array([once(SHIFT + rng.exponential(1.0, n)) for _ in range(looped)])

    def at_once() -> Floats:
        drawn = rng.standard_exponential((count, n))
        drawn += SHIFT
        return best[1](drawn)

    def given() -> tuple[Floats, Floats]:
        times = Draws([LAW], n).times(Trials(SEED, "bench", 0, 5, 1))[0]
        return np.ascontiguousarray(times.T), Evaluator(structure, receive).done(times)

    peers = {
        "loop": Peer(loop, looped, lambda times: np.array([once(row) for row in times])),
        best[0]: Peer(at_once, count, best[1]),
    }
    return Contest(name, Contestant(FASTGC, own, trials), peers, given, TOLERANCE)


def order(name: str, size: float) -> Contest:
    """One order statistic: the 80th of 100."""
    n, k = 100, 80

    def once(times: Floats) -> float:
        return float(np.sort(times)[k - 1])

    def partition(times: Floats) -> Floats:
        found: Floats = np.partition(times, k - 1, axis=1)[:, k - 1]
        return found

    return _contest(name, Flat(n, k), once, 1000, ("partition", partition, 1000), size)


def layers(name: str, size: float) -> Contest:
    """Ten layers of 100 workers, from 95 answers down to 50."""
    n, k = 100, tuple(range(95, 45, -5))

    def once(times: Floats) -> float:
        """Layer j is complete at j times the k_j-th smallest."""
        ordered = np.sort(times)
        return float(max(j * ordered[need - 1] for j, need in enumerate(k, 1)))

    def sort(times: Floats) -> Floats:
        ordered = np.sort(times, axis=1)[:, np.array(k) - 1]
        found: Floats = (ordered * np.arange(1, len(k) + 1)).max(axis=1)
        return found

    return _contest(name, Layers(n, k), once, 1000, ("sort", sort, 500), size)


def tree(name: str, size: float) -> Contest:
    """A tree of two layers, 12 children a parent, 9 of them waited for, with a serial port."""
    n, need, receive = 12, 9, 0.02
    workers = n + n * n
    parents = tuple(i // n for i in range(workers))
    structure = Tree(parents, (need,) * (n + 1) + (0,) * n * n, (n, 2, need))
    once = partial(_tree_once, n, need, receive)
    best = "sort", partial(_tree, n, need, receive), 500
    return _contest(name, structure, once, 100, best, size, receive)


def _tree_once(n: int, need: int, receive: float, times: Floats) -> float:
    """When the master has received ``need`` of n answers; worker i's children begin at n + n i."""

    def served(arrivals: Iterable[float]) -> float:
        done = 0.0
        for arrival in sorted(arrivals)[:need]:
            done = max(done, arrival) + receive
        return done

    return served([max(served(times[n + n * i : 2 * n + n * i]), times[i]) for i in range(n)])


def _tree(n: int, need: int, receive: float, times: Floats) -> Floats:
    """The same for many trials, by sorting."""

    def served(arrivals: Floats) -> Floats:
        ordered = np.ascontiguousarray(np.sort(arrivals, axis=1)[:, :need].T)
        done: Floats = ordered[0] + receive
        for arrival in ordered[1:]:
            np.maximum(done, arrival, out=done)
            done += receive
        return done

    leaves = served(times[:, n:].reshape(-1, n)).reshape(-1, n)
    return served(np.maximum(leaves, times[:, :n]))
