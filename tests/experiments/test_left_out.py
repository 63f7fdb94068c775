"""Values of which no mean is made: not finite, too large to average, or of no decodable round."""

from typing import Literal

import numpy as np
import pytest

import fastgc
from fastgc import registry
from fastgc.engine.units import Unit
from fastgc.errors import FastgcError
from fastgc.experiments.accumulators import LARGEST
from fastgc.latency import DrawnLaw
from fastgc.study.study import Study

TRIALS = 4000
MEDIAN = 3.2805870153846705e82  # exp(190)


class Moody(DrawnLaw):
    """A law of the user's own: at small uniform numbers it gives something else."""

    distribution: Literal["moody"] = "moody"
    gives: str = "inf"
    below: float = 0.01

    def times(self, uniforms):
        return np.where(uniforms < self.below, float(self.gives), 1.0 + uniforms)


@pytest.fixture(autouse=True)
def moody(own_members):
    registry.register("latency")(Moody)


def completion(latency, **more):
    system = {"family": "uncoded", "n": 1}
    table = {"kind": "completion", "system": system, "latency": latency, "method": "monte-carlo"}
    return table | more


def rows(table, **more):
    result = fastgc.run({"seed": 3, "experiment": [table]}, trials=TRIALS, **more)
    return {(r["quantity"], r["statistic"]): r for r in result.rows()}


def drawn(table):
    study = Study.parse({"seed": 3, "experiment": [table]})
    (point,) = study.points()
    unit = Unit([point], 3, study.canonical(point))
    return unit.run([0], TRIALS, keep=True).samples[0][0]["time"]


@pytest.mark.parametrize("iterations", [1, 3])
def test_times_that_are_not_finite_are_counted_and_in_no_mean(iterations):
    asked = {"iterations": iterations, "quantiles": [0.5], "thresholds": [1.5]}
    table = completion({"distribution": "moody"}, **asked)
    found, times = rows(table), drawn(table)
    whole = np.isfinite(times).all(axis=1)
    lost = int((~whole).sum())
    assert lost > 10
    left = times[whole]
    note = f"{lost} of the trials left out, in which it is not finite"
    for statistic, value in {
        "mean": left.mean(),
        "variance": left.var(),
        "minimum": left.min(),
        "maximum": left.max(),
        "P(>1.5)": (left > 1.5).mean(),
    }.items():
        row = found["time", statistic]
        assert row["value"] == pytest.approx(value, rel=1e-12), statistic
        assert (row["trials"], row["note"]) == (TRIALS - lost, note)
    assert found["time", "quantile(0.5)"]["value"] == pytest.approx(np.median(left), rel=2**-7)


def test_nothing_finite_has_no_value(tmp_path):
    table = completion({"distribution": "moody", "below": 1.0}, quantiles=[0.5])
    found = rows(table, out=tmp_path / "a.h5")
    assert fastgc.open(tmp_path / "a.h5").rows() == list(found.values())
    assert set(found) == {("time", "mean"), ("time", "variance")}
    note = f"no trials; {TRIALS} of the trials left out, in which it is not finite"
    assert (found["time", "mean"]["value"], found["time", "mean"]["note"]) == (None, note)


def test_times_too_large_to_average_are_said():
    law = {"distribution": "lognormal", "mu": 190.0, "sigma": 0.1}
    found = rows(completion(law, quantiles=[0.5], thresholds=[MEDIAN]))
    for statistic in ("mean", "variance"):
        row = found["time", statistic]
        assert (row["value"], row["low"], row["high"]) == (None, None, None)
        assert row["note"] == f"too large to average in {TRIALS} of the trials"
    assert found["time", "quantile(0.5)"]["value"] == pytest.approx(MEDIAN, rel=0.02)
    assert found["time", f"P(>{MEDIAN!r})"]["value"] == pytest.approx(0.5, abs=0.04)


@pytest.mark.parametrize("iterations", [1, 5])
def test_sums_of_the_largest_values_stay_finite(iterations):
    under, over = (
        {"distribution": "moody", "gives": str(part * LARGEST)}
        for part in (0.99 / iterations, 1.01)
    )
    for stragglers in ({}, {"stragglers": {"model": "iid", "p": 0.1}}):
        table = completion(under, iterations=iterations) | stragglers
        assert np.isfinite(rows(table)["time", "variance"]["standard_error"])
        found = rows(table | {"latency": over})
        assert found["time", "maximum"]["value"] == pytest.approx(1.01 * LARGEST)
        assert found["time", "mean"]["value"] is None
        times = drawn(table | {"latency": over})
        lost = int((np.isfinite(times) & (times > LARGEST)).any(axis=1).sum())
        assert found["time", "mean"]["note"] == f"too large to average in {lost} of the trials"


def test_ratios_of_what_is_not_finite_are_refused():
    tables = [completion({"distribution": "moody"}) | {"name": name} for name in ("a", "b")]
    study = {"common_random_numbers": True, "ratio": [["a", "b"]], "experiment": tables}
    sentence = "^common_random_numbers: time of a is infinite or too large to average in some"
    with pytest.raises(FastgcError, match=sentence):
        fastgc.run(study, trials=TRIALS)


@pytest.mark.parametrize("method", ["exact", "monte-carlo"])
def test_errors_too_large_to_average_are_refused(method):
    table = {
        "code": {"family": "matrix", "rows": [[1e80, 0], [3e80, 1e90]]},
        "decoder": "one-step",
        "rho": 1.0,
        "stragglers": {"model": "iid", "p": 0.3},
        "method": method,
    }
    said = r"^experiment\.experiment1\.code: its decoding error reaches .*, too large to average"
    with pytest.raises(FastgcError, match=said):
        fastgc.run(table, trials=1000)


# ---- ratios given that each is decodable

LAW = {"distribution": "exponential", "mean": 1.0}
ARM = {"kind": "completion", "latency": LAW, "stragglers": {"model": "iid", "p": 0.3}}
ARMS = [
    ARM | {"name": name, "system": {"family": "gradient-code", "n": 6, "s": s}}
    for name, s in (("a", 2), ("b", 1))
]


def times_of(study):
    parsed = Study.parse(study)
    unit = Unit(parsed.points(), parsed.seed, "common", together=True)
    blocks, rest = divmod(TRIALS, unit.block)
    samples = unit.run(range(blocks), unit.block, keep=True).samples
    samples += unit.run([blocks], rest, keep=True).samples if rest else []
    return [np.concatenate([block[i]["time"] for block in samples]) for i in range(2)]


def ratio_of(study):
    result = fastgc.run(study, trials=TRIALS)
    (row,) = (row for row in result.rows() if row["statistic"] == "ratio")
    means = {
        name: result[name]["time"].statistic("mean", "monte-carlo").value for name in ("a", "b")
    }
    return row, means


@pytest.mark.parametrize("iterations", [1, 4])
def test_a_ratio_with_stragglers_is_of_the_conditional_means(iterations):
    tables = [arm | {"iterations": iterations} for arm in ARMS]
    for pair in (["a", "b"], ["b", "a"]):
        study = {"seed": 5, "common_random_numbers": True, "ratio": [pair], "experiment": tables}
        row, means = ratio_of(study)
        assert row["value"] == pytest.approx(means[pair[0]] / means[pair[1]], rel=1e-12)
        assert row["note"] == "each mean over its own decodable rounds"
        upper, lower = times_of(study) if pair == ["a", "b"] else times_of(study)[::-1]
        done = [np.isfinite(times) for times in (upper, lower)]
        sums = [np.where(d, t, 0).sum(axis=1) for d, t in zip(done, (upper, lower), strict=True)]
        counts = [d.sum(axis=1) for d in done]
        m = [s.sum() / c.sum() for s, c in zip(sums, counts, strict=True)]
        assert row["value"] == pytest.approx(m[0] / m[1], rel=1e-12)
        influence = (sums[0] - m[0] * counts[0]) / sums[0].sum()
        influence = influence - (sums[1] - m[1] * counts[1]) / sums[1].sum()
        error = m[0] / m[1] * np.sqrt((influence**2).sum())
        assert row["standard_error"] == pytest.approx(error, rel=2e-3)


def test_a_ratio_to_an_experiment_without_stragglers():
    arms = [ARMS[0], {key: value for key, value in ARMS[1].items() if key != "stragglers"}]
    study = {"seed": 5, "common_random_numbers": True, "ratio": [["a", "b"]], "experiment": arms}
    row, means = ratio_of(study)
    assert row["value"] == pytest.approx(means["a"] / means["b"], rel=1e-12)
    assert 0 < row["standard_error"] < 0.05 * row["value"]


def test_a_ratio_of_what_is_never_decodable_has_no_value():
    never = [arm | {"stragglers": {"model": "iid", "p": 1.0}} for arm in ARMS]
    row, _ = ratio_of({"common_random_numbers": True, "ratio": [["a", "b"]], "experiment": never})
    assert (row["value"], row["note"]) == (None, "never happened")
