"""Whether the probabilities that a model states are those of the patterns that it draws."""

import math
from typing import Protocol

from fastgc.arrays import Values
from fastgc.draws.patterns import Patterns
from fastgc.draws.streams import Batch

#: Groups of 64 trials that are drawn to compare: wrong by a hundredth is seen.
GROUPS = 1024
#: Probability that a right law is refused.
ALPHA = 1e-12


class Draws(Protocol):
    """Whatever draws patterns."""

    def draw(self, n: int, batch: Batch) -> Patterns:
        """Draw the patterns of n workers in a batch of trials."""


def disagreement(law: Draws, n: int, probabilities: Values) -> str | None:
    """Return in what a law's own draws contradict the probabilities of its patterns.

    Drawn patterns must be possible, every worker must survive as often as is said, and the mean
    probability of what is drawn must be Σ p². Bernstein's inequality says by how much the draws
    may differ.

    ``law``: object with a method draw; ``n``: workers; ``probabilities``, float64 array (2ⁿ,): of
    every pattern; bit j of the index says that worker j survives.

    Returns a sentence; None where nothing contradicts.

    >>> import numpy as np
    >>> from fastgc.stragglers import Iid
    >>> disagreement(Iid(p=0.5), 2, np.full(4, 0.25))
    >>> disagreement(Iid(p=0.5), 2, np.array([0.2, 0.3, 0.2, 0.3]))
    'worker 0 survives with probability 0.6, but in 0.501 of 65536 trials'
    """
    drawn = law.draw(n, Batch(1, "distribution", 0, GROUPS, 1)).packed[:, 0]
    trials = len(drawn)
    own = probabilities[drawn]
    impossible = int((own <= 0).sum())
    if impossible:
        return f"{impossible} of {trials} trials have a pattern of probability 0"
    for worker in range(n):
        p = min(1.0, float(probabilities.reshape(-1, 2, 1 << worker)[:, 1].sum()))
        found = float((drawn >> worker & 1).mean())
        if abs(found - p) > _allowed(p * (1 - p), 1.0, n, trials):
            return (
                f"worker {worker} survives with probability {p:.3g}, but in {found:.3g} of "
                f"{trials} trials"
            )
    mean = float((probabilities**2).sum())
    variance = max(0.0, float((probabilities**3).sum()) - mean**2)
    if abs(float(own.mean()) - mean) > _allowed(variance, float(probabilities.max()), n, trials):
        return (
            f"the patterns of {trials} trials have a mean probability of {own.mean():.3g}, not of "
            f"{mean:.3g}: workers straggle together in another way"
        )
    return None


def _allowed(variance: float, largest: float, n: int, trials: int) -> float:
    """Return by how much the mean of so many draws may differ from the law's."""
    surprise = math.log(2 * (n + 1) / ALPHA)
    return math.sqrt(2 * variance * surprise / trials) + largest * surprise / (3 * trials) + 1e-9
