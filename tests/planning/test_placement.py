"""Who takes which place is decided by mean times, whatever the order of columns."""

import numpy as np
import pytest

import fastgc
from suite.recordings import replayed


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
        [value] = [c.value for c in found if c.system == {"family": "replication", "n": 8, "d": 2}]
        assert value * 4 < 1.5  # a slow worker alone takes 1.6 or more


def test_laws_in_a_list_have_no_order_either():
    laws = [{"distribution": "exponential", "mean": 0.1, "shift": s} for s in (1.0, 1.0, 1.0, 3.0)]
    values = []
    for order in ([0, 1, 2, 3], [3, 0, 1, 2], [0, 3, 2, 1]):
        table = {"workers": 4, "schemes": ["uncoded", "replication"]}
        found = fastgc.design(table | {"latency": [laws[j] for j in order]})
        values.append([(c.system, c.value) for c in found if c.trials is None])
    assert values[0] == values[1] == values[2] and values[0]
