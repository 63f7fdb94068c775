"""Codes from adjacency matrices: every vertex of a graph is a worker, and a partition."""

from __future__ import annotations

from typing import Literal

import numpy as np

from fastgc.codes.code import Code, code_of
from fastgc.codes.columns import Columns
from fastgc.codes.graph import Graph
from fastgc.registry import register
from fastgc.registry.makers import maker


@register("code")
class Adjacency(Graph):
    """The adjacency matrix of a graph, regular in Raviv et al. 1707.03858, Section IV.

    Worker j holds the partitions that are the neighbours of vertex j. Of a d-regular graph all
    weights 1/d decode exactly without stragglers. The graph is a named one, or the ``edges`` given,
    as for the family "graph", where the edges are the workers.

    Raises
    ------
    FastgcError
        If not exactly one of name and edges is given, or there is no such graph.

    Examples
    --------
    >>> adjacency("petersen")
    Code(adjacency(petersen), k=10, n=10, tolerance=None)
    >>> adjacency(edges=[[0, 1], [1, 2]]).B.astype(int).tolist()
    [[0, 1, 0], [1, 0, 1], [0, 1, 0]]
    """

    family: Literal["adjacency"] = "adjacency"  # type: ignore[assignment]

    def number_of_workers(self) -> int:
        """Return the number of vertices."""
        if self.edges is None:
            return self.vertices or 10
        return self.vertices or 1 + max(max(edge) for edge in self.edges)

    def build(self) -> Code:
        """Return the code."""
        graph = super().build()
        ends = graph.columns.places.reshape(-1, 2)
        both = np.concatenate([ends, ends[:, ::-1]])
        entries = Columns.of_entries(graph.k, graph.k, both[:, 0], both[:, 1], np.ones(len(both)))
        return code_of(entries, graph.name.replace("graph", "adjacency", 1))


adjacency = maker(Adjacency, build=True)
