"""Codes from algebra, graphs and designs, and the binary code for workers of several speeds."""

from collections import Counter
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fastgc import codes
from fastgc.codes import Components, CycleGaps
from fastgc.codes.binary import split
from fastgc.codes.cyclic import _condition
from fastgc.decoding.decode import decode
from suite.checks import close, refusal
from twins import codes as twin

# --- cyclic-mds ----------------------------------------------------------------------------------


@pytest.mark.parametrize(("n", "d"), [(n, d) for n in range(1, 12) for d in range(1, n + 1)])
def test_cyclic_mds_survives_any_d_minus_1_stragglers(n: int, d: int) -> None:
    if d > 1 and (n - d) % 2:
        assert "no real cyclic MDS code" in refusal(codes.cyclic_mds, n, d)
        return
    code = codes.cyclic_mds(n=n, d=d)
    assert code.tolerance == d - 1
    assert twin.survives(code.B, d - 1) and (d == n or not twin.survives(code.B, d))
    assert code.loads.tolist() == [d] * n
    for j in range(n):
        assert np.array_equal(np.roll(code.B[:, 0], j), code.B[:, j])


@pytest.mark.parametrize(("n", "d"), [(6, 4), (9, 5), (20, 10), (41, 7)])
def test_cyclic_mds_column_is_the_generator_polynomial(n: int, d: int) -> None:
    B = codes.cyclic_mds(n=n, d=d).B
    column = B[:d, 0]
    assert np.allclose(column, twin.real_reed_solomon(n, d - 1), rtol=1e-10)
    assert np.array_equal(column, column[::-1]) and column[0] == 1 and np.all(column > 0)
    S = np.linalg.svd(B, compute_uv=False)
    assert _condition(n, d) == pytest.approx(np.log10(S[0] / S[n - d]), abs=1e-9)
    assert S[n - d + 1] < 1e-12 * S[0]


# --- heterogeneous-binary ------------------------------------------------------------------------


@given(
    st.integers(1, 8),
    st.lists(st.sampled_from([0.1, 1.0, 1.5, 2.0, 2.5, 7.0]), min_size=1, max_size=4),
)
def test_split_is_the_best_of_all(k: int, times: list[float]) -> None:
    loads = split(k, tuple(times))
    assert sum(loads) == k and min(loads) >= 0
    even = k / sum(1 / time for time in times)
    off = sum((load * time - even) ** 2 for load, time in zip(loads, times, strict=True))
    assert off == close(twin.best_split(k, tuple(times)))


def test_the_papers_example_covers_every_partition_once_a_class() -> None:
    # exact shares 14/3 and 2/3; each rounded alone, a class would hold 5 + 1 + 1 = 7 partitions
    for k, loads in ((6, [4, 4, 1, 1, 1, 1]), (9, [7, 7, 1, 1, 1, 1])):
        code = codes.heterogeneous_binary(workers=[2, 4], times=[1, 7], s=1, k=k)
        assert code.loads.tolist() == loads
        assert code.classes == ((0, 2, 4), (1, 3, 5))
        for workers in code.classes:
            assert np.array_equal(code.B[:, list(workers)].sum(axis=1), np.ones(k))
    even = codes.heterogeneous_binary(workers=[2, 4], times=[1, 7], s=1, k=18)
    assert even.loads.tolist() == [14, 14, 2, 2, 2, 2]  # (s + 1) k/(t_i Σ τ_j/t_j), integers here


@pytest.mark.parametrize(("workers", "times", "s", "k"), [
    ([2, 4], [1, 7], 1, 6), ([3, 2], [1, 2], 1, None), ([1, 1, 3], [1, 2, 5], 2, 9),
    ([4, 3], [1.0, 1.7], 3, 20), ([1, 6], [3, 1], 0, 11), ([5], [2.5], 2, 7),
])  # fmt: skip
def test_heterogeneous_binary_survives_s_stragglers(
    workers: list[int], times: list[float], s: int, k: int | None
) -> None:
    code = codes.heterogeneous_binary(workers=workers, times=times, s=s, k=k)
    n = sum(workers)
    assert (code.n, code.k, code.tolerance) == (n, k or n, s)
    assert twin.survives(code.B, s)
    assert code.classes is not None and len(code.classes) == s + 1
    types = np.repeat(np.arange(len(workers)), workers)
    dealt = [Counter(types[list(members)].tolist()) for members in code.classes]
    for kind in range(len(workers)):
        counts = [each[kind] for each in dealt]
        assert max(counts) - min(counts) <= 1
    sizes = [len(members) for members in code.classes]
    assert max(sizes) - min(sizes) <= 1 and sizes == sorted(sizes)


def test_equal_workers_give_the_binary_code() -> None:
    for n, s, k in ((11, 3, 11), (7, 2, 30), (6, 1, 4)):
        plain = codes.binary(n=n, s=s, k=k)
        same = codes.heterogeneous_binary(workers=[n], times=[0.3], s=s, k=k)
        assert np.array_equal(plain.B, same.B) and plain.classes == same.classes
        assert codes.unevenness(same, s=s) == codes.unevenness(plain, s=s)


# --- graph ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "vertices"),
    [("cycle", v) for v in range(3, 9)] + [("complete", v) for v in range(2, 7)],
)
def test_tolerance_of_named_graphs(name: str, vertices: int) -> None:
    code = codes.graph(name, vertices)
    assert code.tolerance == twin.tolerance(code.B)


def test_petersen_graph() -> None:
    code = codes.graph("petersen")
    assert (code.n, code.k) == (15, 10) and isinstance(code.structure, Components)
    A = code.B @ code.B.T - 3 * np.eye(10)
    # strongly regular (10, 3, 0, 1), which the Petersen graph alone is
    assert np.array_equal(A @ A, 3 * np.eye(10) + (1 - np.eye(10) - A))
    assert code.tolerance == 2 and twin.survives(code.B, 2) and not twin.survives(code.B, 3)


def test_graph_of_edges() -> None:
    code = codes.graph(edges=[[2, 0], [0, 3], [4, 2]])
    assert (code.n, code.k, code.tolerance) == (3, 5, None)
    assert np.flatnonzero(code.B[:, 0]).tolist() == [0, 2]
    assert codes.graph(edges=[[0, 1]], vertices=4).k == 4
    assert isinstance(codes.graph("cycle", 7).structure, CycleGaps)
    assert np.array_equal(codes.graph("cycle", 7).B, codes.circulant(n=7, d=2).B)


@pytest.mark.parametrize("vertices", range(2, 13))
def test_random_regular_graphs_are_regular_and_simple(vertices: int) -> None:
    for degree in range(1, vertices):
        if vertices * degree % 2:
            continue
        for seed in range(3):
            code = codes.graph("random-regular", vertices, degree, seed)
            assert code.n == vertices * degree // 2 and code.tolerance == 0
            assert np.all(code.B.sum(axis=1) == degree) and np.all(code.B.sum(axis=0) == 2)
            assert len({tuple(column) for column in code.B.T}) == code.n
            assert twin.survives(code.B, 0)


# --- bibd ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(("name", "points", "blocks", "size", "shared"), [
    ("fano", 7, 7, 3, 1), ("pg(2,3)", 13, 13, 4, 1), ("ag(2,3)", 9, 12, 3, 1),
    ("paley-11", 11, 11, 5, 2),
])  # fmt: skip
def test_designs(name: str, points: int, blocks: int, size: int, shared: int) -> None:
    code = codes.bibd(name)
    assert (code.n, code.k, code.tolerance) == (points, blocks, 0)
    assert np.all(code.B.sum(axis=1) == size)
    for i, j in combinations(range(points), 2):
        assert code.B[:, i] @ code.B[:, j] == shared
    d, rng = int(code.loads[0]), np.random.default_rng(1)
    for r in range(1, points + 1):
        want = blocks - d * d * r / (d + shared * (r - 1))
        if name == "fano":
            assert want == close([4, 2.5, 1.6, 1, 4 / 7, 1 / 4, 0][r - 1])
        error = decode(code, rng.permutation(points)[:r]).error
        assert error == pytest.approx(want, abs=1e-10)
    assert twin.tolerance(code.B) == 0
