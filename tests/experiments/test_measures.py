"""Measures of decoding, against plain computations on replayed trials and on both methods."""

import itertools
import math

import numpy as np
import pytest

import fastgc
from fastgc import codes
from fastgc.draws.streams import Trials
from fastgc.experiments.decoding.measures import MEASURES
from fastgc.experiments.decoding.measures.builtin import INDEX, NOISE, ErrorDistribution
from fastgc.report import pictures
from fastgc.runs.plan import Plan
from fastgc.study.study import Study
from suite.checks import close, every, refusal
from twins import decoders as twin

IID = {"model": "iid", "p": 0.3}
CLASSES = {"model": "two-class", "p_slow": 0.4, "p_straggle_slow": 0.8, "p_straggle_active": 0.1}
MARKOV = {"model": "markov", "p_straggle_after_ok": 0.2, "p_straggle_after_straggle": 0.7}


def experiment(code, stragglers, measure, **more):
    return {
        "code": code,
        "stragglers": stragglers,
        "measure": measure,
        "method": "monte-carlo",
    } | more


def trials_of(study, count):
    """(errors, surviving columns) of the first trials, one at a time."""
    found = [fastgc.runs.replay(study, trial=t)["iterations"] for t in range(count)]
    errors = np.array([[step["error"] for step in trial] for trial in found])
    return errors, [[step["columns"] for step in trial] for trial in found]


def estimates(study, quantity, **more):
    return {
        (row["statistic"], row["index"]): (row["value"], row["standard_error"])
        for row in fastgc.run(study, **more).rows()
        if row["quantity"] == quantity and row["method"] == "monte-carlo"
    }


# ---- error_lag


@pytest.mark.parametrize("shuffle", ["none", "random", "cyclic"])
@pytest.mark.parametrize("stragglers", [CLASSES, MARKOV], ids=["two-class", "markov"])
def test_lags_of_replayed_trials(stragglers, shuffle):
    study = experiment({"family": "circulant", "n": 6, "d": 2}, stragglers, ["error_lag"])
    study |= {"iterations": 5, "shuffle": shuffle, "stop": {"trials": 70}}
    errors, _ = trials_of(study, 70)
    found = estimates(study, "error_lag")
    assert len(found) == 5
    for lag in range(5):
        products = (errors[:, : 5 - lag] * errors[:, lag:]).mean(axis=1)
        m = errors.mean()
        value, deviation = found["mean", lag]
        assert value == pytest.approx(products.mean() - m**2, abs=1e-11)
        # the delta method, written as the spread of what varies
        varies = products - 2 * m * errors.mean(axis=1)
        assert deviation == pytest.approx(varies.std(ddof=1) / math.sqrt(70), rel=1e-8)


#: With workers unlike each other the mean changes over the iterations of cyclic shuffling.
UNLIKE = {"model": "iid", "p": [0.1, 0.1, 0.1, 0.8, 0.8, 0.8]}


@pytest.mark.parametrize(("stragglers", "shuffle"), [
    *itertools.product([CLASSES, MARKOV], ["none", "random", "cyclic"]), (UNLIKE, "cyclic"),
])  # fmt: skip
def test_lags_on_both_methods(stragglers, shuffle):
    study = experiment({"family": "frc", "n": 6, "d": 2}, stragglers, ["error_lag"], method="both")
    study |= {"iterations": 4, "shuffle": shuffle, "stop": {"trials": 40_000}}
    lags = fastgc.run(study)["experiment1"]["error_lag"]
    for lag in range(4):
        exact = lags[lag].statistic("mean", "exact")
        sampled = lags[lag].statistic("mean", "monte-carlo")
        assert exact.standard_error == 0
        assert abs(sampled.value - exact.value) < 4.5 * sampled.standard_error
    means = [lags[lag].mean.value for lag in (1, 2, 3)]
    if shuffle == "cyclic":
        return
    if stragglers is CLASSES:  # who is slow stays: no lag is longer than another
        assert means == pytest.approx([means[0]] * 3, rel=1e-9)
    else:
        assert means[0] > means[1] > means[2] > 0


# ---- norm and amplification


@pytest.mark.parametrize(
    "code", [{"family": "circulant", "n": 7, "d": 3}, {"family": "frc", "n": 6, "d": 2}]
)
def test_norm_and_amplification_of_replayed_trials(code):
    study = experiment(code, IID, ["norm", "amplification"], iterations=2, thresholds=[0.5])
    errors, columns = trials_of(study, 100)
    n = code["n"]
    B = getattr(codes, code["family"])(n=n, d=code["d"]).B

    def length(alive):
        return (twin.optimal_vector(B, np.isin(np.arange(n), alive)) ** 2).sum()

    lengths = np.array([[length(alive) for alive in trial] for trial in columns])
    for name, values in (("norm", np.sqrt(errors)), ("amplification", lengths)):
        found = estimates(study, name, trials=100)
        each = values.mean(axis=1)
        value, deviation = found["mean", None]
        assert value == pytest.approx(values.mean(), rel=1e-10)
        assert deviation == pytest.approx(each.std(ddof=1) / 10, rel=1e-8)
        assert found["variance", None][0] == pytest.approx(values.var(), rel=1e-8)
        assert found["minimum", None][0] == pytest.approx(values.min(), abs=1e-10)
        assert found["maximum", None][0] == pytest.approx(values.max(), rel=1e-10)
        assert found["P(>0.5)", None][0] == pytest.approx((values > 0.5 + 1e-9).mean())


# ---- stability


def plain_stability(study, count):
    """Relative errors (trials, indices) of the exact iterations of each trial, one by one."""
    [unit] = Plan.of(Study.parse(study)).units
    batch = Trials(unit.seed, unit.stream, 0, 1, 1)
    data, noise = int(batch.key("data")), int(batch.key("noise"))
    B = unit.points[0].table.code.build().B
    k, n = B.shape
    found = []
    for trial in range(count):
        own = []
        for iteration, step in enumerate(fastgc.runs.replay(study, trial=trial)["iterations"]):
            if not step["exact"]:
                continue
            alive = np.isin(np.arange(n), step["columns"])
            x = fastgc.decode(B, alive).vector
            full = np.zeros(n)
            full[alive] = x
            g = twin.normals(data, trial, iteration, k)
            z = twin.normals(noise, trial, iteration, n)
            own.append(
                [twin.rounding_error(B, full, g)]
                + [twin.noise_error(B, full, g, z, level) for level in NOISE]
            )
        found.append(np.array(own).reshape(-1, len(INDEX)))
    return found


@pytest.mark.night
@pytest.mark.parametrize(
    "code", [{"family": "binary", "n": 6, "s": 2}, {"family": "cyclic", "n": 5, "d": 2}]
)
def test_stability_is_that_of_the_decoded_sum(code):
    study = experiment(code, IID, ["stability"], iterations=2, stop={"trials": 24})
    each = plain_stability(study, 24)
    together = np.concatenate(each)
    assert 10 < len(together) < 48  # some iterations are exact, some are not
    found = estimates(study, "stability")
    assert [index for _, index in found] == list(INDEX)
    mean = together.mean(axis=0)
    for place, index in enumerate(INDEX):
        value, deviation = found["mean", index]
        # vectors agree to 1e-15 only, which can turn a rounding to single precision
        assert value == close(mean[place], rel=2e-2 if index == "float32" else 1e-9)
        off = [own[:, place].sum() - mean[place] * len(own) for own in each]
        assert deviation == close(math.sqrt(np.square(off).sum()) / len(together), rel=0.1)


@pytest.mark.parametrize("measure", MEASURES)
@pytest.mark.parametrize("iterations", [1, 3])
def test_every_measure_has_rows_or_is_named(measure, iterations):
    asked = {"quantiles": [0.5], "thresholds": [1.0], "iterations": iterations}
    code = {"family": "cyclic", "n": 5, "d": 2, "seed": 1}
    for method in ("auto", "exact", "both"):
        beside = "exact" if measure == "survivors" else "survivors"
        own = experiment(code, IID, [measure, beside], method=method, **asked)
        if (measure, method) == ("stability", "exact"):
            with pytest.raises(fastgc.FastgcError, match="stability is only sampled"):
                fastgc.run(own)
            continue
        rows = [row for row in fastgc.run(own, trials=500).rows() if row["quantity"] == measure]
        assert rows
        assert every(row["value"] is not None or row["note"] for row in rows)
        exact = [row for row in rows if row["method"] == "exact" and row["value"] is not None]
        assert bool(exact) == (measure != "stability")
        if issubclass(MEASURES[measure], ErrorDistribution):
            for statistic in ("quantile(0.5)", "P(>1.0)"):
                assert any(row["statistic"] == statistic for row in rows)


def test_one_that_is_only_sampled_takes_the_exact_form_from_no_other():
    code = {"family": "cyclic", "n": 5, "d": 2, "seed": 1}
    study = experiment(code, IID, ["error", "stability"], method="auto")
    rows = fastgc.run(study, trials=1000).rows()
    methods = {row["method"] for row in rows if row["quantity"] == "stability"}
    assert methods == {"monte-carlo"}
    said = [row for row in rows if "only sampled" in row.get("note", "")]
    assert {row["quantity"] for row in said} == {"stability"} and len(said) == 1
    alone = fastgc.run(experiment(code, IID, ["error"], method="auto")).rows()
    exact = [row for row in rows if (row["quantity"], row["method"]) == ("error", "exact")]
    assert exact and exact == [row for row in alone if row["method"] == "exact"]


def test_exact_amplification():
    code = {"family": "cyclic", "n": 6, "d": 3, "seed": 2}
    study = experiment(code, {"model": "iid", "p": 0.25}, ["amplification"], method="exact")
    rows = {row["statistic"]: row["value"] for row in fastgc.run(study).rows()}
    B = fastgc.codes.cyclic(n=6, d=3, seed=2).B
    twin = [
        (0.75 ** len(left) * 0.25 ** (6 - len(left)), fastgc.decode(B, left).amplification)
        for r in range(7)
        for left in map(list, itertools.combinations(range(6), r))
    ]
    mean = sum(p * a for p, a in twin)
    assert rows["mean"] == pytest.approx(mean, rel=1e-10)
    assert rows["variance"] == pytest.approx(sum(p * (a - mean) ** 2 for p, a in twin), rel=1e-9)
    assert rows["maximum"] == pytest.approx(max(a for _, a in twin), rel=1e-10)


@pytest.mark.parametrize("measure", MEASURES)
def test_a_measure_runs_where_the_matrix_changes_or_says_that_it_needs_a_fixed_one(measure):
    code = {"family": "bernoulli", "n": 4, "density": 0.5, "seed": "trial"}
    study = experiment(code, IID, [measure])
    if measure in ("amplification", "stability", "not_accessed", "lost"):
        assert f"measure: {measure} needs a matrix that stays" in refusal(fastgc.run, study)
    else:
        assert fastgc.run(study, trials=64).rows()


# ---- the error divided by the partitions: by every method, and where codes of different k meet


OFTEN = {"model": "iid", "p": 0.3}
FRC = {"family": "frc", "n": 12, "d": 3}
FANO = {"family": "bibd", "name": "fano"}
CODES = [
    (12, FRC),
    (7, FANO),
    (6, {"family": "cyclic", "n": 6, "d": 2, "seed": 1}),
    (5, {"family": "circulant", "n": 5, "d": 2}),
    (10, {"family": "graph", "name": "petersen"}),
    (5, {"family": "graph", "name": "cycle", "vertices": 5}),
    (4, {"family": "graph", "edges": [[0, 1], [1, 2], [2, 3]]}),
    (4, {"family": "matrix", "rows": [[1, 0.5, 0], [0, 2, 1], [1, 1, 0], [0, 0, 1]]}),
]


def of_method(study, method, **more):
    rows = fastgc.run(study, **more).rows()
    return {(row["quantity"], row["statistic"]): row for row in rows if row["method"] == method}


@pytest.mark.parametrize(("k", "code"), CODES)
@pytest.mark.parametrize("method", ["exact", "monte-carlo", "closed-form"])
def test_it_is_the_error_divided_by_the_partitions(k, code, method):
    study = {"code": code, "stragglers": OFTEN, "measure": ["error", "error_per_partition"]}
    study |= {"method": "both", "quantiles": [0.9], "variance_reduction": False}
    found = of_method(study, method, trials=2000)
    own = {statistic: row for (name, statistic), row in found.items() if name != "error"}
    assert set(own) == {statistic for name, statistic in found if name == "error"}
    assert own or code["family"] in ("matrix", "cyclic", "graph", "bibd")
    for statistic, row in own.items():
        scale = k**2 if statistic == "variance" else k
        sampled_in_bins = method == "monte-carlo" and statistic == "quantile(0.9)"
        wide = 2**-6 if sampled_in_bins else 1e-9  # bins of both are 2⁻⁷ wide
        expected = found["error", statistic]["value"] / scale
        assert row["value"] == pytest.approx(expected, rel=wide, abs=1e-15)
        assert row["unit"] == "1"
        assert method == "closed-form" or 0 <= row["value"] <= 1


@pytest.mark.parametrize(("method", "n", "p"), [
    ("exact", 12, 0.3), pytest.param("rare", 30, 0.01, marks=pytest.mark.night),
])  # fmt: skip
def test_thresholds_are_those_of_a_partition(method, n, p):
    study = {"code": FRC | {"n": n}, "stragglers": {"model": "iid", "p": p}, "method": method}
    study |= {"measure": ["error", "error_per_partition"], "thresholds": [3 / n, 3.0]}
    found = of_method(study, "exact")
    own, whole = (
        [found[name, f"P(>{threshold})"]["value"] for threshold in (3 / n, 3.0)]
        for name in ("error_per_partition", "error")
    )
    assert own == [whole[1], 0.0] and 0 < whole[1] < whole[0]
    assert method == "exact" or 1e-11 < whole[1] < 1e-10


# ---- codes of different k


def two(measure, first=FANO, second=FRC):
    return {
        "common_random_numbers": True,
        "ratio": [["a", "b"]],
        "experiment": [
            {"name": "a", "code": first, "stragglers": OFTEN, "measure": [measure]},
            {"name": "b", "code": second, "stragglers": OFTEN, "measure": [measure]},
        ],
    }


@pytest.mark.parametrize(("measure", "first", "is_said"), [
    ("error", FANO, True),
    ("error", {"family": "circulant", "n": 12, "d": 3}, False),
    ("norm", FANO, True),
    ("error_per_partition", FANO, False),
    ("exact", FANO, False),
])  # fmt: skip
def test_pictures_and_ratios_say_that_partitions_differ(measure, first, is_said):
    result = fastgc.run(two(measure, first), trials=1000)
    said = "Codes have 7 and 12 partitions: errors compare only per partition"
    for picture in pictures.of(result):
        assert (said in picture.caption) is is_said
    [ratio] = [row for row in result.rows() if row["statistic"] == "ratio"]
    assert ("of codes with 7 and 12 partitions" in ratio.get("note", "")) is is_said
