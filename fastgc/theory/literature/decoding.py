"""Bounds of the error: from below for any code, from above by expansion."""

from dataclasses import replace

from fastgc.theory.cases.statements import finite
from fastgc.theory.cases.tables import matrix
from fastgc.theory.common import check
from fastgc.theory.common.codes import error_lower_bound
from fastgc.theory.literature import paper
from fastgc.theory.literature.cases import RAVIV
from fastgc.theory.literature.designs import Edges, edges_of
from fastgc.theory.papers.claim import Case, Cases

paper.share(error_lower_bound)


@paper.elementwise
def expander_bound(n: int, d: int, eigenvalue: float, stragglers: int) -> float:
    """Bound (λ/d)² n s/(n−s) of the error, every set of s stragglers.

    For B the adjacency matrix of a d-regular graph on n vertices (or any normal B with d ones in
    every row and column), λ its second largest singular value. Raviv, Tamo, Tandon, Dimakis
    (arXiv:1707.03858), for the weight n/(n−s) on every answer; optimal decoding is at
    least as good.

    >>> round(expander_bound(10, 3, 2.0, 2), 6)
    1.111111
    """
    check.count("n", n, 1)
    check.count("d", d, 1, n)
    check.count("stragglers", stragglers, 0, n - 1)
    return (eigenvalue / d) ** 2 * n * stragglers / (n - stragglers)


def _expander(name: str, edges: Edges, d: int, eigenvalue: float, s: int) -> Case:
    vertices = 1 + max(map(max, edges))
    both = {*edges, *((v, u) for u, v in edges)}
    rows = [[float((u, v) in both) for v in range(vertices)] for u in range(vertices)]
    bound = expander_bound(vertices, d, eigenvalue, s)
    case = finite("largest_error", bound, scale=vertices, code=matrix(rows), survivors=vertices - s)
    return replace(case, point={"graph": name, "stragglers": s})


@paper.claim("expander.printed", RAVIV, relation="<=")
def _() -> Cases:
    """If B is the adjacency matrix of a d-regular graph on n vertices whose other eigenvalues are
    at most lambda in size, no set of s stragglers costs more than (lambda/d)^2 n s/(n-s)."""
    for s in (1, 3, 5):
        yield _expander("petersen", edges_of("petersen"), 3, 2.0, s)
    for s in (1, 3):
        yield _expander("complete 6", edges_of("complete", 6), 5, 1.0, s)
