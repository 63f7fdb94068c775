"""Exact road of a decoding experiment: every pattern with its probability.

Errors depend on the pattern of one iteration alone; iterations are tied together only by what
stays hidden for a whole trial (who is slow). So the variance of a trial's average follows from the
means given the hidden state, and nothing is ever enumerated over several iterations.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from fastgc.codes.code import Code
from fastgc.codes.per_trial import CodeOfTrials
from fastgc.decoding import worst
from fastgc.decoding.decoder import Decoder
from fastgc.draws.all_patterns import subset_sizes
from fastgc.errors import FastgcError
from fastgc.experiments.decoding.measures import MEASURES, in_range, threshold_margin
from fastgc.experiments.decoding.table import DecodingTable
from fastgc.experiments.experiment import Found
from fastgc.statistics.estimates import Estimate
from fastgc.statistics.products import dot
from fastgc.stragglers.pattern_law import PatternLaw

MOST_WORKERS = 24
#: Seconds to decode a pattern, and to go through all patterns once, for each: measured on a core of
#: a shared 2-core machine for every family at n = 14 and 18 (41 to 347 ns decoding, 30 to 120 ns a
#: pass), and rounded up.
DECODING_SECONDS = 5e-7
PASS_SECONDS = 1e-7
Values = NDArray[np.float64]


def cost(table: DecodingTable, code: Code, law: PatternLaw) -> int | None:
    """Patterns to be enumerated; None where there is no exact road."""
    unknown = [name for name in table.measure if _only_sampled(name)]
    known = law.is_exact(table.iterations)
    return 1 << code.n if known and not unknown and code.n <= MOST_WORKERS else None


def seconds(
    table: DecodingTable, code: Code | CodeOfTrials, law: PatternLaw, patterns: int
) -> float:
    """About how long the enumeration of so many patterns takes."""
    turns = min(table.iterations, code.n) if table.shuffle == "cyclic" else 1
    passes: int = 3 * len(table.measure)
    # averages over the iterations of a trial, each from pairs of iterations or of turns
    averages = ("mean_error" in table.measure) + code.k * ("not_accessed" in table.measure)
    passes += averages * (
        2 * turns if law.has_hidden_states or table.iterations == 1 else table.iterations * turns
    )
    passes += table.iterations * turns * ("error_lag" in table.measure)
    return patterns * (DECODING_SECONDS + float(passes) * PASS_SECONDS)


def obstacle(table: DecodingTable, code: Code | CodeOfTrials) -> str:
    """Why there is no exact road, where there is none."""
    if isinstance(code, CodeOfTrials):
        return "no exact road: the matrix is another one in every trial"
    if code.n > MOST_WORKERS:
        return f"exact road not taken: 2^{code.n} patterns"
    for name in table.measure:
        if _only_sampled(name):
            return f"no exact road: {name} is only sampled"
    return f"no exact road: stragglers {_model(table)!r} have no law that is known"


def refusal(table: DecodingTable, n: int) -> FastgcError:
    """What to say to whoever asks for an exact road of n workers that there is not."""
    if n > MOST_WORKERS:
        return FastgcError(
            f'method: "exact" enumerates 2ⁿ patterns and takes n ≤ {MOST_WORKERS} '
            f'(got n={n}); use "monte-carlo"'
        )
    return FastgcError(
        f'method: "exact" is not known for {list(table.measure)} with stragglers '
        f'{_model(table)!r}; use "monte-carlo"'
    )


def _only_sampled(measure: str) -> bool:
    """Whether no exact road leads to a measure: it needs vectors, or is not fastgc's own."""
    return measure in ("stability", "amplification") or measure not in MEASURES


def _model(table: DecodingTable) -> str:
    """The stragglers' model, as the study names it."""
    return str(table.stragglers.settings()["model"])


def worst_rows(found: worst.Worst) -> Iterator[Found]:
    """The largest error, and who causes it."""
    estimate = Estimate(found.error, 0.0)
    yield "error", "maximum", None, estimate.noting(found.remark) if found.remark else estimate


class _Trial:
    """Distribution of a trial: hidden states, and the pattern on B's columns in each iteration."""

    def __init__(self, table: DecodingTable, code: Code, law: PatternLaw) -> None:
        self._stragglers = law
        self._n = n = code.n
        self._length = table.iterations
        self._shuffle = table.shuffle
        self._sizes = subset_sizes(n)
        turns = min(self._length, n) if table.shuffle == "cyclic" else 1
        # cyclic shuffling repeats after n iterations: how often each turn comes
        self._turns = np.array([len(range(u, self._length, n)) for u in range(turns)], float)
        if table.shuffle != "cyclic":
            self._turns[0] = self._length

    def _seen(self, values: Values, turn: int) -> Values:
        """Mean of ``values`` (2ⁿ, by the columns of B that survive) by the workers that survive."""
        if self._shuffle == "random":
            sums = np.bincount(self._sizes, values)
            return np.asarray((sums / np.bincount(self._sizes))[self._sizes])
        if turn == 0:
            return values
        patterns = np.arange(values.size)
        mask = values.size - 1
        return np.asarray(values[((patterns << turn) | (patterns >> (self._n - turn))) & mask])

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
        assert law is not None  # or there is no exact road
        return law

    def _lagged(self, first: Values, second: Values, lag: int) -> float:
        found = self._stragglers.lagged(self._n, first, second, lag)
        assert found is not None
        return found

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
        pairs = self._pairs(lag)
        given = self._means_given_hidden(values)
        if given is not None:
            weights, means = given
            found = [dot(weights, means[u] * means[v]) for u, v in pairs]
        else:
            found = [
                self._lagged(self._seen(values, u), self._seen(values, v), lag) for u, v in pairs
            ]
        return float(dot(np.array(list(pairs.values())), np.array(found))) / (self._length - lag)

    def _pairs(self, lag: int) -> dict[tuple[int, int], float]:
        """Turns of iterations l and l + lag, and how often each pair comes."""
        turns = self._turns.size
        pairs: dict[tuple[int, int], float] = {}
        for first in range(self._length - lag):
            pair = (first % turns, (first + lag) % turns)
            pairs[pair] = pairs.get(pair, 0.0) + 1.0
        return pairs

    def distribution(self) -> Values:
        """Probability of each pattern on B's columns, pooled over iterations, (2ⁿ,)."""
        workers = self._law()
        if self._shuffle == "random":
            sums = np.bincount(self._sizes, workers)
            return np.asarray((sums / np.bincount(self._sizes))[self._sizes])
        pooled = np.zeros(workers.size)
        patterns = np.arange(workers.size)
        for turn, times in enumerate(self._turns):
            turned = ((patterns << turn) | (patterns >> (self._n - turn))) & (workers.size - 1)
            # worker j plays column j + turn
            pooled[turned] += times * workers
        return pooled / self._length


def rows(table: DecodingTable, code: Code, law: PatternLaw, decoder: Decoder) -> Iterator[Found]:
    """Everything that enumeration gives exactly."""
    errors = in_range(decoder.errors_of_all_patterns(), table.name)
    trial = _Trial(table, code, law)
    pooled = trial.distribution()
    inexact = (errors > decoder.exact_threshold).astype(float)
    offsets, workers = code.holders
    holders = [sum(1 << int(j) for j in own) for own in np.split(workers, offsets[1:-1])]
    patterns = np.arange(errors.size)
    margin = threshold_margin(code, decoder.exact_threshold)
    for quantity in table.measure:
        if quantity in ("error", "mean_error", "norm"):
            values = np.sqrt(errors) if quantity == "norm" else errors
            mean = trial.mean(values)
            yield quantity, "mean", None, _exact(mean)
            if quantity != "mean_error":
                yield quantity, "variance", None, _exact(trial.mean((values - mean) ** 2))
                yield from _distribution(table, quantity, values, pooled, margin)
            else:
                yield quantity, "variance", None, _exact(trial.variance_of_average(errors))
                if table.iterations == 1:
                    yield from _distribution(table, quantity, errors, pooled, margin)
        elif quantity == "error_lag":
            mean = trial.mean(errors)
            for lag in range(table.iterations):
                yield quantity, "mean", lag, _exact(trial.product(errors, lag) - mean**2)
        elif quantity == "exact":
            chances = trial.mean(1.0 - inexact), trial.mean(inexact)
            yield quantity, "mean", None, _exact(_chance(*chances))
        elif quantity in ("survivors", "error_by_survivors"):
            sizes = subset_sizes(code.n)
            chance = np.bincount(sizes, pooled, code.n + 1)
            sums = np.bincount(sizes, pooled * errors, code.n + 1)
            for r in range(code.n + 1):
                if quantity == "survivors":
                    yield quantity, "mean", r, _exact(chance[r])
                elif chance[r] > 0:
                    yield quantity, "mean", r, _exact(sums[r] / chance[r])
                else:
                    yield quantity, "mean", r, Estimate(None, None, note="never happens")
        elif quantity == "not_accessed":
            length = table.iterations
            for i, mask in enumerate(holders):
                lost = ((patterns & mask) == 0).astype(float)
                yield quantity, "mean", i, _exact(length * trial.mean(lost))
                variance = length**2 * trial.variance_of_average(lost)
                yield quantity, "variance", i, _exact(variance)


def _chance(of: float, otherwise: float) -> float:
    """A probability between 0 and 1, to all digits of the smaller of it and its complement."""
    return of if of <= otherwise else 1.0 - otherwise


def _exact(value: float) -> Estimate:
    return Estimate(float(value), 0.0)


def _distribution(
    table: DecodingTable, quantity: str, errors: Values, pooled: Values, margin: float
) -> Iterator[Found]:
    """Extremes, quantiles and exceedance probabilities of the pooled error."""
    possible = errors[pooled > 0]
    yield quantity, "minimum", None, _exact(possible.min())
    yield quantity, "maximum", None, _exact(possible.max())
    order = np.argsort(errors, kind="stable")
    reached = np.cumsum(pooled[order])
    for level in table.quantiles:
        # a sum of probabilities reaches a level up to rounding
        place = int(np.searchsorted(reached, level * (1 - 1e-12)))
        value = errors[order[min(place, errors.size - 1)]]
        yield quantity, f"quantile({level!r})", None, _exact(value)
    for threshold in table.thresholds:
        above = errors > threshold + margin
        chance = _chance(pooled[above].sum(), pooled[~above].sum())
        yield quantity, f"P(>{threshold!r})", None, _exact(chance)
