"""What measures have in common: what they know of an experiment, and the block they look at."""

import math
import operator
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, ClassVar, Protocol

import numpy as np
from numpy.typing import NDArray

from fastgc.arrays import Values
from fastgc.codes.code import Code
from fastgc.codes.per_trial import CodeOfTrials
from fastgc.decoding.decoder import Decoder
from fastgc.draws.all_patterns import subset_sizes
from fastgc.draws.patterns import Patterns
from fastgc.draws.streams import WORD, Trials
from fastgc.errors import FastgcError
from fastgc.experiments import measures
from fastgc.experiments.accumulators import LARGEST, Bins, Cells, Distribution, EveryValue, Row
from fastgc.experiments.decoding.conditioning import Conditioning
from fastgc.registry.cached import cached_property
from fastgc.statistics.tallies import dot
from fastgc.stragglers.pattern_law import PatternLaw


def threshold_margin(code: Code | CodeOfTrials, exact_threshold: float) -> float:
    """Margin of P(error > t): that within which errors count as 0, and at least 1e-9·k."""
    return max(exact_threshold, 1e-9 * code.k)


def in_range(errors: Values, experiment: str) -> Values:
    """Errors, if all are small enough to be averaged; else a FastgcError.

    Those of huge entries are not, with a decoder that does not adapt to them.
    """
    worst = errors.max(initial=0.0)
    if not worst < LARGEST:
        raise FastgcError(
            f"experiment.{experiment}.code: its decoding error reaches {worst:g}, too large to "
            f"average (the most is {LARGEST:g}); scale the matrix to smaller entries"
        )
    return errors


class Scale:
    """The few values that an error can take, with what every block needs of them.

    Blocks are so short that work in Python once a block is what limits threads.
    """

    def __init__(self, values: Values) -> None:
        self.values = values
        self.powers = [(values**degree).tolist() for degree in range(1, 5)]
        self.bins = (values.view(np.uint64) >> np.uint64(45)).astype(np.int64)


class Levels(Distribution):
    """Errors of a block of one-iteration trials on a scale: how often each value came."""

    def __init__(self, scale: Scale, counts: NDArray[np.int64]) -> None:
        self._scale = scale
        self.counts = counts
        self._list = counts.tolist()

    def powers(self, out: Cells) -> None:
        """Fill the sums of the first powers over trials, correctly rounded."""
        powers = self._scale.powers[: out.size]
        out[:] = [math.fsum(map(operator.mul, self._list, values)) for values in powers]

    def above(self, threshold: float, out: Cells) -> None:
        """Fill in, twice, the trials whose error exceeds a threshold: 0 and 1 are their squares."""
        out[:] = int(self.counts[self._scale.values > threshold].sum())

    def histogram(self, bins: Bins, extremes: Cells) -> None:
        np.add.at(bins, self._scale.bins, self.counts)
        seen = [value for value, n in zip(self._scale.powers[0], self._list, strict=True) if n]
        extremes[0] = min(extremes[0], *seen)
        extremes[1] = max(extremes[1], *seen)


@dataclass
class ErrorBlock:
    """The trials of one block, from ``first`` on: patterns on B's columns, and errors.

    ``decode`` finds all errors, (L, T), when a measure first asks for them. ``counted`` has what
    is known without it, where all measures are of the errors' distribution alone, and none asks.
    ``by``: what means are conditioned on, if they are. ``workers``: the patterns of its workers,
    where raw samples are taken of it.
    """

    first: int
    trials: int
    patterns: Patterns
    decoder: Any
    decode: Callable[[], Values] | None
    counted: Levels | None = None
    by: Conditioning | None = None
    workers: Patterns | None = None

    @cached_property
    def errors(self) -> Values:
        """Every error, (L, T)."""
        assert self.decode is not None
        return self.decode()

    @cached_property
    def _every_error(self) -> EveryValue:
        return EveryValue(self.errors)

    @property
    def error(self) -> Distribution:
        """Distribution of the error of an iteration."""
        return self._every_error if self.counted is None else self.counted

    @property
    def mean_error(self) -> Distribution:
        """Distribution of a trial's mean error."""
        if self.patterns.batch.iterations == 1:
            return self.error
        return EveryValue(self.averages[np.newaxis])

    @property
    def averages(self) -> Values:
        """Each trial's mean error, (T,)."""
        return self._every_error.means

    @cached_property
    def survivors(self) -> NDArray[np.int64]:
        """Number of survivors, (L, T)."""
        batch = self.patterns.batch
        counts = self.patterns.survivors.reshape(batch.iterations, batch.trials)
        return np.ascontiguousarray(counts[:, : self.trials])

    @cached_property
    def lost(self) -> NDArray[Any] | None:
        """How many partitions no survivor holds, (T,), where means are conditioned."""
        return None if self.by is None else self.by.lost_in(self.patterns, self.trials)

    @cached_property
    def packed(self) -> NDArray[np.uint64]:
        """The trials' patterns on B's columns, (L · T, words), iteration-major."""
        batch = self.patterns.batch
        packed = self.patterns.packed.reshape(batch.iterations, batch.trials, -1)
        own = packed[:, : self.trials]
        return np.ascontiguousarray(own.reshape(batch.iterations * self.trials, -1))

    @cached_property
    def vectors(self) -> NDArray[Any]:
        """Decoding vectors, (L · T, n): a weight a column, 0 for stragglers."""
        return np.asarray(self.decoder.vectors(self.packed))


def named(stragglers: Any) -> str:
    """Return how sentences call the model of the stragglers."""
    return f"stragglers {str(stragglers.settings()['model'])!r}"


@dataclass(frozen=True, eq=False)
class TrialLaw:
    """Distribution of a trial: hidden states, and the pattern on B's columns in each iteration.

    Errors depend on the pattern of one iteration alone; iterations are tied together only by what
    stays hidden for a whole trial (who is slow). So the variance of a trial's average follows from
    the means given the hidden state, and nothing is ever enumerated over several iterations.

    ``make_decoder`` gives the code's decoder; ``law`` has a ``distribution``.
    """

    table: Any  #: The experiment's `DecodingTable`.
    code: Code
    make_decoder: Callable[[], Decoder]
    law: PatternLaw

    @property
    def iterations(self) -> int:
        """Iterations of a trial."""
        return int(self.table.iterations)

    @cached_property
    def decoder(self) -> Decoder:
        """What decodes the patterns."""
        return self.make_decoder()

    @cached_property
    def errors(self) -> Values:
        """The error of every pattern, (2ⁿ,)."""
        return in_range(self.decoder.errors_of_all_patterns(), self.table.name)

    @cached_property
    def _sizes(self) -> NDArray[np.int64]:
        return subset_sizes(self.code.n)

    @cached_property
    def _turns(self) -> Values:
        # how often each turn comes: cyclic shuffling repeats after n iterations
        n, length = self.code.n, self.iterations
        turns = [len(range(u, length, n)) for u in range(min(length, n))]
        return np.array(turns if self.table.shuffle == "cyclic" else [length], float)

    @property
    def turns(self) -> int:
        """Passes through all patterns for pairs of iterations at one distance."""
        return self._turns.size

    @property
    def pairs(self) -> int:
        """Passes through all patterns for the variance of one average over iterations."""
        single = self.law.has_hidden_states or self.iterations == 1
        return (2 if single else self.iterations) * self.turns

    @cached_property
    def unpaired(self) -> str | None:
        """Why it is not known how iterations of a trial depend on each other; None where it is."""
        why = self.law.without_pairs(self.iterations)
        return None if why is None else f"{named(self.table.stragglers)} {why}"

    def _seen(self, values: Values, turn: int) -> Values:
        """Mean of ``values`` (2ⁿ, by the columns of B that survive) by the workers that survive."""
        if self.table.shuffle == "random":
            sums = np.bincount(self._sizes, values)
            return np.asarray((sums / np.bincount(self._sizes))[self._sizes])
        return values if turn == 0 else np.asarray(values[self._turned(turn)])

    def _means_given_hidden(self, values: Values) -> tuple[Values, Values] | None:
        """Hidden states' probabilities, and (turns, states) means of ``values``, if known."""
        rows = []
        for turn in range(self._turns.size):
            found = self.law.conditional_means(self.code.n, self._seen(values, turn))
            if found is None:
                return None
            rows.append(found[1])
            weights = found[0]
        return weights, np.array(rows)

    def _law(self) -> Values:
        law = self.law.distribution(self.code.n)
        assert law is not None  # or there is no exact method
        return law

    def mean(self, values: Values) -> float:
        """Mean over iterations and trials."""
        law = self._law()
        seen = [dot(law, self._seen(values, turn)) for turn in range(self._turns.size)]
        return float(dot(self._turns, np.array(seen))) / self.iterations

    def variance_of_average(self, values: Values) -> float:
        """Variance over trials of the average over the iterations."""
        given, of_squares = (self._means_given_hidden(v) for v in (values, values * values))
        if given is not None and of_squares is not None:
            (weights, means), (_, squares) = given, of_squares
            within = dot(self._turns, dot(squares - means**2, weights))
            total = (self._turns[:, np.newaxis] * means).sum(axis=0)
            between = float(dot(weights, (total - dot(weights, total)) ** 2))
            return float(within + between) / self.iterations**2
        length = self.iterations
        products = length * self.mean(values * values)
        products += 2 * sum((length - h) * self.product(values, h) for h in range(1, length))
        return products / length**2 - self.mean(values) ** 2

    def product(self, values: Values, lag: int) -> float:
        """Mean over l and trials of values in iterations l and l + lag, multiplied."""
        if lag == 0:
            return self.mean(values * values)
        turns = self._turns.size  # of iterations i and i + lag, and how often each pair comes
        pairs = Counter((i % turns, (i + lag) % turns) for i in range(self.iterations - lag))
        given = self._means_given_hidden(values)
        if given is not None:
            weights, means = given
            found = [float(dot(weights, means[u] * means[v])) for u, v in pairs]
        else:
            seen = [(self._seen(values, u), self._seen(values, v)) for u, v in pairs]
            known = [self.law.lagged(self.code.n, *pair, lag) for pair in seen]
            found = [product for product in known if product is not None]  # all: it has pairs
        times = np.array(list(pairs.values()), float)
        return float(dot(times, np.array(found))) / (self.iterations - lag)

    @cached_property
    def pooled(self) -> Values:
        """Probability of each pattern on B's columns, pooled over iterations, (2ⁿ,)."""
        workers = self._law()
        if self.table.shuffle == "random":
            return self._seen(workers, 0)
        pooled = np.zeros(workers.size)
        for turn, times in enumerate(self._turns):
            pooled[self._turned(turn)] += times * workers  # worker j plays column j + turn
        return pooled / self.iterations

    def _turned(self, turn: int) -> NDArray[np.int64]:
        patterns = np.arange(1 << self.code.n)
        return ((patterns << turn) | (patterns >> (self.code.n - turn))) & (patterns.size - 1)


def some_patterns(
    n: int, packed: NDArray[np.uint64], decoder: Any, errors: Values | None = None
) -> ErrorBlock:
    """Return patterns (T, words) as a block of trials of one iteration.

    Given ``errors``, those of all 2ⁿ patterns, none is decoded.
    """
    trials = len(packed)
    groups = -(-trials // WORD)
    padded = np.zeros((groups * WORD, packed.shape[1]), np.uint64)
    padded[:trials] = packed

    def decode() -> Values:
        found = decoder.errors(packed) if errors is None else errors[packed[:, 0].astype(np.int64)]
        return np.asarray(found[np.newaxis])

    patterns = Patterns(n, Trials(0, "patterns", 0, groups, 1), packed=padded)
    return ErrorBlock(0, trials, patterns, decoder, decode)


#: Statistic, index and why enumeration does not give it.
LeftOut = Iterator[tuple[str, int | str | None, str]]


class ErrorMeasure(measures.Measure[ErrorBlock], Protocol):
    """What every measure offers, and what enumeration of all patterns gives of it: here nothing.

    ``ONLY_SAMPLED`` says why it gives nothing; None where it gives something.
    """

    ONLY_SAMPLED: ClassVar[str | None] = "is only sampled"
    unit: ClassVar[str] = "1"  #: Of one value; "1" for pure numbers.
    levels: ClassVar[bool] = False  #: Whether counts of the error's values are enough.
    #: Whether it asks for a matrix that stays the same in all trials.
    needs_fixed_matrix: ClassVar[bool] = False
    #: Passes through all patterns that take as long as decoding vectors, where these are needed.
    MORE_PASSES: ClassVar[float] = 0.0

    @classmethod
    def passes(cls, trial: TrialLaw) -> float:
        """Passes through all patterns that `exactly` takes."""
        return 3.0 + cls.MORE_PASSES

    @classmethod
    def left_out(cls, trial: TrialLaw) -> LeftOut:
        """(statistic, index, reason) of what is requested and `exactly` does not give."""
        return iter(())

    def exactly(self, trial: TrialLaw) -> Iterator[Row]:
        """(statistic, index, estimate) of everything that enumeration gives."""
        return iter(())
