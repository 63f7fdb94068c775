"""Complex codes: held against complex least squares, in all that takes them."""

import itertools
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

import fastgc
from fastgc import FastgcError
from fastgc.codes import code_of
from fastgc.decoding.decoder import Decoder
from fastgc.decoding.forms import doubled, real_form
from fastgc.decoding.inspection import inspect

Number = NDArray[Any]


def reed_solomon(k: int, n: int, dimension: int) -> Number:
    """Columns of a complex matrix: dense, of a given rank, with 1 among their sums."""
    points = np.exp(2j * np.pi * np.arange(n) / n)
    rows = np.exp(2j * np.pi * np.arange(k) / k)
    return np.array(rows[:, None] ** np.arange(dimension) @ points ** np.arange(dimension)[:, None])


def twin(B: Number, live: Any) -> tuple[float, Number]:
    """Least ‖B x − 1‖² over complex x, and the shortest x."""
    A = B[:, live]
    x = np.linalg.lstsq(A, np.ones(len(B), complex), rcond=1e-12)[0]
    return float(np.sum(np.abs(A @ x - 1) ** 2)), x


def random(k: int, n: int, seed: int) -> Number:
    generator = np.random.default_rng(seed)
    return generator.normal(size=(k, n)) + 1j * generator.normal(size=(k, n))


MATRICES = {
    "random": random(7, 5, 1),
    "wide": random(3, 9, 2),
    "rank 3": reed_solomon(6, 8, 3),
    "cyclic": fastgc.codes.cyclic_mds(n=8, d=3, field="complex").B,
    "sparse": random(6, 8, 3) * (np.random.default_rng(4).random((6, 8)) < 0.4),
    "zero column": np.c_[random(4, 3, 5), np.zeros(4)],
}


@pytest.mark.parametrize("lookup", [True, False])
@pytest.mark.parametrize("name", MATRICES)
def test_errors_and_vectors_of_all_patterns(name: str, lookup: bool) -> None:
    B = MATRICES[name]
    n = B.shape[1]
    decoder = Decoder(B, use_lookup=lookup)
    packed = np.arange(1 << n, dtype=np.uint64)[:, None]
    errors, vectors = decoder.errors(packed), decoder.vectors(packed)
    assert vectors.dtype == np.complex128 and vectors.shape == (1 << n, n)
    for pattern in range(1 << n):
        live = [j for j in range(n) if pattern >> j & 1]
        error, x = twin(B, live) if live else (float(len(B)), np.empty(0))
        assert errors[pattern] == pytest.approx(error, abs=1e-9)
        assert np.allclose(vectors[pattern, live], x, atol=1e-7)
        assert not np.delete(vectors[pattern], live).any()


@pytest.mark.parametrize("n", [5, 31, 32, 33, 64, 70, 100])
def test_doubled_patterns(n: int) -> None:
    alive = np.random.default_rng(n).random((40, n)) < 0.5
    words = -(-n // 64)
    bits = np.zeros((40, 64 * words), np.uint8)
    bits[:, :n] = alive
    packed = np.packbits(bits, axis=1, bitorder="little").view(np.uint64)
    found = np.unpackbits(doubled(packed, n).view(np.uint8), axis=1, bitorder="little")
    assert found.shape[1] == 64 * -(-2 * n // 64)
    assert np.array_equal(found[:, : 2 * n], np.repeat(alive, 2, axis=1))
    assert not found[:, 2 * n :].any()


def test_many_workers() -> None:
    B = fastgc.codes.cyclic_mds(n=71, d=6, field="complex").B
    decoder = Decoder(B)
    assert decoder.algorithm == "least-squares"
    alive = np.random.default_rng(1).random((30, 71)) > 0.15
    bits = np.zeros((30, 128), np.uint8)
    bits[:, :71] = alive
    packed = np.packbits(bits, axis=1, bitorder="little").view(np.uint64)
    for error, live in zip(decoder.errors(packed), alive, strict=True):
        assert error == pytest.approx(twin(B, live)[0], abs=1e-7)


def test_one_pattern() -> None:
    B = MATRICES["random"]
    found = fastgc.decode(B, [4, 0, 2])
    error, x = twin(B, [4, 0, 2])
    assert found.error == pytest.approx(error)
    assert np.allclose(found.vector, x)
    assert np.allclose(found.residual, B[:, [4, 0, 2]] @ x - 1)
    assert found.amplification == pytest.approx(np.sum(np.abs(x) ** 2))
    none = fastgc.decode(B, [])
    assert (none.error, none.amplification, none.vector.size) == (7.0, 0.0, 0)


@pytest.mark.parametrize("suffix", ["npy", "csv", "i.csv", "mtx"])
def test_files_of_complex_matrices_in_a_study(
    suffix: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    B = MATRICES["rank 3"]
    file = f"B.{suffix}"
    if suffix == "npy":
        np.save(file, B)
    elif suffix == "csv":
        np.savetxt(file, B, delimiter=",")  # cells like (1.0+2.0j)
    elif suffix == "i.csv":
        rows = (",".join(f"{z.real!r}{z.imag:+.17g}i" for z in row) for row in B.tolist())
        Path(file).write_text("\n".join(rows))
    else:
        entries = "\n".join(f"{z.real!r} {z.imag!r}" for z in B.T.reshape(-1).tolist())
        head = "%%MatrixMarket matrix array complex general\n6 8\n"
        Path(file).write_text(head + entries)
    study = {
        "code": {"family": "matrix", "file": file},
        "stragglers": {"model": "iid", "p": 0.3},
        "measure": ["error", "exact", "not_accessed"],
        "method": "both",
        "stop": {"trials": 20_000},
    }
    result = fastgc.run(study, out="r.h5")
    twins = 0.0
    for alive in itertools.product([0, 1], repeat=8):
        live = np.flatnonzero(alive)
        error = twin(B, live)[0] if len(live) else 6.0
        twins += 0.7 ** len(live) * 0.3 ** (8 - len(live)) * error
    rows_ = {
        row["method"]: row
        for row in result.rows()
        if (row["quantity"], row["statistic"]) == ("error", "mean")
    }
    assert rows_["exact"]["value"] == pytest.approx(twins, rel=1e-9)
    assert abs(rows_["monte-carlo"]["value"] - twins) < 5 * rows_["monte-carlo"]["standard_error"]
    Path(file).unlink()  # what the file of results holds is enough to look at it again
    assert fastgc.open("r.h5").rows() == result.rows()


@pytest.mark.parametrize("rows", [[["1+2j", 1], [0, "(3 - 1i)"]], [[1 + 2j, 1], [0, 3 - 1j]]])
def test_complex_rows_of_a_study(rows: Any) -> None:
    B = np.array([[1 + 2j, 1], [0, 3 - 1j]])
    assert np.array_equal(fastgc.codes.matrix(rows=rows).B, B)
    for given in (rows, B):
        study = {
            "code": {"family": "matrix", "rows": given},
            "stragglers": {"model": "uniform", "stragglers": 1},
            "method": "exact",
        }
        found = fastgc.run(study)["experiment1"]["error"].mean.value
        assert found == pytest.approx((twin(B, [0])[0] + twin(B, [1])[0]) / 2)


def test_amplification_is_sampled() -> None:
    study = {
        "code": {"family": "cyclic-mds", "n": 5, "d": 2, "field": "complex"},
        "stragglers": {"model": "uniform", "stragglers": 1},
        "measure": ["amplification"],
        "stop": {"trials": 20_000},
    }
    code = fastgc.codes.cyclic_mds(n=5, d=2, field="complex")
    exact = np.mean(
        [fastgc.decode(code, np.delete(np.arange(5), j)).amplification for j in range(5)]
    )
    found = fastgc.run(study)["experiment1"]["amplification"].mean
    assert found.value == pytest.approx(exact, rel=1e-9)


@pytest.mark.parametrize(("n", "d"), [(5, 2), (5, 4), (6, 3), (7, 4), (8, 5), (8, 7)])
def test_the_complex_cyclic_code_survives_what_it_says(n: int, d: int) -> None:
    code = fastgc.codes.cyclic_mds(n=n, d=d, field="complex")
    assert np.iscomplexobj(code.B) and code.tolerance == d - 1
    assert (code.loads == d).all()
    roots = np.exp(2j * np.pi * np.arange(n) / n)
    values = np.abs([np.polyval(code.B[::-1, 0], root) for root in roots])
    assert np.count_nonzero(values < 1e-9) == d - 1 and values[0] > 1e-9
    for lost in itertools.combinations(range(n), d - 1):
        live = [j for j in range(n) if j not in lost]
        assert twin(code.B, live)[0] < 1e-18
    sheet = inspect(code)
    assert (sheet.tolerance, sheet.guaranteed_tolerance) == (d - 1, d - 1)
    assert sheet.loads == (d, d)


def test_the_complex_field_gives_the_real_code_where_there_is_one() -> None:
    real, complex_ = (fastgc.codes.cyclic_mds(n=7, d=3, field=f).B for f in ("real", "complex"))
    assert np.array_equal(real, complex_) and complex_.dtype == np.float64
    with pytest.raises(FastgcError, match=r'or field="complex", would do'):
        fastgc.codes.cyclic_mds(n=7, d=4)


def test_a_complex_matrix_without_imaginary_part_is_real() -> None:
    code = code_of(np.eye(3, dtype=complex))
    assert code.B.dtype == np.float64 and type(code.structure).__name__ == "Groups"
    assert real_form(code.B) is code.B


def test_what_cannot_take_complex_codes_says_so() -> None:
    code = {"family": "cyclic-mds", "n": 6, "d": 3, "field": "complex"}
    base = {"code": code, "stragglers": {"model": "iid", "p": 0.1}}
    training = {
        **base,
        "kind": "training",
        "problem": {"model": "linear", "data": "synthetic", "samples": 12, "features": 2},
        "optimizer": {"method": "gradient-descent", "step": 0.1},
        "iterations": 2,
    }
    name = "cyclic-mds(n=6, d=3, field=complex) is complex"
    for study, says in (
        ({**base, "decoder": "one-step"}, f'decoder: must be "optimal", for {name}'),
        ({**base, "measure": ["stability"]}, f"as long as the gradient, and {name}"),
        (
            training,
            f"code: training takes real matrices, and answers as long as the gradient, and {name}",
        ),
    ):
        with pytest.raises(FastgcError) as caught:
            fastgc.run(study)
        assert says in str(caught.value)
