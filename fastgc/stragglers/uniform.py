"""Exactly so many stragglers: all sets of them alike, or the worst set."""

from typing import Annotated, Literal

import numpy as np
from pydantic import Field

from fastgc.arrays import Values
from fastgc.draws import all_patterns
from fastgc.draws.patterns import Patterns, subsets
from fastgc.draws.streams import Trials
from fastgc.errors import FastgcError
from fastgc.registry import register
from fastgc.stragglers.stragglers import Stragglers


def too_many(name: str, count: int, n: int) -> list[tuple[str, str]]:
    """Return a complaint where a number of workers is more than all."""
    return [(name, f"must be at most n={n} (got {count})")] if count > n else []


@register("stragglers")
class Uniform(Stragglers):
    """In every iteration ``stragglers`` workers straggle, each set of them with equal probability.

    * ``stragglers`` (int): How many workers straggle, from 0 to n.

    >>> Uniform(stragglers=1).distribution(2).tolist()
    [0.0, 0.5, 0.5, 0.0]
    """

    model: Literal["uniform"] = "uniform"
    stragglers: Annotated[int, Field(ge=0)]

    def complaints(self, n: int) -> list[tuple[str, str]]:
        return too_many("stragglers", self.stragglers, n)

    def draw(self, n: int, batch: Trials) -> Patterns:
        patterns = batch.iterations * batch.trials
        return subsets(n, batch, np.full(patterns, n - self.stragglers), "straggle")

    def distribution(self, n: int) -> Values:
        return all_patterns.subset_distribution(n, n - self.stragglers)

    def survivor_counts(self, n: int) -> Values:
        return np.asarray(np.arange(n + 1) == n - self.stragglers, float)

    @property
    def is_alike(self) -> bool:
        return True

    def conditional_means(self, n: int, values: Values) -> tuple[Values, Values]:
        possible = all_patterns.subset_sizes(n) == n - self.stragglers
        return np.ones(1), np.array([values[possible].mean()])


@register("stragglers")
class Adversarial(Stragglers):
    """Those ``stragglers`` workers straggle whose absence costs most; nothing is drawn.

    * ``stragglers`` (int): How many workers straggle, from 0 to n.

    >>> import fastgc
    >>> result = fastgc.run({
    ...     "code": {"family": "frc", "n": 6, "d": 2},
    ...     "stragglers": {"model": "adversarial", "stragglers": 4},
    ... })
    >>> result["experiment1"]["error"].statistic("maximum").value
    4.0
    """

    model: Literal["adversarial"] = "adversarial"
    stragglers: Annotated[int, Field(ge=0)]

    def draw(self, n: int, batch: Trials) -> Patterns:
        raise FastgcError("stragglers: adversarial is a worst case, which draws no trials")

    def complaints(self, n: int) -> list[tuple[str, str]]:
        return too_many("stragglers", self.stragglers, n)
