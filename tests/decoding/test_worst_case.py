"""The worst pattern: by brute force where that is possible, else the best of searches."""

import numpy as np
import pytest

import fastgc
from fastgc import codes
from fastgc.decoding import worst_case
from fastgc.decoding.decoder import Decoder
from fastgc.draws.streams import Batch
from fastgc.errors import FastgcError
from twins import decoders as twin

CODES = {
    "frc": codes.frc(n=6, d=2),
    "circulant": codes.circulant(n=7, d=3),
    "binary": codes.binary(n=7, s=2),
    "bernoulli": codes.bernoulli(n=6, density=0.5, seed=4),
    "graph": codes.graph("cycle", vertices=6),
    "uncovered": codes.code.code_of([[1.0, 0, 1], [0, 0, 0], [0, 1, 1]]),
}


def error_with(code, stragglers, decoder="optimal"):
    alive = np.array([j not in stragglers for j in range(code.n)])
    vector = {"optimal": twin.optimal_vector, "one-step": twin.one_step_vector}[decoder]
    return twin.error_of(code.B, vector(code.B, alive))


@pytest.mark.parametrize("searched", [False, True])
@pytest.mark.parametrize("decoder", ["optimal", "one-step"])
@pytest.mark.parametrize("name", CODES)
def test_brute_force(name, decoder, searched, monkeypatch):
    """So few patterns that the search must see the worst as well."""
    if searched:
        monkeypatch.setattr(worst_case, "MOST_ENUMERATED", 0)
        monkeypatch.setattr(worst_case, "RANDOM_PATTERNS", 256)
        monkeypatch.setattr(worst_case, "CHUNK", 128)
    code = CODES[name]
    vector = {"optimal": twin.optimal_vector, "one-step": twin.one_step_vector}[decoder]
    own = Decoder(code, decoder=decoder)
    for stragglers in range(code.n):
        error, chosen = worst_case.worst_pattern(own, code.B != 0, stragglers)
        assert error == pytest.approx(twin.largest_error(code.B, stragglers, vector), abs=1e-9)
        assert len(set(chosen)) == stragglers and set(chosen) <= set(range(code.n))
        assert error == pytest.approx(error_with(code, chosen, decoder), abs=1e-9)


@pytest.fixture
def search(monkeypatch):
    """Search where all patterns would be looked at otherwise; few random ones."""
    monkeypatch.setattr(worst_case, "MOST_ENUMERATED", 10)
    monkeypatch.setattr(worst_case, "RANDOM_PATTERNS", 4096)
    monkeypatch.setattr(worst_case, "CHUNK", 1024)


FORMULAS = [
    *(
        (codes.frc(n=n, d=d), lambda n, s, d=d: d * (s // d))
        for n, d in ((12, 3), (66, 2), (70, 5))
    ),
    *(
        (codes.circulant(n=n, d=2), lambda n, s: s - 1 + (n - s + 1) % 2 / (n - s + 1))
        for n in (9, 12, 66)
    ),
]


@pytest.mark.parametrize(("code", "formula"), FORMULAS, ids=lambda x: getattr(x, "name", ""))
def test_formulas_by_search(code, formula, search):
    n = code.n
    for s in {1, 2, 3, 5, n // 2, n - 2} if n < 60 else {2, 5, 11}:
        error, chosen = worst_case.worst_pattern(Decoder(code), code.B != 0, s)
        assert error == pytest.approx(formula(n, s), abs=1e-9), s
        assert error == pytest.approx(error_with(code, chosen), abs=1e-9)


@pytest.mark.parametrize(
    ("code", "formula"), [FORMULAS[0], FORMULAS[3]], ids=lambda x: getattr(x, "name", "")
)
def test_formulas_by_enumeration(code, formula):
    for s in range(1, code.n):
        assert worst_case.is_enumerated(code.n, s)
        error, _ = worst_case.worst_pattern(Decoder(code), code.B != 0, s)
        assert error == pytest.approx(formula(code.n, s), abs=1e-9), s


def test_never_weaker_than_its_random_patterns(search, monkeypatch):
    code = codes.sparse_regular(n=40, d=3, seed=5)
    decoder = Decoder(code)
    random = max(
        decoder.errors(
            worst_case.subsets(
                40, Batch(0, "worst case", f, 16, 1), np.full(1024, 28), "straggle"
            ).packed
        ).max()
        for f in range(0, 4096, 1024)
    )
    # neither climbs: what is left is the random patterns
    monkeypatch.setattr(worst_case, "_greedy", lambda *_: (0.0, []))
    monkeypatch.setattr(worst_case, "_exchange", lambda decoder, n, start: start)
    drawn, chosen = worst_case.worst_pattern(decoder, code.B != 0, 12)
    assert drawn == random == pytest.approx(error_with(code, chosen), abs=1e-9)
    monkeypatch.undo()
    monkeypatch.setattr(worst_case, "MOST_ENUMERATED", 10)
    monkeypatch.setattr(worst_case, "RANDOM_PATTERNS", 4096)
    monkeypatch.setattr(worst_case, "CHUNK", 1024)
    assert worst_case.worst_pattern(decoder, code.B != 0, 12)[0] > random


@pytest.mark.parametrize(
    ("n", "d", "stragglers", "seed"),
    [(14, 3, 5, 3), (16, 3, 6, 1), (16, 3, 6, 5), (15, 4, 6, 4), (15, 4, 6, 5)],
)
def test_exchanges_find_what_no_start_is(n, d, stragglers, seed, monkeypatch):
    code = codes.sparse_regular(n=n, d=d, seed=seed)
    decoder = Decoder(code)
    assert worst_case.is_enumerated(n, stragglers)
    known, _ = worst_case.worst_pattern(decoder, code.B != 0, stragglers)
    monkeypatch.setattr(worst_case, "MOST_ENUMERATED", 10)
    monkeypatch.setattr(worst_case, "RANDOM_PATTERNS", 64)
    monkeypatch.setattr(worst_case, "CHUNK", 64)
    found, chosen = worst_case.worst_pattern(decoder, code.B != 0, stragglers)
    assert found == pytest.approx(known, abs=1e-9)
    assert found == pytest.approx(error_with(code, chosen), abs=1e-9)
    monkeypatch.setattr(worst_case, "_exchange", lambda decoder, n, start: start)
    start, _ = worst_case.worst_pattern(decoder, code.B != 0, stragglers)
    assert start < known - 1e-3, "here a start is the worst already: the search is not tried"


def study(**changes):
    return {
        "name": "worst",
        "code": {"family": "circulant", "n": 8, "d": 2},
        "stragglers": {"model": "adversarial", "stragglers": 3},
    } | changes


def rows(**changes):
    return fastgc.run({"experiment": [study(**changes)]}).rows()


def test_a_study():
    measured = [row for row in rows() if row["method"] != "closed-form"]
    [row] = measured
    assert (row["quantity"], row["statistic"], row["method"]) == ("error", "maximum", "exact")
    assert row["value"] == pytest.approx(2.0, abs=1e-12)  # 3 − 1 + 0
    swept = rows(sweep={"stragglers.stragglers": [0, 1, 4, 8]})
    found = {
        r["point"]["stragglers.stragglers"]: r["value"] for r in swept if r["method"] == "exact"
    }
    assert found == pytest.approx({0: 0, 1: 0, 4: 3 + 1 / 5, 8: 8}, abs=1e-12)


def test_a_searched_worst_case_is_a_lower_bound(search):
    [row] = [row for row in rows() if row["method"] != "closed-form"]
    assert row["method"] == "lower-bound"
    assert row["value"] == pytest.approx(2.0, abs=1e-12)


@pytest.mark.parametrize(
    ("changes", "says"),
    [
        ({"method": "monte-carlo"}, 'method: must be "auto" or "exact" for a worst case'),
        ({"method": "both"}, 'method: must be "auto" or "exact" for a worst case'),
        ({"measure": ["exact"]}, 'measure: must be ["error"] with adversarial stragglers'),
        ({"measure": ["error", "norm"]}, 'measure: must be ["error"] with adversarial'),
        ({"iterations": 2}, "iterations: must be 1, without shuffling"),
        ({"shuffle": "random"}, "iterations: must be 1, without shuffling"),
        ({"stragglers": {"model": "adversarial", "stragglers": 9}}, "stragglers.stragglers: must"),
        ({"stragglers": {"model": "adversarial", "stragglers": -1}}, "stragglers.stragglers: must"),
    ],
)
def test_refusals(changes, says):
    with pytest.raises(FastgcError) as caught:
        rows(**changes)
    [line] = caught.value.complaints
    assert line.startswith(f"study: experiment.worst.{says}")
