"""The worst pattern: by brute force where that is possible, else the best of searches."""

from itertools import pairwise

import numpy as np
import pytest

import fastgc
from fastgc import codes
from fastgc.codes.code import code_of
from fastgc.codes.structure import Groups
from fastgc.decoding import worst
from fastgc.decoding.decoder import Decoder
from fastgc.decoding.worst import UpperBounds
from fastgc.decoding.worst.searches import starved
from fastgc.draws.streams import uniforms
from suite.checks import every, refusal
from twins import decoders as twin
from twins.codes import unstructured

CODES = {
    "frc": codes.frc(n=6, d=2), "circulant": codes.circulant(n=7, d=3),
    "binary": codes.binary(n=7, s=2), "bernoulli": codes.bernoulli(n=6, density=0.5, seed=4),
    "graph": codes.graph("cycle", vertices=6),
    "uncovered": code_of([[1.0, 0, 1], [0, 0, 0], [0, 1, 1]]),
}  # fmt: skip


VECTORS = {"optimal": twin.optimal_vector, "one-step": twin.one_step_vector}


def error_with(code, stragglers, decoder="optimal"):
    alive = np.array([j not in stragglers for j in range(code.n)])
    return twin.error_of(code.B, VECTORS[decoder](code.B, alive))


@pytest.mark.parametrize("method", ["formulas", "enumeration", "search"])
@pytest.mark.parametrize("decoder", VECTORS)
@pytest.mark.parametrize("name", CODES)
def test_brute_force(name, decoder, method, monkeypatch):
    """So few patterns that the search must see the worst as well."""
    monkeypatch.setattr(worst.searches, "RANDOM_PATTERNS", 256)
    monkeypatch.setattr(worst.searches, "CHUNK", 128)
    code = CODES[name]
    if method != "formulas":
        code = unstructured(code.B)
    own = Decoder(code, decoder=decoder)
    most = 0 if method == "search" else worst.case.MOST_ENUMERATED
    for s in range(code.n):
        found = worst.worst_case(own, code, s, most=most)
        largest = twin.largest_error(code.B, s, VECTORS[decoder])
        assert found.error == pytest.approx(largest, abs=1e-9)
        assert len(set(found.stragglers)) == s and set(found.stragglers) <= set(range(code.n))
        assert found.error == pytest.approx(error_with(code, found.stragglers, decoder), abs=1e-9)
        assert found.is_exact or method == "search"
        if decoder == "optimal":
            assert largest - 1e-9 <= found.at_most <= code.k and found.at_most >= found.error
        else:
            assert found.at_most is None


FORMULAS = [
    *((codes.frc(n, d), lambda n, s, d=d: d * (s // d)) for n, d in ((12, 3), (66, 2), (70, 5))),
    *(
        (codes.circulant(n=n, d=2), lambda n, s: s - 1 + (n - s + 1) % 2 / (n - s + 1))
        for n in (9, 12, 66)
    ),
]


@pytest.mark.parametrize(("code", "formula"), FORMULAS, ids=lambda x: getattr(x, "name", ""))
@pytest.mark.parametrize("method", ["formulas", "enumeration", "search"])
def test_formulas(code, formula, method):
    if method != "formulas":
        code = unstructured(code.B)
    n, decoder, most = code.n, Decoder(code), 0 if method == "search" else 300_000
    for s in range(1, n) if n < 20 else {2, 5, 11, n // 2, n - 2}:
        found = worst.worst_case(decoder, code, s, most=most)
        assert found.error == pytest.approx(formula(n, s), abs=1e-9), (s, found)
        assert found.error == pytest.approx(error_with(code, found.stragglers), abs=1e-9)


def test_groups_of_all_sizes():
    """Who is to straggle is a knapsack; here the largest groups are a bad choice."""
    members, held = [(0, 1, 2), (3, 4), (5, 6), (7,)], [5, 4, 4, 1]
    B = np.zeros((14, 8))
    for first, workers, weight in zip(np.cumsum([0, *held]), members, held, strict=False):
        B[np.ix_(range(first, first + weight), workers)] = 1.0
    code = code_of(B)
    assert isinstance(code.structure, Groups)
    for s, error in enumerate([0, 1, 4, 5, 8, 9, 10, 13, 14]):
        for own in (code, unstructured(B)):
            found = worst.worst_case(Decoder(own), own, s)
            assert found.is_exact and found.error == pytest.approx(error, abs=1e-9)


@pytest.mark.night
@pytest.mark.parametrize("seed", range(6))
def test_trees_and_forests(seed):
    """Random trees side by side with a cycle: parts without a common partition."""
    rng = np.random.default_rng(seed)
    edges = [(12, 13), (13, 14), (14, 12)]
    for first, size in ((0, 7), (7, 5)):
        edges += [(first + int(rng.integers(j)), first + j) for j in range(1, size)]
    code = codes.graph(edges=[list(edge) for edge in edges])
    for s in range(1, code.n):
        largest = twin.largest_error(code.B, s)
        found = worst.worst_case(Decoder(code), code, s)
        assert found.is_exact and found.error == pytest.approx(largest, abs=1e-9)
        assert found.error == pytest.approx(error_with(code, found.stragglers), abs=1e-9)


@pytest.mark.parametrize("kind", ["independent", "dependent", "copies", "nearly dependent"])
@pytest.mark.parametrize("seed", range(3))
def test_all_sets_of_random_matrices(kind, seed):
    rng = np.random.default_rng(seed)
    B = rng.normal(size=(12, 9))
    if kind == "dependent":
        B = B[:5]
    elif kind == "copies":
        B = B[:, [0, 1, 1, 2, 3, 3, 3, 4, 5]]
    elif kind == "nearly dependent":
        B[:, 4] = B[:, 2] + 3e-5 * rng.normal(size=12)
    code = code_of(B)
    for s in range(1, code.n):
        found = worst.worst_case(Decoder(code), code, s)
        assert found.is_exact
        assert found.error == pytest.approx(twin.largest_error(B, s), rel=1e-8, abs=1e-20)


@pytest.mark.night
def test_sets_that_lost_digits_are_decoded_or_refused(monkeypatch):
    """A Tandon code has stragglers whose rows are nearly dependent in its null space."""
    code = codes.cyclic(n=14, d=4, seed=2)
    decoder = Decoder(code)
    largest = twin.largest_error(code.B, 5)
    found = worst.worst_case(decoder, code, 5)
    assert found.is_exact and found.error == pytest.approx(largest, abs=1e-7)
    unclear, real = [], worst.searches.error_with
    monkeypatch.setattr(worst.searches, "error_with", lambda *own: unclear.append(1) or real(*own))
    worst.worst_case(decoder, code, 5)
    assert len(unclear) > 2, "here no set lost digits: nothing is tried"
    monkeypatch.setattr(worst.searches, "MOST_UNCLEAR", 0)
    decoded = worst.worst_case(decoder, code, 5)
    assert decoded.is_exact and decoded.error == pytest.approx(largest, abs=1e-7)
    monkeypatch.setattr(worst.searches, "MOST_ENUMERATED", 0)
    left = worst.worst_case(decoder, code, 5)
    assert not left.is_exact and left.starts >= 512


def test_ill_conditioned_codes_are_decoded_set_by_set(monkeypatch):
    code = code_of(np.vander(np.linspace(0.1, 1, 12), 9, increasing=True).T)
    decoder = Decoder(code)
    assert decoder.condition > worst.case.LARGEST_CONDITION
    largest = twin.largest_error(code.B, 5)
    found = worst.worst_case(decoder, code, 5)
    assert found.is_exact and worst.is_exact(decoder, code, 5)
    assert found.error == pytest.approx(largest, abs=1e-6)
    monkeypatch.setattr(worst.searches, "MOST_ENUMERATED", 0)
    assert not worst.is_exact(decoder, code, 5)
    assert not worst.worst_case(decoder, code, 5).is_exact


@pytest.mark.parametrize(("n", "d", "stragglers", "seed"), [
    (40, 5, 6, 3), (50, 6, 5, 3), (30, 5, 8, 3), (20, 4, 9, 1), (24, 3, 7, 2),
])  # fmt: skip
def test_searches_find_what_enumeration_does(n, d, stragglers, seed):
    code = codes.sparse_regular(n=n, d=d, seed=seed)
    known, found = (
        worst.worst_case(Decoder(code), code, stragglers, **more) for more in ({}, {"most": 0})
    )
    assert known.is_exact and not found.is_exact
    assert found.error == pytest.approx(known.error, abs=1e-9)
    assert 1 <= found.hits <= found.starts and found.starts >= 512
    assert found.at_most >= known.error


@pytest.mark.parametrize("code", [codes.cyclic(n=30, d=5), codes.frc(n=30, d=5)], ids=str)
def test_starving_takes_no_more_stragglers_than_there_are(code):
    for stragglers in range(12):
        chosen = starved(code, stragglers, uniforms(0, "starve", code.k))
        assert len(set(chosen)) == len(chosen) <= stragglers
        lost = np.flatnonzero(
            [set(code.holders[1][a:b]) <= set(chosen) for a, b in pairwise(code.holders[0])]
        )
        assert (lost.size > 0) == (stragglers >= np.diff(code.holders[0]).min())


def test_few_starts_of_complex_codes_starve_partitions():
    code = codes.cyclic_mds(n=26, d=3, field="complex")
    decoder = Decoder(code)
    found = worst.worst_case(decoder, code, 4, most=0, starts=1)
    assert not found.is_exact and len(set(found.stragglers)) == 4
    left = np.setdiff1d(np.arange(26), found.stragglers)
    assert found.error == pytest.approx(fastgc.decode(code, left).error, abs=1e-9)
    assert 0 < found.error <= worst.worst_case(decoder, code, 4).error + 1e-9


def rows(**changes):
    table = {"name": "worst", "code": {"family": "circulant", "n": 8, "d": 2}}
    table |= {"stragglers": {"model": "adversarial", "stragglers": 3}} | changes
    return fastgc.run({"experiment": [table]}).rows()


def measured(**changes):
    [row] = [row for row in rows(**changes) if row["method"] != "closed-form"]
    return row


def test_a_study():
    row = measured()
    assert row["note"] == "with stragglers 0 1 2"
    assert (row["quantity"], row["statistic"], row["method"]) == ("error", "maximum", "exact")
    assert row["value"] == pytest.approx(2.0, abs=1e-12)  # 3 − 1 + 0
    assert row["at_most"] == 3.0
    other = {"code": {"family": "circulant", "n": 30, "d": 3}, "decoder": "one-step"}
    assert fastgc.runs.dry_run(other | {"stragglers": {"model": "adversarial", "stragglers": 3}})
    swept = rows(sweep={"stragglers.stragglers": [0, 1, 4, 8]})
    found = [row["value"] for row in swept if row["method"] == "exact"]
    assert found == pytest.approx([0, 0, 3 + 1 / 5, 8], abs=1e-12)


@pytest.mark.night
def test_a_searched_worst_case_is_a_lower_bound():
    code = {"family": "sparse-regular", "n": 60, "d": 6, "seed": 1}
    row = measured(code=code, stragglers={"model": "adversarial", "stragglers": 20})
    assert row["method"] == "lower-bound" and row["value"] < row["at_most"] < 60
    assert "searches, of which" in row["note"] and "no set costs more than" in row["note"]


@pytest.mark.parametrize(("family", "n", "d"), [("circulant", 9, 3), ("frc", 8, 2)])
def test_a_file_keeps_what_was_searched_for(tmp_path, monkeypatch, family, n, d):
    stragglers = {"model": "adversarial", "stragglers": 3}
    code = {"family": family, "n": n, "d": d}
    found = fastgc.run(code=code, stragglers=stragglers, out=tmp_path / "r.h5").rows()
    monkeypatch.setattr(worst, "worst_case", None)
    assert fastgc.open(tmp_path / "r.h5").rows() == found


@pytest.mark.parametrize(("changes", "says"), [
    ({"method": "monte-carlo"}, 'method: must be "auto" or "exact" for a worst case'),
    ({"measure": ["exact"]}, 'measure: must be ["error"] with adversarial stragglers'),
    ({"iterations": 2}, "iterations: must be 1, without shuffling"),
    ({"stragglers": {"model": "adversarial", "stragglers": 9}}, "stragglers.stragglers: must"),
])  # fmt: skip
def test_refusals(changes, says):
    assert refusal(rows, **changes).startswith(f"study: experiment.worst.{says}")


def upper_bounds(B):
    """Bounds and their names for 1 … n − 1 stragglers, none of them below the worst."""
    code = code_of(B, "B")
    decoder = Decoder(code)
    errors = decoder.errors_of_all_patterns()
    late = code.n - np.array([word.bit_count() for word in range(2**code.n)])
    found = [UpperBounds(decoder, code).of(s) for s in range(1, code.n)]
    for s, (bound, _) in enumerate(found, start=1):
        assert errors[late == s].max() - 1e-9 <= bound <= code.k
    return found


def test_upper_bounds_of_uneven_codes_are_above_all_patterns_and_worth_reading():
    names = []
    for seed in range(10):
        rng = np.random.default_rng(seed)
        found = upper_bounds((rng.random((12, 10)) < 0.4) * rng.normal(1.0, 0.2, (12, 10)))
        names += [name for _, name in found]
    assert names.count("ridge bound") > 10
    B = np.zeros((40, 40))
    rng = np.random.default_rng(0)
    for worker in range(40):
        B[rng.choice(40, 4, replace=False), worker] = 1.0
    bound, name = UpperBounds(Decoder(B), code_of(B)).of(12)
    assert name == "ridge bound" and 20 < bound < 25  # 40 without it


def test_upper_bounds_of_regular_codes_are_above_all_patterns():
    """20 codes: each of 9 workers holds d of 9 partitions, each partition is held by d of them."""
    n, names = 9, []
    for seed in range(20):
        rng, d = np.random.default_rng(seed), 2 + seed % 4
        B = np.zeros((n, n))
        for shift in rng.permutation(n)[:d]:  # cyclic shifts under random names
            B[np.arange(n), (np.arange(n) + shift) % n] = 1.0
        second = np.linalg.svd(B, compute_uv=False)[1]
        found = upper_bounds(B[rng.permutation(n)][:, rng.permutation(n)])
        for s, (bound, name) in enumerate(found, start=1):
            names.append(name)
            assert bound <= (second / d) ** 2 * n * s / (n - s) * (1 + 1e-5)
    assert names.count("expander bound") > 60


@pytest.mark.parametrize(("B", "expected"), [
    (np.zeros((3, 3)), [3, 3, 3, 3]), (np.ones((3, 3)), [0, 0, 0, 3]),
    (np.full((4, 2), 1e149), [0, 0, 4]), (np.array([[2.0], [0.0]]), [1, 2]),
    (np.diag([1e-149, 1e149]), [0, 1, 2]),
], ids=["zeros", "ones", "large", "one worker", "badly scaled"])  # fmt: skip
def test_upper_bounds_of_singular_codes_are_above_the_worst(B, expected):
    sweep = {"stragglers.stragglers": list(range(len(expected)))}
    found = rows(code={"family": "matrix", "rows": B.tolist()}, sweep=sweep)
    worst_of = [row for row in found if row["statistic"] == "maximum"]
    assert [row["value"] for row in worst_of] == pytest.approx(expected, abs=1e-9)
    assert every(row["value"] - 1e-9 <= row["at_most"] <= len(B) for row in worst_of)
