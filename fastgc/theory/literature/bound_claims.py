"""Claims on bounds of the error: from below for any code, from above by expansion."""

from __future__ import annotations

import math
from functools import partial

from fastgc.theory import literature
from fastgc.theory.cases.finite import finite
from fastgc.theory.cases.tables import Table, bibd, circulant, graph, iid
from fastgc.theory.cases.tables import binary as binary_code
from fastgc.theory.literature.cases import RAVIV, partitions, sampled
from fastgc.theory.papers.claim import Case, Claim, eager

_claim = partial(eager, paper="literature")


def bound_claims() -> tuple[Claim, ...]:
    """Claims on sum_i q^(d_i) and on the second singular value."""
    codes: tuple[tuple[Table, int, float], ...] = (
        (binary_code(11, 3), 4, 0.6),
        (circulant(12, 3), 3, 0.5),
        ({"family": "cyclic", "n": 8, "d": 3, "seed": 1}, 3, 0.5),
        ({"family": "cyclic-mds", "n": 9, "d": 3}, 3, 0.5),
        ({"family": "sparse-regular", "n": 16, "d": 3, "seed": 1}, 3, 0.5),
        (graph("petersen"), 3, 0.3),
        (bibd("fano"), 3, 0.5),
    )
    return (
        _claim(
            id="literature.lower-bound.derived",
            statement=(
                "For iid stragglers no code's mean error is below sum_i q^(d_i), d_i the number of "
                "workers that hold partition i"
            ),
            citation="Derived: a partition without a surviving holder costs 1",
            relation=">=",
            expected="confirmed",
            cases=tuple(
                sampled(
                    code,
                    iid(p),
                    literature.error_lower_bound([holders] * partitions(code), p),
                )
                for code, holders, p in codes
            ),
        ),
        _claim(
            id="literature.expander.printed",
            statement=(
                "If B has d ones in every row and column, is normal, and has second largest "
                "singular value lambda, no set of s stragglers costs more than "
                "(lambda/d)^2 n s/(n-s)"
            ),
            citation=RAVIV,
            relation="<=",
            expected="confirmed",
            cases=(
                *(_expander("petersen", _PETERSEN, 3, 2.0, s) for s in (1, 3, 5)),
                *(_expander("complete 6", _COMPLETE, 5, 1.0, s) for s in (1, 3)),
                *(_turned(n, d, s) for n, d, s in ((9, 4, 2), (10, 3, 4))),
            ),
        ),
    )


def _adjacency(edges: tuple[tuple[int, int], ...], vertices: int) -> list[list[float]]:
    both = {*edges, *((v, u) for u, v in edges)}
    return [[float((u, v) in both) for v in range(vertices)] for u in range(vertices)]


_PETERSEN = _adjacency(literature.edges_of("petersen"), 10)
_COMPLETE = _adjacency(literature.edges_of("complete", 6), 6)


def _expander(name: str, rows: list[list[float]], d: int, eigenvalue: float, s: int) -> Case:
    code: Table = {"family": "matrix", "rows": rows}
    case = _largest(code, len(rows), d, eigenvalue, s)
    point = {"graph": name, "stragglers": s}
    return Case(point, case.theory, case.experiment, case.quantity, scale=case.scale)


def _turned(n: int, d: int, s: int) -> Case:
    # A circulant's singular values are |sin(πdj/n)/sin(πj/n)|.
    second = max(
        abs(math.sin(math.pi * d * j / n) / math.sin(math.pi * j / n)) for j in range(1, n)
    )
    return _largest(circulant(n, d), n, d, second, s)


def _largest(code: Table, n: int, d: int, eigenvalue: float, s: int) -> Case:
    bound = literature.expander_bound(n, d, eigenvalue, s)
    return finite("largest_error", bound, scale=n, code=code, survivors=n - s)
