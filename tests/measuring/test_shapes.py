"""Systems of other shapes run for real: layers, trees whose parents are workers."""

import numpy as np
import pytest

import fastgc
from fastgc.measuring.faults import Faults
from fastgc.systems import hierarchical
from suite.checks import every, refusal
from twins.virtual import Virtual, carried, measured

SMALL = {"model": "logistic", "samples": 96, "features": 4}
TREE = {"family": "coded-reduce", "n": 3, "layers": 2, "s": 1}
LAYERS = {"family": "hierarchical", "n": 4, "k": [3, 2]}


def study(system, value=0.002, **how):
    law = {"distribution": "exponential", "shift": 0.5 * value, "mean": value}
    how = {"problem": SMALL, "rounds": 10} | how
    return {"kind": "completion", "system": system, "latency": law, "measure": how}


# ---- terms


def test_a_term_is_run_by_its_own_rule():
    spares = {"family": "term", "term": "2 of (1 of (w0, w1 + 3), 1 of (w2, w3 + 3))"}
    seconds = [5.0, 1.0, 2.0, 9.0]
    slow = lambda *parts: Virtual(*parts, own=lambda worker, number: seconds[worker])  # noqa: E731
    found = measured(study(spares, between_rounds="cancel"), carrier=slow)
    # the first pair is done by its spare, which begins after 3 s
    assert found.measured == pytest.approx([4.0] * 10, abs=1e-9)
    assert every(np.array_equal(used, [0, 1, 1, 0]) for used in found.arrays["used"])
    assert np.array_equal(found.arrays["used"], found.arrays["predicted_used"])
    assert found.arrays["decoding_error"] == pytest.approx([2.0] * 10)  # no code: two are lost


# ---- layers


def test_what_slow_workers_have_done_counts():
    slow = carried([], own=lambda worker, number: 1.0 + worker)
    found = measured(study(LAYERS, between_rounds="cancel"), carrier=slow)
    # the third answer of layer 0 comes after 3 s, the second of layer 1 after 2 · 2 s
    assert found.measured == pytest.approx([4.0] * 10, abs=1e-9)
    used = found.arrays["used"].reshape(10, 4, 2)
    assert every(np.array_equal(row, [[1, 1], [1, 1], [1, 0], [1, 0]]) for row in used)
    assert np.array_equal(found.arrays["used"], found.arrays["predicted_used"])
    assert every(row["late"] == [2, 3] and row["error"] < 1e-24 for row in found.rounds)
    assert found.recording.shape == (10, 4) and np.isnan(found.recording[:, 2:]).all()


def test_layers_with_too_few_answers_are_not_known():
    found = measured(study(LAYERS), faults=Faults(kill=[(0, 2), (1, 2)]))
    assert found.arrays["decoding_error"].tolist() == [0.0, 0.0] + [3.0] * 8
    assert every(row["error"] is None for row in found.rounds[2:])


def test_files_and_recordings_of_layers_are_read_back(tmp_path):
    out = tmp_path / "m.h5"
    found = measured(study(LAYERS), out=out)
    kept = fastgc.open(out)
    assert kept.complete and kept.rounds == found.rounds
    assert found.arrays["own"].shape == (10, 8)
    tasks = found.arrays["own"].reshape(10, 4, 2)
    assert kept.recording == pytest.approx((tasks[..., 0] + tasks[..., 1]) / 2, abs=1e-12)
    law = {"distribution": "empirical", "order": "replay", "file": str(out)}
    again = measured(study(LAYERS) | {"latency": law})
    injected = np.sort(again.arrays["injected"][:, ::2], axis=None)  # it begins with any row
    assert injected == pytest.approx(np.sort(kept.recording, axis=None), abs=2e-9)


def test_layers_on_processes():
    found = fastgc.measure(study(LAYERS), faults=Faults(kill=[(0, 4)]))
    assert found.complete and max(row["error"] for row in found.rounds) < 1e-24


# ---- trees


def test_late_workers_of_a_tree_take_their_children_with_them():
    slow = carried([], own=lambda worker, number: 1.0 + worker)
    found = measured(study(TREE), carrier=slow)
    # of 0, 1, 2 the last is late, and of the children 3, 4, 5 and 6, 7, 8 of the others, too
    assert every(row["late"] == [2, 5, 8, 9, 10, 11] for row in found.rounds)
    assert found.measured == pytest.approx([8.0] * 10, abs=1e-9)
    assert found.arrays["predicted_used"].tolist() == found.arrays["used"].tolist()


def test_a_port_is_predicted_and_not_met():
    tree = study(TREE, value=1.0) | {"port": {"receive": 0.3, "opens": "after-own"}}
    found = measured(tree)
    of = fastgc.systems.coded_reduce(n=3, layers=2, s=1)
    own = found.arrays["own"].T
    expected = fastgc.systems.complete(of, own, receive=0.3, opens="after-own").time
    assert found.predicted == pytest.approx(expected, abs=1e-9)
    assert found.measured == pytest.approx(fastgc.systems.complete(of, own).time, abs=1e-9)


def test_a_parent_with_too_few_children_is_late_at_once():
    made = []
    faults = Faults(kill=[(3, 2), (4, 2), (6, 2), (11, 2)])
    found = measured(study(TREE), carrier=carried(made), faults=faults)
    assert max(row["error"] for row in found.rounds) < 1e-24
    assert every(np.isfinite(found.arrays["over"]))
    assert every(row["late"][0] == 0 for row in found.rounds[2:])
    assert made[0].now < 1.0  # nobody waits for it until a round is given up


def test_a_master_with_too_few_children_decodes_what_there_is():
    faults = Faults(kill=[(3, 2), (4, 2), (6, 2), (7, 2)])
    found = measured(study(TREE), faults=faults)
    assert np.isinf(found.arrays["over"][2:]).all()
    assert min(row["error"] for row in found.rounds[2:]) > 1e-3
    assert min(found.arrays["decoding_error"][2:]) > 0.1


@pytest.mark.parametrize("between", ["drain", "cancel"])
def test_a_tree_on_processes(between):
    faults = Faults(kill=[(0, 3), (7, 5)], pause=[(6, 4, 0.02)])
    found = fastgc.measure(study(TREE, between_rounds=between), faults=faults)
    assert found.complete and max(row["error"] for row in found.rounds) < 1e-24
    assert every(0 in row["late"] for row in found.rounds[4:])
    assert [v["verdict"] for v in found.verdicts if v["comparison"] == "learning"] == ["held"]


def test_a_tree_on_processes_whose_children_are_gone_goes_on_at_once():
    found = fastgc.measure(study(TREE, give_up=1e6), faults=Faults(kill=[(3, 1), (4, 1)]))
    assert found.complete and max(row["error"] for row in found.rounds) < 1e-24
    assert every({0, 3, 4, 5} <= set(row["late"]) for row in found.rounds[2:])


# ---- what cannot be


def test_what_does_not_fit_is_refused():
    said = refusal(measured, study(TREE, between_rounds="finish"))
    assert 'must be "drain" or "cancel" with coded-reduce, whose workers wait for others' in said
    own = study({"family": "coded-reduce", "parents": [0, 0, 0, 1, 1], "s": 1})
    assert "is a tree whose parents are unlike" in refusal(fastgc.measure, own)
    few = study(TREE, problem=SMALL | {"samples": 4})
    assert "needs a problem of 15 samples or more" in refusal(fastgc.measure, few)
    wide = study({"family": "coded-reduce", "n": 40, "layers": 1, "s": 20})
    assert "more than 20000 ways to miss 20 of 40 children" in refusal(fastgc.measure, wide)
    how = {"code": np.eye(3), "system": hierarchical(n=3, k=[2, 1])}
    own = {"gradient": np.dot, "parameters": np.ones(2), "partitions": [1.0] * 3}
    assert "needs a study's problem" in refusal(fastgc.measure, how, **own)
