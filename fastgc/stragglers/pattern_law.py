"""The law of straggler patterns: how they are drawn and, where known, how likely they are."""

import math
from abc import ABC, abstractmethod
from collections.abc import Mapping
from typing import Any, ClassVar

import numpy as np

from fastgc.arrays import Values
from fastgc.draws.patterns import Patterns
from fastgc.draws.streams import Trials
from fastgc.registry import plugins


def _patterns(law: Any, found: Any, n: int, batch: Trials) -> str | None:
    if isinstance(found, Patterns) and (found.n, found.batch) == (n, batch) and found.sound:
        return None
    return (
        "the fastgc.stragglers.Patterns of the n workers and the batch that it was given, with "
        "uint64 planes (n, iterations · groups) or packed (iterations · trials, words)"
    )


def _distribution(law: Any, found: Any, n: int) -> str | None:
    if not _is_law(found, 1 << n):
        return f"the probability of every pattern, a float64 array ({1 << n},) that adds up to 1"
    contradiction = disagreement(law, n, found)
    if contradiction is None:
        return None
    return (
        "the law of the patterns that are drawn, where bit j of the index says that worker j "
        f"survives: {contradiction}"
    )


def _means(law: Any, found: Any, n: int, values: Values) -> str | None:
    if isinstance(found, tuple) and len(found) == 2:
        weights, means = found
        size = weights.shape if isinstance(weights, np.ndarray) and weights.ndim == 1 else None
        if size and _numbers(weights, size) and _numbers(means, size):
            return None
    return "probabilities of the hidden states and the means in them, two float64 arrays (m,)"


def _probabilities(law: Any, found: Any, n: int) -> str | None:
    if found is None or (_numbers(found, (n,)) and found.min() >= 0 and found.max() <= 1):
        return None
    return f"each worker's probability to straggle, a float64 array ({n},)"


def _counts(law: Any, found: Any, n: int) -> str | None:
    if found is None or _is_law(found, n + 1):
        return None
    return f"the probability of every number of survivors, a float64 array ({n + 1},)"


def _mean(law: Any, found: Any, n: int, *given: Any) -> str | None:
    return None if isinstance(found, float) else "a float"


def _numbers(found: Any, shape: tuple[int, ...]) -> bool:
    return (
        isinstance(found, np.ndarray)
        and found.dtype == np.float64
        and found.shape == shape
        and bool(np.isfinite(found).all())
    )


def _is_law(found: Any, size: int) -> bool:
    return _numbers(found, (size,)) and abs(found.sum() - 1.0) < 1e-9 and found.min() >= 0


class PatternLaw(ABC):
    """Who survives in every iteration of every trial.

    A law must draw. One that is known exactly also says what ``distribution`` is: what is pooled
    over iterations follows from it. How iterations of a trial depend on each other follows from
    either ``conditional_means`` or ``lagged``. These return None here: nothing is known exactly.
    """

    CHECKS: ClassVar[Mapping[str, plugins.Check]] = {
        "draw": _patterns,
        "distribution": _distribution,
        "conditional_means": _means,
        "lagged": _mean,
        "independent": _probabilities,
        "survivor_counts": _counts,
    }

    @abstractmethod
    def draw(self, n: int, batch: Trials) -> Patterns:
        """Draw the patterns of n workers in a batch of trials.

        What trial t gets must be a function of (``batch.seed``, ``batch.stream``, t, iteration,
        worker) alone, whichever other trials are drawn with it: so a run gives the same bits in
        any blocks, and one trial can be replayed.
        """

    def distribution(self, n: int) -> Values | None:
        """Return the probability of every pattern in one iteration, float64 array (2ⁿ,).

        Bit j of the index says that worker j survives.
        """
        return None

    def conditional_means(self, n: int, values: Values) -> tuple[Values, Values] | None:
        """Return how likely each hidden state is, (m,), and the mean of ``values`` in it, (m,).

        A hidden state is what stays for a whole trial, like who is slow; given it, iterations are
        independent and alike. ``values`` (2ⁿ,) are by pattern.
        """
        return None

    def lagged(self, n: int, first: Values, second: Values, lag: int) -> float | None:
        """Return the mean of ``first`` at one pattern times ``second`` ``lag`` ≥ 1 iterations on.

        Both are values by pattern, (2ⁿ,).
        """
        return None

    def independent(self, n: int) -> Values | None:
        """Return each worker's probability to straggle in one iteration, (n,).

        None, the default, where workers do not straggle independently of each other.
        """
        return None

    def survivor_counts(self, n: int) -> Values | None:
        """Return the probability of every number of survivors in one iteration, (n + 1,).

        Where it is known, sampled means are conditioned on that number; None where it is not.
        """
        p = self.independent(n)
        return None if p is None else number_of_survivors(p)

    @property
    def is_alike(self) -> bool:
        """Whether all sets of as many survivors are as likely, however likely their number is."""
        return False

    def without_distribution(self) -> str | None:
        """Why no pattern's probability is known; None where they are."""
        if plugins.overrides(type(self), PatternLaw, "distribution"):
            return None
        return "have no method distribution"

    def without_pairs(self, iterations: int) -> str | None:
        """Why it is not known how iterations of a trial depend on each other; None where it is."""
        pairs = self.has_hidden_states or plugins.overrides(type(self), PatternLaw, "lagged")
        if iterations == 1 or pairs:
            return None
        return "have neither of the methods conditional_means and lagged"

    @property
    def has_hidden_states(self) -> bool:
        """Whether ``conditional_means`` says what stays for a whole trial."""
        return plugins.overrides(type(self), PatternLaw, "conditional_means")


# ---- The law of how many workers survive: sums of independent indicators


#: Workers of so many kinds have no law here: it would take too long.
MOST_KINDS = 4096
#: What is less likely counts as impossible: far less than any trial sees.
_NEVER = 1e-40


def number_of_survivors(p: Values) -> Values | None:
    """Return the probability of every number of survivors, (n + 1,).

    ``p``, float64 array (n,): probability of each worker to straggle, independently of others.
    Returns float64 array (n + 1,) or None: to full precision but where it is below 1e-40; None for
    more than 4096 kinds of workers.
    """
    values, counts = np.unique(1.0 - p, return_counts=True)
    if values.size > MOST_KINDS:
        return None
    parts = [_binomial(int(m), float(q)) for q, m in zip(values, counts, strict=True)]
    parts = parts or [(0, np.ones(1))]
    while len(parts) > 1:  # two by two, so that the shorter one of a pair is short
        ends = parts[len(parts) // 2 * 2 :]
        pairs = zip(parts[::2], parts[1::2], strict=False)
        parts = [(one[0] + two[0], convolved(one[1], two[1])) for one, two in pairs] + ends
    first, probabilities = parts[0]
    found = np.zeros(p.size + 1)
    found[first : first + probabilities.size] = probabilities
    return np.asarray(found / found.sum())


def convolved(one: Values, other: Values) -> Values:
    """Return the law of the sum of two independent numbers: without BLAS, in the same bits."""
    short, long = sorted((one, other), key=len)
    found = np.zeros(short.size + long.size - 1)
    for place, probability in enumerate(short.tolist()):
        found[place : place + long.size] += probability * long
    return found


def _binomial(n: int, q: float) -> tuple[int, Values]:
    # from the first number of survivors that is likely enough on
    mode = min(n, int((n + 1) * q))
    odds = q / (1.0 - q) if q < 1.0 else np.inf
    if q in (0.0, 1.0):
        return mode, np.ones(1)
    above = np.arange(mode + 1, n + 1, dtype=float)
    up = np.cumprod((n + 1 - above) / above * odds)
    below = np.arange(mode, 0, -1, dtype=float)
    down = np.cumprod(below / (n + 1 - below) / odds)
    kept, lost = up[up > _NEVER], down[down > _NEVER]
    found = np.concatenate([lost[::-1], [1.0], kept])
    return mode - lost.size, found / found.sum()


# ---- Whether the probabilities that a model states are those of the patterns that it draws


#: Groups of 64 trials that are drawn to compare: wrong by a hundredth is seen.
GROUPS = 1024
#: Probability that a right law is refused.
ALPHA = 1e-12


def disagreement(law: Any, n: int, probabilities: Values) -> str | None:
    """Return in what draws of a law for n workers contradict its ``probabilities`` (2ⁿ,).

    Drawn patterns must be possible, every worker must survive as often as is said, and the mean
    probability of what is drawn must be Σ p². Bernstein's inequality says by how much draws may
    differ. None where nothing contradicts.
    """
    drawn = law.draw(n, Trials(1, "distribution", 0, GROUPS, 1)).packed[:, 0]
    trials = len(drawn)
    own = probabilities[drawn]
    surprise = math.log(2 * (n + 1) / ALPHA)

    def allowed(variance: float, largest: float) -> float:
        near = math.sqrt(2 * variance * surprise / trials)
        return near + largest * surprise / (3 * trials) + 1e-9

    impossible = int((own <= 0).sum())
    if impossible:
        return f"{impossible} of {trials} trials have a pattern of probability 0"
    for worker in range(n):
        p = min(1.0, float(probabilities.reshape(-1, 2, 1 << worker)[:, 1].sum()))
        found = float((drawn >> worker & 1).mean())
        if abs(found - p) > allowed(p * (1 - p), 1.0):
            return (
                f"worker {worker} survives with probability {p:.3g}, but in {found:.3g} of "
                f"{trials} trials"
            )
    mean = float((probabilities**2).sum())
    variance = max(0.0, float((probabilities**3).sum()) - mean**2)
    if abs(float(own.mean()) - mean) > allowed(variance, float(probabilities.max())):
        return (
            f"the patterns of {trials} trials have a mean probability of {own.mean():.3g}, not of "
            f"{mean:.3g}: workers straggle together in another way"
        )
    return None
