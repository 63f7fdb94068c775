"""The matrices (4) and the (3,2)-regular tree coded with them (codedreduce, Examples 1 and 2)."""

from __future__ import annotations

from fastgc.theory.cases.finite import built, finite
from fastgc.theory.codedreduce import paper
from fastgc.theory.codedreduce.load import built_tree, tree_load
from fastgc.theory.papers.claim import MISPRINT, REFUTED, Cases

#: The encoding matrix of (4).
_B = [[0.5, 1, 0], [0, 1, -1], [0.5, 0, 1]]


@paper.claim("example1.printed", "Example 1 and (4)")
def _() -> Cases:
    """With the matrices (4) any two of three workers give the sum of all three partial gradients
    (largest deviation of a coefficient from 1, decoded with the row of A that is 0 at the third;
    and the patterns that fastgc's least squares do not decode)."""
    for straggler in (1, 2, 3):
        yield finite("example_error", 0, straggler=straggler)
    yield built("undecoded_patterns", 0, scale=4, n=3, layers=1, s=1, rows=_B)


@paper.claim("example2.printed", "Example 2")
def _() -> Cases:
    """On the (3,2)-regular tree with load 4/15 all 256 patterns of at most one straggler per parent
    give the exact sum (failures, load)."""
    yield finite("example_failures", 0, scale=256)
    yield finite("example_load", tree_load(3, 2, 1))
    yield built_tree("undecoded_patterns", 0, 3, 2, 1, scale=256, rows=_B)
    yield built_tree("largest_share", tree_load(3, 2, 1), 3, 2, 1)


@paper.claim("example2.rows.printed", "Example 2, (4)", REFUTED, kind=MISPRINT)
def _() -> Cases:
    """Children 1 and 2 are decoded with the first row of A, [2, -1, 0], children 1 and 3 with the
    second."""
    yield finite("example_row", 1, survivors=[1, 2])
    yield finite("example_row", 2, survivors=[1, 3])
    yield finite("example_coefficient", 2, row=1, child=1)


@paper.claim(
    "example2.rows.corrected",
    "Example 2, corrected",
    corrects="example2.rows.printed",
    proof="The first row of A in (4) is [0, 1, 2], which takes nothing from child 1; [2, -1, 0] is "
    "the third.",
)
def _() -> Cases:
    """Children 1 and 2 are decoded with the third row of A, [2, -1, 0], children 1 and 3 with the
    second."""
    yield finite("example_row", 3, survivors=[1, 2])
    yield finite("example_row", 2, survivors=[1, 3])
    yield finite("example_coefficient", 2, row=3, child=1)


@paper.claim("example2.survivors.printed", "Example 2, node (1,1)", REFUTED, kind=MISPRINT)
def _() -> Cases:
    """Node (1,1) recovers its gradient, with the row [2, -1, 0], from the messages of two children,
    which the text calls (2,1) and (2,1) (what the row takes from each)."""
    for child, coefficient in ((1, 2), (2, 0), (3, 0)):
        yield finite("example_coefficient", coefficient, row=3, child=child)


@paper.claim(
    "example2.survivors.corrected",
    "Example 2, corrected",
    corrects="example2.survivors.printed",
    proof="The two surviving children are (2,1) and (2,2): m_(1,1) is computed as 2 m_(2,1) - "
    "m_(2,2), and no row of A makes do with one child.",
)
def _() -> Cases:
    """It takes the messages of children (2,1) and (2,2) and of no other."""
    yield finite("example_row", 3, survivors=[1, 2])
    yield finite("example_coefficient", -1, row=3, child=2)
    yield finite("example_coefficient", 0, row=3, child=3)
