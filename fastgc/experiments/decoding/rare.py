"""Methods for the probability of a rare event of decoding, tried one after the other.

From the first that leads there: a law that is known in closed form (the study's, or independent
groups), enumeration of few stragglers, with a certain remainder; trials do the rest.

The error never falls when stragglers are added, so f_s, the event's probability given s stragglers,
never falls with s: beyond the sets that are enumerated it is between the last f and 1.
"""

import math
from collections.abc import Callable, Container, Iterator
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from fastgc.arrays import Values
from fastgc.codes.code import Code
from fastgc.codes.structure import General, Groups
from fastgc.decoding.algorithms import packed
from fastgc.decoding.decoder import Decoder
from fastgc.experiments import methods
from fastgc.experiments.decoding.auditing import ErrorAudit
from fastgc.experiments.decoding.decoding_table import DecodingTable
from fastgc.experiments.decoding.measures import class_of
from fastgc.experiments.decoding.measures.base import threshold_margin
from fastgc.experiments.decoding.measures.builtin import ErrorDistribution
from fastgc.registry.cached import cached_property
from fastgc.registry.number_types import counted
from fastgc.results.rows import ENUMERATION_BOUNDS, EXACT
from fastgc.statistics import estimates
from fastgc.statistics.estimates import FEW_EVENTS, Estimate
from fastgc.stragglers.iid import Iid, Markov, TwoClass
from fastgc.stragglers.pattern_law import PatternLaw
from fastgc.stragglers.uniform import Uniform
from fastgc_kernels.decode import straggler_costs

#: Seconds to decode a pattern: of a code with a structure, and for each of n³ of any other code.
FAST_SECONDS = 1e-6
ENTRY_SECONDS = 4e-11
#: So long sets may be decoded beside trials, however few trials are asked for.
CHEAP_SECONDS = 20.0
#: What trials do not see may have this probability, about, by how many they are: e⁻⁴ is 2 %.
UNSEEN = 4.0


# ---- the law of one iteration's stragglers: how many there are, which, and which groups they lose

#: Laws of the number of stragglers grow with the square of the workers.
MOST_WORKERS = 4096
#: Additions of a convolution over the groups of more workers: some seconds.
MOST_ADDITIONS = 1 << 31


@dataclass(frozen=True, eq=False)
class NumberLaw:
    """Who straggles in one iteration: so many, then a set in proportion to its odds' product."""

    #: (n + 1,): of s = 0 … n stragglers; empty for more than `MOST_WORKERS`.
    probabilities: Values
    #: (n,): of each worker to straggle; all 1 where all sets of s stragglers are alike.
    odds: Values
    #: (n,): each worker's own probability, where they straggle independently.
    straggle: Values | None = None

    @property
    def n(self) -> int:
        """Number of workers."""
        return self.odds.size

    @property
    def most(self) -> int:
        """Most stragglers that there can be."""
        return int(np.count_nonzero(self.odds if self.straggle is None else self.straggle))


def number_law(law: PatternLaw, n: int, shuffle: str) -> NumberLaw | None:
    """Law of one iteration's stragglers on B's columns; None where it is not one of these.

    Of more than `MOST_WORKERS` only that of independent ones.
    """
    is_small = n <= MOST_WORKERS
    if isinstance(law, Uniform) and is_small:
        probabilities = np.zeros(n + 1)
        probabilities[law.stragglers] = 1.0
        return NumberLaw(probabilities, np.ones(n))
    if isinstance(law, TwoClass) and isinstance(law.slow, int) and is_small:
        classes = np.full(n, law.p_straggle_active)
        classes[: law.slow] = law.p_straggle_slow
        return NumberLaw(methods.sum_law(classes), np.ones(n))
    straggle = law.independent(n) if isinstance(law, Iid | Markov | TwoClass) else None
    if straggle is None:
        return None
    probabilities = methods.sum_law(straggle) if is_small else np.empty(0)
    alike = straggle if np.all(straggle == straggle[0]) else None
    if alike is not None or (shuffle == "random" and is_small):
        return NumberLaw(probabilities, np.ones(n), alike)
    if shuffle != "none" or straggle.max() == 1.0:
        return None
    return NumberLaw(probabilities, straggle / (1.0 - straggle), straggle)


def is_convolved(structure: Groups, limit: float) -> bool:
    """Whether `by_products` takes some seconds at most."""
    if structure.labels.size <= MOST_WORKERS:
        return True
    return max(0.0, limit - structure.uncovered) * len(structure.weights) <= MOST_ADDITIONS


def by_products(structure: Groups, straggle: Values, limit: float) -> float:
    """Return the probability that lost groups weigh more than a limit, by convolution.

    Sums of positive terms only, so all digits are right however small it is. Of more than
    `MOST_WORKERS` whatever exceeds the limit is one sum.
    """
    probabilities = np.ones(len(structure.weights))  # of each group to be lost
    held = structure.labels >= 0
    np.multiply.at(probabilities, structure.labels[held], straggle[held])  # in order of workers
    groups = zip(structure.weights.tolist(), probabilities.tolist(), strict=True)
    total = int(structure.weights.sum())
    if straggle.size <= MOST_WORKERS:
        lost = np.zeros(total + 1)
        lost[0] = 1.0
        for weight, probability in groups:
            with_it = np.zeros(lost.size)
            with_it[weight:] = lost[: lost.size - weight] * probability
            lost = lost * (1.0 - probability) + with_it
        above = np.arange(lost.size) + structure.uncovered > limit
        return float(lost[above].sum())
    most = min(math.floor(limit - structure.uncovered), total)
    if most < 0:
        return 1.0
    lost = np.zeros(most + 1)
    lost[0], beyond = 1.0, 0.0
    for weight, probability in groups:
        with_it = lost * probability
        left = max(0, lost.size - weight)
        beyond += float(with_it[left:].sum())
        lost *= 1.0 - probability
        lost[lost.size - left :] += with_it[:left]
    return beyond


# ---- the events, and their probabilities from the sets of few stragglers

#: Measures whose thresholds are thresholds of the error of an iteration.
_OF_THE_ERROR = ("error", "norm", "error_per_partition")


@dataclass(frozen=True)
class Event:
    """An error above ``limit``; ``otherwise`` asks for the probability that it does not happen."""

    quantity: str
    statistic: str
    limit: float
    otherwise: bool = False

    @property
    def address(self) -> tuple[str, str, None]:
        """Which row it is."""
        return self.quantity, self.statistic, None


def events_of(table: DecodingTable, code: Code, decoder: Decoder) -> Iterator[Event]:
    """Events that the table's measures and thresholds name, in the order of their rows."""
    margin = threshold_margin(code, decoder.exact_threshold)
    for quantity in table.measure:
        if quantity == "exact":
            yield Event(quantity, "mean", decoder.exact_threshold, otherwise=True)
        elif quantity in _OF_THE_ERROR or (quantity == "mean_error" and table.iterations == 1):
            for threshold in table.thresholds:
                scale = code.k if quantity == "error_per_partition" else 1
                limit = threshold * scale + margin
                if decoder.exact_threshold == 0.0 and 0.0 <= limit <= margin:
                    limit = 0.0  # errors are exact zeros, and only rounding is below the limit
                if quantity == "norm":
                    limit = limit * limit if limit >= 0 else limit
                yield Event(quantity, f"P(>{threshold!r})", limit)


#: Sets of stragglers that are enumerated at most.
SETS = 1 << 19
_CHUNK = 1 << 16


def share(decoder: Decoder, limit: float, law: NumberLaw, s: int) -> float:
    """f_s: the probability of an error above a limit given s stragglers."""
    current = np.arange(s)
    packed, products = np.empty((_CHUNK, -(-law.n // 64)), np.uint64), np.empty(_CHUNK)
    found, whole = [], []
    filled = _CHUNK
    while filled == _CHUNK:
        filled = straggler_costs.combinations(current, law.n, law.odds, packed, products)
        errors = decoder.errors(packed[:filled])
        found.append(float(products[:filled][errors > limit].sum()))
        whole.append(float(products[:filled].sum()))
        if s == 0:
            break
    return math.fsum(found) / math.fsum(whole)


def least_stragglers(code: Code, limit: float, exact_threshold: float) -> int:
    """Return a number of stragglers below which the error is at most a limit for certain."""
    structure = code.structure
    if not isinstance(structure, Groups):
        known = limit >= exact_threshold and code.tolerance is not None
        return int(code.tolerance or 0) + 1 if known else 0
    # the fewest workers in groups that together weigh more; all workers if none do
    sizes = np.bincount(structure.labels[structure.labels >= 0])
    weights = structure.weights
    fewest = np.full(int(weights.sum()) + 1, np.inf)
    fewest[0] = 0.0
    for size, weight in zip(sizes.tolist(), weights.tolist(), strict=True):
        fewest[weight:] = np.minimum(fewest[weight:], fewest[: fewest.size - weight] + size)
    above = np.arange(fewest.size) + structure.uncovered > limit
    least = fewest[above].min(initial=np.inf)
    return int(least) if math.isfinite(least) else int(structure.labels.size)


def reached(law: NumberLaw, least: int, sets: int = SETS) -> int:
    """Return how many numbers of stragglers, 0 … s, have no more than so many sets to decode.

    Those of fewer than ``least`` are known not to have the event.
    """
    s, spent = min(least, law.n + 1), 0
    while s <= law.most:
        spent += math.comb(law.n, s)
        if spent > sets:
            break
        s += 1
    return s


def bounds(shares: Values, law: NumberLaw) -> Estimate:
    """Bounds of the event's probability, from f_0 … f_s."""
    few = math.fsum(law.probabilities[: shares.size] * shares)
    many = math.fsum(law.probabilities[shares.size :])
    s = shares.size - 1
    is_held = many >= estimates.SMALLEST
    rest = f"the probability {many:.3g}" if is_held else f"less than {estimates.SMALLEST:.2g}"
    said = f"all sets of up to {counted(s, 'stragglers')}; more have {rest}"
    return estimates.bounds(few + many * float(shares[-1]), few + many, said)


@dataclass(frozen=True, eq=False)
class RareErrors(methods.RareMethod):
    """What leads to the probabilities of an experiment's rare events."""

    table: DecodingTable
    code: Code
    make_decoder: Callable[[], Decoder]  #: Gives the optimal one, which is made when it is needed.
    law: NumberLaw
    _products: dict[float, float] = field(default_factory=dict, repr=False)

    @classmethod
    def of(
        cls, table: DecodingTable, code: Code, decoder: Callable[[], Decoder], law: PatternLaw
    ) -> "RareErrors | None":
        """Return the method; None where no event is asked for, or none leads to all of them.

        There must be few workers, or products of probabilities that give every event.
        """
        wanted = {*_OF_THE_ERROR} | ({"mean_error"} if table.iterations == 1 else set())
        structure, of_error = code.structure, wanted & {*table.measure}
        # without an event theory may know all that is asked for
        may_know = isinstance(structure, Groups) and table.method == "auto"
        asked = "exact" in table.measure or (of_error and (table.thresholds or may_know))
        is_few = code.n <= MOST_WORKERS
        if not asked or table.decoder != "optimal":
            return None
        if not is_few and not isinstance(structure, Groups):
            return None
        known = number_law(law, code.n, table.shuffle)
        if known is None:
            return None
        found = cls(table, code, decoder, known)
        if is_few:
            return found
        assert isinstance(structure, Groups)
        convolved = (is_convolved(structure, event.limit) for event in found.events)
        return found if known.straggle is not None and all(convolved) else None

    @cached_property
    def decoder(self) -> Decoder:
        """What decodes optimally."""
        return self.make_decoder()

    @cached_property
    def events(self) -> tuple[Event, ...]:
        """The events of which the probability is asked for."""
        return tuple(events_of(self.table, self.code, self.decoder))

    def rows(
        self, asked: methods.RareRequest, sampling: methods.Sampling
    ) -> Iterator[methods.MethodRow]:
        known: dict[float, tuple[str, Estimate] | None] = {}
        for event in self.events:
            if event.address in asked.known:
                continue
            if event.limit not in known:
                known[event.limit] = self._found(event.limit, asked)
            found = known[event.limit]
            if found is not None:
                method, estimate = found
                if event.otherwise:
                    estimate = _otherwise(estimate)
                estimate = ErrorAudit.trusted(estimate, self.decoder)
                yield method, (*event.address, estimate)

    def gives_all(self, known: Container[Any]) -> bool:
        table = self.table
        levels = [f"quantile({level!r})" for level in table.quantiles]
        above = [f"P(>{threshold!r})" for threshold in table.thresholds]
        rest = set[tuple[str, str, None]]()
        for name in table.measure:
            if not issubclass(class_of(name), ErrorDistribution) and name != "exact":
                return False
            spread = [] if name == "exact" else ["variance", *levels, *above]
            wanted = ((name, statistic, None) for statistic in ("mean", *spread))
            rest |= {address for address in wanted if address not in known}
        return rest <= {e.address for e in self.events if self._product(e.limit) is not None}

    def _found(self, limit: float, asked: methods.RareRequest) -> tuple[str, Estimate] | None:
        probability = self._product(limit)
        if probability is not None:
            is_seen = asked.sampled and probability * asked.trials >= FEW_EVENTS
            if is_seen and not asked.always:
                return None
            structure, straggle = self.code.structure, self.law.straggle
            assert isinstance(structure, Groups) and straggle is not None
            found = Estimate(probability, 0.0, rounding=methods.ROUNDING * probability)
            # where it is 0, whether those who may straggle make the event
            if by_products(structure, (straggle > 0).astype(float), limit) != 0.0:
                found = estimates.not_surely_zero(found)
            return EXACT, found
        bounds = self._bounds(limit, asked) if asked.sampled else None
        return None if bounds is None else (ENUMERATION_BOUNDS, bounds)

    def _product(self, limit: float) -> float | None:
        structure, straggle = self.code.structure, self.law.straggle
        if not isinstance(structure, Groups) or straggle is None:
            return None
        if limit not in self._products:
            self._products[limit] = by_products(structure, straggle, limit)
        return self._products[limit]

    # ---- few stragglers

    def _bounds(self, limit: float, asked: methods.RareRequest) -> Estimate | None:
        law, threshold = self.law, self.decoder.exact_threshold
        least = least_stragglers(self.code, limit, threshold)
        if asked.always:
            return self._enumerated(limit, least, SETS, asked.relative)
        # sets that take no longer to decode than so many trials, or some seconds
        n, general = self.code.n, isinstance(self.code.structure, General)
        decoding = FAST_SECONDS + (ENTRY_SECONDS * n**3 if general else FAST_SECONDS * n / 100)
        sets = min(SETS, max(int(CHEAP_SECONDS / decoding), asked.trials))
        beyond = float(law.probabilities[reached(law, least, sets) :].sum())
        if beyond * asked.trials >= FEW_EVENTS:
            return None
        found = self._enumerated(limit, least, sets, asked.relative)
        low, high = found.interval()
        assert low is not None and high is not None
        tells_more = estimates.is_narrow(found, asked.relative)
        tells_more |= (high - low) * asked.trials <= UNSEEN
        return found if tells_more and high * asked.trials < FEW_EVENTS else None

    def _enumerated(self, limit: float, least: int, sets: int, relative: float) -> Estimate:
        alive = np.ones((2, self.law.n), np.bool_)  # nobody straggles, and as many as can
        alive[1, np.argsort(-self.law.odds, kind="stable")[: self.law.most]] = False
        always, ever = self.decoder.errors(packed(alive)) > limit
        if always:
            return estimates.bounds(1.0, 1.0, "any set has it")
        if not ever:
            return estimates.bounds(0.0, 0.0, "no set has it")
        shares = np.zeros(min(least, self.law.n + 1))
        last = reached(self.law, least, sets)  # at least 1: no stragglers are always decoded
        while True:
            if shares.size:
                found = bounds(shares, self.law)
                if shares.size == last or estimates.is_narrow(found, relative):
                    return estimates.not_surely_zero(found)
            shares = np.append(shares, share(self.decoder, limit, self.law, shares.size))


def _otherwise(estimate: Estimate) -> Estimate:
    assert estimate.value is not None
    low, high = estimate.interval()
    assert low is not None and high is not None
    ends = 1.0 - high, 1.0 - low
    found = replace(estimate, value=1.0 - estimate.value, ends=ends, failure=(low, high))
    if low == high and estimate.standard_error == 0.0:
        found = replace(found, ends=None)
    if high == estimates.SMALLEST and estimate.note is not None:
        said = f"its failure has {estimates.TOO_SMALL}"
        return replace(found, note=estimate.note.replace(estimates.TOO_SMALL, said))
    if estimate.value < 1e-6:
        return found.noting(f"fails with {estimate.value:.6g} [{low:.6g}, {high:.6g}]")
    return found
