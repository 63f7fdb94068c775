"""The ladder to rare events: every rung against a probability that is known."""

import math

import numpy as np
import pytest

import fastgc
from bench import rare_coverage as bench
from fastgc import codes
from fastgc.errors import FastgcError
from fastgc.experiments.decoding.rare import few_stragglers, method
from fastgc.experiments.decoding.rare.number_law import by_products
from fastgc.experiments.decoding.rare.spectrum import Spectrum
from fastgc.results.rows import DESCENDING_CHAIN, ENUMERATION_BOUNDS, EXACT, UNION_SAMPLING
from fastgc.theory import agc, binary
from suite.checks import close

FRC = {"family": "frc", "n": 24, "d": 3}


GRAPH = {"family": "graph", "name": "random-regular", "vertices": 13, "degree": 4, "seed": 1}


def run(code, stragglers, trials=4000, **more):
    return fastgc.run({"code": code, "stragglers": stragglers} | more, trials=trials)


def iid(p):
    return {"model": "iid", "p": p}


def row_of(result, quantity, statistic, method):
    [row] = [
        row
        for row in result.rows()
        if (row["quantity"], row["statistic"], row["method"]) == (quantity, statistic, method)
    ]
    return row


def within(row, truth, standard_errors=4.5):
    """False alarms: 7 in a million for each, of fixed seeds."""
    assert row["low"] <= row["value"] <= row["high"]
    return abs(row["value"] - truth) <= standard_errors * row["standard_error"] + 1e-9 * truth


def test_the_known_probabilities_of_the_bench():
    assert bench.binary_failure(31, 4, np.full(31, 0.2)) == pytest.approx(
        1 - binary.exact_probability(31, 4, p=0.2), rel=1e-12
    )
    structure = codes.frc(n=24, d=3).structure
    probability = by_products(structure, np.full(24, 0.2), 0.0)
    assert probability == pytest.approx(-math.expm1(8 * math.log1p(-0.008)), rel=1e-14)
    uneven = np.random.default_rng(1).random(24)
    lost = uneven.reshape(-1, 3)  # groups are blocks of workers
    assert by_products(structure, uneven, 0.0) == pytest.approx(
        1 - (1 - lost.prod(axis=1)).prod(), rel=1e-12
    )


@pytest.mark.night
@pytest.mark.parametrize("p", [0.3, 0.1, 0.03, 0.01])
def test_a_chain_agrees_over_ten_decades(p):
    """P(two groups of 15 are lost) from 6e-3 to 1e-14, and all of it at least 8 stragglers."""
    code = {"family": "frc", "n": 60, "d": 4}
    truth = by_products(codes.frc(n=60, d=4).structure, np.full(60, p), 4.0)
    row = row_of(
        run(code, iid(p), method="rare", thresholds=[4.0]), "error", "P(>4.0)", DESCENDING_CHAIN
    )
    assert within(row, truth) and row["standard_error"] < 0.03 * truth


@pytest.mark.night
@pytest.mark.parametrize("p", [0.1, 0.02, 0.005])
def test_binary_fails_as_often_as_its_closed_form_says(p):
    result = run({"family": "binary", "n": 31, "s": 4}, iid(p), method="rare", measure=["exact"])
    row = row_of(result, "exact", "mean", DESCENDING_CHAIN)
    truth = bench.binary_failure(31, 4, np.full(31, p))
    assert abs((1 - row["value"]) - truth) <= 4.5 * row["standard_error"] + 1e-15
    assert row["low"] <= row["value"] <= row["high"] <= 1.0
    if truth < 1e-6:
        assert float(row["note"].split()[2]) == close(truth, rel=0.1)


@pytest.mark.night
def test_strongly_unequal_workers():
    p = bench.unequal(31, 0.02, 1)
    result = run({"family": "binary", "n": 31, "s": 4}, iid(p), method="rare", measure=["exact"])
    row = row_of(result, "exact", "mean", DESCENDING_CHAIN)
    truth = bench.binary_failure(31, 4, np.array(p))
    assert abs((1 - row["value"]) - truth) <= 4.5 * row["standard_error"]
    p = bench.unequal(24, 0.05, 1)
    truth = by_products(codes.frc(n=24, d=3).structure, np.array(p), 0.0)
    row = row_of(
        run(FRC, iid(p), method="rare", thresholds=[0.0]), "error", "P(>0.0)", UNION_SAMPLING
    )
    assert within(row, truth)
    assert row["low"] <= truth * (1 + 1e-12) and truth * (1 - 1e-12) <= row["high"]


@pytest.mark.night
@pytest.mark.parametrize(
    ("code", "threshold"),
    [
        ({"family": "sparse-regular", "n": 26, "d": 3, "seed": 2}, 2.0),
        ({"family": "cyclic", "n": 26, "d": 4, "seed": 1}, 0.5),
        (GRAPH, 1.0),
    ],
)  # fmt: skip
def test_any_code_agrees_with_plain_sampling(code, threshold):
    """One spectrum for every p: at the p where plain sampling sees enough, they agree."""
    more = {"thresholds": [threshold], "measure": ["error"]}
    plain = run(code, iid(0.2), trials=400_000, method="monte-carlo", **more)
    rare = run(code, iid(0.2), method="rare", **more)
    a = row_of(plain, "error", f"P(>{threshold!r})", "monte-carlo")
    [b] = [row for row in rare.rows() if row["method"] in (DESCENDING_CHAIN, ENUMERATION_BOUNDS)]
    error = math.hypot(a["standard_error"], b["standard_error"] or b["high"] - b["low"])
    assert a["value"] > 1e-4 and abs(a["value"] - b["value"]) < 4.5 * error


def test_few_stragglers_are_enumerated_with_a_remainder():
    truth = by_products(codes.frc(n=24, d=3).structure, np.full(24, 1e-5), 0.0)
    row = row_of(
        run(FRC, iid(1e-5), method="rare", thresholds=[0.0]), "error", "P(>0.0)", ENUMERATION_BOUNDS
    )
    assert row["low"] <= truth <= row["high"] < 1.02 * row["low"]
    assert row["standard_error"] is None and row["trials"] is None
    assert "all sets of up to 3 stragglers" in row["note"]


@pytest.mark.parametrize(
    ("code", "limit", "least"),
    [
        (codes.frc(n=12, d=3), 0.0, 3),
        (codes.frc(n=12, d=3), 3.0, 6),
        (codes.frc(n=12, d=3), 12.0, 12),
        (codes.binary(n=13, s=2), 0.0, 3),
        (codes.sparse_regular(n=14, d=3, seed=2), 2.0, 1),
    ],
)
def test_no_fewer_stragglers_have_the_event(code, limit, least):
    assert few_stragglers.least_stragglers(code, limit, 0.0) == least


@pytest.mark.night
def test_uniform_stragglers_take_one_level_of_the_spectrum():
    result = run(
        {"family": "frc", "n": 60, "d": 6},
        {"model": "uniform", "stragglers": 12},
        method="rare",
        measure=["exact"],
    )
    row = row_of(result, "exact", "mean", DESCENDING_CHAIN)
    truth = 1 - agc.frc_exact_probability(60, 6, survivors=48)
    assert abs((1 - row["value"]) - truth) <= 4.5 * row["standard_error"] + 1e-9


@pytest.mark.night
def test_auto_takes_them_where_plain_sampling_sees_too_little():
    code = {"family": "sparse-regular", "n": 30, "d": 3, "seed": 1}
    rare = run(code, iid(0.02), measure=["error"], thresholds=[0.01, 3.0])
    methods = {
        row["statistic"]: row["method"]
        for row in rare.rows()
        if row["statistic"][0] == "P" and row["method"] != "monte-carlo"
    }
    assert methods.keys() == {"P(>3.0)"}
    assert rare["experiment1"]["error"].above(3.0).value > 0  # before that of plain sampling
    assert rare["experiment1"]["error"].mean.trials == 4000
    # what theory knows needs no method for rare events, and groups are known exactly
    known = run({"family": "frc", "n": 200, "d": 8}, iid(0.05), measure=["exact", "error"],
                thresholds=[0.0])  # fmt: skip
    found = {(row["quantity"], row["statistic"]): row for row in known.rows()
             if row["method"] == "exact"}  # fmt: skip
    assert found.keys() == {("error", "P(>0.0)")}
    truth = -math.expm1(25 * math.log1p(-(0.05**8)))
    assert found["error", "P(>0.0)"]["value"] == close(truth, rel=1e-12)


@pytest.mark.night
def test_auto_leaves_codes_alone_that_take_too_long():
    code = {"family": "sparse-regular", "n": 400, "d": 3, "seed": 1}
    more = {"measure": ["error"], "thresholds": [60.0], "variance_reduction": False}
    found = run(code, iid(0.02), trials=64, **more).rows()
    assert {row["method"] for row in found} == {"monte-carlo"}


@pytest.mark.parametrize(("threshold", "value"), [(-1.0, 1.0), (8.0, 0.0)])
def test_what_always_or_never_happens(threshold, value):
    code = {"family": "circulant", "n": 8, "d": 3}
    result = run(code, iid(0.5), method="rare", thresholds=[threshold])
    row = row_of(result, "error", f"P(>{threshold!r})", ENUMERATION_BOUNDS)
    assert (row["value"], row["low"], row["high"]) == (value, value, value)


@pytest.mark.night
def test_equal_numbers_with_any_number_of_threads(tmp_path):
    study = {"code": {"family": "binary", "n": 31, "s": 4}, "stragglers": iid(0.02),
             "measure": ["exact"], "method": "rare"}  # fmt: skip
    rows = fastgc.run(study, trials=20_000, threads=1).rows()
    kept = fastgc.run(study, trials=20_000, threads=2, out=tmp_path / "rare.h5")
    assert rows == kept.rows() == fastgc.open(tmp_path / "rare.h5").rows()
    other = fastgc.run(study, trials=20_000, seed=2).rows()
    assert rows[0]["value"] != other[0]["value"]


@pytest.mark.parametrize(
    "changes",
    [
        {"measure": ["survivors"]},
        {"decoder": "one-step"},
        {"code": {"family": "bernoulli", "n": 8, "k": 8, "density": 0.5, "seed": "trial"}},
        {"stragglers": {"model": "adversarial", "stragglers": 2}, "measure": ["error"]},
    ],
)
def test_where_there_is_no_such_method(changes):
    study = {"code": FRC, "stragglers": iid(0.1), "measure": ["exact"], "method": "rare"}
    with pytest.raises(FastgcError, match='"rare"'):
        fastgc.run(study | changes, trials=10)


@pytest.mark.night
def test_the_short_form_of_the_bench(monkeypatch, capsys):
    """40 repetitions: fails less than once in a thousand seeds where the band is kept."""
    monkeypatch.setattr(few_stragglers, "MORE_SETS", 0)
    for name in ("8 sets an island", "frc n=24 d=3 unequal p: union"):
        assert bench.main(["--repetitions", "40", "--only", name]) == 0
    assert capsys.readouterr().out.count("mean/truth") == 2


@pytest.mark.night
def test_a_sweep_descends_once(monkeypatch):
    calls = []
    below = Spectrum.below
    monkeypatch.setattr(Spectrum, "below", lambda *given: calls.append(given) or below(*given))
    study = {"code": {"family": "frc", "n": 40, "d": 4}, "stragglers": iid(0.1), "seed": 99,
             "measure": ["error"], "thresholds": [4.0], "method": "rare"}  # fmt: skip
    sweep = study | {"sweep": {"stragglers.p": [0.1, 0.01]}}
    rows = fastgc.run(sweep, trials=4096).rows()
    batches = {(first, islands) for _, _, _, first, islands in calls}
    assert len(calls) == len(batches) > 1
    found = [row["value"] for row in rows if row["method"] == DESCENDING_CHAIN]
    monkeypatch.setattr(method, "KEPT", {})
    assert found[0] == row_of(fastgc.run(study, trials=4096), *EVENT)["value"]
    study["stragglers"] = iid(0.01)
    assert found[1] == row_of(fastgc.run(study, trials=4096), *EVENT)["value"]


EVENT = "error", "P(>4.0)", DESCENDING_CHAIN


def test_groups_of_many_workers_need_no_look_at_patterns():
    """A look at 16 384 patterns of 3000 workers would take longer than these trials."""
    result = run({"family": "frc", "n": 3000, "d": 4}, iid(0.001), thresholds=[0.0, 4.0])
    groups, lost = 750, 1e-12
    found = row_of(result, "error", "P(>0.0)", EXACT)
    assert found["value"] == close(-math.expm1(groups * math.log1p(-lost)), rel=1e-9)
    found = row_of(result, "error", "P(>4.0)", EXACT)
    assert found["value"] == close(math.comb(groups, 2) * lost**2, rel=1e-6)


def test_what_trials_of_many_workers_see_is_left_to_them():
    asked = {"thresholds": [0.0], "quantiles": [0.5]}  # of which the quantile is only sampled
    result = run({"family": "frc", "n": 3000, "d": 2}, iid(0.02), **asked)
    assert {row["method"] for row in result.rows() if row["statistic"] == "P(>0.0)"} == {
        "monte-carlo"
    }


def test_of_alike_draws_a_failure_keeps_its_bounds():
    """All draws lose one group alone: their mean is the bound above, the truth lies below it."""
    p = [1e-3 * (1 + j / 30) for j in range(60)]
    result = run({"family": "frc", "n": 60, "d": 3}, iid(p), method="rare", measure=["exact"])
    row = row_of(result, "exact", "mean", UNION_SAMPLING)
    truth = 1.0 - by_products(codes.frc(n=60, d=3).structure, np.array(p), 0.0)
    assert row["low"] <= truth <= row["high"]


@pytest.mark.parametrize(
    ("code", "p"),
    [(FRC, [1.0] + [0.1] * 23), (FRC | {"family": "circulant", "n": 6000}, 0.01)],
)
def test_without_a_method_it_is_said_why(code, p):
    with pytest.raises(FastgcError, match="at most 4096 workers"):
        run(code, iid(p), method="rare", thresholds=[3.0])
