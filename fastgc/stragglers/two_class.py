"""Slow workers that stay slow: the heterogeneous straggler model of paper ``agc`` (Sec. II)."""

from typing import Annotated, Literal

import numpy as np
from pydantic import Field

from fastgc.arrays import Values
from fastgc.draws import all_patterns
from fastgc.draws.patterns import Patterns, bernoulli, subsets
from fastgc.draws.streams import Batch
from fastgc.registry import register
from fastgc.stragglers.iid import Probabilities, Probability, not_one_each, of_each
from fastgc.stragglers.pattern_law import convolved, number_of_survivors
from fastgc.stragglers.stragglers import Stragglers
from fastgc.stragglers.uniform import too_many

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
        if found := not_one_each(self, n, "p_slow"):
            return found
        if isinstance(self.slow, int):
            return too_many("slow", self.slow, n)
        slow = self.slow or ()
        if len(set(slow)) != len(slow) or any(j >= n for j in slow):
            return [("slow", f"must name workers 0 to {n - 1} once each (got {list(slow)})")]
        return []

    def draw(self, n: int, batch: Batch) -> Patterns:
        if isinstance(self.slow, int):
            once = Batch(batch.seed, batch.stream, batch.first, batch.groups, 1)
            slow = subsets(n, once, np.full(batch.trials, self.slow), "class").planes
        elif self.slow is not None:
            slow = np.zeros((n, batch.groups), np.uint64)
            slow[list(self.slow)] = np.uint64(0xFFFFFFFFFFFFFFFF)
        else:
            p_slow = of_each(self.p_slow, n)
            slow = ~bernoulli(p_slow, batch, "class", iteration=0).planes
        active, often = of_each(self.p_straggle_active, n), of_each(self.p_straggle_slow, n)
        all_iterations = np.tile(slow, batch.iterations)
        return bernoulli(active, batch, "straggle", slow=(all_iterations, often))

    def _class_weights(self, n: int) -> Values:
        if self.p_slow is not None:
            return all_patterns.independent_distribution(1.0 - of_each(self.p_slow, n))
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
        likely = of_each(0.0 if self.p_slow is None else self.p_slow, n)
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
