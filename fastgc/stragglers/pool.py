"""An elastic pool: workers come and go between iterations, and are known to be away."""

from typing import Annotated, Literal

import numpy as np
from pydantic import Field

from fastgc.arrays import Mask, Values
from fastgc.draws import all_patterns
from fastgc.registry import register
from fastgc.stragglers.stragglers import Stragglers


@register("stragglers")
class Pool(Stragglers):
    """A pool of workers that grows and shrinks between iterations, as of spot instances.

    The sizes are gone through in turn, over and over, from a random one of them on. Workers are
    taken away in an order that is drawn once a trial and come back in the reverse one, so that
    whoever is there stays while the pool grows. In one iteration all sets of one size are alike.
    Work is not dealt out anew: a code for n workers sees those away as stragglers (Yang et al.,
    coded elastic computing, 2018, has this model of workers that are known to be away).

    * ``sizes`` (list of int): Workers that are there in one iteration after the other, each from 0
      to n.

    >>> Pool(sizes=(2, 1)).survivor_counts(2).tolist()
    [0.0, 0.5, 0.5]
    """

    model: Literal["pool"] = "pool"
    sizes: Annotated[tuple[Annotated[int, Field(ge=0)], ...], Field(min_length=1)]

    def complaints(self, n: int) -> list[tuple[str, str]]:
        """Return what does not fit n workers: a larger pool."""
        if max(self.sizes) > n:
            return [("sizes", f"must be at most n={n} (got {max(self.sizes)})")]
        return []

    def histories(self, uniforms: Values, hidden: Values) -> Mask:
        """Return who is there: the first so many of the trial's order."""
        order = np.argsort(np.argsort(hidden, axis=1, kind="stable"), axis=1, kind="stable")
        start = (uniforms[:, 0, 0] * len(self.sizes)).astype(np.int64)
        turns = (start[:, np.newaxis] + np.arange(uniforms.shape[1])) % len(self.sizes)
        there = np.array(self.sizes)[turns]
        return np.asarray(order[:, np.newaxis, :] < there[:, :, np.newaxis])

    def distribution(self, n: int) -> Values:
        """Return the probability of every pattern: all of one size are alike."""
        counts = all_patterns.subset_sizes(n)
        sets = np.bincount(counts, minlength=n + 1)
        return np.asarray((self.survivor_counts(n) / sets)[counts])

    def survivor_counts(self, n: int) -> Values:
        """Return the probability of every size, (n + 1,)."""
        return np.bincount(self.sizes, minlength=n + 1) / len(self.sizes)

    @property
    def is_alike(self) -> bool:
        return True
