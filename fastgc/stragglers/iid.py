"""Workers that straggle independently of each other: anew in every iteration, or in runs."""

from abc import abstractmethod
from typing import Annotated, Literal

import numpy as np
from pydantic import Field

from fastgc.arrays import Values
from fastgc.draws import all_patterns
from fastgc.draws.patterns import Patterns, bernoulli
from fastgc.draws.streams import Batch
from fastgc.registry import register
from fastgc.stragglers.stragglers import Stragglers

Probability = Annotated[float, Field(ge=0, le=1)]
Probabilities = Probability | tuple[Probability, ...]


def of_each(p: float | tuple[float, ...] | None, n: int) -> Values:
    """Return one probability for each of n workers, (n,)."""
    return np.broadcast_to(np.asarray(p, float), (n,)).copy()


def not_one_each(model: Stragglers, n: int, *names: str) -> list[tuple[str, str]]:
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
        return not_one_each(self, n, "p")

    def straggle(self, n: int) -> Values:
        return of_each(self.p, n)

    def draw(self, n: int, batch: Batch) -> Patterns:
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
        found = not_one_each(self, n, "p_straggle_after_ok", "p_straggle_after_straggle")
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
        return of_each(self.p_straggle_after_ok, n), of_each(self.p_straggle_after_straggle, n)

    def straggle(self, n: int) -> Values:
        after_ok, after_straggle = self.transitions(n)
        return after_ok / ((1.0 - after_straggle) + after_ok)

    def draw(self, n: int, batch: Batch) -> Patterns:
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
