"""Fallback for the search of the worst set where items depend on each other."""

import math

from fastgc_kernels.decode import worst_subsets
from fastgc_kernels.decode.worst_subsets import Best, Items, Path, Terms

MOST = 1 << 12  # entries of all that is eliminated


def search_dependent(
    items: Items, first: int, last: int, terms: Terms, room: Path, best: Best
) -> object:
    """The kernel's own lines, as Python."""
    m = items.price.size
    # if every set begins with the first item, and none is passed over
    if math.comb(m, max(min(items.budget, m) - 2, 0)) * m * m > MOST:
        return NotImplemented
    worst_subsets.search_dependent(items, first, last, terms, room, best)
    return None
