"""The steps of the proof of Theorem 1: what subtrees are given, and must hold (Appendix C).

D^T is what a subtree holds, with its root; n children per parent, ``layers`` = L, s stragglers per
parent. Shares are of the d data points.
"""

import math

from fastgc.theory.codedreduce import paper
from fastgc.theory.codedreduce.load import built_tree, check_tree, on_tree, tree_load
from fastgc.theory.common import check
from fastgc.theory.papers.claim import Cases

_PLACE = "Appendix C, optimality"
#: n, layers, s of trees small enough to try all sets of workers.
_SMALL = ((3, 2, 1), (3, 2, 2), (2, 3, 1), (2, 2, 0))


@paper.elementwise
def subtree_share(n: int, layers: int, s: int, layer: int) -> float:
    """Share y^l − r_CR (y^(l−1) + … + y) that CR gives a subtree of layer l, y = (s+1)/n.

    codedreduce, (12) for the first layer and (13) for leaves, which hold r_CR.

    >>> round(subtree_share(3, 2, 1, 1), 9), round(subtree_share(3, 2, 1, 2) - 4 / 15, 9)
    (0.666666667, 0.0)
    """
    check_tree(n, layers, s)
    check.count("layer", layer, 1, int(layers))
    y = (s + 1) / n
    kept = math.fsum(y**above for above in range(1, int(layer)))
    return y ** int(layer) - float(tree_load(n, layers, s)) * kept


@paper.claim("theorem1.allocation.printed", "Appendix C, (12), the display after it and (13)")
def _() -> Cases:
    """CR gives every subtree of layer l the share y^l - r_CR (y^(l-1) + ... + y) of the data, y =
    (s+1)/n: (12) for l = 1, and for l = L (13), which is r_CR."""
    for *shape, layer in ((3, 2, 1, 1), (3, 2, 1, 2), (4, 3, 1, 2), (4, 3, 1, 3), (5, 3, 2, 2)):
        theory = subtree_share(*shape, layer)
        yield on_tree("share_of_subtree", theory, *shape, layer=layer)
        yield built_tree("share_of_subtree", theory, *shape, layer=layer)


@paper.claim("theorem1.spread.printed", f"{_PLACE}, (14)", relation=">=")
def _() -> Cases:
    """What survives any s stragglers per parent places each data point in s+1 subtrees of the
    master's children at least (the fewest, of all placements and in CR)."""
    for shape in _SMALL:
        yield on_tree("fewest_subtrees", shape[2] + 1, *shape)
        yield built_tree("fewest_subtrees", shape[2] + 1, *shape)


@paper.claim("theorem1.claim1.printed", f"{_PLACE}, Claim 1 and (15)", relation=">=")
def _() -> Cases:
    """The subtrees of a node's n children hold s+1 times as much as its own less the r d that it
    may hold itself: each point that it does not hold is in s+1 of them at least, in a scheme whose
    points are in no more subtrees than (14) asks for, as is said before it."""
    for shape in _SMALL:
        yield on_tree("fewest_below", shape[2] + 1, *shape, needless=False)
        yield built_tree("fewest_below", shape[2] + 1, *shape)


@paper.elementwise
def subtree_bound(n: int, layers: int, s: int, load: float, layer: int) -> float:
    """Most r (x^(L−l) + … + x + 1) that a subtree of layer l can hold at load r, x = n/(s+1).

    codedreduce, Appendix C, the displays after (15). With what (14) asks of layer 1 it is (5).

    >>> round(subtree_bound(3, 2, 1, 4 / 15, 1), 9)
    0.666666667
    """
    check_tree(n, layers, s)
    check.count("layer", layer, 1, int(layers))
    check.positive(load=load)
    return load * math.fsum((n / (s + 1)) ** below for below in range(int(layers - layer) + 1))


@paper.claim("theorem1.recursion.printed", f"{_PLACE}, displays after (15)", relation="<=")
def _() -> Cases:
    """A subtree of layer l holds at most r d (x^(L-l) + ... + x + 1), x = n/(s+1), r being the
    largest load (the most that it can hold, by a linear programme over all placements)."""
    for *shape, load, layer in (
        (3, 2, 1, 4 / 15, 1),
        (3, 2, 1, 0.3, 1),
        (2, 2, 0, 0.2, 1),
        (2, 3, 0, 0.08, 1),
        (2, 3, 1, 0.4, 2),
    ):
        theory = subtree_bound(*shape, load, layer)
        yield on_tree("largest_subtree", theory, *shape, load=load, layer=layer)
