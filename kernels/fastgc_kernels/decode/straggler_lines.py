"""Patterns with few stragglers: code without loops, a kernel for each number of them.

H_TT is in registers. Two to six stragglers take a quarter to a third less than by panels, eight a
tenth, more nothing with registers of eight lanes. Each kernel takes half a second to one second to
compile, and one for all of them far longer: so each is compiled once it would have saved as much.
"""

import numpy as np

from fastgc_kernels._arrays import Booleans
from fastgc_kernels._jit import FALLBACKS, PATIENCE, PATIENCE_IF_KEPT, Kernel, inline
from fastgc_kernels._sources import is_kept
from fastgc_kernels.decode.straggler_costs import Found, Limits, Shared, Sorted
from fastgc_kernels.decode.straggler_lists import list_many_words
from fastgc_kernels.decode.straggler_vectors import LANES, line, list_stragglers, store

FEWEST, MOST = 2, 8
_SAVED = 0.07e-9  # seconds a pattern, times the square of its number of stragglers: measured
#: The number has to be a constant of the kernel.
_TEXT = """
def line_{s}(patterns, shared, limits, found):
    _eliminate({s}, patterns, shared, limits, found)
"""


@inline
def _eliminate(s, patterns, shared, limits, found):
    """Patterns with s stragglers, as `straggler_costs.independent` has them."""
    packed, order, start, end = patterns
    H, rest, before_cost, before_part, listed = shared
    columns, rows = np.empty((s, LANES), np.uint64), np.empty((s, LANES), np.uint64)
    cost, part = np.empty(LANES), np.empty(LANES)
    n, words, classes = H.shape[1], packed.shape[1], H.shape[0]
    groups = start.size // classes
    for c in range(classes):
        first, last = start[c * groups + s], end[c * groups + s]
        own, x, begun = H[c], rest[c], (before_cost[c], before_part[c])
        for at in range(first, last, LANES):
            if words == 1:
                list_stragglers(1, packed, order, at, listed, s, n, 0, own, columns, rows)
            elif words == 2:
                list_stragglers(2, packed, order, at, listed, s, n, 0, own, columns, rows)
            else:
                list_many_words(packed, order, at, listed, 0, own, columns, rows)
            line(s, n, columns, rows, x, begun, cost, part)
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
        if self.saved >= PATIENCE or not FALLBACKS.wanted:
            return True
        kernel = self.kernel
        return self.saved >= PATIENCE_IF_KEPT and is_kept(kernel.__module__, kernel.__qualname__)

    def count(self, patterns: int) -> None:
        """Count what it saves."""
        self.saved += patterns * self._worth


LINES = {s: Line(s) for s in range(FEWEST, MOST + 1)}


def chosen(most: int) -> Booleans:
    """For each number of stragglers up to ``most``, whether its own kernel serves."""
    found = np.zeros(most + 1, np.bool_)
    for s, own in LINES.items():
        if s < most:
            found[s] = own.serves
    return found


def fill(patterns: Sorted, lines: Booleans, shared: Shared, limits: Limits, found: Found) -> None:
    """Fill in the errors of the patterns that have kernels of their own, and count all."""
    counts = (patterns.end - patterns.start).reshape(-1, lines.size).sum(axis=0)
    for s, count in enumerate(counts[:-1].tolist()):
        if count and s in LINES:
            if lines[s]:
                LINES[s].kernel(patterns, shared, limits, found)
            LINES[s].count(count)
