"""`fastgc design` on any number of threads and orders of columns: one ranking; interruptions."""

import threading

import numpy as np
import pytest

import fastgc
from fastgc.draws import streams
from fastgc.errors import StoppedError
from fastgc.planning.candidate import Candidate
from suite.checks import every
from suite.recordings import replayed

SHIFTED = {"distribution": "exponential", "shift": 0.5, "mean": 1.0}
UNLIKE = [{"distribution": "gamma", "shape": 2.0, "scale": 1.0 + j / 4} for j in range(7)]
SAMPLED = {"schemes": ["replication", "hierarchical"], "latency": SHIFTED, "trials": 30_000}
#: Exact values and sampled ones, by means and by ranks, of workers alike and unlike.
TABLES = {
    "all schemes": {
        **{"workers": 20, "latency": SHIFTED, "port": {"receive": 0.02}, "layers": 3, "tasks": 30},
        **{"stragglers": 2, "computation": "linear"},
    },
    "no port": {"workers": 12, "latency": {"distribution": "pareto", "shape": 0.7, "scale": 1.0}},
    "sampled": {"workers": 12, "port": {"receive": 0.01}, "layers": 2, "tasks": 12, **SAMPLED},
    "unlike": {"workers": 7, "latency": UNLIKE, "port": {"receive": 0.1}, "goal": "quantile(0.9)"},
}


@pytest.mark.night
def test_the_same_ranking_on_any_number_of_threads_and_from_blocks_of_any_size(monkeypatch):
    known = {name: fastgc.design(table, threads=1) for name, table in TABLES.items()}
    assert known["sampled"][0].method == "monte-carlo"
    assert {c.method for ranking in known.values() for c in ranking} == {"exact", "monte-carlo"}
    for name, table in TABLES.items():
        assert fastgc.design(table, threads=3) == known[name]
    monkeypatch.setattr(streams, "LARGEST_BLOCK", 128)
    for name in ("all schemes", "sampled"):
        assert fastgc.design(TABLES[name], threads=2) == known[name]


def test_the_exact_value_of_one_law_is_found_once(monkeypatch):
    asked, exact = [], Candidate.exact

    def counted(self):
        asked.append((self.family, self.scenario.load))
        return exact(self)

    monkeypatch.setattr(Candidate, "exact", counted)
    # without redundancy all of them are the same star; so are they with all of it
    schemes = ["uncoded", "gradient-code", "replication", "k-of-n"]
    law = {"distribution": "exponential", "mean": 1.0}
    found = fastgc.design({"workers": 6, "schemes": schemes, "latency": law}, threads=2)
    assert [other["family"] for other in found[0].also] == ["replication", "k-of-n"]
    loads = [load for family, load in asked if family in ("uncoded", "replication", "k-of-n")]
    assert len(asked) == len(set(asked)) and loads.count(1 / 6) == 1 and 1.0 not in loads


@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("asked", [1, 2, 5])
def test_a_search_is_stopped_wherever_it_is(threads, asked):
    left = asked

    def ask():
        nonlocal left
        left -= 1
        return "SIGTERM" if left < 0 else None

    with pytest.raises(StoppedError, match="stopped early by SIGTERM: nothing was chosen yet"):
        fastgc.design(TABLES["all schemes"], interrupted=ask, threads=threads)
    assert left == -1
    assert not [t for t in threading.enumerate() if t.name.startswith("fastgc")]


@pytest.mark.night
def test_steps_say_what_is_searched():
    steps = []
    fastgc.design(TABLES["all schemes"], threads=2, progress=steps.append)
    names = {step.name.partition(",")[0] for step in steps}
    assert {"systems", "coded-reduce", "k-of-n"} <= names
    assert every(0 <= step.done <= step.total for step in steps)
    looks = {step.name.partition(", ")[2] for step in steps}
    assert looks >= {"1024 trials each", "4096 trials each"}


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
def test_the_slowest_are_idle_or_share_no_part(tmp_path):
    """A group waits for its fastest: two slow workers in one group would be waited for."""
    times = made("two slow workers", np.random.default_rng(1))
    for order in (range(8), (6, 0, 7, 1, 2, 3, 4, 5)):
        found = ranked(times[:, order], tmp_path / "t.csv", "replay")
        tree = next(c for c in found if c.system["family"] == "coded-reduce")
        slow = ", ".join(f"w{j}" for j, w in enumerate(order) if w > 5)
        assert tree.system["n"] == 2 and f"the slowest 2 workers are idle ({slow})" in tree.note
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
