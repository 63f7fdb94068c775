"""Workers that straggle independently of each other, in runs, or as slow ones and active ones."""

from abc import abstractmethod
from typing import Annotated, Literal

import numpy as np
from pydantic import Field

from fastgc.arrays import Values
from fastgc.draws import all_patterns
from fastgc.draws.patterns import Patterns, bernoulli, subsets
from fastgc.draws.streams import Trials
from fastgc.registry import register
from fastgc.stragglers.pattern_law import convolved, number_of_survivors
from fastgc.stragglers.stragglers import Stragglers
from fastgc.stragglers.uniform import too_many

Probability = Annotated[float, Field(ge=0, le=1)]
Probabilities = Probability | tuple[Probability, ...]


def one_per_worker(p: float | tuple[float, ...] | None, n: int) -> Values:
    """Return one probability for each of n workers, (n,)."""
    return np.broadcast_to(np.asarray(p, float), (n,)).copy()


def length_complaints(model: Stragglers, n: int, *names: str) -> list[tuple[str, str]]:
    """Return a complaint for each field with neither one number nor one for each of n workers."""
    given = ((name, getattr(model, name)) for name in names)
    return [
        (name, f"must be one number or one per worker (got {len(p)} for n={n})")
        for name, p in given
        if isinstance(p, tuple) and len(p) != n
    ]


class Independent(Stragglers):
    """Workers that straggle independently of each other in any one iteration."""

    @abstractmethod
    def straggle(self, n: int) -> Values:
        """Return every worker's probability to straggle in one iteration, (n,)."""

    def distribution(self, n: int) -> Values:
        return all_patterns.independent_distribution(self.straggle(n))

    def independent(self, n: int) -> Values:
        return self.straggle(n)


@register("stragglers")
class Iid(Independent):
    """Worker j straggles with probability p (or p[j]) in every iteration, independently.

    * ``p`` (float or tuple of float): Probability to straggle, from 0 to 1: one for all workers, or
      one per worker.

    >>> Iid(p=0.25).distribution(2).tolist()
    [0.0625, 0.1875, 0.1875, 0.5625]
    """

    model: Literal["iid"] = "iid"
    p: Probabilities

    def complaints(self, n: int) -> list[tuple[str, str]]:
        return length_complaints(self, n, "p")

    def straggle(self, n: int) -> Values:
        return one_per_worker(self.p, n)

    def draw(self, n: int, batch: Trials) -> Patterns:
        return bernoulli(self.straggle(n), batch, "straggle")

    def conditional_means(self, n: int, values: Values) -> tuple[Values, Values]:
        return np.ones(1), np.array([all_patterns.independent_mean(values, self.straggle(n))])


@register("stragglers")
class Markov(Independent):
    """Each worker is a chain of its own, started in every trial from its stationary law.

    It straggles with probability ``p_straggle_after_ok`` in the iteration after one in which it
    answered, and with ``p_straggle_after_straggle`` after one in which it straggled; either is one
    number or one per worker. With a and b for the two it straggles in a share a/(1 − b + a) of all
    iterations, and indicators h iterations apart have correlation (b − a)ʰ.

    * ``p_straggle_after_ok`` (float or tuple of float): Probability to straggle after an answer,
      from 0 to 1.
    * ``p_straggle_after_straggle`` (float or tuple of float): Probability to straggle once more,
      from 0 to 1; less than 1 where the other is 0.

    >>> model = Markov(p_straggle_after_ok=0.25, p_straggle_after_straggle=0.25)
    >>> model.distribution(1).tolist()
    [0.25, 0.75]
    """

    model: Literal["markov"] = "markov"
    p_straggle_after_ok: Probabilities
    p_straggle_after_straggle: Probabilities

    def complaints(self, n: int) -> list[tuple[str, str]]:
        found = length_complaints(self, n, "p_straggle_after_ok", "p_straggle_after_straggle")
        if found:
            return found
        after_ok, after_straggle = self.transitions(n)
        stuck = np.flatnonzero((after_ok == 0) & (after_straggle == 1))
        if stuck.size:
            who = "a worker" if stuck.size == n else f"worker {stuck[0]}"
            sentence = (
                f"must be less than 1 where p_straggle_after_ok is 0: {who} would never change and "
                "its stationary law is not defined; a fixed set of stragglers is a two-class model"
            )
            found.append(("p_straggle_after_straggle", sentence))
        return found

    def transitions(self, n: int) -> tuple[Values, Values]:
        """Return probabilities to straggle after an answer, and after straggling, (n,) each."""
        return one_per_worker(self.p_straggle_after_ok, n), one_per_worker(
            self.p_straggle_after_straggle, n
        )

    def straggle(self, n: int) -> Values:
        after_ok, after_straggle = self.transitions(n)
        return after_ok / ((1.0 - after_straggle) + after_ok)

    def draw(self, n: int, batch: Trials) -> Patterns:
        after_ok, after_straggle = self.transitions(n)
        planes = np.empty((n, batch.iterations, batch.groups), np.uint64)
        planes[:, 0] = bernoulli(self.straggle(n), batch, "straggle", iteration=0).planes
        for iteration in range(1, batch.iterations):
            before = (~planes[:, iteration - 1], after_straggle)
            drawn = bernoulli(after_ok, batch, "straggle", slow=before, iteration=iteration)
            planes[:, iteration] = drawn.planes
        return Patterns(n, batch, planes=planes.reshape(n, -1))

    def lagged(self, n: int, first: Values, second: Values, lag: int) -> float:
        after_ok, after_straggle = self.transitions(n)
        stationary = self.straggle(n)
        memory = (after_straggle - after_ok) ** lag
        if np.abs(memory).max() < 1e-18:
            mean = all_patterns.independent_mean
            return mean(first, stationary) * mean(second, stationary)
        later = second.reshape((2,) * n)
        # the last axis is worker 0
        for axis, j in enumerate(reversed(range(n))):
            lost, kept = np.take(later, 0, axis), np.take(later, 1, axis)
            again = stationary[j] + memory[j] * (1.0 - stationary[j])
            anew = stationary[j] * (1.0 - memory[j])
            later = np.stack(
                [again * lost + (1.0 - again) * kept, anew * lost + (1.0 - anew) * kept], axis
            )
        return all_patterns.independent_mean(first * later.reshape(-1), stationary)


Index = Annotated[int, Field(ge=0)]


@register("stragglers")
class TwoClass(Stragglers):
    """Workers are slow or active for a whole trial and straggle accordingly in each iteration.

    Who is slow says either ``p_slow`` or ``slow``.

    * ``p_slow`` (float or tuple of float, optional): Probability to be slow, anew in every trial:
      one for all workers, or one per worker.
    * ``slow`` (int or tuple of int, optional): So many slow workers, a set drawn anew in every
      trial; or the slow workers themselves, counted from 0, always the same.
    * ``p_straggle_slow`` (float): Probability that a slow worker straggles in an iteration, from 0
      to 1.
    * ``p_straggle_active`` (float): Probability that an active worker straggles in an iteration,
      from 0 to 1.

    >>> model = TwoClass(slow=(0,), p_straggle_slow=0.5, p_straggle_active=0.0)
    >>> model.distribution(2).tolist()
    [0.0, 0.0, 0.5, 0.5]
    """

    model: Literal["two-class"] = "two-class"
    p_slow: Probabilities | None = None
    slow: Index | tuple[Index, ...] | None = None
    p_straggle_slow: Probability
    p_straggle_active: Probability

    def complaints(self, n: int) -> list[tuple[str, str]]:
        if (self.p_slow is None) == (self.slow is None):
            got = "neither" if self.slow is None else "both"
            return [("p_slow", f"give either p_slow or slow (got {got})")]
        if found := length_complaints(self, n, "p_slow"):
            return found
        if isinstance(self.slow, int):
            return too_many("slow", self.slow, n)
        slow = self.slow or ()
        if len(set(slow)) != len(slow) or any(j >= n for j in slow):
            return [("slow", f"must name workers 0 to {n - 1} once each (got {list(slow)})")]
        return []

    def draw(self, n: int, batch: Trials) -> Patterns:
        if isinstance(self.slow, int):
            once = Trials(batch.seed, batch.stream, batch.first, batch.groups, 1)
            slow = subsets(n, once, np.full(batch.trials, self.slow), "class").planes
        elif self.slow is not None:
            slow = np.zeros((n, batch.groups), np.uint64)
            slow[list(self.slow)] = np.uint64(0xFFFFFFFFFFFFFFFF)
        else:
            p_slow = one_per_worker(self.p_slow, n)
            slow = ~bernoulli(p_slow, batch, "class", iteration=0).planes
        active, often = (
            one_per_worker(self.p_straggle_active, n),
            one_per_worker(self.p_straggle_slow, n),
        )
        all_iterations = np.tile(slow, batch.iterations)
        return bernoulli(active, batch, "straggle", slow=(all_iterations, often))

    def _class_weights(self, n: int) -> Values:
        if self.p_slow is not None:
            return all_patterns.independent_distribution(1.0 - one_per_worker(self.p_slow, n))
        if isinstance(self.slow, int):
            return all_patterns.subset_distribution(n, self.slow)
        assert self.slow is not None
        weights = np.zeros(1 << n)
        weights[sum(1 << j for j in self.slow)] = 1.0
        return weights

    def distribution(self, n: int) -> Values:
        weights = self._class_weights(n)
        return all_patterns.class_mixture(weights, self.p_straggle_slow, self.p_straggle_active, n)

    def independent(self, n: int) -> Values | None:
        """Return every worker's probability to straggle in one iteration, (n,).

        None where so many of them are slow: then one that is slow leaves fewer for others.
        """
        if isinstance(self.slow, int):
            return None
        likely = one_per_worker(0.0 if self.p_slow is None else self.p_slow, n)
        if self.slow is not None:
            likely[list(self.slow)] = 1.0
        return likely * self.p_straggle_slow + (1.0 - likely) * self.p_straggle_active

    def survivor_counts(self, n: int) -> Values | None:
        if not isinstance(self.slow, int):
            return super().survivor_counts(n)
        slow = number_of_survivors(np.full(self.slow, self.p_straggle_slow))
        active = number_of_survivors(np.full(n - self.slow, self.p_straggle_active))
        return None if slow is None or active is None else convolved(slow, active)

    @property
    def is_alike(self) -> bool:
        return isinstance(self.slow, int)

    def conditional_means(self, n: int, values: Values) -> tuple[Values, Values]:
        means = all_patterns.class_means(values, self.p_straggle_slow, self.p_straggle_active, n)
        return self._class_weights(n), means
