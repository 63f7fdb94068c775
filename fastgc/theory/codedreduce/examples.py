"""The matrices (4) and the (3,2)-regular tree coded with them (codedreduce, Examples 1 and 2)."""

from __future__ import annotations

from fastgc.theory.cases.finite import finite
from fastgc.theory.codedreduce.load import tree_load
from fastgc.theory.codedreduce.paper import paper
from fastgc.theory.papers.claim import REFUTED
from fastgc.theory.papers.paper import Cases


@paper.claim("example1.printed", "Example 1 and (4)")
def _() -> Cases:
    """With the matrices (4) any two of three workers give the sum of all three partial gradients
    (largest deviation of a coefficient from 1)."""
    for straggler in (1, 2, 3):
        yield finite("example_error", 0, straggler=straggler)


@paper.claim("example2.printed", "Example 2")
def _() -> Cases:
    """On the (3,2)-regular tree with load 4/15 all 256 patterns of at most one straggler per parent
    give the exact sum (patterns, failures, load)."""
    yield finite("example_patterns", 256)
    yield finite("example_failures", 0, scale=256)
    yield finite("example_load", tree_load(3, 2, 1))


@paper.claim("example2.rows.printed", "Example 2", REFUTED)
def _() -> Cases:
    """Children 1 and 2 are decoded with the first row of A, 1 and 3 with the second, 2 and 3 with
    the first (its zero is at child 1)."""
    return _rows(1, 2, 1)


@paper.claim("example2.rows.corrected", "Example 2, corrected")
def _() -> Cases:
    """Children 1 and 2 are decoded with the third row of A, [2, -1, 0]."""
    return _rows(3, 2, 1)


def _rows(*rows: int) -> Cases:
    for pair, row in zip(([1, 2], [1, 3], [2, 3]), rows, strict=True):
        yield finite("example_row", row, survivors=pair)
