"""Complex codes: held against complex least squares; answers of any code."""

import itertools
from pathlib import Path

import numpy as np
import pytest

import fastgc
from fastgc import FastgcError, codes
from fastgc.codes import code_of
from fastgc.decoding.algorithms import doubled, real_form
from fastgc.decoding.decoder import Decoder
from fastgc.decoding.inspection import inspect
from suite.checks import agree, close, patterns, refusal
from twins.least_squares import pack


def reed_solomon(k, n, dimension):
    """Columns of a complex matrix: dense, of a given rank, with 1 among their sums."""
    points = np.exp(2j * np.pi * np.arange(n) / n)
    rows = np.exp(2j * np.pi * np.arange(k) / k)
    return rows[:, None] ** np.arange(dimension) @ points ** np.arange(dimension)[:, None]


def twin(code, live):
    """The error, and the shortest weights (r,)."""
    A = code.B[:, live]
    x = np.linalg.lstsq(A, np.ones(code.k, A.dtype), rcond=1e-12)[0]
    return float(np.sum(np.abs(A @ x - 1) ** 2)), x


def random(k, n, seed):
    generator = np.random.default_rng(seed)
    return generator.normal(size=(k, n)) + 1j * generator.normal(size=(k, n))


def without(n, lost):
    return np.delete(np.arange(n), lost)


CODES = {
    "random": code_of(random(7, 5, 1)), "wide": code_of(random(3, 9, 2)),
    "rank 3": code_of(reed_solomon(6, 8, 3)), "cyclic": codes.cyclic_mds(n=8, d=3, field="complex"),
    "sparse": code_of(random(6, 8, 3) * (np.random.default_rng(4).random((6, 8)) < 0.4)),
    "zero column": code_of(np.c_[random(4, 3, 5), np.zeros(4)]),
}  # fmt: skip


@pytest.mark.parametrize("lookup", [True, False])
@pytest.mark.parametrize("name", CODES)
def test_errors_and_vectors_of_all_patterns(name, lookup):
    code = CODES[name]
    n = code.n
    decoder = Decoder(code, use_lookup=lookup)
    packed = np.arange(1 << n, dtype=np.uint64)[:, None]
    errors, vectors = decoder.errors(packed), decoder.vectors(packed)
    assert errors[0] == code.k and vectors.shape == (1 << n, n)
    assert np.iscomplexobj(vectors) == code.is_complex
    for pattern in range(1, 1 << n):
        live = [j for j in range(n) if pattern >> j & 1]
        error, x = twin(code, live)
        assert errors[pattern] == pytest.approx(error, abs=1e-9)
        assert np.allclose(vectors[pattern, live], x, atol=1e-7)
        assert not np.delete(vectors[pattern], live).any()


@pytest.mark.parametrize("name", CODES)
def test_one_pattern(name):
    code = CODES[name]
    for live in ([2, 0, 1], [1]):
        found = fastgc.decode(code, live)
        error, x = twin(code, live)
        assert found.error == pytest.approx(error, abs=1e-9)
        assert np.allclose(found.vector, x, atol=1e-7)
        assert found.amplification == close(np.sum(np.abs(x) ** 2), rel=1e-6)
        assert np.allclose(found.residual, code.B[:, live] @ x - 1, atol=1e-7)
    none = fastgc.decode(code, [])
    assert (none.error, none.amplification, none.vector.size) == (code.k, 0.0, 0)


@pytest.mark.parametrize("n", [5, 31, 32, 33, 64, 70, 100])
def test_doubled_patterns(n):
    alive = np.random.default_rng(n).random((40, n)) < 0.5
    assert np.array_equal(doubled(pack(alive), n), pack(np.repeat(alive, 2, axis=1)))
    if n == 70:
        code = codes.cyclic_mds(n=70, d=6, field="complex")
        found = Decoder(code).errors(pack(alive))
        assert found == pytest.approx([twin(code, live)[0] for live in alive], abs=1e-7)


# ---- in studies


@pytest.mark.parametrize("sign", ["j", "i"])
def test_files_of_complex_matrices_in_a_study(sign, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    code, file = CODES["rank 3"], "B.csv"
    np.savetxt(file, code.B, delimiter=",")  # cells like (1.0+2.0j)
    Path(file).write_text(Path(file).read_text().replace("j", sign))
    study = {"code": {"family": "matrix", "file": file}, "stragglers": 0.3, "method": "both"}
    result = fastgc.run(study | {"measure": ["error"]}, trials=20_000, out="r.h5")
    truth = sum(p * (twin(code, live)[0] if len(live) else 6.0) for p, live in patterns(8, 0.3))
    agree(result.rows(), truth, 1e-9)
    Path(file).unlink()  # what the file of results holds is enough to look at it again
    assert fastgc.open("r.h5").rows() == result.rows()


def mean(code, **study):
    return fastgc.run({"code": code} | study)["experiment1"]["error"].mean.value


@pytest.mark.parametrize("rows", [[["1+2j", 1], [0, "(3 - 1i)"]], [[1 + 2j, 1], [0, 3 - 1j]]])
def test_complex_rows_of_a_study(rows):
    own = codes.matrix(rows=rows)
    assert np.array_equal(own.B, [[1 + 2j, 1], [0, 3 - 1j]])
    expected = (twin(own, [0])[0] + twin(own, [1])[0]) / 2
    one = {"model": "uniform", "stragglers": 1}
    for given in (rows, own.B):
        code = {"family": "matrix", "rows": given}
        assert mean(code, stragglers=one, method="exact") == pytest.approx(expected)


def test_what_cannot_take_such_codes_says_so():
    code = {"family": "cyclic-mds", "n": 6, "d": 3, "field": "complex"}
    name = "cyclic-mds(n=6, d=3, field=complex) is complex"
    training = {"kind": "training", "iterations": 2}
    training["problem"] = {"model": "linear", "data": "synthetic", "samples": 12, "features": 2}
    training["optimizer"] = {"method": "gradient-descent", "step": 0.1}
    long = f"answers as long as the gradient, and {name}"
    for more, says in (
        ({"decoder": "one-step"}, f'decoder: must be "optimal", for {name}'),
        ({"measure": ["stability"]}, f"as long as the gradient, and {name}"),
        (training, f"code: training takes real matrices, and {long}"),
    ):
        assert says in refusal(fastgc.run, {"code": code, "stragglers": 0.1} | more)


# ---- families


@pytest.mark.parametrize(("n", "d"), [(5, 2), (5, 4), (6, 3), (7, 4), (8, 5), (8, 7)])
def test_the_complex_cyclic_code_survives_what_it_says(n, d):
    code = codes.cyclic_mds(n=n, d=d, field="complex")
    assert np.iscomplexobj(code.B) and code.tolerance == d - 1
    assert (code.loads == d).all()
    roots = np.exp(2j * np.pi * np.arange(n) / n)
    values = np.abs([np.polyval(code.B[::-1, 0], root) for root in roots])
    assert np.count_nonzero(values < 1e-9) == d - 1 and values[0] > 1e-9
    for lost in itertools.combinations(range(n), d - 1):
        assert twin(code, without(n, lost))[0] < 1e-18
    sheet = inspect(code)
    assert (sheet.tolerance, sheet.guaranteed_tolerance) == (d - 1, d - 1)
    assert sheet.loads == (d, d)


def test_the_complex_field_gives_the_real_code_where_there_is_one():
    real, complex_ = (codes.cyclic_mds(n=7, d=3, field=f).B for f in ("real", "complex"))
    assert np.array_equal(real, complex_) and complex_.dtype == np.float64
    with pytest.raises(FastgcError, match=r'or field="complex", would do'):
        codes.cyclic_mds(n=7, d=4)
    identity = code_of(np.eye(3, dtype=complex))
    assert identity.B.dtype == np.float64 and type(identity.structure).__name__ == "Groups"
    assert real_form(identity.B) is identity.B


def test_plain_codes_have_answers_too():
    code = codes.frc(n=4, d=2)
    gradients = np.arange(12.0).reshape(4, 3)
    answers = code.answers(gradients)
    assert np.allclose(fastgc.decode(code, [1, 2]).gradient(answers[[1, 2]]), gradients.sum(axis=0))
    with pytest.raises(FastgcError, match=r"gradients: must have shape \(4, l\) \(got \(3, 4\)\)"):
        code.answers(gradients.T)
