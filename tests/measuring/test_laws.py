"""Which lie is found by which comparison: times of another law, and overhead."""

from functools import partial

import numpy as np
import pytest

from fastgc.measuring.faults import Faults
from fastgc.measuring.measurement import measure
from twins.virtual import Virtual

STUDY = {
    "kind": "completion",
    "system": {"family": "gradient-code", "n": 6, "s": 1},
    "latency": {"distribution": "exponential", "shift": 0.3, "mean": 0.3},
    "measure": {"problem": {"model": "linear", "samples": 24, "features": 2}, "rounds": 80},
}


def verdicts(carrier=Virtual, faults=None, **changes):
    found = measure(STUDY | changes, carrier=carrier, faults=faults)
    return {each["comparison"]: each for each in found.verdicts}


def broken(found):
    return {each["assumption"] for each in found["law"]["facts"]["questions"] if not each["held"]}


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_true_times_contradict_nothing(seed):
    found = verdicts(seed=seed)
    assert {each["verdict"] for each in found.values()} == {"held"}


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_a_slow_worker_is_the_laws_fault_alone(seed):
    found = verdicts(seed=seed, faults=Faults(slow={2: 2.0}))
    assert found["structure"]["verdict"] == "held"
    assert found["law"]["verdict"] == "did not hold"
    assert "worker 2" in found["law"]["sentence"]


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_overhead_is_the_structures_fault_alone(seed):
    found = verdicts(partial(Virtual, lag=lambda worker, number: 0.05), seed=seed)
    assert found["structure"]["verdict"] == "did not hold"
    assert found["law"]["verdict"] == "held"


def own(times):
    return partial(Virtual, own=lambda worker, number: float(times[number, worker]))


def test_times_that_change_are_found():
    times = np.random.default_rng(1).exponential(0.1, (80, 6)) + 0.1
    times[40:] *= 1.8
    assert "change" in broken(verdicts(own(times)))


def test_workers_that_are_slow_together_are_found():
    rng = np.random.default_rng(1)
    times = 0.1 + 0.5 * rng.exponential(0.1, (80, 1)) + 0.5 * rng.exponential(0.1, (80, 6))
    assert "between workers" in broken(verdicts(own(times)))


def test_workers_that_stay_slow_for_a_while_are_found():
    times = 0.1 + np.repeat(np.random.default_rng(1).exponential(0.1, (20, 6)), 4, axis=0)
    assert "between rounds" in broken(verdicts(own(times)))


def test_without_all_times_the_law_is_open():
    few = STUDY | {"measure": STUDY["measure"] | {"between_rounds": "cancel"}}
    found = verdicts(measure=few["measure"])
    assert found["law"]["verdict"] == "open"
    assert "drain" in found["law"]["sentence"]
