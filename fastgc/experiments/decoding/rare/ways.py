"""Ways to fail that a chain meets too seldom: minimal sets of stragglers, counted exactly.

Where a chain begins, hardly any set may hold the few workers whose loss makes most of the
probability further down: its mean is unbiased, but most islands miss them. So single sets descend
first, each on its own, until they can lose no straggler. Minimal sets that these end at more seldom
than their share of the probability are counted by inclusion and exclusion, and chains by what else
fails: with any list of such sets that does not depend on the chains, the sum is unbiased.
"""

from __future__ import annotations

import itertools
import math
from collections import Counter
from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from fastgc.experiments.decoding.rare.number_law import NumberLaw, sum_law
from fastgc_kernels.decode import chain_sets

if TYPE_CHECKING:
    from fastgc.experiments.decoding.rare.spectrum import Spectrum

Values = NDArray[np.float64]
Members = NDArray[np.int32]
#: The workers of a minimal set, in order.
Way = tuple[int, ...]

#: Sets that descend, and of codes of groups, where that takes little time.
SEARCHED = 2048
SEARCHED_GROUPS = 8192
#: Islands of chains that say about how large the probability is.
PILOT = 4
#: Ways that are counted on their own at most: 2⁸ terms.
MOST = 8
#: Least share in the probability, and how often that exceeds their share of descents.
SHARE = 0.02
SELDOM = 10.0
#: Entries of the state of sets that descend together.
STATE = 1 << 22


class Search(NamedTuple):
    """What is looked for ways in: how many descents end at each, and f_s of some islands."""

    ends: Counter[Way]
    spectra: Values


def searched(spectrum: Spectrum, sets: int = SEARCHED) -> Search:
    """Let so many sets descend on their own, and a few islands of chains beside them."""
    start, found = spectrum.start, Counter[Way]()
    together = max(1, min(sets, STATE // start**2))
    for first in range(0, sets, together):
        some = min(together, sets - first)
        begun = spectrum.with_event("rare search start", start, first << 24, some)[0]
        found.update(_descended(spectrum, begun, first))
    pilot = replace(spectrum, stream=f"{spectrum.stream} pilot", search=_nothing)
    return Search(found, pilot.below(start, 1, 0, PILOT))


def _nothing(spectrum: Spectrum) -> Search:
    return Search(Counter(), np.zeros((PILOT, spectrum.start + 1)))


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


def _descended(spectrum: Spectrum, begun: Members, first: int) -> list[Way]:
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
    """The probability that all workers of a way straggle."""
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


def probabilities(law: NumberLaw, ways: tuple[Way, ...]) -> Values:
    """Return the probabilities of s = 0 … n stragglers with all workers of any way, (n + 1,).

    Examples
    --------
    >>> from fastgc.experiments.decoding.rare.number_law import NumberLaw
    >>> law = NumberLaw(np.array([0.25, 0.5, 0.25]), np.ones(2))
    >>> probabilities(law, ((0,), (1,))).tolist()
    [0.0, 0.5, 0.25]
    """
    found = np.zeros(law.n + 1)
    for size in range(1, len(ways) + 1):
        for some in itertools.combinations(ways, size):
            held = _held(law, sorted(set().union(*some)))
            found += held if size % 2 else -held
    return np.maximum(found, 0.0)


def outside(members: Members, s: int, ways: tuple[Way, ...]) -> NDArray[np.bool_]:
    """Return which sets of s stragglers, the first of each row, hold all workers of no way."""
    late = np.zeros(members.shape, np.bool_)
    np.put_along_axis(late, members[:, :s].astype(np.int64), True, axis=1)
    found = np.ones(len(members), np.bool_)
    for way in ways:
        found &= ~late[:, list(way)].all(axis=1)
    return found
