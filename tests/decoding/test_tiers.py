"""Tiers: how accurate each is, what is looked up; and matrices whose ranks rounding may decide."""

import itertools

import numpy as np
import pytest

import fastgc
from bench import accuracy, poison
from fastgc import codes
from fastgc.decoding import doubt
from fastgc.decoding.decoder import Decoder
from fastgc.errors import FastgcError, FastgcWarning
from fastgc.results.verdict_data import CONFIRMED, UNDECIDED
from fastgc.theory.papers.claim import Case
from fastgc.validation.decision_rules import Evidence, decide, p_value
from suite.checks import every
from twins import decoders as twin
from twins.codes import unstructured
from twins.least_squares import digit_errors, exact_errors, pack


def doubled(condition):
    """A matrix (20, 26) so conditioned, six of whose columns are there twice."""
    rng = np.random.default_rng(7)
    U, V = (np.linalg.qr(rng.standard_normal((20, 20)))[0] for _ in range(2))
    A = (U * np.geomspace(1, 1 / condition, 20)) @ V
    return np.hstack([A, A[:, :6]])


def test_tiers_by_condition():
    assert Decoder(codes.cyclic(n=4, d=2, seed=1)).tiers == ("lookup",)
    for condition, names in (
        (1e5, ("least-squares", "gram-schmidt", "orthogonal")),
        (1e7, ("gram-schmidt", "orthogonal")),
        (1e13, ("orthogonal",)),
    ):
        assert Decoder(doubled(condition)).tiers == names


@pytest.mark.night
@pytest.mark.parametrize("condition", [1e5, 1e7, 1e10])
def test_columns_that_are_there_twice_are_never_taken_for_different(condition):
    """Rounding makes rows of the null space short that should be 0: it must not be taken for them.
    Truth is at 60 digits.
    """
    B = doubled(condition)
    alive = np.ones((12, 26), bool)
    for row, lost in zip(alive, ((0, 20), (3, 23, 5), (0, 1, 20, 21, 7), (8, 9)) * 3, strict=True):
        row[list(lost)] = False
    rng = np.random.default_rng(0)
    for row in alive[4:]:
        row[rng.choice(26, 2, replace=False)] = False
    decoder = Decoder(B)
    differences = np.abs(decoder.errors(pack(alive)) - digit_errors(B.tolist(), alive))
    assert differences.max() <= 4 * 2.0**-52 * decoder.condition * 20 + 1e-10 * 20


def test_a_table_of_all_errors_loses_no_digits_to_a_fast_tier():
    """Two answers that differ by 1e-10 decode a pair of partitions exactly."""
    rows = np.zeros((4, 4))
    rows[:2, :2], rows[2:, 2:] = [[1, 1], [0.5, 0.5000000001]], [[1, 1], [0.6, 0.6000000001]]
    decoder = Decoder(rows)
    assert decoder.condition > 1e6
    for pattern, error in enumerate(decoder.errors_of_all_patterns()):
        survivors = [bool(pattern >> worker & 1) for worker in range(4)]
        assert error == pytest.approx(exact_errors(rows, [survivors])[0], abs=1e-10), survivors


# ---- no tier is wrong by more than it says: the short form of `python -m bench.accuracy`


@pytest.fixture(scope="module")
def lines():
    return accuracy.lines(0.2)


def test_every_tier_keeps_its_promise(lines):
    assert every(line.met for line in lines), [line for line in lines if not line.met]
    assert {tier for line in lines for tier in line.worst} == set(accuracy.TIERS)
    assert max(line.condition for line in lines) > 1e11


# ---- codes whose errors are looked up: every one of the 2ⁿ patterns, up to the largest n


def every_word(n):
    return np.arange(1 << n, dtype=np.uint64)[:, np.newaxis]


@pytest.mark.parametrize("n", [3, 7, 15, 16])
@pytest.mark.parametrize("rule", ["optimal", "one-step"])
def test_what_is_looked_up_is_what_is_computed(n, rule):
    code = codes.code.code_of(np.random.default_rng(n).integers(-2, 4, (n, n)) * 0.5)
    looked_up = Decoder(code, decoder=rule)
    computed = Decoder(code, decoder=rule, use_lookup=False)
    assert looked_up.algorithm == "lookup" and computed.algorithm != "lookup"
    errors = looked_up.errors(every_word(n))
    assert (errors == computed.errors(every_word(n))).all()
    assert (looked_up.errors_of_all_patterns() == errors).all()
    vector = {"optimal": twin.optimal_vector, "one-step": twin.one_step_vector}[rule]
    for last in range(n):  # patterns in which worker ``last`` is the highest that answered
        pattern = (1 << last) | (0b1011 % (1 << last))
        alive = np.array([bool(pattern >> j & 1) for j in range(n)])
        expected = twin.error_of(code.B, vector(code.B, alive))
        assert errors[pattern] == pytest.approx(expected, abs=1e-9), pattern


def test_what_cancels_is_looked_up_from_a_slower_tier():
    """The columns of 14 workers are 2⁻¹² from dependent: half of all patterns are in doubt."""
    B = np.random.default_rng(14).integers(-2, 4, (18, 14)) * 0.5
    B[:, 9] = B[:, 2] + B[:, 5] + 2.0**-12 * B[:, 9]
    looked_up, computed = Decoder(B), Decoder(B, use_lookup=False)
    # of no survivor the error is k
    undecided = computed._algorithm.attempt(every_word(14), np.empty(1 << 14))
    assert len(undecided) == (1 << 13) - 1
    assert (looked_up.errors(every_word(14)) == computed.errors(every_word(14))).all()


def test_seventeen_workers_are_looked_up_later(monkeypatch):
    rng = np.random.default_rng(17)
    B, packed = rng.random((17, 17)), rng.integers(0, 1 << 17, (1 << 14, 1)).astype(np.uint64)
    decoders = [Decoder(B), Decoder(B.copy())]
    found = Decoder(B, use_lookup=False).errors(packed)
    for each in decoders:
        for _ in range(9):
            assert each.algorithm == "least-squares"
            assert (each.errors(packed) == found).all()
    tables = [each.errors_of_all_patterns() for each in decoders]
    assert tables[0] is tables[1]  # one for both
    assert (tables[0][packed[:, 0].astype(int)] == found).all()
    monkeypatch.setattr("fastgc.decoding.decoder._BYTES_OF_TABLES", 1 << 17)  # taken by these
    other = Decoder(2.0 * B)
    for _ in range(9):
        assert (other.errors(packed) == found).all()
    assert other.errors_of_all_patterns() is not other.errors_of_all_patterns()


# ---- matrices whose ranks rounding may decide: their rows have no interval, others keep theirs


CLEAR = np.array(
    [[0.75, -1.5, 0.25, 1.0], [1.25, 0.5, -0.75, 0.5], [-0.5, 1.0, 1.5, -0.25], [0.5, 0.25, 1, 2]]
)


def scaled(decades: float) -> np.ndarray:
    return np.diag([10.0**decades, 10.0**-decades, 1.0, 1.0]) @ CLEAR


def rows_of(B, method):
    measure = ["exact"] if method == "rare" else ["error", "exact"]
    return fastgc.run(code=B, stragglers=0.1, measure=measure, method=method, trials=1000).rows()


@pytest.mark.parametrize("decades", [7, 8, 10, 20, 100])
@pytest.mark.parametrize("method", ["exact", "monte-carlo", "rare"])
def test_scaled_rows_leave_no_interval(decades, method):
    for row in rows_of(scaled(decades), method):
        assert row["low"] is row["high"] is None
        assert row["note"].endswith(f"no interval: {doubt.SAID}")


@pytest.mark.parametrize("method", ["exact", "monte-carlo", "rare"])
def test_scaled_columns_and_mild_rows_keep_theirs(method):
    for B in (CLEAR, scaled(3), CLEAR * np.array([1e-100, 1.0, 1e7, 1e100])):
        rows = rows_of(B, method)
        assert not any(doubt.SAID in row.get("note", "") for row in rows)
        assert rows[0]["low"] is not None


def test_dependence_of_some_columns_alone_is_seen():
    """B itself is well conditioned; two workers' columns are all but the same."""
    rng = np.random.default_rng(3)
    B = rng.integers(-8, 9, (4, 12)) / 8.0
    assert not doubt.has_doubt(B)
    B[:, 11] = B[:, 4] * (1.0 + np.array([1.0, -2.0, 3.0, 1.0]) * 1e-14)
    assert doubt.has_doubt(B)


@pytest.mark.parametrize("method", ["exact", "monte-carlo"])
def test_no_verdict_rests_on_it(method, tmp_path):
    for B, is_clear in ((CLEAR, True), (scaled(8), False)):
        study = {"code": {"family": "matrix", "rows": B.tolist()}, "measure": ["error"],
                 "stragglers": {"model": "uniform", "stragglers": 1}, "method": method}  # fmt: skip
        result = fastgc.run(study, trials=4096, out=tmp_path / f"{is_clear}.h5")
        assert fastgc.open(tmp_path / f"{is_clear}.h5").rows() == result.rows()
        mean = result["experiment1"]["error"].mean
        for theory in (mean.value, mean.value + 0.5):
            case = Case({}, theory, study, "error", scale=4.0)
            found = decide(case, "=", Evidence(mean), is_rejected=False, significance=0.01)
            if not is_clear:
                assert p_value(case, "=", mean) == 1.0
                assert found.verdict == UNDECIDED and doubt.SAID in found.reason
            elif method == "exact":
                assert (found.verdict == CONFIRMED) == (theory == mean.value)


@pytest.mark.parametrize("entry", [1e308, 1e160, 1e-160, 5e-324])
def test_columns_without_squares_are_refused(entry):
    B = np.array([[entry, 1.0], [entry, 2.0]])
    for ask in (lambda: fastgc.inspect(B), lambda: fastgc.run(code=B, stragglers=0.1)):
        with pytest.raises(FastgcError, match=r"must be from 1e-150 to 1e\+150 in size.*column 0"):
            ask()
    # beside a larger entry a small one is one like others
    assert fastgc.decode([[1.0, 1e-300], [0.0, 1.0]], [0, 1]).error < 1e-12


@pytest.mark.night
def test_the_short_form_of_the_bench():
    found = poison.counts(40, seed=11)
    assert not any(own[poison.WRONG] for own in found.values())
    assert every(sum(own.values()) == 8 for own in found.values())
    assert found["rows scaled"][poison.SAID] and found["columns scaled"][poison.RIGHT] == 8
    # what was said silently before is seen as wrong
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Decoder, "doubt", None)
        assert poison.counts(40, seed=11)["rows scaled"][poison.WRONG] > 0


def test_python_says_so_too():
    with pytest.warns(UserWarning, match=doubt.SAID):
        assert float(found := fastgc.error(scaled(7), p=0.25)) > 0.01
    assert found.method == "exact, in doubt" and doubt.SAID in found.note
    assert fastgc.run(code=scaled(7), stragglers=0.25).rows()[0]["method"] == "exact"
    for survivors in ([0, 1, 2, 3], np.ones((1, 4), bool)):
        with pytest.warns(FastgcWarning, match=f"decode: {doubt.SAID}"):
            assert fastgc.decode(scaled(7), survivors).note == doubt.SAID
    for B in (CLEAR, scaled(2), codes.frc(n=8, d=2)):  # without a warning
        assert float(found := fastgc.error(B, p=0.25)) > 0 and found.method == "exact"
        assert fastgc.decode(B, [0, 1, 2]).note is None


@pytest.mark.parametrize("code", [
    codes.cyclic(9, 3, seed=1), codes.cyclic_mds(8, 4), codes.sparse_regular(9, 3, seed=2),
])  # fmt: skip
def test_roots_of_errors_are_as_accurate_as_they_say(code):
    """Of all sets of at most two stragglers."""
    decoder = Decoder(unstructured(code.B))
    chosen = [s for r in range(3) for s in itertools.combinations(range(code.n), r)]
    alive = np.array([[j not in s for j in range(code.n)] for s in chosen])
    off = np.sqrt(decoder.errors(pack(alive))) - np.sqrt(exact_errors(code.B, alive))
    assert 0 < np.abs(off).max() < decoder.root_lost < 1e-7
    assert Decoder(codes.frc(8, 2)).root_lost == 0


@pytest.mark.parametrize(("decades", "is_sure"), [(0, True), (9, False)])
def test_training_that_rests_on_such_a_matrix_has_no_interval_but_its_times_have(decades, is_sure):
    study = {
        "kind": "training", "code": scaled(decades), "stragglers": 0.2, "iterations": 2,
        "problem": {"model": "linear", "data": "synthetic", "samples": 40, "features": 3},
        "optimizer": {"method": "gradient-descent", "step": 0.01}, "measure": ["loss", "time"],
        "latency": {"distribution": "exponential", "mean": 1.0},
    }  # fmt: skip
    rows = fastgc.run(study, trials=200).rows()
    noted = {row["quantity"]: doubt.SAID in (row.get("note") or "") for row in rows}
    assert noted == {"loss": not is_sure, "time": False}
    last = [row for row in rows if row["quantity"] == "loss"][-1]
    assert (last["low"] is not None) == is_sure
