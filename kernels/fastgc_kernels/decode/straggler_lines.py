"""Patterns with few stragglers: code without loops, a kernel for each number of them.

H_TT is in registers. Two to six stragglers take a quarter to a third less than by panels, eight a
tenth, more nothing with registers of eight lanes. Each kernel takes half a second to one second to
compile, and one for all of them far longer: so each is compiled once it would have saved as much.
"""

import numpy as np

from fastgc_kernels._arrays import Booleans, Integers
from fastgc_kernels._jit import FALLBACKS, Kernel, inline
from fastgc_kernels._sources import is_kept
from fastgc_kernels.decode.straggler_costs import CLEAR, LEAST_PART, Cost, Found, Sorted
from fastgc_kernels.decode.straggler_lists import list_many_words
from fastgc_kernels.decode.straggler_vectors import LANES, line, list_stragglers, store

FEWEST, MOST = 2, 8
#: Seconds saved that are worth compiling, and loading what is compiled already.
_COMPILING, _LOADING = 1.0, 0.1
_SAVED = 0.07e-9  # seconds a pattern, times the square of its number of stragglers: measured
#: The number has to be a constant of the kernel.
_TEXT = """
def line_{s}(patterns, first, last, terms, found):
    _eliminate({s}, patterns, first, last, terms, found)
"""


@inline
def _eliminate(s, patterns, first, last, terms, found):
    """Patterns with s stragglers, as `straggler_costs.independent` has them."""
    packed, order = patterns
    H, x, e0, k = terms
    limits = e0, k, LEAST_PART, CLEAR
    columns, rows = np.empty((s, LANES), np.uint64), np.empty((s, LANES), np.uint64)
    cost, part = np.empty(LANES), np.empty(LANES)
    n, words = H.shape[0], packed.shape[1]
    for at in range(first, last, LANES):
        if words == 1:
            list_stragglers(1, packed, order, at, s, n, 0, H, columns, rows)
        elif words == 2:
            list_stragglers(2, packed, order, at, s, n, 0, H, columns, rows)
        else:
            list_many_words(packed, order, at, s, 0, H, columns, rows)
        line(s, columns, rows, x, cost, part)
        store(1, cost, part, order, at, last, limits, found)


class Line:
    """The kernel for so many stragglers, and what it would have saved."""

    def __init__(self, s: int) -> None:
        own = dict(globals())
        exec(compile(_TEXT.format(s=s), __file__, "exec"), own)
        self.kernel = Kernel(own[f"line_{s}"], "compiled")
        self._worth = _SAVED * s * s
        self.saved = 0.0

    @property
    def serves(self) -> bool:
        """Whether it is worth its compiling by now."""
        if self.saved >= _COMPILING or not FALLBACKS.wanted:
            return True
        kernel = self.kernel
        return self.saved >= _LOADING and is_kept(kernel.__module__, kernel.__qualname__)

    def count(self, patterns: int) -> None:
        """Count what it saves."""
        self.saved += patterns * self._worth


LINES = {s: Line(s) for s in range(FEWEST, MOST + 1)}


def chosen(n: int) -> Booleans:
    """For each number of stragglers of n workers, whether its own kernel serves."""
    found = np.zeros(n + 1, np.bool_)
    for s, own in LINES.items():
        if s < n:
            found[s] = own.serves
    return found


def fill(patterns: Sorted, lines: Booleans, start: Integers, terms: Cost, found: Found) -> None:
    """Fill in the errors of the patterns that have kernels of their own, and count all."""
    places = start.tolist()
    for s, own in LINES.items():
        if s < len(lines) - 1 and places[s] < places[s + 1]:
            if lines[s]:
                own.kernel(patterns, places[s], places[s + 1], terms, found)
            own.count(places[s + 1] - places[s])
