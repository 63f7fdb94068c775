"""An event's probability given few stragglers, by enumeration, with a certain remainder.

The error never falls when stragglers are added, so f_s, the event's probability given s stragglers,
never falls with s: beyond the sets that are enumerated it is between the last f and 1.
"""

import math
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from fastgc.arrays import Values
from fastgc.codes.code import Code
from fastgc.codes.structure import Groups
from fastgc.decoding.decoder import Decoder
from fastgc.experiments.decoding.measures.base import threshold_margin
from fastgc.experiments.decoding.rare.number_law import NumberLaw
from fastgc.experiments.decoding.table import DecodingTable
from fastgc.registry.numbers import counted
from fastgc.statistics import strata
from fastgc.statistics.estimates import Estimate
from fastgc_kernels.decode import straggler_sets

#: Sets of stragglers that are enumerated at most.
SETS = 1 << 19
_CHUNK = 1 << 16


def share(decoder: Decoder, limit: float, law: NumberLaw, s: int) -> float:
    """f_s: the probability of an error above a limit given s stragglers."""
    words = -(-law.n // 64)
    current = np.arange(s)
    packed, products = np.empty((_CHUNK, words), np.uint64), np.empty(_CHUNK)
    found, whole = [], []
    filled = _CHUNK
    while filled == _CHUNK:
        filled = straggler_sets.combinations(current, law.n, law.odds, packed, products)
        errors = decoder.errors(packed[:filled])
        found.append(float(products[:filled][errors > limit].sum()))
        whole.append(float(products[:filled].sum()))
        if s == 0:
            break
    return math.fsum(found) / math.fsum(whole)


def least_stragglers(code: Code, limit: float, exact_threshold: float) -> int:
    """Return a number of stragglers below which the error is at most a limit for certain."""
    structure = code.structure
    if isinstance(structure, Groups):
        return _of_groups(structure, limit)
    if limit >= exact_threshold and code.tolerance is not None:
        return int(code.tolerance) + 1
    return 0


def _of_groups(structure: Groups, limit: float) -> int:
    """Fewest workers in groups that together weigh more than a limit; all workers if none do."""
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


def shares(
    decoder: Decoder, limit: float, law: NumberLaw, least: int, sets: int = SETS
) -> Iterator[Values]:
    """f_0 … f_s for growing s, as long as no more than so many sets are decoded."""
    known = np.zeros(min(least, law.n + 1))
    if known.size:
        yield known
    for s in range(known.size, reached(law, least, sets)):
        known = np.append(known, share(decoder, limit, law, s))
        yield known


def bounds(known: Values, law: NumberLaw) -> Estimate:
    """Bounds of the event's probability, from f_0 … f_s."""
    few = math.fsum(law.probabilities[: known.size] * known)
    many = math.fsum(law.probabilities[known.size :])
    s = known.size - 1
    rest = (
        f"the probability {many:.3g}"
        if many >= strata.SMALLEST
        else f"less than {strata.SMALLEST:.2g}"
    )
    said = f"all sets of up to {counted(s, 'stragglers')}; more have {rest}"
    return strata.bounds(few + many * float(known[-1]), few + many, said)


# ---- The events: a decoding error above some limit


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


def has_events(table: DecodingTable) -> bool:
    """Whether a table asks for the probability of an event."""
    wanted = {*_OF_THE_ERROR} | ({"mean_error"} if table.iterations == 1 else set())
    return "exact" in table.measure or bool(table.thresholds and wanted & {*table.measure})
