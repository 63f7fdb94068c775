"""Codes: matrices, columns, loads, structures, tolerances, and what families refuse."""

import pickle
import tracemalloc
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from fastgc import FastgcError, codes, decode
from fastgc.codes import Code, CycleGaps, General, Groups, Intervals, code_of, structure_of
from fastgc.codes.columns import MOST_ENTRIES, Columns
from fastgc.codes.matrix import Matrix
from fastgc.decoding.decoder import Decoder
from suite.checks import refusal
from twins import codes as twin


@pytest.mark.parametrize("n", range(1, 21))
def test_binary_is_algorithms_1_and_2(n: int) -> None:
    for s in range(n):
        code = codes.binary(n=n, s=s)
        assert np.array_equal(code.B.T, twin.binary_algorithms(n, s))
        r = n % (s + 1)
        assert codes.unevenness(code, s=s) == pytest.approx(2 * r * (s + 1 - r), abs=1e-12)


@pytest.mark.parametrize(("n", "s", "k"), [(11, 3, 30), (7, 2, 2), (5, 4, 3), (4, 0, 9), (6, 2, 1)])
def test_binary_classes_partition_any_k(n: int, s: int, k: int) -> None:
    code = codes.binary(n=n, s=s, k=k)
    assert code.B.shape == (k, n) and code.classes is not None
    assert sorted(code.classes) == [tuple(range(n))[residue :: s + 1] for residue in range(s + 1)]
    for workers in code.classes:
        own = code.B[:, list(workers)]
        assert np.array_equal(own.sum(axis=1), np.ones(k))
        assert np.all(np.diff(own.argmax(axis=1)) >= 0)
        loads = own.sum(axis=0)
        assert loads.max() - loads.min() <= 1 and np.all(np.diff(loads) <= 0)


@pytest.mark.parametrize("n", range(1, 9))
def test_tolerances_hold_and_no_more_is_claimed_than_true(n: int) -> None:
    for s in range(n):
        code = codes.binary(n=n, s=s)
        assert code.tolerance == s and twin.survives(code.B, s)
    for d in range(1, n + 1):
        circulant = codes.circulant(n=n, d=d)
        for j in range(n):
            assert set(np.flatnonzero(circulant.B[:, j])) == {(j + i) % n for i in range(d)}
        assert circulant.tolerance == (d - 1 if n % d == 0 else None)
        assert twin.survives(circulant.B, d - 1) == (n % d == 0)
        if n % d == 0:
            frc = codes.frc(n=n, d=d)
            assert frc.tolerance == d - 1 and twin.survives(frc.B, d - 1)
            assert d == n or not twin.survives(frc.B, d)


def test_code_is_read_only_and_prints_no_matrix() -> None:
    code = codes.frc(n=4, d=2)
    with pytest.raises(ValueError, match="read-only"):
        code.B[0, 0] = 5
    assert repr(code) == "Code(frc(n=4, d=2), k=4, n=4, tolerance=1)"
    source = np.ones((2, 2))
    kept = Code("mine", source, General())
    source[0, 0] = 7
    assert kept.B[0, 0] == 1 and kept.tolerance is None


def test_classes_come_in_the_order_of_algorithm_3() -> None:
    assert codes.binary(n=11, s=3).classes == ((3, 7), (0, 4, 8), (1, 5, 9), (2, 6, 10))
    assert codes.binary(n=6, s=2).classes == ((0, 3), (1, 4), (2, 5))
    assert codes.frc(n=4, d=2).classes == ((0, 2), (1, 3))
    assert codes.uncoded(3).classes == ((0, 1, 2),)
    assert codes.circulant(n=4, d=2).classes is None and codes.matrix(rows=[[1]]).classes is None


# --- structure -----------------------------------------------------------------------------------


def test_structures_of_the_families() -> None:
    groups = codes.frc(n=6, d=2).structure
    assert isinstance(groups, Groups)
    assert groups.labels.tolist() == [0, 0, 1, 1, 2, 2]
    assert groups.weights.tolist() == [2, 2, 2] and groups.uncovered == 0
    own = [codes.circulant(n=n, d=d) for n, d in ((2, 2), (7, 7), (7, 1))]
    for code in (*own, codes.uncoded(4), codes.binary(n=12, s=2)):
        assert isinstance(code.structure, Groups)
    assert codes.circulant(n=3, d=2).structure == CycleGaps(3)
    assert codes.circulant(n=64, d=2).structure == CycleGaps(64)
    # a partition that nobody holds is always missing: the rule of cycles knows of none
    ring = np.vstack([codes.circulant(n=6, d=2).B, np.zeros((1, 6))])
    lacking = codes.matrix(rows=ring.tolist())
    assert not isinstance(lacking.structure, CycleGaps)
    assert decode(lacking, [True] * 6).error == pytest.approx(1.0)
    assert codes.circulant(n=7, d=3).structure == General()
    intervals = codes.binary(n=5, s=1).structure
    assert isinstance(intervals, Intervals) and intervals.k == 5
    assert intervals.start.tolist() == [0, 0, 2, 3, 4]
    assert intervals.stop.tolist() == [2, 3, 4, 5, 5]


@pytest.mark.parametrize("entry", [2.0, -1.0, 0.5, 1 + 1e-15, 1e-300])
def test_only_exact_zeros_and_ones_have_structure(entry: float) -> None:
    B = codes.frc(n=4, d=2).B.copy()
    B[0, 0] = entry
    assert structure_of(B) == General()


# ---- what families refuse: the key, the rule, and what was found


EVEN = "must be even where n is and odd where n is, else no real cyclic MDS code holds the all-ones"
NEAR = "(got n=8, d=3; d=2 or d=4, n=7 or n=9, or"
SEED = 'seed: must be an integer or "trial" (got'
TYPES = {"workers": [2, 4], "times": [1, 2], "s": 1}
#: The family, its keys, and what is said of them.
CASES: list[tuple[str, dict[str, Any], str]] = [
    ("frc", {"n": 8, "d": 3}, "d: must divide n (got n=8, d=3; 1, 2, 4 or 8 do)"),
    ("frc", {"n": True, "d": 1}, "n: must be an integer (got true)"),
    ("uncoded", {"n": 10**9}, "n: must be at most 4194304 (got 1000000000)"),
    ("circulant", {"n": 4, "d": 5}, "d: must be at most n (got n=4, d=5)"),
    ("binary", {"n": 3, "s": 3}, "s: must be less than n (got n=3, s=3)"),
    ("cyclic", {"n": 16384, "d": 9000}, "d: n (d − 1)³ must be at most 10¹² (got n=16384, d=9000)"),
    ("cyclic_mds", {"n": 8, "d": 3}, f"d: {EVEN}"),
    ("cyclic_mds", {"n": 8, "d": 3}, NEAR),
    ("cyclic_mds", {"n": 100, "d": 34}, "d: must give a condition number of at most 1e+09, beyond"),
    ("bernoulli", {"n": 2000, "density": 0.1, "seed": "trial"}, 'seed: "trial" needs n·k ≤'),
    ("bernoulli", {"n": 4, "density": 0.1, "seed": "trail"}, f"{SEED} 'trail')"),
    ("sparse_regular", {"n": 4, "d": 2, "seed": "trial"}, "seed: must be an integer (got 'trial')"),
    ("heterogeneous_binary", TYPES | {"times": [1]}, "times: must be one for each type of worker"),
    ("heterogeneous_binary", TYPES | {"s": 6}, "s: must be less than all workers together (got"),
    ("heterogeneous_binary", TYPES | {"workers": [16000, 1000]}, "workers: must add up to at most"),
    ("bibd", {"name": "pg(2,4)"}, "(got 'pg(2,4)'); did you mean 'pg(2,3)'?"),
    ("graph", {"name": "cycle", "edges": [[0, 1]]}, "give either name or edges (got both)"),
    ("graph", {"name": "cycl"}, "name: must be 'cycle', 'complete', 'petersen' or"),
    ("graph", {"name": "cycle"}, 'vertices is missing; name = "cycle" needs it'),
    ("graph", {"name": "complete", "vertices": 5000}, "a graph must have at most 4194304 edges"),
    ("graph", {"name": "random-regular", "vertices": 5, "degree": 3}, "× degree must be even"),
    ("graph", {"name": "random-regular", "vertices": 5, "degree": 5}, "degree must be less than"),
    ("graph", {"name": "random-regular", "vertices": 5}, "degree is missing; name = "),
    ("graph", {"edges": [[0, 0]]}, "edges: must join different vertices (got [0, 0] as edge 0)"),
    ("graph", {"edges": [[0, -1]]}, "edges[0][1]: must be at least 0 (got -1)"),
    ("graph", {"edges": [[0, 3]], "vertices": 2}, "vertices must be more than 3, an end of an"),
    ("graph", {"edges": [[0, 1]], "seed": 3}, "degree and seed go with name, not with edges"),
]  # fmt: skip


@pytest.mark.parametrize(("family", "given", "says"), CASES)
def test_a_family_says_what_it_refuses(family: str, given: dict[str, Any], says: str) -> None:
    text = refusal(getattr(codes, family), **given)
    assert text.startswith(f"{family.replace('_', '-')}: ") and says in text


@pytest.mark.parametrize(("call", "says"), [
    (lambda: codes.unevenness(np.eye(2), s=1), "unevenness: code must be a Code (got ndarray)"),
    (lambda: code_of([[1, 2], [3]]), "matrix: must be a table of numbers, partitions ×"),
    (lambda: code_of([[1, complex("nan")]]), "matrix: every entry must be finite (got"),
])  # fmt: skip
def test_what_is_no_matrix_is_refused(call: Any, says: str) -> None:
    assert refusal(call).startswith(says)


# ---- codes by their columns: the same as by their matrix, without making it


BUILT = [
    *(codes.frc(n, d) for n, d in ((1, 1), (6, 1), (6, 2), (6, 6))),
    *(codes.circulant(n, d) for n in range(1, 8) for d in range(1, n + 1)),
    *(codes.binary(n, s) for n in range(1, 10) for s in range(n)), codes.binary(5, 1, k=3),
    codes.uncoded(4), codes.cyclic(6, 3, seed=2), codes.cyclic_mds(7, 3), codes.graph("petersen"),
    codes.graph(edges=[[2, 0], [0, 1]], vertices=4),
    codes.heterogeneous_binary(workers=[2, 3], times=[1, 4], s=1, k=7),
    codes.bernoulli(9, 0.3, k=5), codes.sparse_regular(8, 3), codes.sparse_regular(8, 6),
]  # fmt: skip


def same(one: object, other: object) -> bool:
    """Whether two structures, or columns, hold the same."""
    return type(one) is type(other) and all(
        np.array_equal(own, vars(other)[key]) for key, own in vars(one).items()
    )


@pytest.mark.parametrize("code", BUILT, ids=lambda code: code.name)
def test_columns_and_matrix_say_the_same(code: Code) -> None:
    dense = code_of(np.array(code.B))
    assert code.B.shape == (code.k, code.n) and not code.B.flags.writeable
    assert same(code.columns, dense.columns) and same(code.structure, dense.structure)
    held = code.B != 0
    assert code.loads.tolist() == held.sum(axis=0).tolist()
    offsets, workers = code.holders
    assert [own.tolist() for own in np.split(workers, offsets[1:-1])] == [
        np.flatnonzero(row).tolist() for row in held
    ]
    assert np.array_equal(code.columns.transposed.dense(), code.B.T)
    for worker in range(code.n):
        places, values = code.columns[worker]
        assert np.array_equal(np.flatnonzero(code.B[:, worker]), places)
        assert np.array_equal(code.B[places, worker], values)
    assert np.array_equal(pickle.loads(pickle.dumps(code)).B, code.B)


def test_structures_of_random_columns() -> None:
    """With idle workers, partitions that nobody holds, and workers that hold one or the same."""
    rng = np.random.default_rng(7)
    seen = set()
    for _ in range(1000):
        k, n = rng.integers(1, 6, 2)
        B = (rng.random((k, n)) < rng.random()).astype(float)
        if rng.random() < 0.3:  # make the rarer ones come up
            B = B[:, rng.integers(0, n, n)]
        found = structure_of(Columns.from_matrix(B))
        assert type(found).__name__ == twin.structure_name(B), B
        own = twin.matrix_of(found, n)
        if type(found).__name__ == "Groups":  # in whatever order their partitions come
            assert sorted(own.tolist()) == sorted(B.tolist())
        else:
            assert own is None or np.array_equal(own, B)
        seen.add(type(found).__name__)
    assert seen == {"Groups", "Intervals", "Components", "General"}


LARGE = 200_000


@pytest.mark.parametrize(("make", "kind"), [
    (lambda: codes.frc(LARGE, 5), "Groups"), (lambda: codes.circulant(LARGE, 2), "CycleGaps"),
    (lambda: codes.uncoded(LARGE), "Groups"), (lambda: codes.binary(LARGE, 3), "Groups"),
    (lambda: codes.graph("random-regular", LARGE // 2, 4), "Components"),
], ids=["frc", "circulant", "uncoded", "binary", "graph"])  # fmt: skip
def test_a_large_code_is_made_without_its_matrix(make: Callable[[], Code], kind: str) -> None:
    tracemalloc.start()
    code = make()
    assert (code.n, type(code.structure).__name__) == (LARGE, kind)
    assert code.loads.sum() == code.columns.offsets[-1]
    most = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert most < 400 * LARGE  # bytes; a row of the matrix alone is 8 n
    with pytest.raises(FastgcError, match=r"the matrix B has .* is made up to 2 GiB; take code"):
        _ = code.B


@pytest.mark.night
def test_too_many_entries_are_refused() -> None:
    with pytest.raises(FastgcError, match=f"entries, and are made up to {MOST_ENTRIES}; take"):
        _ = codes.frc(1 << 20, 1 << 19).columns
    code = codes.frc(1 << 20, 1 << 19)  # its structure says all that decoding needs
    assert code.loads[0] == 1 << 19


def test_a_sparse_file_is_kept_sparse(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its study carries the entries that are not 0, and names the code as rows written out do."""
    monkeypatch.chdir(tmp_path)
    k, n = 1500, 1000
    lines = ["1 4 2.5", "1500 4 -1", "8 1000 1"]
    text = "\n".join(["%%MatrixMarket matrix coordinate real general", f"{k} {n} 3", *lines, ""])
    Path("b.mtx").write_text(text)
    read = Matrix(file="b.mtx")
    carried = read.files()["b.mtx"]
    assert carried["shape"] == [k, n] and carried["values"] == [2.5, -1.0, 1.0]
    Path("b.mtx").unlink()
    again = Matrix.model_validate({"file": "b.mtx"}, context={"files": {"b.mtx": carried}})
    assert same(again.build().columns, read.build().columns)
    B = np.zeros((k, n))
    B[0, 3], B[1499, 3], B[7, 999] = 2.5, -1.0, 1.0
    np.save("b.npy", B)
    assert Matrix(file="b.npy").identity() == read.identity()


def test_what_cannot_be_decoded_at_its_size_is_refused() -> None:
    said = "its workers' blocks begin and end at 28571 places"
    with pytest.raises(FastgcError, match=said) as caught:
        Decoder(codes.binary(100_000, 6))
    assert "take fewer workers" in str(caught.value)
