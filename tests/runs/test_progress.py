"""What a run says while it goes on: how far it is, its rows; what it enumerates side by side."""

import math
import time
from concurrent.futures import ThreadPoolExecutor
from types import SimpleNamespace

import pytest

import fastgc
from fastgc.registry.activity import Batch
from fastgc.results import store
from fastgc.runs import plan as plans
from fastgc.runs.loop import UnitStep
from fastgc.runs.progress import Watch
from suite.checks import every
from suite.studies import groups, ring


@pytest.fixture
def every_step(monkeypatch):
    monkeypatch.setattr("fastgc.runs.loop.PROGRESS_SECONDS", 0.0)
    monkeypatch.setattr("fastgc.runs.loop.PROGRESS_SHARE", math.inf)


def study(**stop):
    swept = groups(20, 0.2, name="one", sweep={"code.d": [1, 2]})
    return {"title": "both", "stop": stop, "experiment": [swept]}


def progress_of(study, shard=(0, 1), **options):
    found = []
    batch = fastgc.runs.Batch(progress=found.append, shard=shard)
    return found, fastgc.run(study, batch=batch, **options)


def test_a_run_tells_its_beginning_and_its_end(tmp_path, every_step):
    out = tmp_path / "a.h5"
    found, _ = progress_of(study(trials=100_000), out=out, threads=2)
    first, last = found[0], found[-1]
    assert first.begun == {"title": "both", "points": 2, "exact": 0, "cores": 2}
    assert (first.name, first.trials, first.goal, first.done, first.total) == ("", 0, 200_000, 0, 2)
    assert first.eta is None and first.kept == 0
    during = [step for step in found if step.name]
    assert during[0].name == "one code.d=1" and any(step.estimate for step in during)
    assert every(0 <= step.trials <= step.goal == 200_000 for step in during)
    assert [step.trials for step in found] == sorted(step.trials for step in found)
    assert (last.trials, last.goal, last.done) == (200_000, 200_000, 2)
    assert last.eta == 0.0 and last.kept == 200_000
    # going on: what is there already is no work of this run
    found, result = progress_of(study(trials=300_000), out=out)
    assert result.complete
    assert (found[0].before, found[0].goal, found[0].done) == (200_000, 600_000, 0)
    found, _ = progress_of(study(trials=300_000), out=out)
    assert found[0].done == 2
    for own in (0, 1, 2):
        found, _ = progress_of(study(trials=200_000), shard=(own, 3))
        assert found[0].goal == found[-1].trials, "a shard's goal is its share"


@pytest.mark.night
def test_under_a_precision_rule_the_goal_is_what_the_rule_needs(every_step):
    # ± 0.1 %: some 4 million and some 8 million trials, of 10⁹ that are allowed
    found, result = progress_of(study(trials=10**9, relative_error=1e-3), threads=1)
    reached = [result["one", {"code.d": d}]["error"].mean.trials for d in (1, 2)]
    assert result.stopped_by == "relative_error" and found[-1].goal == sum(reached)
    late = [each.goal for each in found if each.trials > reached[0] + reached[1] / 4]
    # looked at after 1, 2, 4, … blocks only: what is just reached may take twice as long
    assert late and every(sum(reached) / 2 <= goal <= 2 * sum(reached) for goal in late)


@pytest.mark.night
def test_time_left_is_never_longer_than_what_is_left(every_step, monkeypatch):
    clock = []
    ticking = SimpleNamespace(monotonic=lambda: clock.append(time.monotonic()) or clock[-1])
    monkeypatch.setattr("fastgc.runs.progress.time", ticking)
    for stop, most in (({}, 0.3), ({"seconds": 0.3}, None)):
        clock.clear()
        known = []

        def tell(step, known=known):
            if step.eta:
                known.append(clock[-1] - clock[0] + step.eta)

        watched = fastgc.runs.Batch(progress=tell, max_seconds=most)
        fastgc.run(study(trials=10**12, **stop), batch=watched)
        assert known and max(known) <= 0.3 + 1e-6


def test_time_left_is_of_what_points_cost_or_of_the_limit_or_not_said():
    def told(sweep, seconds, **limits):
        steps, now = [], time.monotonic()
        swept = groups(20, 0.2, name="one", sweep=sweep, method="monte-carlo")
        plan = plans.Plan.of(fastgc.Study.parse({"stop": {"trials": 2000}, "experiment": [swept]}))
        units, batch = [unit.fresh() for unit in plan.units], Batch(progress=steps.append, **limits)
        watch = Watch(plan, units, batch, None, 1, now)
        units[0].tally.trials = 1000
        for each in seconds:
            watch.merged(0, 100, each)
        watch.show(UnitStep(0, 0, (0,)))
        return steps[-1]

    alike, unlike = {"stragglers.p": [0.1, 0.2]}, {"code.d": [1, 2]}
    # 3000 trials at 0.2 s for 100 of them, whatever the first took, in which kernels were compiled
    step = told(alike, [60.0, 0.2, 0.2])
    assert step.eta == pytest.approx(6.0, rel=0.2) and "left" in step.time_left()
    assert told(alike, [0.2] * 2).eta is told(unlike, [0.2] * 9).eta is None
    limited = [told(each, [0.2] * 3, max_seconds=3.0) for each in (alike, unlike)]
    for step in limited:
        assert step.eta == pytest.approx(3.0, abs=0.5) and step.until == "max_seconds"
        assert step.time_left() == "about 3 s until --max-seconds"
    assert told(alike, [0.2] * 3, max_seconds=0.0).time_left() == "--max-seconds passed, ending"
    assert told(alike, [0.2] * 3, max_seconds=90.0).until == ""
    assert told(alike, [0.2] * 3, interrupted=lambda: "SIGTERM").eta is None


# ---- rows that are handed out while a run goes on


def with_ring(sweep=None, **more):
    swept = {"stragglers.p": [0.1, 0.2, 0.3]} if sweep is None else sweep
    experiments = [groups(8, 0.1, name="frc", sweep=swept), ring(8, 0.1)]
    return {"stop": {"trials": 200_000}, "experiment": experiments} | more


def place(row):
    return row["experiment"], str(row["point"])


def streamed(asked, interrupted=lambda: None, **options):
    """A run, and what it handed out, call by call, after all of it was seen to come once."""
    calls = []
    batch = fastgc.runs.Batch(found=calls.append, interrupted=interrupted)
    result = fastgc.run(asked, batch=batch, **options)
    assert [row for rows in calls for row in rows] == result.rows()
    return result, calls


@pytest.mark.parametrize("method", ["exact", "monte-carlo", "both"])
@pytest.mark.parametrize("threads", [1, 2])
def test_all_rows_come_once_in_the_result_s_order(method, threads):
    result, calls = streamed(with_ring(), method=method, threads=threads)
    # a call a point, each with all of its methods
    assert [{place(row) for row in rows} for rows in calls] == [
        {each} for each in dict.fromkeys(place(row) for row in result.rows())
    ]


@pytest.mark.night
def test_a_point_s_rows_come_before_the_next_is_sampled():
    seen = []
    fastgc.run(
        with_ring(stop={"trials": 20_000_000}),
        method="monte-carlo",
        threads=1,
        batch=fastgc.runs.Batch(
            progress=lambda step: seen.append(step.trials), found=lambda rows: seen.append("found")
        ),
    )
    assert seen.count("found") == 4
    # sampling goes on after the first point was reported
    trials = [each for each in seen[seen.index("found") :] if each != "found"]
    assert trials[-1] == 80_000_000 > trials[0], seen


@pytest.mark.parametrize(("method", "together"), [
    (None, [{"frc", "ring", "ring/frc"}]),  # on common draws
    ("exact", [{"frc"}, {"ring"}, {"ring/frc"}]),
])  # fmt: skip
def test_ratios_come_with_or_after_their_points(method, together):
    asked = with_ring(sweep={}, common_random_numbers=True, ratio=[["ring", "frc"]])
    _, calls = streamed(asked, method=method)
    assert [{row["experiment"] for row in rows} for rows in calls] == together


def test_runs_that_are_stopped_or_have_enough_hand_out_what_they_have(tmp_path):
    options = {"method": "monte-carlo", "interrupted": lambda: "asked"}
    result, _ = streamed(with_ring(stop={"trials": 10**12}), **options)
    assert not result.complete and any(row["trials"] for row in result.rows())
    first = fastgc.run(with_ring(), method="both", out=tmp_path / "r.h5")
    again, _ = streamed(with_ring(), method="both", out=tmp_path / "r.h5")
    assert again.rows() == first.rows()


# ---- the exact method of many points: side by side, interruptible, and the same rows


EXACT = {"method": "exact", "measure": ["error", "survivors"]}
SWEPT = {"sweep": {"stragglers.p": [0.1, 0.2, 0.3]}}
STUDY = {
    "common_random_numbers": True,
    "ratio": [["ring", "groups"]],
    "experiment": [ring(6, 0.1, **EXACT, **SWEPT), groups(6, 0.1, **EXACT, **SWEPT)],
}


class Counting(ThreadPoolExecutor):
    def __init__(self):
        super().__init__(2)
        self.tasks = []

    def submit(self, task, /, *arguments, **named):
        self.tasks.append(task.func.__name__)
        return super().submit(task, *arguments, **named)


def test_points_are_enumerated_where_blocks_are_sampled():
    with Counting() as executor:
        found = fastgc.run(STUDY, batch=fastgc.runs.Batch(executor=executor)).rows()
    assert executor.tasks == ["exact_rows"] * 6
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
        batch=fastgc.runs.Batch(progress=steps.append, interrupted=interrupted),
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
        fastgc.run({"experiment": [table]}, batch=fastgc.runs.Batch(executor=executor))
    assert executor.tasks == []


def test_a_checkpoint_enumerates_nothing():
    plan = plans.Plan.of(fastgc.Study.parse(STUDY))
    so_far = plan.rows([], so_far=True)
    assert {row.method for row in so_far} == {"closed-form"} and plan.found == {}
    assert len(plan.rows([])) > len(so_far)
    assert sorted(plan.found) == list(range(6))
