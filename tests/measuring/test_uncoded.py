"""Work that is shared out by the workers' own seconds, run for real."""

import numpy as np
import pytest

import fastgc
from fastgc.measuring.faults import Faults
from suite.checks import every, refusal
from suite.recordings import shared_by_speed, slowing
from twins.virtual import LAW, carried, measured

BALANCED = {"family": "balanced", "n": 5, "basis": 3}
LEAVE_OUT = {"family": "leave-out", "n": 5, "k": 2, "basis": 3}
PROBLEM = {"model": "logistic", "samples": 97, "features": 4}
EXACT = 1e-24  # of squares


def study(system, rounds=12, latency=LAW, problem=PROBLEM, **more):
    how = {"problem": problem, "rounds": rounds, **more}
    return {"kind": "completion", "system": system, "latency": latency, "measure": how}


def largest(found):
    return max(row["error"] for row in found.rounds)


@pytest.fixture(scope="module")
def recorded(tmp_path_factory):
    return slowing(60, tmp_path_factory.mktemp("recorded") / "t.csv")


#: So many that whole samples are shares to six digits.
MANY = {"model": "linear", "samples": 500_000, "features": 1}


@pytest.mark.parametrize("family", ["balanced", "leave-out"])
def test_shares_follow_the_workers_own_seconds(family, recorded):
    rows, path = recorded
    system = {"family": family, "n": 5, "basis": 4} | ({"k": 2} if family == "leave-out" else {})
    latency = {"distribution": "empirical", "file": path, "order": "replay"}
    found = measured(study(system, 40, latency, MANY))
    start = int(np.argmin(np.abs(rows[:, 0] - 5 * found.arrays["injected"][0, 0])))
    known = [[] for _ in range(5)]
    for number in range(40):
        shares = [0.2] * 5
        if number >= 4:
            shares = shared_by_speed(family, [np.mean(each[-4:]) for each in known])
        row = rows[(start + number) % len(rows)].tolist()
        assert found.arrays["share"][number] == pytest.approx(shares, abs=1e-5)
        ends = [share * own for share, own in zip(shares, row, strict=True)]
        assert found.measured[number] == pytest.approx(max(ends), rel=1e-4)
        for each, own, share in zip(known, row, shares, strict=True):
            each += [own] if share else []
    assert found.predicted == pytest.approx(found.measured, abs=1e-9)
    assert largest(found) < EXACT
    assert every(row["late"] == [] for row in found.rounds)


def test_who_is_left_out_has_no_order():
    made = []
    slow = carried(made, own=lambda worker, number: 1.0 + worker)
    found = measured(study(LEAVE_OUT), carrier=slow)
    assert [entry[1] for entry in made[0].log if entry[2] == 2] == [0, 1, 2, 3, 4]
    assert [entry[1] for entry in made[0].log if entry[2] > 2] == [0, 1, 2] * 9
    assert found.measured == pytest.approx([5.0] * 3 + [3.0] * 9, abs=1e-9)
    assert every(found.arrays["share"][3:, 3:].ravel() == 0)
    assert largest(found) < EXACT and found.verdicts[2]["verdict"] == "held"
    # what it is on its share of the first round, in proportion, and nothing of who had no work
    assert found.recording[0] == pytest.approx([1.0, 2.0, 3.0, 4.0, 5.0], rel=0.06)
    assert np.isnan(found.recording[3:, 3:]).all()
    assert found.recording[3:, :3] == pytest.approx(np.tile([0.6, 1.2, 1.8], (9, 1)), rel=0.06)


def test_workers_who_are_named_are_left_out_from_the_start():
    found = measured(study(LEAVE_OUT | {"who": [0, 3]}))
    assert (found.arrays["share"] > 0).tolist() == [[False, True, True, False, True]] * 12
    assert largest(found) < EXACT


@pytest.mark.parametrize("system", [BALANCED, LEAVE_OUT])
@pytest.mark.parametrize("when", [1, 6])
def test_a_lost_worker_has_no_share(system, when):
    whole = measured(study(system))
    lost = int(np.argmax(whole.arrays["share"][when]))
    found = measured(study(system), faults=Faults(kill=[(lost, when)]))
    errors = np.array([row["error"] for row in found.rounds])
    assert errors[when] > 1e-6 and (np.delete(errors, when) < EXACT).all()
    assert every(found.arrays["share"][when + 1 :, lost] == 0)


@pytest.mark.parametrize("system", [BALANCED, LEAVE_OUT])
def test_processes_compute_what_orders_say(system):
    quick = {"distribution": "exponential", "mean": 0.002}
    found = fastgc.measure(study(system | {"n": 3} if "k" not in system else system, 6, quick))
    assert largest(found) < EXACT and found.complete


@pytest.mark.parametrize(("system", "more", "said"), [
    (BALANCED, {"code": {"family": "cyclic", "n": 5, "d": 2}}, "left out with balanced, whose"),
    ({"family": "local-sgd", "n": 4, "period": 3}, {}, "no master whose workers send one"),
])  # fmt: skip
def test_what_does_not_fit_is_refused(system, more, said):
    assert said in refusal(measured, study(system, **more))
