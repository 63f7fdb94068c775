"""Stand-ins for the search of the worst set: the kernels' own lines, as Python."""

from __future__ import annotations

import math

from fastgc_kernels.decode import worst_subsets
from fastgc_kernels.decode.worst_subsets import Best, Items, Path, Terms

PATIENCE = 4.0
MOST = 1 << 18  # entries of all that is eliminated


def search(items: Items, first: int, last: int, terms: Terms, room: Path, best: Best) -> object:
    """Set by set."""
    if _work(items) > MOST:
        return NotImplemented
    return worst_subsets.search(items, first, last, terms, room, best)


def search_dependent(
    items: Items, first: int, last: int, terms: Terms, room: Path, best: Best
) -> object:
    """Set by set."""
    if _work(items) > MOST:
        return NotImplemented
    return worst_subsets.search_dependent(items, first, last, terms, room, best)


def _work(items: Items) -> int:
    """Entries, if the first item is given and no set is passed over."""
    m = items.price.size
    return math.comb(m, max(min(items.budget, m) - 2, 0)) * m * m
