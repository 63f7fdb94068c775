"""Methods for the probability of a rare event of decoding, tried one after the other.

From the first that leads there: a law that is known in closed form (the study's, or independent
groups), enumeration of few stragglers; what neither leads to is left to trials.
"""

from collections.abc import Callable, Container, Iterator
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from fastgc.codes.code import Code
from fastgc.codes.structure import General, Groups
from fastgc.decoding.algorithms import packed
from fastgc.decoding.decoder import Decoder
from fastgc.experiments.decoding.auditing import Audit
from fastgc.experiments.decoding.measures import class_of
from fastgc.experiments.decoding.measures.spreads import Spread
from fastgc.experiments.decoding.rare import few_stragglers
from fastgc.experiments.decoding.rare.few_stragglers import Event, events_of
from fastgc.experiments.decoding.rare.number_law import (
    MOST_WORKERS,
    NumberLaw,
    by_products,
    is_convolved,
)
from fastgc.experiments.decoding.table import DecodingTable
from fastgc.experiments.enumerated import RELATIVE
from fastgc.experiments.methods import Asked, RareFound, RareMethod, Sampling
from fastgc.registry.cached import cached_property
from fastgc.results.rows import ENUMERATION_BOUNDS, EXACT
from fastgc.statistics import strata
from fastgc.statistics.estimates import FEW_EVENTS, Estimate

#: Seconds to decode a pattern: of a code with a structure, and for each of n³ of any other code.
FAST_SECONDS = 1e-6
ENTRY_SECONDS = 4e-11
#: So long sets may be decoded beside trials, however few trials are asked for.
CHEAP_SECONDS = 20.0
#: What trials do not see may have this probability, about, by how many they are: e⁻⁴ is 2 %.
UNSEEN = 4.0


@dataclass(frozen=True, eq=False)
class RareErrors(RareMethod):
    """What leads to the probabilities of an experiment's rare events."""

    table: DecodingTable
    code: Code
    make_decoder: Callable[[], Decoder]  #: Gives the optimal one, which is made when it is needed.
    law: NumberLaw
    _products: dict[float, float] = field(default_factory=dict, repr=False)

    @cached_property
    def decoder(self) -> Decoder:
        """What decodes optimally."""
        return self.make_decoder()

    @cached_property
    def events(self) -> tuple[Event, ...]:
        """The events of which the probability is asked for."""
        return tuple(events_of(self.table, self.code, self.decoder))

    def rows(self, asked: Asked, sampling: Sampling) -> Iterator[RareFound]:
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
                estimate = Audit.trusted(estimate, self.decoder)
                yield method, (*event.address, estimate)

    def gives_all(self, known: Container[Any]) -> bool:
        table = self.table
        levels = [f"quantile({level!r})" for level in table.quantiles]
        above = [f"P(>{threshold!r})" for threshold in table.thresholds]
        rest = set[tuple[str, str, None]]()
        for name in table.measure:
            if not issubclass(class_of(name), Spread) and name != "exact":
                return False
            spread = [] if name == "exact" else ["variance", *levels, *above]
            wanted = ((name, statistic, None) for statistic in ("mean", *spread))
            rest |= {address for address in wanted if address not in known}
        return rest <= {e.address for e in self.events if self._of_products(e.limit) is not None}

    def _found(self, limit: float, asked: Asked) -> tuple[str, Estimate] | None:
        """Method and estimate of an event; None where it is left to trials."""
        probability = self._of_products(limit)
        if probability is not None:
            is_seen = asked.sampled and probability * asked.trials >= FEW_EVENTS
            if is_seen and not asked.always:
                return None
            return EXACT, self._exactly(limit, probability)
        bounds = self._bounds(limit, asked) if asked.sampled else None
        return None if bounds is None else (ENUMERATION_BOUNDS, bounds)

    def _of_products(self, limit: float) -> float | None:
        """The probability of an event of groups whose workers straggle independently."""
        structure, straggle = self.code.structure, self.law.straggle
        if not isinstance(structure, Groups) or straggle is None:
            return None
        if limit not in self._products:
            self._products[limit] = by_products(structure, straggle, limit)
        return self._products[limit]

    def _exactly(self, limit: float, probability: float) -> Estimate:
        """That probability; where it is 0, whether those who may straggle make the event."""
        structure, straggle = self.code.structure, self.law.straggle
        assert isinstance(structure, Groups) and straggle is not None
        may = (straggle > 0).astype(float)
        found = Estimate(probability, 0.0, rounding=RELATIVE * probability)
        if by_products(structure, may, limit) == 0.0:
            return found
        return strata.not_surely_zero(found)

    def _trivial(self, limit: float) -> Estimate | None:
        """The probability of an event that always or never happens."""
        alive = np.ones((2, self.law.n), np.bool_)
        alive[1, np.argsort(-self.law.odds, kind="stable")[: self.law.most]] = False
        least, most = self.decoder.errors(packed(alive)) > limit
        if least:
            return strata.bounds(1.0, 1.0, "any set has it")
        return None if most else strata.bounds(0.0, 0.0, "no set has it")

    # ---- few stragglers

    def _bounds(self, limit: float, asked: Asked) -> Estimate | None:
        """Bounds from all sets of few stragglers; None where trials tell more."""
        law, threshold = self.law, self.decoder.exact_threshold
        least = few_stragglers.least_stragglers(self.code, limit, threshold)
        if asked.always:
            return self._enumerated(limit, least, few_stragglers.SETS, asked.relative)
        sets = self._affordable(asked.trials)
        beyond = float(law.probabilities[few_stragglers.reached(law, least, sets) :].sum())
        if beyond * asked.trials >= FEW_EVENTS:
            return None
        found = self._enumerated(limit, least, sets, asked.relative)
        low, high = found.interval()
        assert low is not None and high is not None
        tells_more = strata.is_narrow(found, asked.relative)
        tells_more |= (high - low) * asked.trials <= UNSEEN
        return found if tells_more and high * asked.trials < FEW_EVENTS else None

    def _enumerated(self, limit: float, least: int, sets: int, relative: float) -> Estimate:
        """Bounds from so many sets at most, or from fewer that tell enough."""
        found = self._trivial(limit)
        if found is not None:
            return found
        for shares in few_stragglers.shares(self.decoder, limit, self.law, least, sets):
            found = few_stragglers.bounds(shares, self.law)
            if strata.is_narrow(found, relative):
                break
        assert found is not None  # the pattern without stragglers is always decoded
        return strata.not_surely_zero(found)

    def _affordable(self, trials: int) -> int:
        """Sets that take no longer to decode than so many trials, or some seconds."""
        n = self.code.n
        general = isinstance(self.code.structure, General)
        decoding = FAST_SECONDS + (ENTRY_SECONDS * n**3 if general else FAST_SECONDS * n / 100)
        return min(few_stragglers.SETS, max(int(CHEAP_SECONDS / decoding), trials))


def is_applicable(method: RareErrors) -> bool:
    """Whether there are few workers, or products of probabilities give every event."""
    structure, straggle = method.code.structure, method.law.straggle
    if method.code.n <= MOST_WORKERS:
        return True
    if not isinstance(structure, Groups) or straggle is None:
        return False
    return all(is_convolved(structure, event.limit) for event in method.events)


def _otherwise(estimate: Estimate) -> Estimate:
    """The probability that an event does not happen; the note has that of a rare event."""
    assert estimate.value is not None
    low, high = estimate.interval()
    assert low is not None and high is not None
    ends = 1.0 - high, 1.0 - low
    found = replace(estimate, value=1.0 - estimate.value, ends=ends, failure=(low, high))
    if low == high and estimate.standard_error == 0.0:
        found = replace(found, ends=None)
    if high == strata.SMALLEST and estimate.note is not None:
        said = f"its failure has {strata.TOO_SMALL}"
        return replace(found, note=estimate.note.replace(strata.TOO_SMALL, said))
    if estimate.value < 1e-6:
        return found.noting(f"fails with {estimate.value:.6g} [{low:.6g}, {high:.6g}]")
    return found
