"""Who takes which place is decided by mean times; copies on workers that are late together."""

import numpy as np
import pytest

import fastgc
from fastgc.latency.traces import Trace
from fastgc.planning.lateness import late_together
from suite.recordings import replayed

#: Orders by speed: copies of two are then on neighbours of a rack, or on both racks.
TOGETHER, APART = (0, 2, 4, 6, 1, 3, 5, 7), tuple(range(8))
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
    [said] = late_together(of(times), COPIES, TOGETHER)
    assert said.startswith("gpu0 and gpu1, gpu2 and gpu3, gpu4 and gpu5 and 1 more are late")
    assert late_together(of(times), COPIES, APART) == ()
    assert late_together(of(times), COPIES[1:], TOGETHER) == ()
    clones = [{"family": "clones", "n": 2, "r": 4}]
    [said] = late_together(of(times), clones, APART)
    assert "gpu0 and gpu2" in said and said.endswith("in 2 groups not all can be apart")


def test_where_all_are_late_together_no_placement_is_asked_for():
    rng = np.random.default_rng(5)
    late = rng.random((400, 1)) < 0.06
    times = rng.uniform(1.0, 1.1, (400, 8)) * np.where(late, 2.5, 1.0)
    [said] = late_together(of(times), COPIES[1:], APART)
    assert said.startswith(f"all workers are slow together in {100 * late.mean():.2g} % of the")


@pytest.mark.parametrize("spell", [1, 25])
def test_independent_workers_are_hardly_ever_said_to_be_late_together(spell):
    found = 0
    for seed in range(100):
        rng = np.random.default_rng(seed)
        late = (rng.random((400 // spell, 8)) < 0.1).repeat(spell, axis=0)
        found += late_together(of(np.where(late, 3.0, 1.0)), COPIES, APART) != ()
    assert found <= 2


@pytest.mark.night
def test_advise_and_design_say_it(tmp_path):
    times = racks(200, seed=1)
    said = "are late together and hold the same part"
    for order, expected in ((TOGETHER, True), (APART, False)):
        law = replayed((times * (1 + 0.04 * np.argsort(order))).round(4), tmp_path / "racks.csv")
        assert any(said in each for each in fastgc.advise(law["file"]).warnings) == expected
        ranking = fastgc.design({"workers": 8, "schemes": ["replication"], "latency": law})
        assert any(said in each for each in ranking.notes) == expected


def made(kind, rng, rows=60, n=8):
    """Times of a made-up recording."""
    times = 1 + rng.exponential(0.05, (rows, n))
    if kind == "two slow workers":
        times[:, 6:] *= 1.6
    elif kind == "slow moments":
        times *= np.where(rng.random((rows, n)) < 0.1, 3.0, 1.0)
    elif kind == "unlike workers":
        times *= np.linspace(1.0, 2.0, n)
    elif kind == "equal workers":
        times[:, 3] = times[::-1, 0]
    return times


KINDS = ("two slow workers", "slow moments", "unlike workers", "equal workers")
SCHEMES = ["uncoded", "replication", "coded-reduce", "clones", "gradient-code", "partial"]


def ranked(times, path, order="rows"):
    law = replayed(times.round(6), path, order=order)
    keys = {"schemes": SCHEMES, "deadline": 1.2, "chunks": 3, "trials": 1024}
    return fastgc.design({"workers": times.shape[1], "latency": law, **keys})


@pytest.mark.night
@pytest.mark.parametrize("kind", KINDS)
def test_no_order_of_columns_changes_a_ranking(kind, tmp_path):
    rng = np.random.default_rng(KINDS.index(kind))
    times = made(kind, rng)
    first = ranked(times, tmp_path / "t.csv")
    for _ in range(3):
        other = ranked(times[:, rng.permutation(8)], tmp_path / "t.csv")
        assert [c.system for c in other] == [c.system for c in first]
        for one, two in zip(first, other, strict=True):
            assert (two.value, two.low, two.high) == pytest.approx((one.value, one.low, one.high))


@pytest.mark.night
def test_the_slowest_are_idle_and_named(tmp_path):
    times = made("two slow workers", np.random.default_rng(1))
    for order in (range(8), (6, 7, 0, 1, 2, 3, 4, 5)):
        found = ranked(times[:, order], tmp_path / "t.csv", "replay")
        tree = next(c for c in found if c.system["family"] == "coded-reduce")
        slow = " and ".join(f"w{j}" for j, w in enumerate(order) if w > 5).replace(" and ", ", ")
        assert tree.system["n"] == 2 and f"the slowest 2 workers are idle ({slow})" in tree.note


@pytest.mark.night
def test_slow_workers_share_no_part_where_that_can_be(tmp_path):
    """A group waits for its fastest: two slow workers in one group would be waited for."""
    times = made("two slow workers", np.random.default_rng(2))
    for order in (range(8), (6, 0, 7, 1, 2, 3, 4, 5)):
        found = ranked(times[:, order], tmp_path / "t.csv")
        [value] = [c.value for c in found if c.system == COPIES[0]]
        assert value * 4 < 1.5  # a slow worker alone takes 1.6 or more


def test_laws_in_a_list_have_no_order_either():
    laws = [{"distribution": "exponential", "mean": 0.1, "shift": s} for s in (1.0, 1.0, 1.0, 3.0)]
    values = []
    for order in ([0, 1, 2, 3], [3, 0, 1, 2], [0, 3, 2, 1]):
        table = {"workers": 4, "schemes": ["uncoded", "replication"]}
        found = fastgc.design(table | {"latency": [laws[j] for j in order]})
        values.append([(c.system, c.value) for c in found if c.trials is None])
    assert values[0] == values[1] == values[2] and values[0]
