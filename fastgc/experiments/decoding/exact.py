"""Means over every pattern of a decoding experiment, each with its probability.

Errors depend on the pattern of one iteration alone; iterations are tied together only by what
stays hidden for a whole trial (who is slow). So the variance of a trial's average follows from the
means given the hidden state, and nothing is ever enumerated over several iterations.
"""

from collections import Counter

import numpy as np
from numpy.typing import NDArray

from fastgc.arrays import Values
from fastgc.codes.code import Code
from fastgc.decoding.decoder import Decoder
from fastgc.draws.all_patterns import subset_sizes
from fastgc.registry.cached import cached_property
from fastgc.statistics.tallies import dot
from fastgc.stragglers.pattern_law import PatternLaw


class Trial:
    """Distribution of a trial: hidden states, and the pattern on B's columns in each iteration.

    ``errors`` (2ⁿ,) are those of every pattern; ``law`` has a ``distribution``.
    """

    def __init__(
        self,
        code: Code,
        decoder: Decoder,
        errors: Values,
        law: PatternLaw,
        iterations: int,
        shuffle: str,
    ) -> None:
        self.code, self.decoder, self.errors = code, decoder, errors
        self._stragglers = law
        self._n = n = code.n
        self.iterations = self._length = iterations
        self._shuffle = shuffle
        self._sizes = subset_sizes(n)
        turns = min(self._length, n) if shuffle == "cyclic" else 1
        # cyclic shuffling repeats after n iterations: how often each turn comes
        self._turns = np.array([len(range(u, self._length, n)) for u in range(turns)], float)
        if shuffle != "cyclic":
            self._turns[0] = self._length

    def _seen(self, values: Values, turn: int) -> Values:
        """Mean of ``values`` (2ⁿ, by the columns of B that survive) by the workers that survive."""
        if self._shuffle == "random":
            sums = np.bincount(self._sizes, values)
            return np.asarray((sums / np.bincount(self._sizes))[self._sizes])
        return values if turn == 0 else np.asarray(values[self._turned(turn)])

    def _means_given_hidden(self, values: Values) -> tuple[Values, Values] | None:
        """Hidden states' probabilities, and (turns, states) means of ``values``, if known."""
        rows = []
        for turn in range(self._turns.size):
            found = self._stragglers.conditional_means(self._n, self._seen(values, turn))
            if found is None:
                return None
            rows.append(found[1])
            weights = found[0]
        return weights, np.array(rows)

    def _law(self) -> Values:
        """Probability of every pattern of workers in one iteration, (2ⁿ,)."""
        law = self._stragglers.distribution(self._n)
        assert law is not None  # or there is no exact method
        return law

    def mean(self, values: Values) -> float:
        """Mean over iterations and trials."""
        law = self._law()
        seen = [dot(law, self._seen(values, turn)) for turn in range(self._turns.size)]
        return float(dot(self._turns, np.array(seen))) / self._length

    def variance_of_average(self, values: Values) -> float:
        """Variance over trials of the average over the iterations."""
        given, of_squares = (self._means_given_hidden(v) for v in (values, values * values))
        if given is not None and of_squares is not None:
            (weights, means), (_, squares) = given, of_squares
            within = dot(self._turns, dot(squares - means**2, weights))
            total = (self._turns[:, np.newaxis] * means).sum(axis=0)
            between = float(dot(weights, (total - dot(weights, total)) ** 2))
            return float(within + between) / self._length**2
        length = self._length
        products = length * self.mean(values * values)
        products += 2 * sum((length - h) * self.product(values, h) for h in range(1, length))
        return products / length**2 - self.mean(values) ** 2

    def product(self, values: Values, lag: int) -> float:
        """Mean over l and trials of values in iterations l and l + lag, multiplied."""
        if lag == 0:
            return self.mean(values * values)
        turns = self._turns.size  # of iterations i and i + lag, and how often each pair comes
        pairs = Counter((i % turns, (i + lag) % turns) for i in range(self._length - lag))
        given = self._means_given_hidden(values)
        if given is not None:
            weights, means = given
            found = [float(dot(weights, means[u] * means[v])) for u, v in pairs]
        else:
            seen = [(self._seen(values, u), self._seen(values, v)) for u, v in pairs]
            known = [self._stragglers.lagged(self._n, *pair, lag) for pair in seen]
            found = [product for product in known if product is not None]  # all: it has pairs
        times = np.array(list(pairs.values()), float)
        return float(dot(times, np.array(found))) / (self._length - lag)

    @property
    def has_pairs(self) -> bool:
        """Whether it is known how iterations of a trial depend on each other."""
        return self._stragglers.without_pairs(self.iterations) is None

    @cached_property
    def pooled(self) -> Values:
        """Probability of each pattern on B's columns, pooled over iterations, (2ⁿ,)."""
        workers = self._law()
        if self._shuffle == "random":
            return self._seen(workers, 0)
        pooled = np.zeros(workers.size)
        for turn, times in enumerate(self._turns):
            pooled[self._turned(turn)] += times * workers  # worker j plays column j + turn
        return pooled / self._length

    def _turned(self, turn: int) -> NDArray[np.int64]:
        """Every pattern (2ⁿ,) turned by so many workers."""
        patterns = np.arange(1 << self._n)
        return ((patterns << turn) | (patterns >> (self._n - turn))) & (patterns.size - 1)
