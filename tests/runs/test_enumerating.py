"""The exact method of many points: side by side, interruptible, and the same rows."""

from concurrent.futures import ThreadPoolExecutor

import pytest

import fastgc
from fastgc.results import store
from fastgc.runs import plan as plans
from suite.studies import groups, ring

EXACT = {"method": "exact", "measure": ["error", "survivors"]}
SWEPT = {"sweep": {"stragglers.p": [0.1, 0.2, 0.3]}}
STUDY = {
    "common_random_numbers": True,
    "ratio": [["ring", "groups"]],
    "experiment": [ring(6, 0.1, **EXACT, **SWEPT), groups(6, 0.1, **EXACT, **SWEPT)],
}


class Counting(ThreadPoolExecutor):
    """Counts the tasks by what they do."""

    def __init__(self):
        super().__init__(2)
        self.tasks = []

    def submit(self, task, /, *arguments, **named):
        self.tasks.append(task.func.__name__)
        return super().submit(task, *arguments, **named)


def test_points_are_enumerated_where_blocks_are_sampled():
    with Counting() as executor:
        found = fastgc.run(STUDY, batch=fastgc.Batch(executor=executor)).rows()
    assert executor.tasks == ["enumerated"] * 6
    assert found == fastgc.run(STUDY, threads=1).rows()
    assert {row["method"] for row in found} == {"exact", "closed-form"}
    assert sum(row["statistic"] == "ratio" for row in found) == 3


def test_an_interrupted_enumeration_keeps_what_it_has(tmp_path):
    steps, path = [], tmp_path / "a.h5"

    def interrupted():
        return "SIGTERM" if len(steps) > 3 else None

    found = fastgc.run(
        STUDY,
        out=path,
        threads=1,
        batch=fastgc.Batch(progress=steps.append, interrupted=interrupted),
    )
    assert (found.complete, found.stopped_by) == (False, "SIGTERM")
    exact = {
        (row["experiment"], row["point"]["stragglers.p"])
        for row in found.rows()
        if row["method"] == "exact" and row["statistic"] == "mean"
    }
    assert 0 < len(exact) < 6
    assert [each.done for each in steps] == sorted(each.done for each in steps)
    assert steps[-1].total == 6 and steps[2].name.startswith("ring stragglers.p=")
    assert not path.exists() and not store.load(tmp_path / "a.h5.part").complete
    assert fastgc.run(STUDY, out=path).rows() == fastgc.run(STUDY).rows()


def test_a_point_that_cannot_be_enumerated_says_so_before_anything_runs():
    table = {**STUDY["experiment"][0], "iterations": 2, "measure": ["error_lag", "stability"]}
    with Counting() as executor, pytest.raises(fastgc.FastgcError, match=r"experiment\.ring"):
        fastgc.run({"experiment": [table]}, batch=fastgc.Batch(executor=executor))
    assert executor.tasks == []


def test_a_checkpoint_enumerates_nothing():
    plan = plans.Plan.of(fastgc.Study.parse(STUDY))
    so_far = plan.rows([], so_far=True)
    assert {row.method for row in so_far} == {"closed-form"} and plan.found == {}
    assert len(plan.rows([])) > len(so_far)
    assert sorted(plan.found) == list(range(6))
