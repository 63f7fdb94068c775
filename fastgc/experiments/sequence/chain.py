"""Rounds of workers that are slow or not, as a Markov chain.

Workers are alike, so that a state is how many of them have which past. For codes that look back a
round at most it is a number of slow workers, of whom all straggled, or none did because the master
waited for them; for M-SGC with a longer window, and workers that are slow independently of the
past, it is how many have straggled in which of the last rounds.
"""

import itertools
import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fastgc.arrays import Values
from fastgc.stragglers.counts import convolved


@dataclass(frozen=True)
class Slowness:
    """When a worker is slow: probabilities at first, after a fast round, and after a slow one."""

    first: float
    after_ok: float
    after_slow: float


@dataclass(frozen=True)
class Pace:
    """Seconds of workers that are fast and slow; and how long the master waits for the latter.

    ``factor``: so many times as long as the fastest one takes; it waits for all where stragglers
    are too many.
    """

    ok: float
    slow: float
    factor: float

    @property
    def limit(self) -> float:
        """Seconds of a round that has stragglers."""
        return min(self.factor * self.ok, self.slow)

    @property
    def is_calm(self) -> bool:
        """Whether slow workers do not straggle."""
        return self.slow <= self.factor * self.ok


@dataclass(frozen=True)
class Moments:
    """Mean, variance and extremes of a sum over rounds."""

    mean: float
    variance: float
    minimum: float
    maximum: float


class Chain:
    """Steps of a chain: from and to which state, how likely, in how many seconds, with a wait?

    It begins in state ``start``.
    """

    def __init__(self, steps: Sequence[Sequence[float] | Values], start: int) -> None:
        of, to, p, seconds, waited = (np.asarray(each, float) for each in steps)
        order = np.argsort(of, kind="stable")
        some = order[p[order] > 0]
        self._of, self._to = of[some].astype(np.int64), to[some].astype(np.int64)
        self._p, self._seconds, self._waited = p[some], seconds[some], waited[some]
        self._start, self._states = start, 1 + int(max(of.max(), to.max()))

    def seconds_of_rounds(self, rounds: int) -> Iterator[float]:
        """Yield the mean seconds of each round."""
        each = self._added(self._of, self._p * self._seconds)
        now: Values = np.zeros(self._states)
        now[self._start] = 1.0
        for _ in range(rounds):
            yield math.fsum((now * each).tolist())
            now = self._added(self._to, now[self._of] * self._p)

    def seconds(self, rounds: int) -> Moments:
        """Moments of the seconds of all rounds."""
        return self._summed(rounds, self._seconds)

    def waits(self, rounds: int) -> Moments:
        """Moments of the number of rounds in which the master waits for all."""
        return self._summed(rounds, self._waited)

    def _added(self, states: NDArray[np.int64], values: Values) -> Values:
        """Sums by state, in one order."""
        return np.asarray(np.bincount(states, values, self._states), float)

    def _summed(self, rounds: int, own: Values) -> Moments:
        """Backwards from the last round: of the rounds to come, from each state."""
        of, to, p = self._of, self._to, self._p
        begins = np.searchsorted(of, np.arange(self._states))
        mean, variance, least, largest = list[Values](np.zeros((4, self._states)))
        for _ in range(rounds):
            value = mean[to] + own
            mean = self._added(of, p * value)
            away = value - mean[of]
            variance = self._added(of, p * (variance[to] + away * away))
            least = np.minimum.reduceat(least[to] + own, begins)
            largest = np.maximum.reduceat(largest[to] + own, begins)
        return Moments(*(float(each[self._start]) for each in (mean, variance, least, largest)))


# ---- codes that look back a round at most


def of_slow_workers(
    n: int, most: int, slowness: Slowness, pace: Pace, *, looks_back: bool
) -> Chain:
    """Return the chain of n workers whose code survives ``most`` stragglers.

    ``looks_back``: whether those are counted with who straggled in the round before, none of whom
    may straggle again. States 0 … n: so many slow workers, none of whom straggled; n + 1 … 2n: so
    many who all did; the last one: nothing is known yet.
    """
    after = [_binomials(n, q) for q in (slowness.after_ok, slowness.after_slow)]
    w = np.arange(n + 1)
    kept_seconds = np.full(n + 1, pace.limit)
    kept_seconds[0], kept_seconds[-1] = pace.ok, pace.slow
    marks = looks_back and not pace.is_calm
    marked_next = np.where((w > 0) & (w < n) & marks, n + w, w)
    found: list[tuple[NDArray[Any], ...]] = []
    for state in range(2 * n + 2):
        marked = 0 if state > 2 * n else max(0, state - n)
        again = after[1][marked]
        if state > 2 * n:
            law = _binomials(n, slowness.first)[n]
        else:
            unmarked = state if state <= n else 0
            law = convolved(after[1][unmarked], after[0][n - marked - unmarked])
        kept, waited = _split(law, again, marked, most, pace)
        here = np.full(n + 1, float(state))
        found.append((here, marked_next, kept, kept_seconds, np.zeros(n + 1)))
        found.append((here, w, waited, np.full(n + 1, pace.slow), np.ones(n + 1)))
    return Chain([np.concatenate(each) for each in zip(*found, strict=True)], 2 * n + 1)


def _split(law: Values, again: Values, marked: int, most: int, pace: Pace) -> tuple[Values, Values]:
    """Return the laws of slow workers in a round without a wait, and with one, (n + 1,).

    From those of slow workers among the marked, ``again``, and among the others, ``law``.
    """
    total = convolved(again, law)
    if pace.is_calm:
        return total, np.zeros(total.size)
    w = np.arange(law.size)
    fits = (w == 0) | (marked + w <= most)  # where none of the marked is slow again
    rest = again.copy()
    rest[0] = 0.0
    kept, waited = np.zeros(total.size), convolved(rest, law)
    waited[: law.size] += np.where(fits, 0.0, again[0] * law)
    kept[: law.size] = np.where(fits, again[0] * law, 0.0)
    kept[-1] += waited[-1]  # where all are slow, nobody straggles
    waited[-1] = 0.0
    return kept, waited


def _binomials(n: int, p: float) -> list[Values]:
    """Return the laws of how many of m workers something happens to, m = 0 … n, (m + 1,) each."""
    found = [np.ones(1)]
    for _ in range(n):
        found.append(convolved(found[-1], np.array([1.0 - p, p])))
    return found


# ---- longer windows


@dataclass(frozen=True)
class Pattern:
    """Bursts that a code is made for."""

    burst: int
    window: int
    distinct: int

    @property
    def steps(self) -> int:
        """Steps of the chain of these, at most."""
        words = sum(2 ** min(self.burst - 1, i) for i in range(self.window - 1))
        states = math.comb(self.distinct + words, words)
        return int(states * (self.distinct + 1) ** min(2 ** (self.burst - 1), 64))


def of_pasts(n: int, p: float, pattern: Pattern, pace: Pace) -> Chain:
    """Return the chain of n workers that are slow with probability p in each round.

    The state is how many have straggled in which of the last window − 1 rounds, bit i of a word
    standing for i + 1 rounds ago.
    """
    within = (1 << (pattern.window - 1)) - 1
    over = within - ((1 << (pattern.burst - 1)) - 1)  # which no burst reaches back to
    laws = _binomials(n, p)
    numbers: dict[tuple[tuple[int, int], ...], int] = {(): 0}
    todo: list[tuple[tuple[int, int], ...]] = [()]
    steps: list[tuple[float, ...]] = []

    def step(here: int, state: dict[int, int], p: float, seconds: float, waited: float) -> None:
        key = tuple(sorted((word, count) for word, count in state.items() if word and count))
        if key not in numbers:
            numbers[key] = len(numbers)
            todo.append(key)
        steps.append((here, numbers[key], p, seconds, waited))

    while todo:
        state = todo.pop()
        here, union = numbers[state], sum(count for _, count in state)
        free = [(word, count) for word, count in state if not word & over]
        held = union - sum(count for _, count in free)
        past: dict[int, int] = {}
        for word, count in state:
            past[word << 1 & within] = past.get(word << 1 & within, 0) + count
        room, others = max(0, pattern.distinct - union), laws[n - union]
        calm = float(laws[held][0])  # nobody is slow who may not straggle
        for slow in itertools.product(*(range(count + 1) for _, count in free), range(room + 1)):
            if sum(slow) == n or slow[-1] > n - union:
                continue
            chance, after = calm * float(others[slow[-1]]), dict(past)
            for (word, count), late in zip([*free, (0, n)], slow, strict=True):
                if word:
                    chance *= float(laws[count][late])
                    after[word << 1 & within] -= late
                now = (word << 1 | 1) & within
                after[now] = after.get(now, 0) + late
            step(here, after, chance, pace.limit if any(slow) else pace.ok, 0.0)
        every = float(laws[n][n])
        step(here, past, every, pace.slow, 0.0)  # where all are slow, nobody straggles
        tail = others[room + 1 :] if union else others[room + 1 : n]
        waits = math.fsum(laws[held][1:].tolist()) + calm * math.fsum(tail.tolist())
        if union and (held or n - union > room):
            waits -= every
        step(here, past, max(0.0, waits), pace.slow, 1.0)
    return Chain(list(zip(*steps, strict=True)), 0)
