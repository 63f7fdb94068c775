"""The spectrum of an event: f_s, its probability given s stragglers, for one event of one code.

Network reliability knows f as the destruction spectrum (Gertsbakh & Shpungin 2010), and the
descending chain as multilevel splitting (Kahn & Harris 1951, Glasserman et al. 1999, Botev &
Kroese 2012).

The error never falls when stragglers are added. So every set of s − 1 stragglers with the event
has n − s + 1 supersets of s with it, and with c(S) the stragglers that a set S may lose,
f_(s−1) = f_s E c(S)/s over its sets S: a descending chain. It begins at the smallest s with
f_s ≥ .3, where sets with the event are drawn by rejection; on each level a set is picked in
proportion to c(S) and loses one of those stragglers, which gives the sets of the next level with
equal probabilities. Swaps keep that law; they only make copies of one set differ again. With odds
w_j of the stragglers the weight of losing j is 1/(W − W_(S∖j)) in place of 1/(n − s + 1).

Ways to fail that a chain meets too seldom are minimal sets of stragglers, counted exactly. Where a
chain begins, hardly any set may hold the few workers whose loss makes most of the probability
further down: its mean is unbiased, but most islands miss them. So single sets descend first, each
on its own, until they can lose no straggler. Minimal sets that these end at more seldom than their
share of the probability are counted by inclusion and exclusion, and chains by what else fails: with
any list of such sets that does not depend on the chains, the sum is unbiased.
"""

import itertools
import math
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from fastgc.arrays import Mask, Values
from fastgc.decoding.decoder import Decoder
from fastgc.draws import streams
from fastgc.experiments.decoding.rare.number_law import NumberLaw, sum_law
from fastgc.experiments.decoding.rare.sets import Making, Sets, pack
from fastgc.latency import elementary
from fastgc.registry.cached import cached_property
from fastgc_kernels.decode import chain_sets

Members = NDArray[np.int32]
#: The workers of a minimal set, in order.
Way = tuple[int, ...]

#: Sets that descend, and of codes of groups, where that takes little time.
SEARCHED = 2048
SEARCHED_GROUPS = 8192
#: Islands of chains that say about how large the probability is.
PILOT_ISLANDS = 4
#: Ways that are counted on their own at most: 2⁸ terms.
MOST = 8
#: Least share in the probability, and how often that exceeds their share of descents.
SHARE = 0.02
SELDOM = 10.0
#: Entries of the state of sets or of islands that descend together, at most.
STATE = 1 << 22


class Search(NamedTuple):
    """What is looked for ways in: how many descents end at each, and f_s of some islands."""

    ends: Counter[Way]
    spectra: Values


def searched(spectrum: "Spectrum", sets: int = SEARCHED) -> Search:
    """Let so many sets descend on their own, and a few islands of chains beside them."""
    start, found = spectrum.start, Counter[Way]()
    together = max(1, min(sets, STATE // start**2))
    for first in range(0, sets, together):
        some = min(together, sets - first)
        begun = spectrum.with_event("rare search start", start, first << 24, some)[0]
        found.update(_descended(spectrum, begun, first))
    pilot = replace(spectrum, stream=f"{spectrum.stream} pilot", search=_nothing)
    return Search(found, pilot.below(start, 1, 0, PILOT_ISLANDS))


def _nothing(spectrum: "Spectrum") -> Search:
    return Search(Counter(), np.zeros((PILOT_ISLANDS, spectrum.start + 1)))


def dominating(law: NumberLaw, search: Search) -> tuple[Way, ...]:
    """Return the ways that make much of the probability and that few descents end at."""
    ends, spectra = search
    size = spectra.shape[1]
    below = math.fsum((spectra * law.probabilities[:size]).ravel().tolist()) / len(spectra)
    probability = below + math.fsum(law.probabilities[size:].tolist())
    weights = {way: _probability(law, way) for way in ends}
    heaviest = sorted(ends, key=lambda way: (-weights[way], way))[:MOST]
    sets = ends.total()
    return tuple(
        way
        for way in heaviest
        if weights[way] > probability * max(SHARE, SELDOM * ends[way] / sets)
    )


def _descended(spectrum: "Spectrum", begun: Members, first: int) -> list[Way]:
    """The minimal set that each of these sets ends at, losing one straggler at a time."""
    rows, start, ends = len(begun), spectrum.start, []
    sets = spectrum.making(begun, start, spectrum.law.odds)
    open_, totals = np.ones(rows, np.bool_), np.empty(rows)
    parents, places = np.empty((rows, 1), np.int64), np.empty((rows, 1), np.int64)
    for s in range(start, 0, -1):
        scores = sets.steps(np.empty((rows, 0)))[:, np.newaxis, :s].astype(float)
        minimal = open_ & ~scores.any(axis=(1, 2))
        ends += [tuple(way) for way in np.sort(sets.members[minimal, :s], axis=1).tolist()]
        open_ &= ~minimal
        if not open_.any():
            break
        numbers = spectrum.numbers("rare search", first, s, rows, 2)
        chain_sets.pick(scores, s, numbers, totals, parents, places)
        sets.drop(parents, places)
    return ends


def _probability(law: NumberLaw, way: Way) -> float:
    if law.straggle is None or law.is_alike:
        return math.fsum(_held_by_alike(law, len(way)).tolist())
    return float(math.prod(law.straggle[list(way)].tolist()))


def _held_by_alike(law: NumberLaw, size: int) -> Values:
    """The probabilities of s = 0 … n stragglers with so many given ones among them."""
    s = np.arange(law.n + 1)
    found = law.probabilities.copy()
    for i in range(size):
        found *= np.maximum(s - i, 0) / (law.n - i)
    return found


def _held(law: NumberLaw, workers: list[int]) -> Values:
    """The probabilities of s = 0 … n stragglers with these workers among them."""
    if law.straggle is None or law.is_alike:
        return _held_by_alike(law, len(workers))
    found = np.zeros(law.n + 1)
    found[len(workers) :] = sum_law(np.delete(law.straggle, workers))
    return np.asarray(found * math.prod(law.straggle[workers].tolist()))


def of_ways(law: NumberLaw, ways: tuple[Way, ...]) -> Values:
    """Return the probabilities of s = 0 … n stragglers with all workers of any way, (n + 1,).

    >>> law = NumberLaw(np.array([0.25, 0.5, 0.25]), np.ones(2))
    >>> of_ways(law, ((0,), (1,))).tolist()
    [0.0, 0.5, 0.25]
    """
    found = np.zeros(law.n + 1)
    for size in range(1, len(ways) + 1):
        for some in itertools.combinations(ways, size):
            held = _held(law, sorted(set().union(*some)))
            found += held if size % 2 else -held
    return np.maximum(found, 0.0)


def outside(members: Members, s: int, ways: tuple[Way, ...]) -> Mask:
    """Return which sets of s stragglers, the first of each row, hold all workers of no way."""
    late = np.zeros(members.shape, np.bool_)
    np.put_along_axis(late, members[:, :s].astype(np.int64), True, axis=1)
    found = np.ones(len(members), np.bool_)
    for way in ways:
        found &= ~late[:, list(way)].all(axis=1)
    return found


#: Sets of an island.
SETS = 128
#: Patterns of an island on the level where chains begin.
TRIED = 2048
#: Swaps of each set on each level.
SWAPS = 6
#: Least probability of the event on the level where chains begin.
START = 0.3
#: Patterns from which the level where chains begin is found.
PILOT = 512
#: Patterns of an island on each level above that.
ABOVE = 8
#: Islands whose chains go down together, at most.
TOGETHER = 4


@dataclass(frozen=True, eq=False)
class Spectrum:
    """Probabilities of an event, island by island: independent of each other, unbiased."""

    law: NumberLaw
    decoder: Decoder  #: The optimal one.
    making: Making  #: Makes the sets of the code and the event; see `sets_of`.
    limit: float  #: The event: an error above it.
    seed: int
    stream: str  #: Names the draws.
    sets: int = SETS  #: Of an island.
    #: Looks for `ways`; see `fastgc.experiments.decoding.rare.spectrum.searched`.
    search: "Callable[[Spectrum], Search]" = searched
    _inclusions: dict[int, Values] = field(default_factory=dict, repr=False)

    def numbers(self, purpose: str, first: int, level: int, rows: int, draws: int) -> Values:
        """Uniform numbers (rows, draws) of a purpose and a level, by address from ``first`` on."""
        out = np.empty((rows, draws))
        key = streams.key(self.seed, self.stream, purpose)
        chain_sets.uniforms(key, first, level, out)
        return out

    def drawn(self, purpose: str, s: int, first: int, sets: int) -> NDArray[np.int32]:
        """Sets of s stragglers, (sets, n), of the addresses from ``first`` on."""
        n = self.law.n
        members = np.empty((sets, n), np.int32)
        numbers = self.numbers(purpose, first, s, sets, n)
        if s not in self._inclusions:
            self._inclusions[s] = self.law.inclusion(s)
        chain_sets.draw(self._inclusions[s], numbers, s, members)
        return members

    def has_event(self, members: NDArray[np.int32], s: int) -> Mask:
        """Which sets of s stragglers have the event."""
        return self.decoder.errors(pack(members, s)) > self.limit

    def share(self, s: int) -> float:
        """The event's share of a few sets of s stragglers."""
        return float(self.has_event(self.drawn("rare pilot", s, 0, PILOT), s).mean())

    @cached_property
    def start(self) -> int:
        """The smallest s whose sets have the event with a probability of .3, about."""
        low, high = 0, self.law.most
        while high - low > 1:
            middle = (low + high) // 2
            low, high = (low, middle) if self.share(middle) >= START else (middle, high)
        return high

    @cached_property
    def ways(self) -> tuple[Way, ...]:
        """Sets of stragglers that are counted on their own: those that hold one are left out."""
        return dominating(self.law, self.search(self))

    def above(self, s: int, first: int, islands: int) -> Values:
        """Unbiased f_s of each island by plain sampling, less the ways', (islands,)."""
        members = self.drawn("rare above", s, ABOVE * first, ABOVE * islands)
        rest = self.has_event(members, s) & outside(members, s, self.ways)
        return np.asarray(rest.reshape(islands, ABOVE).mean(axis=1))

    def below(self, start: int, lowest: int, first: int, islands: int) -> Values:
        """Unbiased f_s of each island for s = 0 … ``start``, less the ways', (islands, start + 1).

        Levels below ``lowest`` are left at 0, as those that no chain reaches.
        """
        found = np.zeros((islands, start + 1))
        together = max(1, min(TOGETHER, STATE // (self.sets * start * start)))
        for island in range(0, islands, together):
            some = min(together, islands - island)
            found[island : island + some] = self._descend(start, lowest, first + island, some)
        return found

    def with_event(
        self, purpose: str, start: int, first: int, sets: int
    ) -> tuple[NDArray[np.int32], float]:
        """So many sets with the event on the level where chains begin, and its f there.

        Given which draws have the event, these sets have equal probabilities: f and what follows
        from them may be multiplied.
        """
        kept = np.empty((0, self.law.n), np.int32)
        tried = 0
        share = 0.0
        while len(kept) < sets:
            members = self.drawn(purpose, start, first + tried, TRIED)
            hits = self.has_event(members, start)
            kept = np.concatenate([kept, members[hits]])
            if not tried:
                share = float(hits.mean())
            tried += TRIED
        return np.ascontiguousarray(kept[:sets]), share

    def _descend(self, start: int, lowest: int, first: int, islands: int) -> Values:
        law, found = self.law, np.zeros((islands, start + 1))
        rest = np.ones((islands, start + 1))
        begun = [
            self.with_event("rare start", start, (first + i) << 24, self.sets)
            for i in range(islands)
        ]
        found[:, start] = [share for _, share in begun]
        sets = self.making(np.concatenate([members for members, _ in begun]), start, law.odds)
        whole = law.odds.sum()
        rest[:, start] = self._rest(sets, islands)
        for s in range(start, max(lowest, 1), -1):
            swaps = SWAPS if s < start else 0
            numbers = self.numbers(
                "rare swap", first * self.sets, s, islands * self.sets, 3 * swaps
            )
            removable = sets.steps(numbers)[:, :s]
            odds = law.odds[sets.members[:, :s]]
            out = whole - odds.sum(axis=1, keepdims=True)
            scores = (removable / (np.maximum(out, 0.0) + odds)).reshape(islands, self.sets, s)
            parents = np.empty((islands, self.sets), np.int64)
            places = np.empty((islands, self.sets), np.int64)
            totals = np.empty(islands)
            numbers = self.numbers("rare pick", first, s, islands, self.sets + 1)
            chain_sets.pick(scores, s, numbers, totals, parents, places)
            step = elementary.exp(law.log_sums[s] - law.log_sums[s - 1])
            found[:, s - 1] = found[:, s] * (totals / self.sets) * step
            if not found[:, s - 1].any():
                break
            sets.drop(parents, places)
            rest[:, s - 1] = self._rest(sets, islands)
        return found * rest

    def _rest(self, sets: Sets, islands: int) -> Values:
        """The share of each island's sets that hold no way."""
        if not self.ways:
            return np.ones(islands)
        own = outside(sets.members, sets.s, self.ways)
        return np.asarray(own.reshape(islands, -1).mean(axis=1))
