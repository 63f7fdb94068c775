"""The steps of the proof of Theorem 1: what subtrees are given, and must hold (Appendix C).

D^T is what a subtree holds, with its root; n children per parent, ``layers`` = L, s stragglers per
parent. Shares are of the d data points.
"""

import math

from fastgc.theory.cases.statements import as_built, brute
from fastgc.theory.codedreduce import paper
from fastgc.theory.codedreduce.load import check_tree, tree_load
from fastgc.theory.common import check
from fastgc.theory.papers.points import at

_PLACE = "Appendix C, optimality"
#: n, layers, s of trees small enough to try all sets of workers.
_SMALL = ((3, 2, 1), (3, 2, 2), (2, 3, 1), (2, 2, 0))


@paper.states("theorem1.allocation.printed", "Appendix C, (12), the display after it and (13)")
@at(
    [(3, 2, 1, 1), (3, 2, 1, 2), (4, 3, 1, 2), (4, 3, 1, 3), (5, 3, 2, 2)],
    brute("share_of_subtree"),
    as_built("share_of_subtree"),
)
def subtree_share(n: int, layers: int, s: int, layer: int) -> float:
    """CR gives every subtree of layer l the share y^l - r_CR (y^(l-1) + ... + y) of the data, y =
    (s+1)/n: (12) for l = 1, and for l = L (13), which is r_CR."""
    check_tree(n, layers, s)
    check.count("layer", layer, 1, int(layers))
    y = (s + 1) / n
    kept = math.fsum(y**above for above in range(1, int(layer)))
    return y ** int(layer) - float(tree_load(n, layers, s)) * kept


@paper.states(
    "theorem1.spread.printed",
    f"{_PLACE}, (14)",
    relation=">=",
    says="What survives any s stragglers per parent places each data point in s+1 subtrees of the "
    "master's children at least (the fewest, of all placements and in CR)",
)
@at(_SMALL, brute("fewest_subtrees"), as_built("fewest_subtrees"))
@paper.states("theorem1.claim1.printed", f"{_PLACE}, Claim 1 and (15)", relation=">=")
@at(_SMALL, brute("fewest_below", needless=False), as_built("fewest_below"))
def _copies(n: int, layers: int, s: int) -> float:
    """The subtrees of a node's n children hold s+1 times as much as its own less the r d that it
    may hold itself: each point that it does not hold is in s+1 of them at least, in a scheme whose
    points are in no more subtrees than (14) asks for, as is said before it."""
    return s + 1


@paper.states("theorem1.recursion.printed", f"{_PLACE}, displays after (15)", relation="<=")
@at(
    [
        (3, 2, 1, 4 / 15, 1),
        (3, 2, 1, 0.3, 1),
        (2, 2, 0, 0.2, 1),
        (2, 3, 0, 0.08, 1),
        (2, 3, 1, 0.4, 2),
    ],
    brute("largest_subtree"),
)
def subtree_bound(n: int, layers: int, s: int, load: float, layer: int) -> float:
    """A subtree of layer l holds at most r d (x^(L-l) + ... + x + 1), x = n/(s+1), r being the
    largest load (the most that it can hold, by a linear programme over all placements)."""
    check_tree(n, layers, s)
    check.count("layer", layer, 1, int(layers))
    check.positive(load=load)
    return load * math.fsum((n / (s + 1)) ** below for below in range(int(layers - layer) + 1))
