"""Codes by their columns: the same as by their matrix, without making it."""

import pickle
import tracemalloc
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from fastgc import FastgcError, codes
from fastgc.codes import Code, code_of, structure_of
from fastgc.codes.columns import MOST_ENTRIES, Columns
from fastgc.codes.matrix import Matrix
from fastgc.decoding.decoder import Decoder
from twins import codes as twin

BUILT = [
    *(codes.frc(n, d) for n, d in ((1, 1), (6, 1), (6, 2), (6, 6))),
    *(codes.circulant(n, d) for n in range(1, 8) for d in range(1, n + 1)),
    *(codes.binary(n, s) for n in range(1, 10) for s in range(n)), codes.binary(5, 1, k=3),
    codes.uncoded(4), codes.cyclic(6, 3, seed=2), codes.cyclic_mds(7, 3), codes.graph("petersen"),
    codes.graph(edges=[[2, 0], [0, 1]], vertices=4),
    codes.heterogeneous_binary(workers=[2, 3], times=[1, 4], s=1, k=7),
    codes.bernoulli(9, 0.3, k=5), codes.sparse_regular(8, 3), codes.sparse_regular(8, 6),
    codes.ye_abbe(n=5, s=1, m=2),
]  # fmt: skip


def same(one: object, other: object) -> bool:
    """Whether two structures, or columns, hold the same."""
    return type(one) is type(other) and all(
        np.array_equal(own, vars(other)[key]) for key, own in vars(one).items()
    )


@pytest.mark.parametrize("code", BUILT, ids=lambda code: code.name)
def test_columns_and_matrix_say_the_same(code: Code) -> None:
    dense = code_of(np.array(code.B), pieces=code.pieces)
    assert code.B.shape == (code.k * code.pieces, code.n) and not code.B.flags.writeable
    assert same(code.columns, dense.columns) and same(code.structure, dense.structure)
    held = (code.B != 0).reshape(code.k, code.pieces, code.n).any(axis=1)
    assert np.array_equal(code.held, held)
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


@pytest.mark.night
def test_structures_of_random_columns() -> None:
    rng = np.random.default_rng(7)
    seen = set()
    for _ in range(1500):
        k, n = rng.integers(1, 6, 2)
        B = (rng.random((k, n)) < rng.random()).astype(float)
        if rng.random() < 0.3:  # make the rarer ones come up
            B = B[:, rng.integers(0, n, n)]
        found = structure_of(Columns.of(B))
        assert type(found).__name__ == twin.structure_name(B), B
        own = twin.matrix_of(found, n)
        if type(found).__name__ == "Groups":  # in whatever order their partitions come
            assert sorted(own.tolist()) == sorted(B.tolist())
        else:
            assert own is None or np.array_equal(own, B)
        seen.add(type(found).__name__)
    assert seen == {"Groups", "Intervals", "Components", "General"}


def test_entries_in_any_order_make_columns() -> None:
    rng = np.random.default_rng(1)
    B = rng.integers(-1, 2, (7, 5)) * rng.random((7, 5))
    rows, workers = np.nonzero(B + 1e300)  # zeros are given too
    order = rng.permutation(len(rows))
    rows, workers = rows[order], workers[order]
    assert np.array_equal(Columns.of_entries(7, 5, workers, rows, B[rows, workers]).dense(), B)


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
