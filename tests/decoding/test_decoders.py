"""One-step decoding, Algorithm 3, and decoding vectors of many patterns."""

import numpy as np
import pytest

import fastgc
from fastgc import codes
from fastgc.decoding.decode import decode
from fastgc.decoding.decoder import Decoder
from fastgc.errors import FastgcError
from fastgc.study.schema import schema
from fastgc.study.study import Study
from twins import decoders as twin
from twins.least_squares import pack

RNG = np.random.default_rng(11)
MATRICES = {
    "frc": np.kron(np.eye(3), np.ones((2, 2))),
    "circulant": np.array([[float((i - j) % 7 < 3) for j in range(7)] for i in range(7)]),
    "more partitions": RNG.standard_normal((9, 5)),
    "more workers": RNG.integers(-2, 3, (4, 8)).astype(float),
    "equal columns": np.repeat(RNG.random((5, 3)), 3, axis=1),
    "rank 2": RNG.integers(-3, 4, (6, 2)).astype(float) @ RNG.integers(-3, 4, (2, 8)),
    "empty workers": np.array([[1.0, 0, 1, 0], [0, 0, 1, 0], [1, 0, 0, 0]]),
    "nothing held": np.zeros((2, 3)),
}


@pytest.mark.parametrize("name", MATRICES)
def test_vectors_are_the_shortest(name):
    B = MATRICES[name]
    patterns = twin.every_pattern(B.shape[1])
    found = Decoder(B).vectors(pack(patterns))
    expected = np.array([twin.optimal_vector(B, alive) for alive in patterns])
    assert found == pytest.approx(expected, abs=1e-10)
    assert not found[~patterns].any()


def test_vectors_beyond_a_word():
    B = codes.sparse_regular(n=70, d=4, seed=3).B
    patterns = np.random.default_rng(1).random((20, 70)) < 0.8
    found = Decoder(B).vectors(pack(patterns))
    expected = np.array([twin.optimal_vector(B, alive) for alive in patterns])
    assert found == pytest.approx(expected, abs=1e-9)


@pytest.mark.parametrize("rho", [None, 0.3, -1.5, 0.0])
@pytest.mark.parametrize("name", [name for name in MATRICES if name != "nothing held"])
def test_one_step(name, rho):
    B = MATRICES[name] if rho is not None else abs(MATRICES[name])
    patterns = twin.every_pattern(B.shape[1])
    vectors = np.array([twin.one_step_vector(B, alive, rho) for alive in patterns])
    expected = ((vectors @ B.T - 1) ** 2).sum(axis=1)
    for decoder in (
        Decoder(B, decoder="one-step", rho=rho),
        Decoder(B, use_lookup=False, decoder="one-step", rho=rho),
    ):
        assert decoder.errors(pack(patterns)) == pytest.approx(expected, rel=1e-12, abs=1e-12)
        assert decoder.vectors(pack(patterns)) == pytest.approx(vectors, rel=1e-13)
    assert expected[0] == len(B)


@pytest.mark.parametrize("weight", [1.0, 1 / 3, 7.0])
def test_one_step_does_not_depend_on_how_a_code_is_scaled(weight):
    code = codes.graph(name="random-regular", vertices=10, degree=3, seed=1)
    B = code.B @ code.B.T - 3 * np.eye(10)  # the graph's adjacency matrix
    survivors = [0, 1, 2, 4, 5, 7, 8]
    plain = decode(B, survivors, "one-step")
    found = decode(weight * B, survivors, "one-step")
    assert plain.vector.tolist() == [10 / (7 * 3.0)] * 7
    assert found.error == pytest.approx(plain.error, rel=1e-12)
    assert weight * found.vector == pytest.approx(plain.vector, rel=1e-14)


@pytest.mark.parametrize("B", [np.zeros((3, 4)), -np.eye(3), np.array([[1.0, -1.0]])])
def test_one_step_of_nothing_demands_rho(B):
    says = 'rho: missing; decoder "one-step" takes it from the sum of a worker\'s weights'
    with pytest.raises(FastgcError, match=f"^{says}"):
        decode(B, [0], "one-step")
    rows = {"family": "matrix", "rows": B.tolist()}
    study = {"code": rows, "stragglers": {"model": "iid", "p": 0.1}, "decoder": "one-step"}
    with pytest.raises(FastgcError, match=f"^study: {says}"):
        Study.parse(study)
    assert decode(B, [0], "one-step", rho=0.0).error == len(B)


@pytest.mark.parametrize("kind", ["decoding", "training"])
def test_the_schema_says_what_rho_is_by_default(kind):
    said = schema()["$defs"][f"experiment:{kind}"]["properties"]["rho"]["description"]
    assert "k/(r d)" in said and "average over workers" in said


def test_one_step_beyond_a_word():
    B = codes.circulant(n=100, d=5).B
    patterns = np.random.default_rng(2).random((30, 100)) < 0.7
    found = Decoder(B, decoder="one-step").errors(pack(patterns))
    vectors = [twin.one_step_vector(B, alive) for alive in patterns]
    assert found == pytest.approx([twin.error_of(B, x) for x in vectors], rel=1e-12)


@pytest.mark.parametrize(
    ("code", "s"),
    [(codes.binary(n=n, s=s), s) for n in range(2, 12) for s in range(n)]
    + [(codes.frc(n=n, d=d), d - 1) for n, d in ((6, 2), (6, 3), (8, 2), (5, 5), (9, 3))]
    + [(codes.uncoded(n=5), 0), (codes.binary(n=5, s=1, k=9), 1)],
    ids=lambda value: value.name if hasattr(value, "name") else str(value),
)
def test_algorithm3(code, s):
    """Also that its vector decodes exactly, or is 0."""
    patterns = twin.every_pattern(code.n)
    vectors = np.array([twin.algorithm3_vector(code.n, s, alive) for alive in patterns])
    decoder = Decoder(code, decoder="class")
    found = decoder.vectors(pack(patterns))
    assert np.array_equal(found, vectors)
    errors = decoder.errors(pack(patterns))
    assert errors.tolist() == [twin.error_of(code.B, x) for x in vectors]
    assert set(errors) <= {0.0, float(code.k)}
    few = patterns.sum(axis=1) >= code.n - s
    assert not errors[few].any()


def test_algorithm3_beyond_a_word():
    code = codes.binary(n=150, s=3)
    patterns = np.random.default_rng(3).random((400, 150)) < 0.985
    found = Decoder(code, decoder="class").vectors(pack(patterns))
    expected = np.array([twin.algorithm3_vector(150, 3, alive) for alive in patterns])
    assert np.array_equal(found, expected)
    assert 0 < expected.any(axis=1).sum() < 400


def test_one_pattern():
    code = codes.binary(n=7, s=2)
    for survivors in ([], [0], [0, 3, 6], [1, 4, 2, 5, 3], [6, 5, 4, 3, 2, 1, 0]):
        alive = np.isin(np.arange(7), survivors)
        for name, vector in (
            ("optimal", twin.optimal_vector(code.B, alive)),
            ("one-step", twin.one_step_vector(code.B, alive)),
            ("class", twin.algorithm3_vector(7, 2, alive)),
        ):
            found = fastgc.decode(code, survivors, decoder=name)
            assert found.vector == pytest.approx(vector[survivors], abs=1e-12)
            assert found.error == pytest.approx(twin.error_of(code.B, vector), abs=1e-12)
            assert found.residual == pytest.approx(code.B @ vector - 1, abs=1e-12)
            assert found.amplification == pytest.approx(vector @ vector, abs=1e-12)
    assert decode(code, [0, 1], "one-step", rho=2.0).vector.tolist() == [2, 2]


@pytest.mark.parametrize(
    ("code", "more", "says"),
    [
        (codes.frc(n=4, d=2), {"rho": 1.0}, 'rho: belongs to decoder "one-step"'),
        (codes.frc(n=4, d=2), {"rho": 1.0, "decoder": "class"}, "rho: belongs to decoder"),
        (
            codes.frc(n=4, d=2),
            {"rho": float("nan"), "decoder": "one-step"},
            "rho: must be finite (got nan)",
        ),
        (
            codes.circulant(n=4, d=2),
            {"decoder": "class"},
            'decoder: "class" needs a code whose classes are known, such as binary or frc '
            "(got circulant",
        ),
        (np.eye(2), {"decoder": "class"}, 'decoder: "class" needs'),
        (
            np.eye(2),
            {"decoder": "first"},
            'decoder: must be one of "optimal", "one-step", "fixed", "class"',
        ),
    ],
)
def test_mistakes(code, more, says):
    for attempt in (lambda: decode(code, [0], **more), lambda: Decoder(code, **more)):
        with pytest.raises(FastgcError) as caught:
            attempt()
        assert str(caught.value).startswith(says)
        assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("changes", "says"),
    [
        ({"rho": 1.0}, 'study: experiment.x.rho: belongs to decoder "one-step"'),
        ({"rho": float("inf"), "decoder": "one-step"}, "study: experiment.x.rho: must be finite"),
        ({"decoder": "class"}, 'study: experiment.x.decoder: "class" needs a code'),
        (
            {"decoder": "one-stp"},
            "study: experiment.x.decoder: must be 'optimal', 'one-step', 'fixed', 'class' or",
        ),
        (
            {"sweep": {"decoder": ["optimal", "class"]}},
            'study: experiment.x.sweep.decoder[1]: "class" needs a code',
        ),
        (
            {"sweep": {"rho": [0.5]}},
            'study: experiment.x.sweep.rho[0]: belongs to decoder "one-step"',
        ),
    ],
)
def test_mistakes_in_studies(changes, says):
    table = {
        "name": "x",
        "code": {"family": "circulant", "n": 5, "d": 2},
        "stragglers": {"model": "iid", "p": 0.1},
    }
    with pytest.raises(FastgcError) as caught:
        fastgc.run({"experiment": [table | changes]})
    [line] = caught.value.complaints
    assert line.startswith(says)


@pytest.mark.parametrize("decoder", ["one-step", "class"])
def test_methods_agree(decoder):
    """Exact and Monte Carlo, with the decoder's own errors."""
    code = codes.binary(n=7, s=2)
    patterns = twin.every_pattern(7)
    vector = {
        "one-step": lambda alive: twin.one_step_vector(code.B, alive),
        "class": lambda alive: twin.algorithm3_vector(7, 2, alive),
    }[decoder]
    errors = np.array([twin.error_of(code.B, vector(alive)) for alive in patterns])
    alive = patterns.sum(axis=1)
    expected = (0.2 ** (7 - alive) * 0.8**alive) @ errors
    result = fastgc.run(
        {
            "code": {"family": "binary", "n": 7, "s": 2},
            "stragglers": {"model": "iid", "p": 0.2},
            "decoder": decoder,
            "method": "both",
            "stop": {"trials": 40_000},
        }
    )["experiment1"]["error"]
    assert result.statistic("mean", "exact").value == pytest.approx(expected, rel=1e-12)
    sampled = result.statistic("mean", "monte-carlo")
    assert abs(sampled.value - expected) < 4.5 * sampled.standard_error
