"""Workers that straggle independently of each other and of the past."""

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


def of_each(p: float | tuple[float, ...] | None, n: int) -> Values:
    """Return one probability for each of n workers, (n,)."""
    return np.broadcast_to(np.asarray(p, float), (n,)).copy()


def not_one_each(model: Stragglers, n: int, *names: str) -> list[tuple[str, str]]:
    """Return a complaint for each field with neither one number nor one for each of n workers."""
    given = {name: getattr(model, name) for name in names}
    return [
        (name, f"must be one number or one per worker (got {len(p)} for n={n})")
        for name, p in given.items()
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
    p: Probability | tuple[Probability, ...]

    def complaints(self, n: int) -> list[tuple[str, str]]:
        return not_one_each(self, n, "p")

    def straggle(self, n: int) -> Values:
        return of_each(self.p, n)

    def draw(self, n: int, batch: Batch) -> Patterns:
        return bernoulli(self.straggle(n), batch, "straggle")

    def conditional_means(self, n: int, values: Values) -> tuple[Values, Values]:
        return np.ones(1), np.array([all_patterns.independent_mean(values, self.straggle(n))])
