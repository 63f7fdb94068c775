"""Rounds with a virtual clock: when they are over, by whose answers, and what late ones do."""

from functools import partial
from typing import Literal

import numpy as np
import pytest

import fastgc
from fastgc.latency.law import DrawnLaw
from fastgc.measuring.faults import Faults
from fastgc.registry import register
from suite.checks import every, refusal
from twins.virtual import LAW, Virtual, carried, measured, stopping

SMALL = {"model": "linear", "samples": 96, "features": 4}
SYSTEMS = {
    "uncoded": {"family": "uncoded", "n": 4},
    "gradient code": {"family": "gradient-code", "n": 6, "s": 2},
    "cyclic": {"family": "gradient-code", "n": 5, "s": 2},
    "patient": {"family": "gradient-code", "n": 6, "s": 2, "patience": 0.5},
    "replication": {"family": "replication", "n": 6, "d": 2},
    "k of n": {"family": "k-of-n", "n": 5, "k": 3},
    "ignore": {"family": "ignore-stragglers", "n": 5, "stragglers": 1},
    "bounded wait": {"family": "bounded-wait", "n": 5, "k": 3},
    "drop late": {"family": "drop-late", "n": 5, "deadline": 0.3},
    "spare": {"family": "spare", "n": 4, "b": 2},
    "clones": {"family": "clones", "n": 3, "r": 2, "after": 0.1},
    "layers": {"family": "hierarchical", "n": 5, "k": [4, 0, 3, 1, 0]},
    "layers, times for each": {"family": "hierarchical", "n": 5, "k": [4, 3], "draws": "task"},
    "tree": {"family": "coded-reduce", "n": 3, "layers": 2, "s": 1},
    "tree of copies": {"family": "coded-reduce", "n": 2, "layers": 3, "s": 1},
}
EXACT = ("uncoded", "gradient code", "cyclic", "patient", "replication", "k of n")
EXACT += ("layers", "layers, times for each", "tree", "tree of copies")


def study(system, rounds=12, latency=LAW, **how):
    how = {"problem": SMALL, "rounds": rounds} | how
    return {"kind": "completion", "system": system, "latency": latency, "measure": how}


def run(system, rounds=12, carrier=Virtual, latency=LAW, how=None, **options):
    return measured(study(system, rounds, latency, **how or {}), carrier, **options)


@pytest.mark.parametrize("name", SYSTEMS)
def test_rounds_are_over_when_the_simulation_says(name):
    found = run(SYSTEMS[name])
    injected = found.arrays["injected"]
    keys = dict(SYSTEMS[name])
    made = getattr(fastgc.systems, keys.pop("family").replace("-", "_"))(**keys)
    if name.startswith("layers"):
        injected = injected.reshape(len(injected), made.n, -1)
        injected = injected if keys.get("draws") == "task" else injected[..., 0]
    simulated = fastgc.systems.complete(made, np.moveaxis(injected, 0, -1)).time
    assert found.measured == pytest.approx(simulated, abs=1e-9)
    assert found.predicted == pytest.approx(simulated, abs=1e-9)
    assert np.array_equal(found.arrays["used"], found.arrays["predicted_used"])
    assert found.complete


@pytest.mark.parametrize("name", [*EXACT, "clones"])
def test_what_is_decoded_is_the_whole_gradient(name):
    errors = [row["error"] for row in run(SYSTEMS[name]).rounds]
    assert max(errors) < 1e-24  # of squares


def test_the_gradient_of_who_answered_is_decoded():
    found = run(SYSTEMS["bounded wait"], rounds=5)
    assert every(len(row["late"]) == 2 for row in found.rounds)
    assert found.arrays["decoding_error"].tolist() == [2.0] * 5
    assert min(row["error"] for row in found.rounds) > 1e-6


@pytest.mark.parametrize(
    "name", ["k of n", "gradient code", "bounded wait", "drop late", "spare", "tree"]
)
def test_losses_are_those_of_the_simulation(name):
    learning = run(SYSTEMS[name]).verdicts[-1]
    assert (learning["comparison"], learning["verdict"]) == ("learning", "held")
    assert learning["facts"]["largest_difference"] < 1e-12


# ---- results


class Wrong(Virtual):
    """Worker 1's answers are wrong by little."""

    def order(self, worker, order):
        super().order(worker, order)
        if worker == 1:
            answer = self.busy[1]
            answer.values[:] *= 1.001


@pytest.mark.parametrize("name", ["k of n", "gradient code"])
def test_wrong_answers_are_found_by_the_third_comparison(name):
    learning = run(SYSTEMS[name], carrier=Wrong).verdicts[-1]
    assert (learning["comparison"], learning["verdict"]) == ("learning", "did not hold")


@pytest.mark.night
@pytest.mark.filterwarnings("error")
def test_a_descent_that_is_unstable_is_said_to_be():
    how = {"optimizer": {"method": "gradient-descent", "step": 1e12}}
    found = run(SYSTEMS["cyclic"], rounds=40, how=how)
    learning = found.verdicts[-1]
    assert not np.isfinite(found.arrays["loss"][-1])
    assert learning["verdict"] == "open" and "descent is unstable" in learning["sentence"]


# ---- between rounds


def fixed(*seconds):
    return [{"distribution": "deterministic", "value": 5 * each} for each in seconds]


def test_drained_rounds_know_all_own_seconds():
    made = []
    found = run({"family": "bounded-wait", "n": 5, "k": 3}, carrier=carried(made))
    assert np.isfinite(found.recording).all()
    assert not [entry for entry in made[0].log if entry[0] == "cancel"]


def test_cancelled_workers_begin_the_next_round_with_the_others():
    made = []
    system = {"family": "bounded-wait", "n": 5, "k": 3}
    how = {"between_rounds": "cancel"}
    found = run(system, carrier=carried(made), latency=fixed(1, 2, 3, 4, 9), how=how, rounds=4)
    assert found.measured == pytest.approx([3.0] * 4, abs=1e-9)
    assert np.isnan(found.recording[:, 3:]).all()
    assert np.nanmax(found.arrays["began"]) == pytest.approx(0.0, abs=1e-9)


def test_late_workers_that_finish_are_late_for_the_next_round():
    system = {"family": "bounded-wait", "n": 5, "k": 3}
    how = {"between_rounds": "finish"}
    found = run(system, latency=fixed(1, 2, 3, 4, 9), how=how, rounds=4)
    # worker 3 is free 1 s after round 1 begins, worker 4 only in the fourth round
    assert found.measured == pytest.approx([3.0] * 4, abs=1e-9)
    assert found.arrays["began"][1, 3] == pytest.approx(1.0, abs=1e-9)
    assert np.isnan(found.arrays["began"][1, 4])
    assert found.arrays["own"][0] == pytest.approx([1, 2, 3, 4, 9], abs=1e-9)
    assert found.predicted == pytest.approx(found.measured, abs=1e-9)


def test_a_round_that_waits_for_a_worker_that_was_late_is_predicted_so():
    seconds = [[1.0, 2.0, 5.0], [9.0, 1.0, 1.0]]
    slow = partial(Virtual, own=lambda worker, number: seconds[number][worker])
    system = {"family": "bounded-wait", "n": 3, "k": 2}
    found = run(system, carrier=slow, rounds=2, how={"between_rounds": "finish"})
    assert found.measured == pytest.approx([2.0, 4.0], abs=1e-9)
    assert found.predicted == pytest.approx([2.0, 4.0], abs=1e-9)


def test_other_copies_of_a_piece_stop():
    made = []
    system = {"family": "clones", "n": 1, "r": 2, "after": 1.0}
    latency = {"distribution": "deterministic", "value": 3.0}
    run(system, carrier=carried(made), latency=latency, rounds=1, how={"code": None})
    assert made[0].log == [("order", 0, 0), ("order", 1, 0), ("cancel", 1)]


# ---- workers that are lost


def killing(number, *workers):
    class Killing(Virtual):
        def order(self, worker, order):
            super().order(worker, order)
            if order.round == number and worker in workers:
                self.kill(worker)

    return Killing


def test_dead_workers_within_the_tolerance_do_not_matter():
    found = run(SYSTEMS["gradient code"], carrier=killing(3, 0, 5), rounds=8)
    assert max(row["error"] for row in found.rounds) < 1e-24
    assert [entry[:2] for entry in found.facts["lost"]] == [[3, 0], [3, 5]]
    assert found.complete


def test_with_more_dead_workers_the_best_is_made_of_the_rest():
    own = {"carrier": killing(3, 0, 1, 2), "rounds": 8}
    found = run(SYSTEMS["gradient code"], **own)
    assert found.complete
    assert found.arrays["decoding_error"].round(9).tolist() == [0.0] * 3 + [3.0] * 5
    assert np.isinf(found.arrays["over"][3:]).all()
    found = run(SYSTEMS["gradient code"], **own, exact=True)  # it ends where nothing exact is left
    assert (found.facts["ended"], len(found.measured), found.complete) == ("inexact", 4, False)


def test_without_any_worker_it_ends_and_keeps_its_rounds(tmp_path):
    out, dead = tmp_path / "m.h5", killing(2, 0, 1, 2, 3)
    said = refusal(run, SYSTEMS["uncoded"], carrier=dead, rounds=8, out=out)
    assert "all 4 workers are lost (killed); 3 rounds are kept" in said
    assert len(fastgc.open(out).measured) == 3


def test_a_worker_that_never_answers_is_given_up():
    class Silent(Virtual):
        def order(self, worker, order):
            super().order(worker, order)
            if worker == 0:
                self.stopped.add(0)

    found = run(SYSTEMS["uncoded"], carrier=Silent, rounds=2, how={"give_up": 7.0})
    assert found.measured.tolist() == [7.0, 7.0]
    assert [row["late"] for row in found.rounds] == [[0], [0]]


# ---- stopped, and faults


@pytest.mark.parametrize("after", [0, 1, 20, 41])
def test_a_stopped_measurement_keeps_its_whole_rounds(tmp_path, after):
    how = study(SYSTEMS["gradient code"], optimizer={"method": "adam", "step": 0.1})
    whole, out = measured(how), tmp_path / "m.h5"
    found = measured(how, out=out, interrupted=stopping(after))
    many = len(found.measured)
    assert (found.complete, found.facts["ended"], found.facts["why"]) == (False, "asked", "SIGTERM")
    assert many < 12 and (many > 0) == (after > 1)
    assert found.arrays["loss"].tolist() == whole.arrays["loss"][: many + 1].tolist()
    kept = fastgc.open(out)
    assert kept.rounds == found.rounds and kept.facts == found.facts
    assert repr(kept) == repr(found)
    assert "is there already" in refusal(measured, how, out=out)


def test_a_stopped_worker_goes_on_when_its_pause_is_over():
    faults = Faults(pause=[(0, 1, 10.0)])
    how = {"kind": "completion", "system": SYSTEMS["uncoded"], "latency": fixed(1, 1, 1, 1)}
    found = measured(how | {"work": 0.8}, faults=faults, rounds=3)
    assert found.measured == pytest.approx([1.0, 10.0, 1.0], abs=1e-9)


def test_a_worker_that_stays_stopped_is_asked_to_leave_once():
    made = []
    own = {"rounds": 30, "how": {"between_rounds": "cancel"}, "carrier": carried(made)}
    assert run(SYSTEMS["gradient code"], faults=Faults(pause=[(0, 1, 1e9)]), **own).complete
    assert made[0].log.count(("cancel", 0)) <= 2  # once for round 0, at most, and once for round 1


class Never(DrawnLaw):
    distribution: Literal["now-or-never"] = "now-or-never"

    def times(self, uniforms):
        return np.where(uniforms < 0.03, np.inf, 1.0)


def test_nobody_waits_for_who_will_never_answer(own_members):
    register("latency")(Never)
    made = []
    found = run(
        {"family": "bounded-wait", "n": 8, "k": 1},
        latency={"distribution": "now-or-never"},
        how={"give_up": 1e3},
        rounds=40,
        carrier=carried(made),
    )
    assert found.complete and np.isnan(found.recording).any()
    assert made[0].now < 1e3
    assert "never answer" in found.verdicts[1]["sentence"]


def test_what_are_no_faults_no_place_and_no_round_is_refused():
    own = study(SYSTEMS["uncoded"], 3)
    assert "faults: must be" in refusal(fastgc.measure, own, faults=["--kill 1@1"])
    for place in (0, 2):
        assert f"has 1 points (got {place})" in refusal(fastgc.measure, own, place=place)
    said = refusal(measured, own, faults=Faults(kill=[(0, 3)]))
    assert said == "there is no round 3: they are 0 … 2"
