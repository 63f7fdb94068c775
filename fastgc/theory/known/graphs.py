"""What is known of graph codes: cycles, which are circulants with d = 2, and small graphs."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import Any

import numpy as np

from fastgc.theory.common import circulant as crc
from fastgc.theory.known.decoding import Decoding, error_forms, survivor_forms
from fastgc.theory.known.registered import code
from fastgc.theory.literature import graphs
from fastgc.theory.papers.claim import ClosedForm


@code("graph")
def graph(run: Decoding) -> Iterator[ClosedForm]:
    """Mean, variance and exactness for one law of survivors; small graphs by enumeration."""
    vertices = run.whole("vertices")
    if run.code.get("name") == "cycle" and vertices >= 3:
        law = run.law(vertices)
        if law is not None and law.simple:
            yield from _forms(
                "literature.graph.cycle.derived",
                law.mean(partial(crc.circulant_mean_error, vertices, 2)),
                law.mean(partial(crc.circulant_error_variance, vertices, 2)),
                law.mean(partial(crc.circulant_exact_probability, vertices)),
            )
        return
    edges, vertices = _edges(run.code.get("name"), vertices, run.code.get("edges"))
    law = run.law(len(edges))
    if law is None or len(edges) > graphs.LARGEST_GRAPH:
        return
    if law.simple:
        yield from _forms(
            "literature.graph.mean.derived",
            law.mean(partial(graphs.graph_mean_error, edges, vertices)),
            law.mean(partial(graphs.graph_error_variance, edges, vertices)),
            law.mean(partial(graphs.graph_exact_probability, edges, vertices)),
        )
    numbers = range(len(edges) + 1)
    means = np.array([graphs.graph_mean_error(edges, vertices, survivors=r) for r in numbers])
    yield from survivor_forms(law, means)


def _forms(claim: str, mean: float, variance: float, exact: float) -> Iterator[ClosedForm]:
    yield from error_forms(mean, claim, variance)
    yield ClosedForm("exact", "mean", None, exact, None)


def _edges(name: Any, vertices: int, edges: Any) -> tuple[graphs.Edges, int]:
    """Edges and vertices of a graph whose edges the table alone tells."""
    if edges:
        pairs = tuple((int(u), int(v)) for u, v in edges)
        return pairs, max(vertices, 1 + max(map(max, pairs)))
    if name == "petersen":
        return graphs.edges_of(name), 10
    # The complete graph on 7 vertices has too many edges already.
    if name == "complete" and 2 <= vertices <= 6:
        return graphs.edges_of(name, vertices), vertices
    return (), 0
