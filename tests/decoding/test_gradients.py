"""Errors of the gradient itself: against LAPACK, partial gradients written out, and bounds."""

import numpy as np
import pytest

import fastgc
from fastgc import codes
from fastgc.decoding.decoder import Decoder
from fastgc.decoding.decoding import packed
from fastgc.decoding.gradients import GradientDecoder, Gradients
from fastgc.decoding.gram import Gram

RANDOM = np.random.default_rng(11)
FAMILIES = {
    "frc": codes.frc(n=8, d=2),
    "circulant": codes.circulant(n=9, d=2),
    "cyclic": codes.cyclic(n=8, d=3),
    "binary": codes.binary(n=11, s=3),
    "uncoded": codes.uncoded(n=6),
    "bibd": codes.bibd(name="fano"),
    "graph": codes.graph(name="petersen"),
    "sparse-regular": codes.sparse_regular(n=10, d=3, seed=1),
    "wide": codes.matrix(rows=RANDOM.normal(size=(5, 20))),
    "large": codes.circulant(n=40, d=3),
}
KINDS = ("lengths", "full", "thin", "equal")


def partial_gradients(kind, k):
    """Partial gradients themselves, one a row."""
    random = np.random.default_rng([k, len(kind)])
    return {
        "lengths": np.diag(random.uniform(0.1, 2.0, k)),
        "full": random.normal(size=(k, k)),
        "thin": random.normal(size=(k, 3)),
        "equal": np.ones((k, 1)) @ random.normal(size=(1, 4)),
    }[kind]


def wanted(kind, k):
    return np.ones(k) if kind == "sum" else np.random.default_rng(k).normal(size=k)


def slowly(code, vectors, g, target):
    """Squared distance of what answers add up to from the gradient; answers as vectors."""
    answers = code.B.T @ g
    return np.square(vectors @ answers - target @ g).sum(axis=1)


@pytest.mark.night
@pytest.mark.parametrize("family", FAMILIES)
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("target", ["sum", "other"])
def test_errors_are_those_of_least_squares_of_gradients(family, kind, target):
    code = FAMILIES[family]
    g, t = partial_gradients(kind, code.k), wanted(target, code.k)
    alive = np.random.default_rng(3).random((25, code.n)) < 0.7
    alive[0], alive[1] = False, True
    every = {}
    for known in (False, True):
        gradients = Gradients(t, g @ g.T, known)
        decoder = GradientDecoder(code, gradients)
        errors, vectors = decoder.errors(packed(alive)), decoder.vectors(packed(alive))
        tight = 1e-9 * max(gradients.square, gradients.eigenvalues[1])
        assert errors == pytest.approx(slowly(code, vectors, g, t), rel=1e-7, abs=tight)
        for own, error in zip(alive, errors, strict=True):
            A = code.B[:, own]
            if known:  # the least of all weights
                x = np.linalg.lstsq(g.T @ A, g.T @ t, rcond=1e-10)[0]
            else:
                x = np.linalg.lstsq(A, t, rcond=1e-10)[0]
            expected = np.square(g.T @ (A @ x - t)).sum()
            assert error == pytest.approx(expected, rel=1e-7, abs=tight)
        assert errors[0] == pytest.approx(gradients.square)
        every[known] = errors
        residuals = gradients.residuals(code.B, vectors)
        least, largest, sides = gradients.bounds(residuals)
        assert (least <= errors + tight).all()
        assert (errors <= largest + tight).all() and (errors <= sides + tight).all()
        assert (errors <= decoder.most + tight).all()
    assert (every[True] <= every[False] + tight).all()


def test_eigenvalues_are_those_of_lapack():
    for kind in KINDS:
        g = partial_gradients(kind, 7)
        values = np.linalg.eigvalsh(g @ g.T)
        found = Gradients(np.ones(7), g @ g.T).eigenvalues
        assert found == pytest.approx((values[0], values[-1]), rel=1e-9, abs=1e-9 * values[-1])


def test_orthonormal_gradients_make_the_decoding_error():
    alive = RANDOM.random((50, 40)) < 0.6
    code = FAMILIES["large"]
    plain = Decoder(code, use_structure=False)
    for known in (False, True):
        own = GradientDecoder(code, Gradients(np.ones(40), np.eye(40), known))
        assert own.errors(packed(alive)) == pytest.approx(plain.errors(packed(alive)), abs=1e-11)
        assert own.exact_threshold == pytest.approx(plain.exact_threshold, rel=1e-9, abs=0)
    assert own.algorithm == plain.algorithm and own.tiers == plain.tiers


def test_lookups_and_single_patterns_agree():
    code, g = FAMILIES["cyclic"], partial_gradients("full", 8)
    for known in (False, True):
        decoder = GradientDecoder(code, Gradients(wanted("other", 8), g @ g.T, known))
        every = np.arange(256, dtype=np.uint64)[:, np.newaxis]
        assert decoder.algorithm == "lookup"
        assert decoder.errors_of_all_patterns().tolist() == decoder.errors(every).tolist()


@pytest.mark.parametrize("decoder", ["one-step", "class", "ridge"])
def test_other_decoders_keep_their_weights(decoder):
    code, g = FAMILIES["frc"], partial_gradients("full", 8)
    alive = RANDOM.random((30, 8)) < 0.7
    for known in (False, True):
        gram = {"rows": g @ g.T, "known": known}
        found = fastgc.decode(code, alive, decoder=decoder, gram=gram)
        plain = fastgc.decode(code, alive, decoder=decoder)
        assert found.vectors.tolist() == plain.vectors.tolist()
        expected = slowly(code, plain.vectors, g, np.ones(8))
        assert found.errors == pytest.approx(expected, abs=1e-12)


@pytest.mark.night
def test_a_worker_whose_sum_cancels_says_nothing():
    """With equal gradients the columns (1, −1) and (2, −2) send zeros, not rounding."""
    B = [[1.0, 2.0, 0.1], [-1.0, -2.0, -0.1], [0.0, 0.0, 0.0]]
    found = fastgc.decode(B, [0, 1, 2], gram={"correlation": 1.0, "known": True})
    assert found.error == pytest.approx(9.0) and not found.vector.any()
    found = fastgc.decode(
        [[0.1 + 0.2], [-0.3]], [0], gram={"norms": [1.0, 1.0], "correlation": 1.0, "known": True}
    )
    assert found.error == pytest.approx(4.0)


def test_one_pattern_says_its_residual():
    code = codes.frc(n=4, d=2)
    found = fastgc.decode(code, [0], target=[1.0, 3.0, 0.0, 0.0])
    assert found.vector.round(9).tolist() == [2.0]
    assert found.residual.round(9).tolist() == [1.0, -1.0, 0.0, 0.0]
    assert found.error == pytest.approx(2.0) and found.amplification == pytest.approx(4.0)
    mean = fastgc.decode(code, [0], target="mean")
    assert mean.error == pytest.approx(2 / 16)
    many = fastgc.decode(code, np.array([[True] * 4, [False] * 4]), target="mean", gram=[2.0] * 4)
    assert many.errors == pytest.approx([0.0, 4 * 4 / 16], abs=1e-15)


@pytest.mark.parametrize(
    ("k", "keys", "expected"),
    [
        (2, {"norms": (1.0, 3.0)}, [[1, 0], [0, 9]]),
        (2, {"correlation": -0.5}, [[1, -0.5], [-0.5, 1]]),
        (
            4,
            {"clusters": 2, "correlation": 0.5, "between": 0.25},
            [
                [1, 0.5, 0.25, 0.25],
                [0.5, 1, 0.25, 0.25],
                [0.25, 0.25, 1, 0.5],
                [0.25, 0.25, 0.5, 1],
            ],
        ),
        (3, {"clusters": 2, "correlation": 1.0}, [[1, 1, 0], [1, 1, 0], [0, 0, 1]]),
    ],
)
def test_named_models(k, keys, expected):
    assert Gram(**keys).matrix(k).tolist() == expected


@pytest.mark.parametrize(
    ("given", "said"),
    [
        (
            {"gram": [[1.0, 2.0], [2.0, 1.0]]},
            "positive semidefinite (it has a negative eigenvalue)",
        ),
        ({"gram": [[0.0, 1.0], [1.0, 0.0]]}, "a negative eigenvalue"),
        ({"gram": [[-1.0, 0.0], [0.0, 1.0]]}, "a squared length of -1"),
        ({"gram": [[1.0, 0.5], [0.0, 1.0]]}, "0.5 in row 0, column 1, and 0 across"),
        ({"gram": [[1.0, 0.5]]}, "as long as they are many (1)"),
        ({"gram": np.eye(3)}, "must be 2 × 2 (got 3 rows)"),
        ({"gram": [1.0, 2.0, 3.0]}, "gram.norms: must have 2 lengths (got 3)"),
        ({"gram": [-1.0, 2.0]}, "gram.norms[0]"),
        ({"gram": [0.0, 0.0]}, "makes a gradient of 0"),
        ({"gram": {"correlation": -1.0}}, "makes a gradient of 0"),
        ({"gram": {"correlation": 1.5}}, "correlation"),
        ({"gram": {"clusters": 3}}, "gram.clusters: must be at most 2 (got 3)"),
        ({"gram": {"between": 0.5}}, "between goes with clusters only"),
        ({"gram": {}}, "give one of file, rows and problem, or norms"),
        ({"gram": {"rows": [[1.0]], "norms": [1.0]}}, "(got rows and norms)"),
        ({"gram": "nowhere.csv"}, "there is no file nowhere.csv"),
        ({"target": [1.0]}, "target: must have 2 entries, one a partition (got 1)"),
        ({"target": [0.0, 0.0]}, "target: makes a gradient of 0"),
        ({"target": "summ"}, "target"),
        ({"target": [1.0, 2.0], "decoder": "one-step"}, 'target: needs decoder "optimal"'),
    ],
)
def test_mistakes(given, said):
    with pytest.raises(fastgc.FastgcError) as caught:
        fastgc.decode([[1.0, 0.0], [0.0, 1.0]], [0], **given)
    assert said in str(caught.value) and "\n" not in str(caught.value)


def test_codes_that_send_pieces_are_refused():
    with pytest.raises(fastgc.FastgcError, match="needs one real weight a worker"):
        fastgc.decode(codes.ye_abbe(n=5, s=1, m=2), [0, 1, 2, 3], gram={"correlation": 0.5})


@pytest.mark.parametrize("k", [6, 10, 12, 37])
@pytest.mark.parametrize("off", [0.0, 1e-16, 1e-14, 1e-10, 1e-6])
def test_equal_weights_wanted_but_for_rounding(k, off):
    """1/k each is c·1 but for rounding, and c·1 is what weights are turned to."""
    target = np.full(k, 1 / k) + off * np.cos(np.arange(k))
    for gram in (None, [2.0] * k):
        found = fastgc.decode(np.eye(k), list(range(k)), target=target, gram=gram)
        assert found.vector == pytest.approx(target, rel=1e-11, abs=0)
        assert found.error == pytest.approx(0.0, abs=1e-20)


def test_the_mean_is_lost_by_the_groups_that_are():
    study = {"code": {"family": "frc", "n": 6, "d": 3}, "stragglers": 0.2, "target": "mean"}
    study |= {"gram": [1.0, 1.0, 2.0, 2.0, 3.0, 3.0], "measure": ["gradient_error", "error"]}
    found = fastgc.run({"experiment": [study]})["experiment1"]
    assert found["gradient_error"].mean.value == pytest.approx(0.2**3)
    assert found["error"].mean.value == pytest.approx(0.2**3 * 28 / 36)
