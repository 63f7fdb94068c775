"""Codes from graphs, whose edges are workers, and from block designs, whose points are."""

from itertools import product
from typing import Annotated, Literal

import numpy as np
import pydantic
from numpy.typing import NDArray

from fastgc.codes.code import Code, code_of
from fastgc.codes.columns import Columns
from fastgc.codes.family import Family
from fastgc.draws.streams import uniforms
from fastgc.errors import FastgcError
from fastgc.registry import register
from fastgc.registry.makers import maker
from fastgc.registry.number_types import MOST, Many, Seed

Ends = NDArray[np.int64]
_Vertex = Annotated[int, pydantic.Field(ge=0, lt=MOST)]
_Pair = Annotated[tuple[_Vertex, ...], pydantic.Field(min_length=2, max_length=2)]
_Edges = Annotated[tuple[_Pair, ...], pydantic.Field(min_length=1, max_length=MOST)]
_Name = Literal["cycle", "complete", "petersen", "random-regular"]

_FEWEST = {"cycle": 3, "complete": 2, "random-regular": 2}


@register("code")
class Graph(Family):
    """The code of a graph (Raviv et al. 1707.03858; Glasgow and Wootters 2006.09638).

    Worker j holds the two ends of edge j: edges are workers, vertices are partitions. The graph is
    a named one, or the ``edges`` given. Its tolerance is known for all named graphs but the random
    regular one, where it is at least 0.

    * ``name`` ({"cycle", "complete", "petersen", "random-regular"}, optional): Which graph; every
      name but "petersen" needs ``vertices``.
    * ``vertices`` (int, optional): Partitions. Ten for the Petersen graph; with ``edges``, one more
      than the largest end if left out.
    * ``degree`` (int, optional): Of the random regular graph: less than ``vertices``, their product
      even.
    * ``seed`` (int, optional): Of the random regular graph, 0 ≤ seed < 2⁶⁴; 1 if left out. Ends of
      edges are joined at random; loops and repeated edges change ends with random other edges that
      mend this.
    * ``edges`` (sequence of pairs of int, optional): Instead of a name: the graph itself, without
      loops; edges with the same ends are workers with the same partitions. Vertices count from 0.

    Raises FastgcError if not exactly one of name and edges is given, or there is no such graph.

    >>> graph("petersen")
    Code(graph(petersen), k=10, n=15, tolerance=2)
    """

    family: Literal["graph"] = "graph"
    name: _Name | None = None
    vertices: Many | None = None
    degree: Annotated[int | None, pydantic.Field(ge=1)] = None
    seed: Seed | None = None
    edges: _Edges | None = None

    @pydantic.field_validator("edges")
    @classmethod
    def _without_loops(cls, edges: tuple[tuple[int, ...], ...] | None) -> object:
        for i, edge in enumerate(edges or ()):
            if edge[0] == edge[1]:
                raise ValueError(f"must join different vertices (got {list(edge)} as edge {i})")
        return edges

    @pydantic.model_validator(mode="after")
    def _possible(self) -> "Graph":
        name, edges, v, d = self.name, self.edges, self.vertices, self.degree
        largest = max((max(edge) for edge in edges or ()), default=0)
        fewest = _FEWEST.get(str(name), 0)
        is_random = name == "random-regular"
        beside = "degree" if d is not None else "seed" if self.seed is not None else None
        missing = "vertices" if v is None and fewest else "degree" if d is None else None
        got = f"(got vertices={v}, degree={d})"
        for is_wrong, problem in (
            ((name is None) == (edges is None),
             f"give either name or edges (got {'neither' if name is None else 'both'})"),
            (edges and beside, "degree and seed go with name, not with edges"),
            (edges and v is not None and v <= largest,
             f"vertices must be more than {largest}, an end of an edge (got {v})"),
            (name == "petersen" and v not in (None, 10),
             f"vertices must be 10 or left out for the Petersen graph (got {v})"),
            (name and not is_random and beside,
             f'{beside} goes with name = "random-regular" (got name = "{name}")'),
            (fewest and (v is None or (is_random and d is None and v >= fewest)),
             f'{missing} is missing; name = "{name}" needs it'),
            (v is not None and v < fewest,
             f'vertices must be at least {fewest} for "{name}" (got {v})'),
            (is_random and (d or 0) >= (v or 0), f"degree must be less than vertices {got}"),
            (is_random and (v or 0) * (d or 0) % 2,
             f"vertices × degree must be even, because every edge has two ends {got}"),
            (name and self.n > MOST, f"a graph must have at most {MOST} edges (got {self.n})"),
        ):  # fmt: skip
            if is_wrong:
                raise ValueError(problem)
        return self

    @property
    def n(self) -> int:
        """Number of workers, one for each edge of the graph."""
        if self.edges is not None:
            return len(self.edges)
        v = self.vertices or 10
        degree = {"cycle": 2, "complete": v - 1, "petersen": 3}.get(str(self.name), self.degree)
        return v * (degree or 0) // 2

    def number_of_workers(self) -> int:
        return self.n

    def build(self) -> Code:
        if self.edges is not None:
            edges = np.array(self.edges)
            k = self.vertices or 1 + int(edges.max())
            name, tolerance = f"graph({k} vertices, {len(edges)} edges)", None
        else:
            k = self.vertices or 10
            edges, tolerance, name = self._named(k)
        offsets = np.arange(0, 2 * len(edges) + 1, 2)
        return code_of(Columns.from_ones(k, offsets, np.sort(edges).reshape(-1)), name, tolerance)

    def _named(self, v: int) -> tuple[Ends, int, str]:
        if self.name == "cycle":
            # One straggler leaves a path; a path is decoded exactly when its vertices are even.
            ring = np.arange(v)
            return np.stack([ring, (ring + 1) % v], axis=1), 1 - v % 2, f"graph(cycle, {v})"
        if self.name == "complete":
            # Cutting off a vertex takes v − 1 edges; from four vertices on nothing takes fewer.
            edges = np.stack(np.triu_indices(v, 1), axis=1)
            return edges, v - 2 if v > 3 else 0, f"graph(complete, {v})"
        if self.name == "petersen":
            outer = [(j, (j + 1) % 5) for j in range(5)]
            spokes = [(j, j + 5) for j in range(5)]
            inner = [(5 + j, 5 + (j + 2) % 5) for j in range(5)]
            return np.array(outer + spokes + inner), 2, "graph(petersen)"
        degree, seed = self.degree or 0, 1 if self.seed is None else self.seed
        full = f"graph(random-regular, {v}, degree={degree}, seed={seed})"
        # all edges with weight 1/degree decode exactly
        return random_regular(v, degree, seed), 0, full


graph = maker(Graph, build=True)


_ATTEMPTS = 100


def random_regular(v: int, degree: int, seed: int) -> Ends:
    """Return the edges (v · degree / 2, 2) of a random graph with ``degree`` edges at each vertex.

    Ends of edges are joined at random; loops and repeated edges change ends with random other edges
    that mend this. Edges come in order, the smaller end first. It is refused where none of 100
    pairings could be mended.
    """
    few = min(degree, v - 1 - degree)  # what is left of the complete graph is regular too
    for attempt in range(_ATTEMPTS):
        keys = _pairing(v, few, seed, f"random-regular/{v}/{few}/{attempt}")
        if keys is not None:
            break
    else:
        raise FastgcError(
            f"graph: none of {_ATTEMPTS} random pairings could be mended into a graph "
            f"(vertices={v}, degree={few}); take another seed"
        )
    if few != degree:
        one, other = np.triu_indices(v, 1)
        keys = np.setdiff1d(one * v + other, keys, assume_unique=True)
    return np.stack(np.divmod(np.sort(keys), v), axis=1)


def _pairing(v: int, degree: int, seed: int, name: str) -> Ends | None:
    """Join edge ends at random and mend them; keys v · a + b, a < b, or None if some cannot be."""
    ends = np.argsort(uniforms(seed, name, v * degree), kind="stable") // max(degree, 1)
    pairs = np.ascontiguousarray(ends[: len(ends) // 2 * 2].reshape(-1, 2))
    count = len(pairs)
    keys = pairs.min(axis=1) * v + pairs.max(axis=1)
    known, places, times = np.unique(keys, return_inverse=True, return_counts=True)
    wrong = np.flatnonzero((pairs[:, 0] == pairs[:, 1]) | (times[places] > 1))
    # Loops and repetitions are few, and no change makes new ones: all else stays as it was paired.
    change: dict[int, int] = {}

    def key(a: int, b: int) -> int:
        return a * v + b if a < b else b * v + a

    def held(edge: int) -> int:
        place = int(np.searchsorted(known, edge))
        first = int(times[place]) if place < len(known) and known[place] == edge else 0
        return first + change.get(edge, 0)

    starts = (uniforms(seed, f"{name}/swaps", count) * 2 * count).astype(int)[wrong].tolist()
    for i, start in zip(wrong.tolist(), starts, strict=True):
        a, b = pairs[i].tolist()
        if a != b and held(key(a, b)) == 1:
            continue
        for step in range(2 * count):
            other, turned = divmod((start + step) % (2 * count), 2)
            c, d = pairs[other, ::-1].tolist() if turned else pairs[other].tolist()
            if a == c or b == d or key(a, c) == key(b, d):
                continue
            if held(key(a, c)) or held(key(b, d)):
                continue
            for edge, more in ((a, b), -1), ((c, d), -1), ((a, c), 1), ((b, d), 1):
                change[key(*edge)] = change.get(key(*edge), 0) + more
            pairs[i], pairs[other] = (a, c), (b, d)
            break
        else:
            return None
    return np.asarray(pairs.min(axis=1) * v + pairs.max(axis=1))


# ---- Block designs


_Design = Literal["fano", "pg(2,3)", "ag(2,3)", "paley-11"]
Incidence = NDArray[np.bool_]


@register("code")
class BIBD(Family):
    """The code of a block design (Kadhe, Koyluoglu and Ramchandran, 1904.13373).

    Points are workers, blocks are partitions. Any two workers share the same number of partitions,
    so that all patterns of a size cost the same: with r survivors the error is k − d² r/(d + λ(r −
    1)), d the blocks that hold a point and λ those that hold two. Exact only without stragglers.

    * ``name`` ({"fano", "pg(2,3)", "ag(2,3)", "paley-11"}): The projective planes of order 2 and 3,
      (7, 3, 1) and (13, 4, 1); the affine plane of order 3, (9, 3, 1), whose 12 blocks are lines;
      the biplane (11, 5, 2) of the squares modulo 11.

    Raises FastgcError if there is no such design.

    >>> bibd("fano")
    Code(bibd(fano), k=7, n=7, tolerance=0)
    """

    family: Literal["bibd"] = "bibd"
    name: _Design

    @property
    def n(self) -> int:
        """Number of workers, one for each point of the design."""
        return self.build().n

    def build(self) -> Code:
        make, order = _DESIGNS[self.name]
        return code_of(make(order), f"bibd({self.name})", tolerance=0)


bibd = maker(BIBD, build=True)


def _projective_plane(q: int) -> Incidence:
    # One vector of each line through the origin: its first entry that is not 0 is 1.
    triples = product(range(q), repeat=3)
    vectors = np.array([v for v in triples if next((x for x in v if x), 0) == 1])
    return np.asarray(vectors @ vectors.T % q == 0)


def _affine_plane(q: int) -> Incidence:
    x, y = np.divmod(np.arange(q * q), q)
    sloped = [(slope * x + height) % q == y for slope in range(q) for height in range(q)]
    return np.array([*sloped, *(x == i for i in range(q))])


def _squares(p: int) -> Incidence:
    is_square = np.isin(np.arange(p), np.arange(1, p) ** 2 % p)
    return np.array([np.roll(is_square, shift) for shift in range(p)])


#: What makes the matrix of blocks × points, and the prime that it takes.
_DESIGNS = {
    "fano": (_projective_plane, 2),
    "pg(2,3)": (_projective_plane, 3),
    "ag(2,3)": (_affine_plane, 3),
    "paley-11": (_squares, 11),
}
