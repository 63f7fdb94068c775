"""Rounds of workers that are slow or not, as a Markov chain on how many are.

For codes that look back one round at most: gradient codes, and M-SGC with burst 1 and window 2.
Workers are alike, so that the state is a number of slow workers, of whom all straggled, or none
did because the master waited for them.
"""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from fastgc.registry.cached import cached_property
from fastgc.statistics.tallies import dot
from fastgc.stragglers.iid import Values


@dataclass(frozen=True)
class Slowness:
    """When a worker is slow: probabilities at first, after a fast round, and after a slow one."""

    first: float
    after_ok: float
    after_slow: float


@dataclass(frozen=True)
class Moments:
    """Mean, variance and extremes of a sum over rounds."""

    mean: float
    variance: float
    minimum: float
    maximum: float


class Chain:
    """Rounds of n workers, whose code survives ``most`` stragglers.

    ``looks_back``: whether those are counted with who straggled in the round before, none of whom
    may straggle again. ``ok``, ``slow``: seconds of workers; ``factor``: how many times as long as
    the fastest one takes the master waits, and for all where stragglers are too many.
    """

    def __init__(
        self,
        n: int,
        most: int,
        slowness: Slowness,
        seconds: tuple[float, float],
        factor: float,
        *,
        looks_back: bool,
    ) -> None:
        self._n, self._most, self._looks_back = n, most, looks_back
        self._p = slowness
        self._ok, self._slow = seconds
        self._is_calm = self._slow <= factor * self._ok  # then slow workers do not straggle
        self._limit = min(factor * self._ok, self._slow)

    @cached_property
    def _kept(self) -> Values:
        """Seconds of a round with w slow workers for which the master does not wait, (n + 1,)."""
        found = np.full(self._n + 1, self._limit)
        found[0], found[-1] = self._ok, self._slow
        return found

    @cached_property
    def _next(self) -> Values:
        """The state after such a round: w slow workers; of whom all straggled, n + w."""
        w = np.arange(self._n + 1)
        marks = self._looks_back and not self._is_calm
        return np.where((w > 0) & (w < self._n) & marks, self._n + w, w)

    @cached_property
    def _steps(self) -> tuple[Values, Values]:
        """Probabilities of w slow workers in a round without a wait, and with one, (states, n + 1).

        States 0 … n: so many slow workers, none of whom straggled; n + 1 … 2n: so many who did;
        the last one: nothing is known yet.
        """
        n, p = self._n, self._p
        after = [binomials(n, q) for q in (p.after_ok, p.after_slow)]
        kept, waited = np.zeros((2, 2 * n + 2, n + 1))
        for state in range(2 * n + 2):
            if state > 2 * n:
                marked, law = 0, binomials(n, p.first)[n]
                again = np.ones(1)
            else:
                marked, unmarked = max(0, state - n), state if state <= n else 0
                law = convolved(after[1][unmarked], after[0][n - marked - unmarked])
                again = after[1][marked]
            self._split(law, again, marked, kept[state], waited[state])
        return kept, waited

    def _split(self, law: Values, again: Values, marked: int, kept: Values, waited: Values) -> None:
        """Fill one state's rows from the laws of slow workers, of others and of the marked."""
        if self._is_calm:
            kept[:] = convolved(again, law)
            return
        w = np.arange(law.size)
        fits = (w == 0) | (marked + w <= self._most)  # where none of the marked is slow again
        rest = again.copy()
        rest[0] = 0.0
        waited[:] = convolved(rest, law)
        waited[: law.size] += np.where(fits, 0.0, again[0] * law)
        kept[: law.size] = np.where(fits, again[0] * law, 0.0)
        kept[-1] += waited[-1]  # where all are slow, nobody straggles
        waited[-1] = 0.0

    def seconds_of_rounds(self, rounds: int) -> Iterator[float]:
        """Yield the mean seconds of each round."""
        kept, waited = self._steps
        own = dot(kept, self._kept) + self._slow * dot(waited, np.ones(self._n + 1))
        now = np.zeros(len(kept))
        now[-1] = 1.0
        for _ in range(rounds):
            yield float(dot(now, own))
            stay, wait = dot(kept.T, now), dot(waited.T, now)
            now = np.zeros(len(kept))
            now[: self._n + 1] = wait
            for w, state in enumerate(self._next.tolist()):
                now[state] += stay[w]

    def seconds(self, rounds: int) -> Moments:
        """Moments of the seconds of all rounds."""
        return self._summed(rounds, self._kept, np.full(self._n + 1, self._slow))

    def waits(self, rounds: int) -> Moments:
        """Moments of the number of rounds in which the master waits for all."""
        return self._summed(rounds, np.zeros(self._n + 1), np.ones(self._n + 1))

    def _summed(self, rounds: int, of_kept: Values, of_waited: Values) -> Moments:
        """Backwards from the last round: of the rounds to come, from each state."""
        steps = self._steps
        after, owns = (self._next, np.arange(self._n + 1)), (of_kept, of_waited)
        mean, variance, least, largest = np.zeros((4, len(steps[0])))
        for _ in range(rounds):
            values = [mean[state] + own for state, own in zip(after, owns, strict=True)]
            now = dot(steps[0], values[0]) + dot(steps[1], values[1])
            spread = np.zeros(now.size)
            low, high = np.full(now.size, np.inf), np.full(now.size, -np.inf)
            for p, state, value, own in zip(steps, after, values, owns, strict=True):
                away = value - now[:, np.newaxis]
                spread += dot(p, variance[state] + away * away)
                low = np.minimum(low, np.where(p > 0, least[state] + own, np.inf).min(axis=1))
                high = np.maximum(high, np.where(p > 0, largest[state] + own, -np.inf).max(axis=1))
            mean, variance, least, largest = now, spread, low, high
        found = (float(own[-1]) for own in (mean, variance, least, largest))
        return Moments(*found)


def binomials(n: int, p: float) -> list[Values]:
    """Return the laws of how many of m workers something happens to, m = 0 … n, (m + 1,) each."""
    found = [np.ones(1)]
    for _ in range(n):
        law = found[-1]
        found.append(np.append(law * (1.0 - p), 0.0) + np.append(0.0, law * p))
    return found


def convolved(a: Values, b: Values) -> Values:
    """Return the law of the sum of two independent numbers, without a BLAS."""
    if a.size > b.size:
        a, b = b, a
    out = np.zeros(a.size + b.size - 1)
    for i, weight in enumerate(a.tolist()):
        out[i : i + b.size] += weight * b
    return out
