"""Decoders: one pattern and many, weights of every rule against their formulas, mistakes."""

import itertools
import pickle

import numpy as np
import pytest

import fastgc
from fastgc import codes
from fastgc.decoding.decode import decode
from fastgc.decoding.decoder import Decoder
from fastgc.errors import FastgcError
from fastgc.study.study import Study
from suite.checks import agree, close, refusal
from twins import decoders as twin
from twins.codes import random_binary, unstructured
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

#: Weights of each rule by its formula, of a code's pattern.
TWINS = {
    "optimal": lambda code, alive: twin.optimal_vector(code.B, alive),
    "one-step": lambda code, alive: twin.one_step_vector(code.B, alive),
    "class": lambda code, alive: twin.algorithm3_vector(code.n, code.tolerance, alive),
}


@pytest.mark.parametrize("name", MATRICES)
def test_vectors_are_the_shortest(name):
    B = MATRICES[name]
    patterns = twin.every_pattern(B.shape[1])
    found = Decoder(B).vectors(pack(patterns))
    expected = np.array([twin.optimal_vector(B, alive) for alive in patterns])
    assert found == pytest.approx(expected, abs=1e-10)
    assert not found[~patterns].any()


@pytest.mark.parametrize("rho", [None, 0.3, -1.5, 0.0])
@pytest.mark.parametrize("name", [name for name in MATRICES if name != "nothing held"])
def test_one_step(name, rho):
    B = MATRICES[name] if rho is not None else abs(MATRICES[name])
    patterns = twin.every_pattern(B.shape[1])
    vectors = np.array([twin.one_step_vector(B, alive, rho) for alive in patterns])
    expected = ((vectors @ B.T - 1) ** 2).sum(axis=1)
    for lookup in (True, False):
        decoder = Decoder(B, use_lookup=lookup, decoder="one-step", rho=rho)
        assert decoder.errors(pack(patterns)) == pytest.approx(expected, rel=1e-12, abs=1e-12)
        assert decoder.vectors(pack(patterns)) == pytest.approx(vectors, rel=1e-13)
    assert expected[0] == len(B)


@pytest.mark.parametrize("B", [np.zeros((3, 4)), -np.eye(3), np.array([[1.0, -1.0]])])
def test_one_step_of_nothing_demands_rho(B):
    says = 'rho: missing; decoder "one-step" takes it from the sum of a worker\'s weights'
    assert refusal(decode, B, [0], "one-step").startswith(says)
    study = {"code": {"family": "matrix", "rows": B.tolist()}, "stragglers": 0.1}
    assert refusal(Study.parse, study | {"decoder": "one-step"}).startswith(f"study: {says}")
    assert decode(B, [0], "one-step", rho=0.0).error == len(B)


@pytest.mark.parametrize("code", [
    *(codes.binary(n=n, s=s) for n in range(2, 12) for s in range(n)),
    *(codes.frc(n=n, d=d) for n, d in ((6, 2), (6, 3), (8, 2), (5, 5), (9, 3))),
    codes.uncoded(n=5), codes.binary(n=5, s=1, k=9),
], ids=lambda code: code.name)  # fmt: skip
def test_algorithm3(code):
    """Also that its vector decodes exactly, or is 0."""
    patterns = twin.every_pattern(code.n)
    vectors = np.array([TWINS["class"](code, alive) for alive in patterns])
    decoder = Decoder(code, decoder="class")
    assert np.array_equal(decoder.vectors(pack(patterns)), vectors)
    errors = decoder.errors(pack(patterns))
    assert errors.tolist() == [twin.error_of(code.B, x) for x in vectors]
    assert set(errors) <= {0.0, float(code.k)}
    assert not errors[patterns.sum(axis=1) >= code.n - code.tolerance].any()


@pytest.mark.parametrize("decoder", TWINS)
def test_one_pattern(decoder):
    code = codes.binary(n=7, s=2)
    for survivors in ([], [0], [0, 3, 6], [1, 4, 2, 5, 3], [6, 5, 4, 3, 2, 1, 0]):
        alive = np.isin(np.arange(7), survivors)
        vector = TWINS[decoder](code, alive)
        found = fastgc.decode(code, survivors, decoder=decoder)
        assert found.vector == pytest.approx(vector[survivors], abs=1e-12)
        assert found.error == pytest.approx(twin.error_of(code.B, vector), abs=1e-12)
        assert found.residual == pytest.approx(code.B @ vector - 1, abs=1e-12)
        assert found.amplification == pytest.approx(vector @ vector, abs=1e-12)
        by_booleans = decode(code, alive, decoder)
        assert by_booleans.vector == pytest.approx(vector[alive], abs=1e-12)
    assert decode(code, [0, 1], "one-step", rho=2.0).vector.tolist() == [2, 2]


@pytest.mark.parametrize(("code", "more", "says"), [
    (codes.frc(n=4, d=2), {"rho": 1.0}, 'rho: belongs to decoder "one-step"'),
    (codes.frc(n=4, d=2), {"rho": 1.0, "decoder": "class"}, "rho: belongs to decoder"),
    (codes.frc(n=4, d=2), {"rho": float("nan"), "decoder": "one-step"},
     "rho: must be finite (got nan)"),
    (codes.circulant(n=4, d=2), {"decoder": "class"},
     'decoder: "class" needs a code whose classes are known, such as binary or frc '
     "(got circulant"),
    (np.eye(2), {"decoder": "class"}, 'decoder: "class" needs'),
    (np.eye(2), {"decoder": "first"},
     'decoder: must be one of "optimal", "one-step", "fixed", "class"'),
])  # fmt: skip
def test_mistakes(code, more, says):
    for attempt in (lambda: decode(code, [0], **more), lambda: Decoder(code, **more)):
        assert refusal(attempt).startswith(says)


@pytest.mark.parametrize(("changes", "says"), [
    ({"rho": 1.0}, 'study: experiment.x.rho: belongs to decoder "one-step"'),
    ({"decoder": "one-stp"},
     "study: experiment.x.decoder: must be 'optimal', 'one-step', 'fixed' or 'class' (got"),
    ({"sweep": {"decoder": ["optimal", "class"]}},
     'study: experiment.x.sweep.decoder[1]: "class" needs a code'),
    ({"decoder": "fixed", "code": {"family": "cyclic-mds", "n": 8, "d": 3, "field": "complex"}},
     'study: experiment.x.decoder: must be "optimal", for cyclic-mds(n=8, d=3, field=complex) is'),
    ({"sweep": {"rho": [0.5]}}, 'study: experiment.x.sweep.rho[0]: belongs to decoder "one-step"'),
])  # fmt: skip
def test_mistakes_in_studies(changes, says):
    table = {
        "name": "x",
        "code": {"family": "circulant", "n": 5, "d": 2},
        "stragglers": {"model": "iid", "p": 0.1},
    }
    assert refusal(fastgc.run, {"experiment": [table | changes]}).startswith(says)


@pytest.mark.parametrize("decoder", ["one-step", "class"])
def test_methods_agree(decoder):
    """Exact and Monte Carlo, with the decoder's own errors."""
    code, patterns = codes.binary(n=7, s=2), twin.every_pattern(7)
    errors = [twin.error_of(code.B, TWINS[decoder](code, alive)) for alive in patterns]
    alive = patterns.sum(axis=1)
    study = {"code": {"family": "binary", "n": 7, "s": 2}, "stragglers": 0.2, "method": "both"}
    rows = fastgc.run(study | {"decoder": decoder}, trials=40_000).rows()
    own = (row for row in rows if row["method"] != "closed-form")
    agree(own, (0.2 ** (7 - alive) * 0.8**alive) @ errors, 1e-12)


# ---- shortest vectors, and the choice of a kernel


TRIANGLE = np.array([[1.0, 0, 1], [1, 1, 0], [0, 1, 1]])


def test_minimum_norm_of_graded_dependent_columns():
    """Columns of many sizes, a null space that mixes them: against 200 digits."""
    import mpmath

    rng = np.random.default_rng(7)
    left, right = rng.integers(-3, 4, (5, 3)), rng.integers(-3, 4, (3, 7))
    exponents = rng.integers(-40, 41, 7)
    B = np.ldexp((left @ right).astype(float), exponents)
    with mpmath.workdps(200):
        A, L = mpmath.matrix(B.tolist()), mpmath.matrix(left.tolist())
        sizes = mpmath.diag([mpmath.mpf(2) ** e for e in exponents.tolist()])
        rows = mpmath.matrix(right.tolist()) * sizes
        z = mpmath.lu_solve(L.T * L, L.T * mpmath.ones(5, 1))
        x = rows.T * mpmath.lu_solve(rows * rows.T, z)
        assert mpmath.mnorm(A.T * (A * x - mpmath.ones(5, 1)), 1) < mpmath.mpf(10) ** -100
        expected = np.array([float(entry) for entry in x])
    assert decode(B, range(7)).vector == pytest.approx(expected, rel=1e-12, abs=0)


@pytest.mark.parametrize(("B", "survivors", "says"), [
    ([[1, np.nan]], [0], "B: every entry must be finite"),
    ([1, 2], [0], "B: must have two dimensions"),
    (TRIANGLE, [3], "survivors: every index must be from 0 to 2 (got 3)"),
    (TRIANGLE, [-1], "survivors: every index must be from 0 to 2 (got -1)"),
    (TRIANGLE, [1, 1], "survivors: every worker can be listed once (got 1 twice)"),
    (TRIANGLE, [True, False], "survivors: must have 3 booleans, one a worker (got 2)"),
    (TRIANGLE, [0.5], "survivors: must be a list of workers' indices or of 3 booleans"),
    (TRIANGLE, [[0], [1, 2]], "survivors: must be a list"),
    (TRIANGLE, 1, "survivors: must be a list"),
])  # fmt: skip
def test_what_are_no_survivors(B, survivors, says):
    assert refusal(decode, B, survivors).startswith(says)


@pytest.mark.parametrize(("B", "kind", "generic"), [
    (np.kron(np.eye(3), np.ones((2, 2))), "groups", "lookup"), (TRIANGLE, "cycle-gaps", "lookup"),
    (np.triu(np.ones((5, 5))), "lookup", "lookup"),
    (np.triu(np.ones((20, 20))), "intervals", "least-squares"),
    (random_binary(20, 5, 1), "least-squares", "least-squares"),
    (random_binary(10, 3, 1), "lookup", "lookup"),
    (np.vander(np.linspace(0.1, 1, 18)), "orthogonal", "orthogonal"),
])  # fmt: skip
def test_kernels_agree(B, kind, generic):
    k, n = B.shape
    rng = np.random.default_rng(9)
    packed = pack(rng.random((200, n)) >= 0.3)
    decoders = [Decoder(B), Decoder(unstructured(B)), Decoder(unstructured(B), use_lookup=False)]
    assert [decoder.algorithm for decoder in decoders[:2]] == [kind, generic]
    first = decoders[0].errors(packed)
    for decoder in decoders[1:]:
        assert decoder.errors(packed) == pytest.approx(first, abs=1e-10 * k)
    copy = pickle.loads(pickle.dumps(decoders[0]))
    assert np.array_equal(copy.errors(packed), first)


def test_exact_threshold():
    assert Decoder(TRIANGLE).exact_threshold == 0
    assert Decoder(np.triu(np.ones((5, 5)))).exact_threshold == 0
    assert Decoder(random_binary(10, 3, 1)).exact_threshold == 10 * 1e-9
    B = np.diag([1.0, 1, 1]) + np.array([[0, 1, 0], [0, 0, 0], [0, 0, 0]]) * (1 - 1e-7)
    assert Decoder(B).condition == pytest.approx(np.linalg.cond(B / [1, 2, 1]))
    decoder = Decoder(np.array([[1.0, 1.0], [0.0, 1e-7]]))
    assert decoder.exact_threshold == 2e-6  # of k, however ill-conditioned it is
    decoder = Decoder(np.array([[1.0, 1.0], [0.0, 1e-9]]))
    assert decoder.exact_threshold == close(8 * 2.0**-52 * decoder.condition)


# ---- fixed weights; names and tables

HELD = (np.random.default_rng(3).random((9, 8)) < 0.5).astype(float)
MASKS = np.array(list(itertools.product((False, True), repeat=8)))
LATE = 8 - MASKS.sum(axis=1)


def mean_of(errors, p):
    return float(np.sum(errors * p**LATE * (1 - p) ** (8 - LATE)))


def test_fixed_weights_do_not_depend_on_who_answers():
    p, d = 0.2, HELD.sum() / 9
    weight = 1 / (d * (1 - p))
    errors = np.square(weight * MASKS.astype(float) @ HELD.T - 1).sum(axis=1)
    assert fastgc.error(HELD, p=p, decoder="fixed").value == close(mean_of(errors, p), rel=1e-9)
    few = float(np.mean(np.square(MASKS[LATE == 2] / (d * 0.75) @ HELD.T - 1).sum(axis=1)))
    assert fastgc.error(HELD, stragglers=2, decoder="fixed").value == close(few, rel=1e-9)
    worst = {"model": "adversarial", "stragglers": 2}
    largest = np.square(MASKS[LATE == 2] / (d * 0.75) @ HELD.T - 1).sum(axis=1).max()
    assert fastgc.error(HELD, stragglers=worst, decoder="fixed").value == close(largest, rel=1e-9)
    found = fastgc.decode(HELD, MASKS, decoder="fixed", rho=weight)
    assert found.errors == pytest.approx(errors, abs=1e-9)
    each = [0.1] * 4 + [0.3] * 4
    assert fastgc.error(HELD, p=each, decoder="fixed").value is not None
    sampled = fastgc.error(HELD, p=p, decoder="fixed", method="monte-carlo", trials=20_000)
    assert sampled.low is not None and sampled.high is not None
    assert sampled.low - 0.05 < mean_of(errors, p) < sampled.high + 0.05
    with pytest.raises(FastgcError, match="rho: missing"):
        fastgc.decode(HELD, MASKS, decoder="fixed")
    for none in ({"p": 1}, {"stragglers": 8}):  # of the workers answers
        with pytest.raises(FastgcError, match=r"rho: missing; .* p < 1"):
            fastgc.error(HELD, decoder="fixed", **none)


@pytest.mark.parametrize("method", ["optimal", "one-step", "fixed"])
def test_a_decoder_is_a_name_or_a_table(method):
    rho = 0.5 if method == "fixed" else None
    named = fastgc.decode(HELD, [0, 1, 2], decoder=method, rho=rho)
    tagged = fastgc.decode(HELD, [0, 1, 2], decoder={"method": method}, rho=rho)
    assert named.error == tagged.error
    found = fastgc.error(HELD, p=0.1, decoder={"method": method})
    assert found == fastgc.error(HELD, p=0.1, decoder=method)


@pytest.mark.parametrize(("table", "said"), [
    ({"method": "fixed", "p": 0.1}, 'decoder: "fixed" has no keys of its own; rho stands'),
    ({"method": "rigde"}, "decoder.*must be"),
])  # fmt: skip
def test_a_table_that_is_no_decoder(table, said):
    for ask in (lambda: fastgc.decode(HELD, [0, 1], decoder=table),
                lambda: fastgc.error(HELD, p=0.1, decoder=table)):  # fmt: skip
        with pytest.raises(FastgcError, match=said):
            ask()


@pytest.mark.parametrize(("code", "share", "decoder"), [
    (codes.sparse_regular(n=70, d=4, seed=3), 0.8, "optimal"),
    (codes.circulant(n=100, d=5), 0.7, "one-step"), (codes.binary(n=150, s=3), 0.985, "class"),
], ids=["optimal", "one-step", "class"])  # fmt: skip
def test_more_workers_than_a_word_has_bits(code, share, decoder):
    patterns = np.random.default_rng(3).random((40, code.n)) < share
    own = Decoder(code, decoder=decoder)
    expected = np.array([TWINS[decoder](code, alive) for alive in patterns])
    assert own.vectors(pack(patterns)) == pytest.approx(expected, abs=1e-9)
    errors = [twin.error_of(code.B, x) for x in expected]
    assert own.errors(pack(patterns)) == pytest.approx(errors, rel=1e-9, abs=1e-9)
    assert expected.any(axis=1).sum() == 40 or decoder == "class"
