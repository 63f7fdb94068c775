"""Claims on codes from graphs and block designs."""

from __future__ import annotations

from functools import partial

from fastgc.theory import literature
from fastgc.theory.cases.finite import finite
from fastgc.theory.cases.tables import Table, bibd, edges, graph, iid, uniform
from fastgc.theory.literature.cases import GLASGOW, KADHE, sampled
from fastgc.theory.literature.graphs import Edges
from fastgc.theory.papers.claim import Case, Claim, eager

_claim = partial(eager, paper="literature", relation="=")

#: Two triangles that share a vertex, with a tail: bipartite parts, odd rings and a leaf.
_KITE: Edges = ((0, 1), (0, 2), (1, 2), (2, 3), (2, 4), (3, 4), (4, 5), (5, 6))
_STAR: Edges = tuple((0, leaf) for leaf in range(1, 8))


def graph_claims() -> tuple[Claim, ...]:
    """Claims on graph codes by components, and on designs."""
    petersen = literature.edges_of("petersen")
    return (
        _claim(
            id="literature.graph.components.printed",
            statement=(
                "A graph code's error is the sum over components of the surviving edges: "
                "(|L|-|R|)^2/|V| for a bipartite one with sides L and R, 0 for any other "
                "(largest difference over all patterns)"
            ),
            citation=GLASGOW,
            expected="confirmed",
            cases=(
                _components("cycle 7", graph("cycle", 7), literature.edges_of("cycle", 7), 7),
                _components("complete 5", graph("complete", 5), _complete(5), 5),
                _components("star 8", edges(*_STAR), _STAR, 8),
                _components("triangles and tail", edges(*_KITE), _KITE, 7),
            ),
        ),
        _claim(
            id="literature.graph.mean.derived",
            statement=(
                "The mean error of a graph code is the average of the components' costs: Petersen "
                "graph, iid q=.1: .00121778 k; q=.3: .0335226 k"
            ),
            citation=f"{GLASGOW}, evaluated",
            expected="confirmed",
            cases=(
                *(
                    finite(
                        "mean_error",
                        literature.graph_mean_error(petersen, 10, p=p),
                        scale=10,
                        code=graph("petersen"),
                        p=p,
                    )
                    for p in (0.1, 0.3)
                ),
                *(
                    sampled(
                        graph("petersen"),
                        iid(p),
                        literature.graph_mean_error(petersen, 10, p=p),
                    )
                    for p in (0.3, 0.5)
                ),
                sampled(
                    graph("petersen"),
                    uniform(8),
                    literature.graph_mean_error(petersen, 10, survivors=7),
                ),
                sampled(
                    graph("complete", 5),
                    iid(0.5),
                    literature.graph_mean_error(_complete(5), 5, p=0.5),
                ),
            ),
        ),
        _claim(
            id="literature.graph.cycle.derived",
            statement="The code of the cycle graph has the mean error of the circulant with d = 2",
            citation=f"{GLASGOW}, evaluated",
            expected="confirmed",
            cases=(
                *(
                    sampled(graph("cycle", n), iid(p), literature.circulant_mean_error(n, 2, p=p))
                    for n, p in ((7, 0.3), (12, 0.4))
                ),
                sampled(
                    graph("cycle", 11),
                    uniform(4),
                    literature.circulant_mean_error(11, 2, survivors=7),
                ),
            ),
        ),
        *_design_claims(),
    )


def _design_claims() -> tuple[Claim, ...]:
    return (
        _claim(
            id="literature.bibd.error.printed",
            statement=(
                "With workers = points and partitions = blocks, every pattern with r survivors has "
                "error k - d^2 r/(d + lambda(r-1)): Fano plane 4, 2.5, 1.6, 1, 4/7, 1/4, 0"
            ),
            citation=KADHE,
            expected="confirmed",
            cases=(
                *(_same_error(name) for name in ("fano", "ag(2,3)", "paley-11")),
                *(
                    sampled(bibd("fano"), uniform(7 - r), literature.bibd_error(7, 3, 1, r))
                    for r in range(1, 8)
                ),
                sampled(bibd("pg(2,3)"), uniform(5), literature.bibd_error(13, 4, 1, 8)),
                sampled(bibd("ag(2,3)"), uniform(3), literature.bibd_error(12, 4, 1, 6)),
            ),
        ),
        _claim(
            id="literature.bibd.variance.printed",
            statement="Given the number of survivors the error of a design does not vary",
            citation=KADHE,
            expected="confirmed",
            cases=tuple(
                sampled(bibd(name), uniform(s), 0, statistic="variance")
                for name, s in (("fano", 3), ("pg(2,3)", 5), ("ag(2,3)", 4), ("paley-11", 6))
            ),
        ),
        _claim(
            id="literature.bibd.mean.derived",
            statement=(
                "For iid stragglers a design's mean error is the mixture of its errors over the "
                "binomial number of survivors"
            ),
            citation=f"{KADHE}, extended",
            expected="confirmed",
            cases=tuple(
                sampled(bibd(name), iid(p), literature.bibd_mean_error(name, p))
                for name, p in (("fano", 0.2), ("ag(2,3)", 0.4), ("paley-11", 0.5))
            ),
        ),
    )


def _components(name: str, code: Table, pairs: Edges, vertices: int) -> Case:
    errors = literature.graph_errors(pairs, vertices).tolist()
    case = finite("largest_difference", 0, scale=vertices, code=code, errors=errors)
    return Case({"graph": name}, case.theory, case.experiment, case.quantity, scale=case.scale)


def _same_error(name: str) -> Case:
    errors = literature.bibd_errors(name).tolist()
    case = finite("largest_difference", 0, scale=errors[0], code=bibd(name), errors=errors)
    return Case({"name": name}, case.theory, case.experiment, case.quantity, scale=case.scale)


def _complete(vertices: int) -> Edges:
    return literature.edges_of("complete", vertices)
