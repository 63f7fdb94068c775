"""Pools that grow and shrink: sizes in turn, nested sets, and every pattern's probability."""

import itertools
import math

import numpy as np
import pytest

import fastgc
from fastgc.draws.streams import Batch
from fastgc.errors import FastgcError
from fastgc.stragglers.pool import Pool
from fastgc.systems import gradient_code, relays
from fastgc.systems.timing.decodability import decodable


def drawn(model, n, iterations, groups=40):
    batch = Batch(seed=3, stream="s", first=0, groups=groups, iterations=iterations)
    packed = model.draw(n, batch).packed.reshape(iterations, -1)
    return packed >> np.arange(n, dtype=np.uint64)[:, None, None] & np.uint64(1)


def test_sizes_are_gone_through_in_turn_and_who_stays_stays():
    sizes = (5, 3, 4)
    there = drawn(Pool(sizes=sizes), 6, 7)  # workers, iterations, trials
    counts = there.sum(axis=0)
    starts = {tuple(sizes[(s + i) % 3] for i in range(7)) for s in range(3)}
    assert {tuple(own) for own in counts.T.tolist()} == starts
    for i, j in itertools.combinations(range(7), 2):
        smaller = np.where(counts[i] <= counts[j], there[:, i], there[:, j])
        assert (smaller <= np.maximum(there[:, i] & there[:, j], 0)).all()


def test_patterns_are_as_likely_as_is_said():
    model = Pool(sizes=(4, 2, 2))
    wanted = np.zeros(16)
    for size in (4, 2, 2):
        for some in itertools.combinations(range(4), size):
            wanted[sum(1 << j for j in some)] += 1 / 3 / math.comb(4, size)
    assert model.distribution(4) == pytest.approx(wanted)
    there = drawn(model, 4, 1, groups=400)[:, 0]
    seen = np.bincount((there << np.arange(4, dtype=np.uint64)[:, None]).sum(axis=0), minlength=16)
    off = np.abs(seen - wanted * there.shape[1])
    assert (off <= 4.5 * np.sqrt(there.shape[1] * wanted * (1 - wanted)) + 1e-9).all()


@pytest.mark.parametrize("system", [gradient_code(n=6, s=3), relays(n=6, relays=3, s=1)])
def test_who_completes_is_counted(system):
    model = Pool(sizes=(6, 4, 2))
    found = decodable(system.structure(), model)
    ways = 0.0
    for size in (6, 4, 2):
        for some in itertools.combinations(range(6), size):
            if system.settings()["family"] == "relays":
                done = all(len({2 * r, 2 * r + 1} & set(some)) >= 1 for r in range(3))
            else:
                done = size >= 3
            ways += done / 3 / math.comb(6, size)
    assert found == pytest.approx(ways, rel=1e-12)


def present_time(n, s, present, mean):
    """Mean time until n - s of so many exponential workers have answered."""
    return mean * math.fsum(1 / i for i in range(present - n + s + 1, present + 1))


def test_rounds_of_a_code_wait_for_those_that_are_there():
    table = {
        "kind": "completion",
        "system": {"family": "gradient-code", "n": 12, "s": 4},
        "stragglers": {"model": "pool", "sizes": [12, 9, 8]},
        "latency": {"distribution": "exponential", "mean": 1.0},
        "measure": ["time"],
    }
    table |= {"method": "both", "thresholds": [1.0]}
    rows = fastgc.run({"experiment": [table], "stop": {"trials": 50_000}}).rows()
    wanted = sum(present_time(12, 4, m, 5 / 12) for m in (12, 9, 8)) / 3
    means = {row["method"]: row for row in rows if row["statistic"] == "mean"}
    assert means["exact"]["value"] == pytest.approx(wanted, rel=1e-9)
    for statistic in ("mean", "variance", "P(>1.0)"):
        own = {row["method"]: row for row in rows if row["statistic"] == statistic}
        sampled = own["monte-carlo"]
        assert abs(sampled["value"] - own["exact"]["value"]) < 4.5 * sampled["standard_error"]


def test_a_pool_that_is_too_small_completes_sometimes():
    table = {
        "kind": "completion",
        "system": {"family": "gradient-code", "n": 6, "s": 2},
        "stragglers": {"model": "pool", "sizes": [6, 5, 3]},
        "latency": {"distribution": "exponential", "mean": 6.0},
        "work": 1 / 3,
        "measure": ["time", "decodable"],
        "method": "both",
    }
    rows = fastgc.run({"experiment": [table], "stop": {"trials": 50_000}}).rows()
    means = [row for row in rows if row["statistic"] == "mean"]
    found = {(row["quantity"], row["method"]): row["value"] for row in means}
    assert found["decodable", "exact"] == pytest.approx(2 / 3, rel=1e-12)
    wanted = sum(present_time(6, 2, m, 1.0) for m in (6, 5)) / 2
    assert found["time", "exact"] == pytest.approx(wanted, rel=1e-9)
    [sampled] = [
        row for row in means if (row["quantity"], row["method"]) == ("time", "monte-carlo")
    ]
    assert abs(sampled["value"] - wanted) < 4.5 * sampled["standard_error"]
    table |= {"stragglers": {"model": "pool", "sizes": [3]}, "method": "exact", "measure": ["time"]}
    with pytest.raises(FastgcError, match="the pool is always too small"):
        fastgc.run({"experiment": [table]})


@pytest.mark.parametrize(
    ("sizes", "said"),
    [([7], r"sizes: must be at most n=6 \(got 7\)"), ([], "sizes"), ([-1], "≥ 0|at least 0")],
)
def test_mistakes_are_said(sizes, said):
    table = {
        "code": {"family": "frc", "n": 6, "d": 2},
        "stragglers": {"model": "pool", "sizes": sizes},
    }
    with pytest.raises(FastgcError, match=said):
        fastgc.run({"experiment": [table]})
