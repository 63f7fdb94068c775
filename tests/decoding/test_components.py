"""Errors of graph codes by connected components, against least squares."""

import itertools
from fractions import Fraction

import numpy as np
import pytest

from fastgc import codes
from fastgc.decoding.decoder import Decoder
from fastgc_kernels.decode import components
from twins.decoders import every_pattern
from twins.families import petersen
from twins.least_squares import lstsq_errors, pack


def incidence(edges, k):
    """Column j holds the ends of edge j; a loop is a single one."""
    B = np.zeros((k, len(edges)))
    for j, edge in enumerate(edges):
        B[list(edge), j] = 1
    return B


def errors(edges, k, patterns):
    out = np.full(len(patterns), np.nan)
    components.errors(pack(patterns), np.array(edges, np.int32), k, out)
    return out


GRAPHS = {
    "triangle": ([(0, 1), (1, 2), (2, 0)], 3),
    "square": ([(0, 1), (1, 2), (2, 3), (3, 0)], 4),
    "cycle of 9": ([(v, (v + 1) % 9) for v in range(9)], 9),
    "complete, 5": (list(itertools.combinations(range(5), 2)), 5),
    "star": ([(0, v) for v in range(1, 7)], 7),
    "two triangles and an edge": ([(0, 1), (1, 2), (2, 0), (3, 4), (4, 5), (5, 3), (2, 3)], 6),
    "a loop": ([(0, 0)], 1),
    "loops and isolated vertices": ([(0, 0), (0, 1), (1, 2), (4, 4), (2, 6), (6, 2)], 8),
    "repeated edges": ([(0, 1), (1, 0), (0, 1), (1, 2), (2, 3)], 4),
}


@pytest.mark.parametrize("name", GRAPHS)
def test_all_patterns(name):
    edges, k = GRAPHS[name]
    patterns = every_pattern(len(edges))
    expected = lstsq_errors(incidence(edges, k), patterns)
    assert errors(edges, k, patterns) == pytest.approx(expected, abs=1e-12)


@pytest.mark.night
def test_all_patterns_of_petersen():
    patterns = every_pattern(15)[::7]
    expected = lstsq_errors(incidence(petersen(), 10), patterns)
    assert errors(petersen(), 10, patterns) == pytest.approx(expected, abs=1e-12)


def test_petersen_under_iid_stragglers():
    """Known values of the mean error over k."""
    patterns = every_pattern(15)
    found = errors(petersen(), 10, patterns)
    alive = patterns.sum(axis=1)
    for p, known in ((0.1, 0.00121778), (0.3, 0.0335226)):
        mean = (p ** (15 - alive) * (1 - p) ** alive) @ found / 10
        assert mean == pytest.approx(known, rel=3e-6)


@pytest.mark.parametrize("seed", range(12))
def test_random_graphs(seed):
    """Loops, repeated edges, isolated vertices; also more workers than a word has bits."""
    rng = np.random.default_rng(seed)
    k, n = int(rng.integers(1, 30)), int(rng.integers(1, 150))
    edges = rng.integers(0, k, (n, 2))
    if seed % 2:
        edges[:, 1] = np.where(rng.random(n) < 0.8, (edges[:, 0] + 1) % k, edges[:, 1])
    patterns = rng.random((60, n)) < rng.uniform(0.05, 0.95, (60, 1))
    patterns[0], patterns[1] = True, False
    found = errors(edges, k, patterns)
    assert found == pytest.approx(lstsq_errors(incidence(edges, k), patterns), abs=1e-10)
    assert found[1] == k


@pytest.mark.parametrize("vertices", [65, 130])
def test_a_cycle_longer_than_a_word(vertices):
    code = codes.graph("cycle", vertices=vertices)
    rng = np.random.default_rng(vertices)
    patterns = rng.random((40, vertices)) < 0.7
    patterns[0] = True
    edges = [(v, (v + 1) % vertices) for v in range(vertices)]
    found = errors(edges, vertices, patterns)
    # as the code has it, whatever kernel it uses and however it orders its edges
    assert Decoder(code).errors(pack(patterns))[0] == found[0] == 0
    assert found == pytest.approx(lstsq_errors(incidence(edges, vertices), patterns), abs=1e-9)


def test_zeros_are_exact():
    """A recovered component costs exactly 0, so that exact recovery needs no tolerance."""
    edges, k = GRAPHS["complete, 5"]
    patterns = every_pattern(len(edges))
    found = errors(edges, k, patterns)
    truly = lstsq_errors(incidence(edges, k), patterns) < 1e-9
    assert np.array_equal(found == 0, truly) and 0 < truly.sum() < len(truly)


def by_search(edges: list[list[int]], k: int) -> Fraction:
    """The error by colouring each component from its first vertex on."""
    near: list[list[int]] = [[] for _ in range(k)]
    for a, b in edges:
        near[a].append(b)
        near[b].append(a)
    side: dict[int, int] = {}
    total = Fraction(0)
    for first in range(k):
        if first in side:
            continue
        side[first], waiting, members, bipartite = 1, [first], [first], True
        while waiting:
            vertex = waiting.pop()
            for other in near[vertex]:
                if other not in side:
                    side[other] = -side[vertex]
                    waiting.append(other)
                    members.append(other)
                bipartite &= side[other] != side[vertex]
        if bipartite:
            total += Fraction(sum(side[v] for v in members) ** 2, len(members))
    return total


@pytest.mark.parametrize("share", [0.02, 0.3, 0.6, 0.9])
def test_large_components(share):
    """Thousands of vertices: single ones, trees, long paths, one giant component."""
    rng = np.random.default_rng(3)
    k, n = 4000, 7000
    edges = rng.integers(0, k, (n, 2))
    edges[:3000] = np.stack([np.arange(3000), np.arange(3000) + 1], axis=1)
    patterns = rng.random((3, n)) < [[share], [1 - share], [0.99]]
    found = errors(edges, k, patterns)
    for alive, error in zip(patterns, found, strict=True):
        assert error == pytest.approx(float(by_search(edges[alive].tolist(), k)), rel=1e-12)
