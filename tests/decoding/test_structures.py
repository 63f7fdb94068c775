"""Errors of codes whose structure makes them cheap, against least squares pattern by pattern."""

import itertools
from functools import partial

import numpy as np
import pytest
from scipy.sparse import csc_matrix
from scipy.sparse.csgraph import connected_components

import fastgc
from fastgc import codes
from fastgc.codes.columns import Columns
from fastgc.codes.structure import CycleGaps, Groups, Intervals, structure_of
from fastgc.decoding import sparse
from fastgc.decoding.algorithms import by_structure
from fastgc.decoding.decoder import Decoder
from fastgc.decoding.sparse import length_of_arcs
from fastgc.draws.streams import WORD
from fastgc.experiments.decoding import lost_groups as by_groups
from fastgc_kernels.decode import circulants, graphs, groups
from fastgc_kernels.draw import pattern_words
from twins.decoders import every_pattern
from twins.least_squares import exact_errors, lstsq_errors, pack, some_patterns

#: B with groups of unlike sizes and weights, partitions that no worker holds, idle workers.
GROUPED = {
    "frc": np.kron(np.eye(3), np.ones((2, 2))), "uncoded": np.eye(5), "one worker": np.ones((3, 1)),
    "one group": np.ones((1, 4)),
    "unequal weights": np.repeat(np.eye(3), [1, 3, 2], axis=0)[:, [0, 1, 1, 2, 2, 2]],
    "uncovered": np.vstack([np.zeros((2, 4)), np.kron(np.eye(2), np.ones((1, 2)))]),
    "idle workers": np.hstack([np.zeros((3, 1)), np.eye(3), np.zeros((3, 2))]),
    "mixed order": np.eye(3)[:, [2, 0, 2, 1, 0]], "no worker holds anything": np.zeros((2, 3)),
}  # fmt: skip
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


def group_errors(B, rows):
    """Errors by groups, which the kernel of many groups has to the last bit."""
    structure = structure_of(B)
    assert isinstance(structure, Groups)
    few, many = np.full((2, len(rows)), np.nan)
    offsets, order = structure.members
    groups.errors(pack(rows), structure.labels, structure.weights, structure.uncovered, few)
    own = order, offsets, structure.weights, structure.uncovered
    groups.errors_of_many(pack(rows), *own, many)
    assert few.tolist() == many.tolist()
    return few


def incidence(edges, k):
    B = np.zeros((k, len(edges)))
    for j, edge in enumerate(edges):
        B[list(edge), j] = 1
    return B


def graph_errors(edges, k, rows):
    out = np.full(len(rows), np.nan)
    graphs.component_errors(pack(rows), np.array(edges, np.int32), k, out)
    return out


def circulant(n, d=2):
    return ((np.arange(n)[:, np.newaxis] - np.arange(n)) % n < d).astype(float)


def cycle_errors(n, rows):
    assert isinstance(structure_of(circulant(n)), CycleGaps)
    out = np.full(len(rows), np.nan)
    circulants.gap_errors(pack(rows), n, out)
    return out


def arc_errors(rows, d):
    out = np.empty(len(rows))
    circulants.arc_errors(pack(rows), rows.shape[1], d, out)
    return out


EVERY = {
    **{f"groups: {name}": (B, partial(group_errors, B)) for name, B in GROUPED.items()},
    **{f"graph: {name}": (incidence(*g), partial(graph_errors, *g)) for name, g in GRAPHS.items()},
    **{f"cycle of {n}": (circulant(n), partial(cycle_errors, n)) for n in (3, 4, 5, 8, 9)},
}


@pytest.mark.parametrize("name", EVERY)
def test_every_pattern(name):
    """What is recovered costs exactly 0, so that exact recovery needs no tolerance."""
    B, errors = EVERY[name]
    rows = every_pattern(B.shape[1])
    expected, found = lstsq_errors(B, rows), errors(rows)
    assert found == pytest.approx(expected, abs=1e-12 * len(B))
    assert np.array_equal(found == 0, expected < 1e-9)


# ---- groups


@pytest.mark.parametrize("n", [1, 2, 7, 64, 130])
def test_lost_groups(n):
    """Counts by the kernel that never expands a pattern."""
    random = np.random.default_rng(n)
    labels = random.permutation(np.arange(n) % max(1, n // 3))
    if n > 3:
        labels[random.integers(n // 4)] = -1
        labels = np.unique(labels, return_inverse=True)[1] - 1  # every group has a worker
    rows = some_patterns(n, 64 * 40, seed=n)
    lost = sum(~rows[:, labels == g].any(axis=1) for g in range(labels.max() + 1)).astype(int)
    planes = np.empty((n, len(rows) // WORD), np.uint64)
    pattern_words.unpack(pack(rows), planes)
    offsets, order = Groups(labels, np.ones(labels.max() + 1, np.int64), 0).members
    for trials in (1, 63, 64, 65, 2048, 2049, 64 * 40):
        counts = np.zeros(labels.max() + 2, np.int64)
        counts[0] = 5  # what is there already stays
        groups.lost_groups(planes, order, offsets, trials, counts)
        counts[0] -= 5
        assert counts.tolist() == np.bincount(lost[:trials], minlength=len(counts)).tolist()


@pytest.mark.parametrize(("n", "most"), [(1, 1), (70, 9), (700, 300), (9000, 9000)])
@pytest.mark.parametrize("words", [1, 2])
def test_errors_and_counts_of_many_groups(n, most, words):
    """Also more groups than a counter counts, workers without a group, groups anyhow mixed."""
    rng = np.random.default_rng(n)
    labels = rng.integers(-1, most, n)
    known = np.unique(labels[labels >= 0])
    labels = np.where(labels < 0, -1, np.searchsorted(known, labels))
    own = Groups(labels, rng.integers(1, 5, len(known)), 2)
    planes = rng.integers(0, 2**64, (n, words), np.uint64)
    if n == 9000:
        planes &= rng.integers(0, 2**64, (n, words), np.uint64)
        planes[:, 0] &= ~np.uint64(1)  # a pattern of stragglers alone
    packed = np.empty((64 * words, -(-n // 64)), np.uint64)
    pattern_words.pack(planes, packed)
    bits = np.unpackbits(packed.view(np.uint8), axis=1, bitorder="little")[:, :n].astype(bool)
    errors, lost = np.full(len(bits), 2.0), np.zeros(len(bits), np.int64)
    for group, weight in enumerate(own.weights):
        gone = ~bits[:, labels == group].any(axis=1)
        errors, lost = errors + weight * gone, lost + gone
    offsets, order = own.members
    found = np.empty(len(packed))
    groups.errors_of_many(packed, order, offsets, own.weights, own.uncovered, found)
    assert found.tolist() == errors.tolist()
    groups.errors(packed, own.labels, own.weights, own.uncovered, found)
    assert found.tolist() == errors.tolist()
    counts = np.empty(len(packed), np.int64)
    groups.lost_groups_of_many(planes, order, offsets, counts)
    assert counts.tolist() == lost.tolist()


@pytest.mark.night
def test_a_study_of_many_groups_has_the_same_rows_by_either_way(monkeypatch):
    study = {
        "code": {"family": "frc", "n": 2400, "d": 2}, "stragglers": {"model": "iid", "p": 0.3},
        "measure": ["error", "exact"], "thresholds": [200.0, 216.0], "method": "monte-carlo",
    }  # fmt: skip
    many = fastgc.run(study, trials=3000).rows()
    monkeypatch.setattr(by_groups, "_FEW_GROUPS", 10**6)
    assert fastgc.run(study, trials=3000).rows() == many
    rows = fastgc.run(study | {"measure": ["error", "norm"]}, trials=3000).rows()  # one by one
    of_error = [[row for row in own if row["quantity"] == "error"] for own in (rows, many)]
    assert of_error[0] == of_error[1]


# ---- cycles


@pytest.mark.parametrize("n", [63, 64, 65, 128, 130])
def test_cycle_gaps_of_many_workers(n):
    rows = some_patterns(n, 40, seed=n)
    # one straggler at either end of a word, and all but one
    edges = [{0}, {63 % n}, {n - 1}, {0, n - 1}, set(range(1, n)), set(range(n - 1))]
    rows = np.vstack([rows, [[j not in edge for j in range(n)] for edge in edges]])
    assert cycle_errors(n, rows) == pytest.approx(lstsq_errors(circulant(n), rows), abs=1e-10 * n)
    ends = [(v, (v + 1) % n) for v in range(n)]
    assert graph_errors(ends, n, rows) == pytest.approx(cycle_errors(n, rows), abs=1e-10 * n)
    # the bits of an error do not depend on the batch
    assert [cycle_errors(n, row[np.newaxis])[0] for row in rows] == cycle_errors(n, rows).tolist()


# ---- components


@pytest.mark.parametrize("seed", range(12))
def test_random_graphs(seed):
    """Loops, repeated edges, isolated vertices; also more workers than a word has bits."""
    rng = np.random.default_rng(seed)
    k, n = int(rng.integers(1, 30)), int(rng.integers(1, 150))
    edges = rng.integers(0, k, (n, 2))
    if seed % 2:
        edges[:, 1] = np.where(rng.random(n) < 0.8, (edges[:, 0] + 1) % k, edges[:, 1])
    rows = some_patterns(n, 60, seed)
    found = graph_errors(edges, k, rows)
    assert found == pytest.approx(lstsq_errors(incidence(edges, k), rows), abs=1e-10)
    assert found[0] == k


def by_double_cover(edges, k):
    """The error by components of the double cover: a bipartite one has two copies in it."""
    a, b = edges.T
    ends = np.concatenate([a, a + k]), np.concatenate([b + k, b])
    cover = csc_matrix((np.ones(2 * len(edges)), ends), shape=(2 * k, 2 * k))
    labels = connected_components(cover, directed=False)[1].reshape(2, k)
    one, other = (np.bincount(side, minlength=2 * k) for side in labels)
    return ((one - other) ** 2 / np.maximum(one + other, 1)).sum() / 2


@pytest.mark.parametrize("share", [0.02, 0.3, 0.6, 0.9])
def test_large_components(share):
    """Thousands of vertices: single ones, trees, long paths, one giant component."""
    rng = np.random.default_rng(3)
    k, n = 4000, 7000
    edges = rng.integers(0, k, (n, 2))
    edges[:3000] = np.stack([np.arange(3000), np.arange(3000) + 1], axis=1)
    rows = rng.random((3, n)) < [[share], [1 - share], [0.99]]
    for alive, error in zip(rows, graph_errors(edges, k, rows), strict=True):
        assert error == pytest.approx(by_double_cover(edges[alive], k), rel=1e-12)


# ---- intervals


def block_matrix(start, stop, k):
    rows = np.arange(k)[:, np.newaxis]
    return ((rows >= start) & (rows < stop)).astype(float)


def interval_errors(start, stop, k, alive):
    out = np.empty(len(alive))
    structure = Intervals(np.asarray(start, np.int64), np.asarray(stop, np.int64), k)
    code = codes.code_of(block_matrix(start, stop, k))
    by_structure(code, structure).errors(pack(alive), out)
    return out


def joined(start, stop, k, alive):
    """Whether survivors join the points 0 and k, by walking."""
    reached = {0}
    for _ in range(k + 1):
        for a, b in zip(start[alive], stop[alive], strict=True):
            if a in reached or b in reached:
                reached |= {int(a), int(b)}
    return k in reached


@pytest.mark.parametrize(
    ("n", "k", "seed"), [(1, 1, 0), (5, 1, 0), (6, 4, 1), (9, 7, 2), (8, 20, 3), (12, 6, 4)]
)
def test_any_intervals(n, k, seed):
    rng = np.random.default_rng(seed)
    for _ in range(4):
        start, stop = np.sort(rng.integers(0, k + 1, (2, n)), axis=0)
        alive = some_patterns(n, 60, seed)
        errors = interval_errors(start, stop, k, alive)
        truth = exact_errors(block_matrix(start, stop, k), alive)
        assert errors == pytest.approx(truth, rel=1e-13, abs=0)
        assert np.array_equal(errors == 0, [joined(start, stop, k, row) for row in alive])


# ---- arcs of large circulants, in one pass over the ring


@pytest.mark.night
@pytest.mark.parametrize("n, d", [(4, 3), (6, 2), (9, 3), (12, 8), (13, 5), (15, 6), (70, 4)])
@pytest.mark.parametrize("p", [0.0, 0.05, 0.2, 0.5, 0.9, 1.0])
def test_errors_of_arcs(n, d, p):
    """Of rings that are cut and rings that are not, and cycles that survive."""
    alive = np.random.default_rng(n).random((30, n)) >= p
    assert arc_errors(alive, d) == pytest.approx(lstsq_errors(circulant(n, d), alive), abs=1e-10)


@pytest.mark.night
def test_a_large_circulant_is_decoded_so_and_as_descent_does(monkeypatch):
    code = codes.circulant(n=12_000, d=3)
    packed = pack(np.random.default_rng(1).random((1, code.n)) >= 0.6)
    own = Decoder(code)
    assert own.algorithm == "sparse"
    errors = own.errors(packed)
    monkeypatch.setattr(sparse, "_LONGEST_ARC", 0)
    assert errors == pytest.approx(Decoder(code).errors(packed), abs=1e-10 * code.k)


@pytest.mark.night
def test_only_arcs_of_one_length_are_taken_for_them():
    assert length_of_arcs(codes.circulant(n=40, d=16).columns) == 16
    assert length_of_arcs(codes.circulant(n=40, d=17).columns) == 0
    assert length_of_arcs(codes.bibd("fano").columns) == 0
    own = codes.circulant(n=9, d=3).columns
    assert length_of_arcs(Columns(9, own.offsets, own.places, np.full(27, 2.0))) == 0
    assert length_of_arcs(Columns(10, own.offsets, own.places, own.values)) == 0


def test_intervals_of_many_workers():
    rng = np.random.default_rng(5)
    n, k = 150, 90
    start = rng.integers(0, k, n)
    stop = np.minimum(start + rng.integers(1, 9, n), k)
    alive = rng.random((200, n)) >= rng.uniform(0.2, 1, (200, 1))
    expected = lstsq_errors(block_matrix(start, stop, k), alive)
    assert interval_errors(start, stop, k, alive) == pytest.approx(expected, abs=1e-10 * k)
