"""Codes whose workers send pieces, held against least squares with a right side for each piece."""

import itertools
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

import fastgc
from fastgc import FastgcError
from fastgc.codes import Code, code_of
from fastgc.decoding.decoder import Decoder
from fastgc.decoding.inspection import inspect
from fastgc.systems import gradient_code
from suite.checks import agree, close, patterns

SIZES = [(4, 1, 2), (6, 2, 2), (6, 0, 3), (7, 2, 3), (5, 4, 1), (5, 0, 5)]


def twin(code: Code, live: Any) -> tuple[float, NDArray[Any]]:
    """The error, of pieces on average, and the shortest weights of every piece (r, m)."""
    A, wanted = code.B[:, live], np.tile(np.eye(code.pieces), (code.k, 1))
    X = np.linalg.lstsq(A, wanted.astype(A.dtype), rcond=1e-12)[0]
    return float(np.sum(np.abs(A @ X - wanted) ** 2)) / code.pieces, X


def study(code: dict[str, Any], **more: Any) -> dict[str, Any]:
    return {"code": code, "stragglers": {"model": "iid", "p": 0.3}} | more


@pytest.mark.parametrize(("n", "s", "m"), SIZES)
def test_who_holds_what_and_what_is_survived(n: int, s: int, m: int) -> None:
    code = fastgc.codes.ye_abbe(n=n, s=s, m=m)
    d = s + m
    assert (code.k, code.n, code.pieces, code.tolerance) == (n, n, m, s)
    assert code.B.shape == (n * m, n) and (code.loads == d).all()
    for j in range(n):
        assert set(np.flatnonzero(code.held[:, j])) == {(j + t) % n for t in range(d)}
    for lost in itertools.combinations(range(n), s):
        assert twin(code, np.delete(np.arange(n), lost))[0] < 1e-18
    if s + 1 < n:
        worst = max(
            twin(code, np.delete(np.arange(n), lost))[0]
            for lost in itertools.combinations(range(n), s + 1)
        )
        assert worst >= 1 / m - 1e-9  # some partition is left with d − s − 1 < m answers
    sheet = inspect(code)
    assert (sheet.tolerance, sheet.guaranteed_tolerance, sheet.loads) == (s, s, (d, d))


def test_more_load_survives_more() -> None:
    code = fastgc.codes.ye_abbe(n=7, s=1, m=2, d=5)
    assert code.tolerance == 3
    for lost in itertools.combinations(range(7), 3):
        assert twin(code, np.delete(np.arange(7), lost))[0] < 1e-18
    assert inspect(code).tolerance == 3


def random(kind: str) -> Code:
    generator = np.random.default_rng(5)
    B = generator.normal(size=(6, 7)) * (generator.random((6, 7)) < 0.6)
    if kind == "complex":
        B = B + 1j * generator.normal(size=(6, 7))
    return code_of(B, pieces=3 if kind == "three" else 2)


CODES = {
    "ye-abbe": fastgc.codes.ye_abbe(n=7, s=2, m=3),
    "two": random("two"),
    "three": random("three"),
    "complex": random("complex"),
}


@pytest.mark.parametrize("lookup", [True, False])
@pytest.mark.parametrize("name", CODES)
def test_errors_and_vectors_of_all_patterns(name: str, lookup: bool) -> None:
    code = CODES[name]
    n, m = code.n, code.pieces
    decoder = Decoder(code, use_lookup=lookup)
    packed = np.arange(1 << n, dtype=np.uint64)[:, None]
    errors, vectors = decoder.errors(packed), decoder.vectors(packed)
    assert errors[0] == code.k and vectors.shape == (1 << n, n * m)
    for pattern in range(1, 1 << n):
        live = [j for j in range(n) if pattern >> j & 1]
        error, X = twin(code, live)
        assert errors[pattern] == pytest.approx(error, abs=1e-9)
        found = vectors[pattern].reshape(n, m)
        assert np.allclose(found[live], X, atol=1e-7)
        assert not np.delete(found, live, axis=0).any()
        one = fastgc.decode(code, live)
        assert one.error == pytest.approx(error, abs=1e-9)
        assert np.allclose(one.vector, X, atol=1e-7)
        assert one.amplification == close(np.sum(np.abs(X) ** 2) / m, rel=1e-6)
        assert np.sum(np.abs(one.residual) ** 2) / m == pytest.approx(error, abs=1e-9)


@pytest.mark.parametrize(("n", "s", "m"), SIZES)
def test_a_gradient_comes_back_from_its_pieces(n: int, s: int, m: int) -> None:
    code = fastgc.codes.ye_abbe(n=n, s=s, m=m)
    gradients = np.random.default_rng(n).normal(size=(n, 4 * m))
    answers = code.answers(gradients)
    assert answers.shape == (n, 4)
    # worker 1 adds up the pieces of its own partitions only
    by_hand = sum(
        code.B[i * m + u, 1] * gradients[i, 4 * u : 4 * u + 4]
        for i in np.flatnonzero(code.held[:, 1])
        for u in range(m)
    )
    assert np.allclose(answers[1], by_hand)
    for lost in itertools.combinations(range(n), s):
        live = np.delete(np.arange(n), lost)[::-1]
        found = fastgc.decode(code, live).gradient(answers[live])
        assert np.allclose(found, gradients.sum(axis=0), atol=1e-8)


def test_plain_codes_have_answers_too() -> None:
    code = fastgc.codes.frc(n=4, d=2)
    gradients = np.arange(12.0).reshape(4, 3)
    answers = code.answers(gradients)
    assert np.allclose(fastgc.decode(code, [1, 2]).gradient(answers[[1, 2]]), gradients.sum(axis=0))
    with pytest.raises(FastgcError, match=r"gradients: must have shape \(4, l\) \(got \(3, 4\)\)"):
        code.answers(gradients.T)
    with pytest.raises(FastgcError, match=r"must have shape \(4, l\), l a multiple of 2"):
        fastgc.codes.ye_abbe(n=4, s=0, m=2).answers(gradients)


def test_a_study_by_all_methods() -> None:
    code = fastgc.codes.ye_abbe(n=6, s=1, m=2)
    table = {"family": "ye-abbe", "n": 6, "s": 1, "m": 2}
    measure = ["error", "exact", "not_accessed", "amplification", "survivors"]
    rows = fastgc.run(study(table, method="both", measure=measure[:3]), trials=50_000).rows()
    error = exact = lost = 0.0
    for probability, live in patterns(6, 0.3):
        own = twin(code, live)[0] if len(live) else 6.0
        error += probability * own
        exact += probability * (own < 1e-12)
        lost += probability * (not code.held[2, live].any())
    for quantity, index, truth in (
        ("error", None, error),
        ("exact", None, exact),
        ("not_accessed", 2, lost),
    ):
        own = [row for row in rows if (row["quantity"], row["index"]) == (quantity, index)]
        agree(own, truth, 1e-9)
    rows = fastgc.run(
        study(table, measure=["amplification"], stragglers={"model": "uniform", "stragglers": 1})
    ).rows()
    mean = np.mean(
        [fastgc.decode(code, np.delete(np.arange(6), j)).amplification for j in range(6)]
    )
    assert rows[0]["value"] == pytest.approx(mean, rel=0.01)


def test_what_cannot_take_pieces_says_so() -> None:
    table = {"family": "ye-abbe", "n": 5, "s": 1, "m": 2}
    name = r"workers of ye-abbe\(n=5, s=1, m=2, d=3, seed=1\) send pieces"
    with pytest.raises(FastgcError, match=rf'decoder: must be "optimal", for {name}'):
        fastgc.run(study(table, decoder="one-step"))
    with pytest.raises(FastgcError, match=rf"long as the gradient, and {name}"):
        fastgc.run(study(table, measure=["stability"]))


def test_seeds_give_other_matrices() -> None:
    one, other = (fastgc.codes.ye_abbe(n=5, s=1, m=2, seed=seed).B for seed in (1, 2))
    assert not np.allclose(one, other)
    assert np.array_equal(one, fastgc.codes.ye_abbe(n=5, s=1, m=2).B)


def test_shorter_answers_keep_a_port_less_busy() -> None:
    """d = s + m: more to compute, less to receive."""
    assert gradient_code(n=8, s=1, m=3).share() == 0.5
    times = {}
    for m in (1, 2, 4):
        completion = {
            "kind": "completion",
            "system": {"family": "gradient-code", "n": 8, "s": 1, "m": m},
            "latency": {"distribution": "deterministic", "value": 1.0},
            "port": {"receive": 1.0},
            "measure": ["time", "load", "messages", "waiting"],
            "method": "both",
        }
        for row in fastgc.run(completion, trials=100).rows():
            if row["statistic"] == "mean":
                times.setdefault((m, row["quantity"]), []).append(row["value"])
    for m in (1, 2, 4):
        share = (1 + m) / 8
        assert times[m, "time"] == pytest.approx([share + 7 / m] * len(times[m, "time"]))
        assert times[m, "load"] == pytest.approx([share] * len(times[m, "load"]))
        assert times[m, "waiting"] == pytest.approx([share] * len(times[m, "waiting"]))
        assert set(times[m, "messages"]) == {7.0}
    with pytest.raises(FastgcError, match=r"s \+ m must be at most n"):
        gradient_code(n=4, s=2, m=3)


def test_a_matrix_of_pieces_of_one_s_own_stands_in_studies() -> None:
    family = fastgc.codes.ye_abbe(n=5, s=1, m=2)
    own = fastgc.codes.code_of(np.asarray(family.B), "mine", pieces=2)
    stragglers = {"model": "iid", "p": 0.3}
    first, second = (fastgc.run(code=code, stragglers=stragglers) for code in (family, own))
    value = second["experiment1"]["error"].mean.value
    assert value == pytest.approx(first["experiment1"]["error"].mean.value)
    plain = fastgc.codes.code_of(np.asarray(family.B), "plain")
    other = fastgc.run(code=plain, stragglers=stragglers)["experiment1"]["error"].mean.value
    assert abs(other - value) > 0.1
    with pytest.raises(FastgcError, match="pieces must divide the rows"):
        fastgc.run(
            {"code": {"family": "matrix", "rows": [[1], [1], [1]], "pieces": 2}}
            | {"stragglers": stragglers}
        )
