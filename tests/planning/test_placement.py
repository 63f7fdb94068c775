"""Copies on workers that are late together: said by advise and design, and only there."""

import numpy as np
import pytest

import fastgc
from fastgc.latency.traces import Trace
from fastgc.planning.placement import late_together

COPIES = [{"family": "replication", "n": 8, "d": 2}, {"family": "uncoded", "n": 8}]


def racks(rows, seed=1, spell=1):
    """Times of two racks of four workers each, of which all are late at once now and then."""
    rng = np.random.default_rng(seed)
    late = np.repeat(rng.random((rows // spell, 2)) < 0.06, 4, axis=1).repeat(spell, axis=0)
    return rng.uniform(1.0, 1.1, (rows, 8)) * np.where(late, 2.5, 1.0)


def of(times):
    return Trace(tuple(f"gpu{j}" for j in range(times.shape[1])), tuple(times.T))


def test_neighbours_that_share_a_switch_are_named_and_apart_they_are_not():
    times = racks(400)
    [said] = late_together(of(times), COPIES)
    assert said.startswith("gpu0 and gpu1, gpu2 and gpu3, gpu4 and gpu5 and 1 more pair are late")
    assert late_together(of(times[:, [0, 4, 1, 5, 2, 6, 3, 7]]), COPIES) == ()
    assert late_together(of(times), COPIES[1:]) == ()
    clones = [{"family": "clones", "n": 2, "r": 4}]
    assert "gpu0 and gpu3" in late_together(of(times), clones)[0]


@pytest.mark.parametrize("spell", [1, 25])
def test_independent_workers_are_hardly_ever_said_to_be_late_together(spell):
    found = 0
    for seed in range(100):
        rng = np.random.default_rng(seed)
        late = (rng.random((400 // spell, 8)) < 0.1).repeat(spell, axis=0)
        found += late_together(of(np.where(late, 3.0, 1.0)), COPIES) != ()
    assert found <= 2


@pytest.mark.night
def test_advise_and_design_say_it(tmp_path):
    times = racks(200, seed=3)
    path = tmp_path / "racks.csv"
    names = ",".join(f"gpu{j}" for j in range(8))
    for order, expected in ((list(range(8)), True), ([0, 4, 1, 5, 2, 6, 3, 7], False)):
        np.savetxt(path, times[:, order], "%.4f", ",", header=names, comments="")
        said = "are late together and hold the same part"
        assert any(said in each for each in fastgc.advise(path).warnings) == expected
        law = {"distribution": "empirical", "file": str(path), "order": "replay"}
        ranking = fastgc.design({"workers": 8, "schemes": ["replication"], "latency": law})
        assert any(said in each for each in ranking.notes) == expected
