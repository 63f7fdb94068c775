"""Methods for the probability of a rare event of decoding, tried one after the other.

From the first that leads there: a law that is known in closed form (the study's, or independent
groups), enumeration of few stragglers, union sampling of named causes, a descending chain.
"""

import hashlib
import json
import math
from collections.abc import Callable, Container, Hashable, Iterator
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from fastgc.arrays import Values
from fastgc.codes.code import Code
from fastgc.codes.structure import General, Groups
from fastgc.decoding.decoder import Decoder
from fastgc.experiments.decoding.auditing import Audit
from fastgc.experiments.decoding.measures import class_of
from fastgc.experiments.decoding.measures.spreads import Spread
from fastgc.experiments.decoding.rare import few_stragglers
from fastgc.experiments.decoding.rare.few_stragglers import Event, events_of
from fastgc.experiments.decoding.rare.number_law import (
    DRAWS,
    MOST_WORKERS,
    LostGroup,
    NumberLaw,
    by_products,
    is_convolved,
)
from fastgc.experiments.decoding.rare.sets import sets_of, tries_all
from fastgc.experiments.decoding.rare.spectrum import (
    ABOVE,
    SEARCHED,
    SEARCHED_GROUPS,
    SETS,
    TRIED,
    Search,
    Spectrum,
    of_ways,
    searched,
)
from fastgc.experiments.decoding.table import DecodingTable
from fastgc.experiments.enumerated import RELATIVE
from fastgc.experiments.methods import Asked, RareFound, RareMethod, Sampling
from fastgc.registry.cached import cached_property
from fastgc.results.rows import DESCENDING_CHAIN, ENUMERATION_BOUNDS, EXACT, UNION_SAMPLING
from fastgc.statistics import strata
from fastgc.statistics.estimates import FEW_EVENTS, Estimate
from fastgc.statistics.tallies import dot

#: Islands of chains are kept for other points of a sweep: so many batches, of codes of this size.
KEPT: dict[Hashable, Values] = {}
MOST_BATCHES = 2048
MOST_KEPT = 512
#: And what ways were looked for in, which is larger.
SEARCHES: dict[Hashable, Search] = {}
MOST_SEARCHES = 16
#: Islands at the first look; half as many more at each next one.
ISLANDS = 32
#: Patterns that say whether plain sampling would see the event often enough.
PLAIN = 1 << 14
#: Seconds to decode a pattern: of a code with a structure, and for each of n³ of any other code.
FAST_SECONDS = 1e-6
ENTRY_SECONDS = 4e-11
#: So long a first look may take however few trials are asked for.
CHEAP_SECONDS = 20.0
#: Probabilities of more stragglers than this share of all that chains do not reach are left out.
NEGLIGIBLE = 2.0**-24


@dataclass(frozen=True, eq=False)
class RareErrors(RareMethod):
    """What leads to the probabilities of an experiment's rare events."""

    table: DecodingTable
    code: Code
    make_decoder: Callable[[], Decoder]  #: Gives the optimal one, which is made when it is needed.
    law: NumberLaw
    sets: int = SETS  #: Of an island of chains.
    _spectra: dict[tuple[float, int], Spectrum] = field(default_factory=dict, repr=False)
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
        for place, event in enumerate(self.events):
            if event.address in asked.known:
                continue
            if event.limit not in known:
                known[event.limit] = self._found(place, asked, sampling)
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
        places = enumerate(self.events)
        return rest <= {e.address for place, e in places if self._of_products(place) is not None}

    def _found(self, place: int, asked: Asked, sampling: Sampling) -> tuple[str, Estimate] | None:
        """Method and estimate of an event; None where plain sampling sees it often enough."""
        said = None
        if not asked.sampled:
            probability = self._of_products(place)
            return None if probability is None else (EXACT, self._exactly(place, probability))
        if not asked.always:
            if not self._is_cheap(self.events[place].limit, asked):
                # a look at patterns takes too long, products take no time
                probability = self._of_products(place)
                if probability is None or probability * asked.trials >= FEW_EVENTS:
                    return None
                return EXACT, self._exactly(place, probability)
            said = self._how_rare(place, asked)
            if said is None:
                return None
        method, estimate = self._reached(place, asked, sampling)
        return method, estimate if said is None else estimate.noting(said)

    def _reached(self, place: int, asked: Asked, sampling: Sampling) -> tuple[str, Estimate]:
        """Method and estimate of an event, on the first method that leads to it."""
        limit, law = self.events[place].limit, self.law
        is_sampled = asked.always and self.code.n <= MOST_WORKERS
        probability = None if is_sampled else self._of_products(place)
        if probability is not None:
            return EXACT, self._exactly(place, probability)
        trivial = self._trivial(limit)
        if trivial is not None:
            return ENUMERATION_BOUNDS, trivial
        least = few_stragglers.least_stragglers(self.code, limit, self.decoder.exact_threshold)
        shares = np.zeros(0)
        for shares in few_stragglers.shares(self.decoder, limit, law, least):
            bounds = few_stragglers.bounds(shares, law)
            if strata.is_narrow(bounds, asked.relative):
                return ENUMERATION_BOUNDS, strata.not_surely_zero(bounds)
        if self._is_union(limit):
            return UNION_SAMPLING, self.by_union(place, asked, sampling)
        return DESCENDING_CHAIN, self.by_chain(place, asked, sampling, shares)

    def _of_products(self, place: int) -> float | None:
        """The probability of an event of groups whose workers straggle independently."""
        structure, straggle = self.code.structure, self.law.straggle
        if not isinstance(structure, Groups) or straggle is None:
            return None
        limit = self.events[place].limit
        if limit not in self._products:
            self._products[limit] = by_products(structure, straggle, limit)
        return self._products[limit]

    def _exactly(self, place: int, probability: float) -> Estimate:
        """That probability; where it is 0, whether those who may straggle make the event."""
        structure, straggle = self.code.structure, self.law.straggle
        assert isinstance(structure, Groups) and straggle is not None
        may = (straggle > 0).astype(float)
        found = Estimate(probability, 0.0, rounding=RELATIVE * probability)
        if by_products(structure, may, self.events[place].limit) == 0.0:
            return found
        return strata.not_surely_zero(found)

    def _trivial(self, limit: float) -> Estimate | None:
        """The probability of an event that always or never happens."""
        for s, happens in ((0, True), (self.law.most, False)):
            members = np.argsort(-self.law.odds, kind="stable").astype(np.int32)[np.newaxis]
            if bool(self._spectrum(limit, 0).has_event(members, s)[0]) is happens:
                probability = 1.0 if happens else 0.0
                return strata.bounds(
                    probability, probability, f"{'any' if happens else 'no'} set has it"
                )
        return None

    # ---- whether it is worth while

    def _is_cheap(self, limit: float, asked: Asked) -> bool:
        """Whether a first look takes no longer than the trials asked for, or some seconds."""
        n = self.code.n
        if n > MOST_WORKERS:
            return False
        general = isinstance(self.code.structure, General)
        decoding = FAST_SECONDS + (ENTRY_SECONDS * n**3 if general else FAST_SECONDS * n / 100)
        patterns = ISLANDS * (TRIED + ABOVE * n)
        if tries_all(self.code, self.decoder, limit):
            patterns += ISLANDS * self.sets * n * n // 8
        return decoding * patterns <= max(CHEAP_SECONDS, decoding * asked.trials)

    def _how_rare(self, place: int, asked: Asked) -> str | None:
        """How many plain patterns have an event; None where it is left to the trials.

        That is so where as many as are asked for would see it 100 times.
        """
        patterns = min(asked.trials, PLAIN)
        spectrum = self._spectrum(self.events[place].limit, asked.seed)
        numbers = spectrum.numbers("rare plain", 0, 0, patterns, 1)[:, 0]
        sizes = np.searchsorted(np.cumsum(self.law.probabilities), numbers, side="right")
        count = np.bincount(np.minimum(sizes, self.law.most))
        seen = sum(
            np.count_nonzero(spectrum.has_event(spectrum.drawn("rare plain", s, 0, times), s))
            for s, times in enumerate(count.tolist())
            if times
        )
        if seen * asked.trials >= FEW_EVENTS * patterns:
            return None
        return f"{seen} of {patterns} plain patterns have it"

    # ---- union sampling

    def _is_union(self, limit: float) -> bool:
        structure = self.code.structure
        if not isinstance(structure, Groups) or self.law.straggle is None:
            return False
        return bool(structure.uncovered <= limit < structure.uncovered + structure.weights.min())

    def _union(self, seed: int) -> LostGroup:
        assert isinstance(self.code.structure, Groups)
        return LostGroup(self.code.structure, self.law, seed, self._stream(0.0))

    def by_union(self, place: int, asked: Asked, sampling: Sampling) -> Estimate:
        """Estimate the probability of an event from its causes; see `LostGroup`."""
        low, high = self._union(asked.seed).bounds
        values = np.zeros(0)
        for first, islands in _looks(asked.trials // DRAWS):
            values = np.append(values, sampling(place, first, islands))
            found = strata.of_islands(values.tolist(), values.size * DRAWS, least=low, most=high)
            if strata.is_narrow(found, asked.relative):
                break
        return found

    # ---- a descending chain

    def _spectrum(self, limit: float, seed: int) -> Spectrum:
        if (limit, seed) not in self._spectra:
            making = sets_of(self.code, self.decoder, limit)
            own = self.law, self.decoder, making, limit, seed, self._stream(limit), self.sets
            self._spectra[limit, seed] = Spectrum(*own, self._searched)
        return self._spectra[limit, seed]

    def _stream(self, limit: float) -> str:
        """Names the draws: of a code and an event, whatever the probabilities to straggle are."""
        return json.dumps([self.table.code.settings(), repr(limit)], sort_keys=True, default=str)

    def part(self, place: int, seed: int, first: int, islands: int) -> Values:
        limit = self.events[place].limit
        if self._is_union(limit):
            return self._union(seed).islands(first, islands)
        spectrum = self._spectrum(limit, seed)
        start = spectrum.start
        top = self._top(start)
        found = np.zeros((islands, self.law.n + 1))
        least = few_stragglers.least_stragglers(self.code, limit, self.decoder.exact_threshold)
        found[:, : start + 1] = self._below(spectrum, least, first, islands)
        for s in range(start + 1, top + 1):
            found[:, s] = spectrum.above(s, first, islands)
        found[:, top + 1 :] = 1.0
        return found

    def _below(self, spectrum: Spectrum, least: int, first: int, islands: int) -> Values:
        """What `Spectrum.below` gives; where all sets are alike, found once for every p."""
        if not self.law.is_alike or self.code.n > MOST_KEPT:
            return spectrum.below(spectrum.start, least, first, islands)
        own = spectrum.limit, spectrum.seed, self.sets, spectrum.ways
        key = self._content, *own, least, first, islands
        found = KEPT.get(key)
        if found is None:
            if len(KEPT) >= MOST_BATCHES:
                KEPT.clear()
            found = KEPT[key] = spectrum.below(spectrum.start, least, first, islands)
        return found

    def _searched(self, spectrum: Spectrum) -> Search:
        """What is looked for ways in; where all sets are alike, found once for every p."""
        groups = isinstance(self.code.structure, Groups)
        sets = SEARCHED_GROUPS if groups else SEARCHED
        if not self.law.is_alike or self.code.n > MOST_KEPT:
            return searched(spectrum, sets)
        key = self._content, spectrum.limit, spectrum.seed, self.sets
        if key not in SEARCHES:
            if len(SEARCHES) >= MOST_SEARCHES:
                SEARCHES.clear()
            SEARCHES[key] = searched(spectrum, sets)
        return SEARCHES[key]

    @cached_property
    def _content(self) -> tuple[str, bytes]:
        """Tells codes apart, and what is drawn for them."""
        B = np.ascontiguousarray(self.code.B)
        return self._stream(0.0), hashlib.blake2b(B.tobytes(), digest_size=16).digest()

    def _top(self, start: int) -> int:
        """The last level above the start whose sets are drawn."""
        tail = np.cumsum(self.law.probabilities[::-1])[::-1]
        reached = np.flatnonzero(tail[start + 1 :] > NEGLIGIBLE * tail[start + 1 : start + 2].sum())
        return start + int(reached[-1]) + 1 if reached.size else start

    def by_chain(self, place: int, asked: Asked, sampling: Sampling, shares: Values) -> Estimate:
        """Estimate the probability of an event from islands of chains.

        ``shares`` are f_0 … f_s as far as they are known; what no chain reaches is enumerated where
        it decides how wide the interval is.
        """
        law, limit = self.law, self.events[place].limit
        sure = self._sure(self._spectrum(limit, asked.seed))
        spectra = np.zeros((0, law.n + 1))
        for first, islands in _looks(asked.trials // self.sets):
            spectra = np.vstack([spectra, sampling(place, first, islands)])
            found, missing = self._combined(spectra, shares, sure)
            while missing > 0.5 * _half_width(found):
                more = few_stragglers.one_more(self.decoder, limit, law, shares)
                if more is None:
                    break
                shares = more
                found, missing = self._combined(spectra, shares, sure)
            if strata.is_narrow(found, asked.relative):
                break
        if missing > 0.5 * _half_width(found):
            return found.noting(
                "some of the interval is for few stragglers, which no chain reached"
            )
        return found

    def _sure(self, spectrum: Spectrum) -> Values:
        """The probabilities of each number of stragglers with a way, on levels that are drawn."""
        sure = of_ways(self.law, spectrum.ways)
        sure[self._top(spectrum.start) + 1 :] = 0.0
        return sure

    def _combined(self, spectra: Values, shares: Values, sure: Values) -> tuple[Estimate, float]:
        """The estimate from islands and what is known of levels, and what may be missing."""
        probabilities, known = self.law.probabilities, shares.size
        few = math.fsum([*(probabilities[:known] * shares), *sure[known:]])
        values = few + dot(spectra[:, known:], probabilities[known:])
        missing = self._missing(spectra, known)
        draws = len(spectra) * self.sets
        return strata.of_islands(values.tolist(), draws, least=few, missing=missing), missing

    def _missing(self, spectra: Values, known: int) -> float:
        """What levels that no island reached may add: those from ``known`` on."""
        seen = np.flatnonzero(spectra[:, known:].any(axis=0))
        lowest = known + int(seen[0])
        own = spectra[:, lowest]
        error = float(own.std(ddof=1)) / math.sqrt(own.size)
        share = min(1.0, float(own.mean()) + strata.student_quantile(own.size - 1) * error)
        share *= strata.unseen(own.size)
        missing = 0.0
        for s in range(lowest - 1, known - 1, -1):
            missing += float(self.law.probabilities[s]) * share
            if self.law.is_alike:
                share = min(share, strata.below_at_most(share, s))
        return missing


def is_applicable(method: RareErrors) -> bool:
    """Whether there are few workers, or products of probabilities give every event."""
    structure, straggle = method.code.structure, method.law.straggle
    if method.code.n <= MOST_WORKERS:
        return True
    if not isinstance(structure, Groups) or straggle is None:
        return False
    return all(is_convolved(structure, event.limit) for event in method.events)


def _half_width(estimate: Estimate) -> float:
    low, high = estimate.interval()
    assert low is not None and high is not None
    return 0.5 * (high - low)


def _looks(most: int) -> Iterator[tuple[int, int]]:
    """First island and number of islands of each look: 32 in all, 48, 72, … up to the most."""
    done = 0
    while not done or 3 * done // 2 <= most:
        more = done // 2 or ISLANDS
        yield done, more
        done += more


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
