"""Loss curves of the simulation beside the measured one, and who straggled."""

import numpy as np
import pytest

import fastgc
from fastgc.measuring import curves, plans
from fastgc.measuring.faults import Faults
from fastgc.measuring.judging import who
from fastgc.measuring.measurement import measure
from fastgc.study.measure import parse
from twins.virtual import Virtual

TRAINING = {
    "kind": "training",
    "problem": {"model": "logistic", "samples": 60, "features": 3},
    "optimizer": {"method": "gradient-descent", "step": 0.5},
    "iterations": 25,
    "code": {"family": "circulant", "n": 5, "d": 2},
    "system": {"family": "drop-late", "n": 5, "deadline": 1.2, "load": 0.4},
    "work": 2.5,
    "latency": {"distribution": "exponential", "mean": 1.0},
}
HOW = {"measure": {"rounds": 25}}


def test_the_law_says_what_the_engine_simulates():
    """The engine's own runs of the training experiment: other draws, other code up to descent."""
    found = curves.expected(plans.of_study(parse(TRAINING | HOW)), 25)
    asked = TRAINING | {"measure": ["loss", "time"]}
    rows = [row for row in fastgc.run(asked, trials=4000).rows() if row["statistic"] == "mean"]
    for name, quantity in (("mean", "loss"), ("seconds", "time")):
        for step in (1, 10, 25):
            [row] = [r for r in rows if (r["quantity"], r["index"]) == (quantity, step)]
            error = row["standard_error"] * np.sqrt(1 + 4000 / found["runs"])
            assert abs(found[name][found["steps"].index(step)] - row["value"]) < 4.5 * error
    assert found["low"][0] == found["high"][0] == pytest.approx(np.log(2))
    assert found["low"][-1] < found["mean"][-1] < found["high"][-1]


def test_the_law_says_the_decoding_error():
    """With k of n answers each of n partitions is missing with probability 1 − k/n."""
    study = TRAINING | {"system": {"family": "bounded-wait", "n": 5, "k": 3}, "work": 5.0}
    study |= {"code": {"family": "uncoded", "n": 5}} | HOW
    assert curves.expected(plans.of_study(parse(study)), 25)["error"] == pytest.approx(2.0)


@pytest.mark.night
def test_measured_losses_end_in_the_band_in_nine_of_ten_measurements():
    inside = 0
    for seed in range(40):
        found = measure(TRAINING | HOW, carrier=Virtual, seed=seed)
        law = found.facts["curves"]
        inside += law["low"][-1] <= found.arrays["loss"][-1] <= law["high"][-1]
    assert 30 <= inside <= 40


def test_no_curve_where_rounds_hinder_each_other_or_there_is_no_law():
    late = HOW["measure"] | {"between_rounds": "finish"}
    assert curves.expected(plans.of_study(parse(TRAINING | {"measure": late})), 25) is None
    assert curves.expected(plans.of_study(parse(TRAINING | HOW)), 10**9) is None


def times(late):
    return np.where(late, 9.0, 1.0)


def test_slow_workers_are_two_classes():
    rng = np.random.default_rng(1)
    found = who(times(rng.random((200, 10)) < np.where(np.arange(10) < 2, 0.8, 0.02)), 1)
    best = found["models"][0]
    assert best["name"] == "two classes" and best["p_value"] > 0.01
    assert best["keys"]["p_straggle_slow"] == pytest.approx(np.mean(found["shares"][:2]), abs=1e-3)


@pytest.mark.night
def test_workers_that_stay_slow_for_a_while_are_a_chain():
    rng = np.random.default_rng(2)
    late = np.zeros((400, 8), bool)
    for row in range(1, 400):
        late[row] = rng.random(8) < np.where(late[row - 1], 0.9, 0.02)
    found = who(times(late), 1)
    assert found["models"][0]["name"] == "Markov"
    assert found["models"][-1]["name"] == "iid" and found["models"][-1]["p_value"] == 0.01


def test_rounds_that_are_not_known_and_too_few_of_them():
    late = np.zeros((30, 3), bool)
    late[:15, 1] = True
    own = times(late)
    own[20:, 0] = np.nan
    assert who(own, 1)["shares"] == [0.0, 0.75, 0.0]
    own[19:, 0] = np.nan
    assert who(own, 1) is None
    assert who(np.ones((30, 3)), 1)["models"] == []


@pytest.mark.night
@pytest.mark.parametrize(
    "code", [{"family": "circulant", "n": 5, "d": 2}, {"family": "frc", "n": 4, "d": 2}]
)
def test_errors_of_gradients_follow_from_inner_products(code):
    n = code["n"]
    study = TRAINING | {"code": code, "work": n / 2} | HOW
    study |= {"system": {"family": "drop-late", "n": n, "deadline": 1.2, "load": 2 / n}}
    found = measure(study, carrier=Virtual, seed=3)
    [learnt] = [each for each in found.facts["comparisons"] if each["comparison"] == "learning"]
    used, plan = found.arrays["used"] != 0, plans.of_study(parse(study))
    known = curves.gradient_errors(plan.scheme, plan.optimizer, used)
    assert known == pytest.approx(found.arrays["gradient_error"], rel=1e-9, abs=1e-20)
    assert known.max() > 0.01
    assert learnt["facts"]["by_products"] == pytest.approx(known.mean())
    assert (
        f"by the inner products of the partial gradients {known.mean():.3g}" in learnt["sentence"]
    )


class Deaf(Virtual):
    """Who is nearly done does not leave off."""

    def cancel(self, worker):
        if self.busy[worker].at > self.now + 0.3:
            super().cancel(worker)


COMPLETION = {
    "kind": "completion",
    "system": {"family": "gradient-code", "n": 4, "s": 1},
    "latency": {"distribution": "exponential", "shift": 0.5, "mean": 1.0},
}


@pytest.mark.night
def test_rounds_whose_late_workers_left_off_are_no_sample_of_the_law():
    found = measure(COMPLETION, carrier=Deaf, rounds=300, between_rounds="cancel")
    law = found.verdicts[1]
    assert law["facts"]["rounds"] > 60  # of short rounds, which contradict the law
    assert law["verdict"] == "open" and "late workers left off" in law["sentence"]
    assert found.facts["straggling"] is None


@pytest.mark.night
def test_rounds_before_a_worker_is_lost_are_a_sample_of_the_law():
    found = measure(COMPLETION, carrier=Virtual, rounds=60, faults=Faults(kill=[(1, 40), (2, 50)]))
    assert found.verdicts[1]["verdict"] == "held"
    assert found.verdicts[1]["facts"]["rounds"] == 40


def test_copies_that_leave_off_have_no_times():
    clones = {"system": {"family": "clones", "n": 2, "r": 2, "after": 0.1}}
    [_, law, _] = measure(COMPLETION | clones, carrier=Virtual, rounds=30).verdicts
    assert law["verdict"] == "open" and "copies that leave off have no times" in law["sentence"]


@pytest.mark.night
def test_what_is_beyond_the_injected_times_is_said_where_the_law_did_not_hold():
    study = COMPLETION | {"latency": {"distribution": "exponential", "mean": 0.1}}
    faults = (Faults(slow={1: 3.0}), None)
    slower, honest = (measure(study, carrier=Virtual, rounds=60, faults=each) for each in faults)
    said = [found.verdicts[1] for found in (slower, honest)]
    assert [each["verdict"] for each in said] == ["did not hold", "held"]
    beyond = (slower.arrays["own"] - slower.arrays["injected"]).ravel()
    assert (
        f"; of the own seconds {1e3 * np.median(beyond):.2g} ms in the median"
        in said[0]["sentence"]
    )
    assert "beyond the injected" not in said[1]["sentence"]
