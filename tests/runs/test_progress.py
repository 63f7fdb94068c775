"""What a run says of how far it is, and of how long it will still take."""

import math
import time
from types import SimpleNamespace

import pytest

import fastgc
from fastgc.runs.progress import TimeLeft
from suite.checks import every
from suite.studies import groups


class Clock:
    """A clock that moves when a test moves it."""

    now = 100.0

    def __call__(self):
        return self.now


def like(number):
    return 1e-5


@pytest.mark.parametrize(
    ("units", "goal", "cost", "until", "waits", "left", "near"),
    [
        *(
            (["a"] * 6, 10**6, like, until, (0, 0), (1 - until) * 60, 0.02)
            for until in (0.1, 0.3, 0.7)
        ),
        # loading kernels, for which the first unit waits, is not taken for sampling
        (["a"] * 4, 10**6, like, 0.1, (30.0, 0), 36, 0.05),
        # 10 ms of trials and 90 ms of making it ready, each
        (["a"] * 40, 1000, like, 0.25, (0, 0.09), 3.0, 0.05),
        # units of an experiment cost what others of it cost
        (["slow", "fast"] * 2, 10**6, [1e-4, 1e-6, 1e-4, 1e-6].__getitem__, 0.5, (0, 0), 101, 0.02),
    ],
)
def test_time_left_is_that_of_all_units(units, goal, cost, until, waits, left, near):
    """They are sampled one after the other, up to ``until`` of all trials."""
    clock, trials = Clock(), [0] * len(units)
    forecast = TimeLeft(units, trials, clock)
    clock.now += waits[0]
    step = goal // 50
    for begun in range(round(until * len(units) * 50)):
        number = begun // 50
        clock.now += step * cost(number) + (0 if begun % 50 else waits[1])
        trials[number] += step
        forecast.charge(trials, {})
    assert forecast.remaining([goal] * len(units)) == pytest.approx(left, rel=near)


SIDE_BY_SIDE = [([100 * i, 300 * i], {}) for i in range(1, 21)]
WAITING = [([1000 * i, 10 * i], {0: 1.98 * i, 1: 0.02 * i}) for i in range(1, 21)]


@pytest.mark.parametrize(
    ("units", "before", "seconds", "goals", "left"),
    [
        # of two that were sampled side by side each is charged its half
        ("ab", 0, SIDE_BY_SIDE, [4000, 12000], 20.0),
        ("ab", 0, SIDE_BY_SIDE, [4000, 6000], 10.0),
        # while the first waits for its last task, the second gets a block now and then
        ("aa", 0, WAITING, [30_000, 30_000], pytest.approx(10 * 0.99 + 29.8, rel=0.01)),
        # a unit of which too little is known costs what others do
        ("ab", 0, [([100 * i, 1], {0: i, 1: 1e-9}) for i in range(1, 6)], [1000, 1001], 15.0),
        # trials of earlier runs cost nothing
        ("aa", 500, [([500 + 10 * i, 0], {}) for i in range(1, 11)], [1000, 1000], 140.0),
    ],
)
def test_time_is_shared_out_as_workers_spend_it(units, before, seconds, goals, left):
    clock = Clock()
    forecast = TimeLeft(list(units), [before, 0], clock)
    assert forecast.remaining(goals) is None
    for trials, spent in seconds:
        clock.now += 1.0
        forecast.charge(trials, spent)
    assert forecast.remaining(goals) == (pytest.approx(left) if isinstance(left, float) else left)


def test_a_deadline_is_shared_out():
    clock = Clock()
    forecast = TimeLeft(["a", "b", "b"], [0] * 3, clock)
    for seconds in range(1, 5):
        clock.now += 2.0
        forecast.charge([10 * seconds, 100 * seconds, 0], {})
    goals = [10**9, 400, 300]  # the first would take for ever: it gets half of the time
    assert forecast.remaining(goals, 30.0) == pytest.approx(15.0 + 3.0)
    assert forecast.remaining([10**9, 400, 10**9], 30.0) == pytest.approx(30.0)
    assert forecast.remaining(goals, 0.0) == 0.0
    assert forecast.remaining(goals, math.inf) > 1e7


def test_units_without_a_goal_are_like_others():
    forecast = TimeLeft(["a", "b", "a", "b"], [0] * 4, Clock())
    assert forecast.goals([100, 3000, None, None], [10**6] * 4) == [100, 3000, 100, 3000]
    assert forecast.goals([100, 3000, None, None], [2000] * 4) == [100, 2000, 100, 2000]
    assert forecast.goals([None] * 4, [7] * 4) == [7] * 4


# ---- of a run


@pytest.fixture
def every_step(monkeypatch):
    """Each step of a run is reported."""
    monkeypatch.setattr("fastgc.runs.loop.PROGRESS_SECONDS", 0.0)
    monkeypatch.setattr("fastgc.runs.loop.PROGRESS_SHARE", math.inf)


def study(**stop):
    swept = groups(20, 0.2, name="one", sweep={"code.d": [1, 2]})
    return {"title": "both", "stop": stop, "experiment": [swept]}


def progress_of(study, **options):
    found = []
    return found, fastgc.run(study, progress=found.append, **options)


def test_a_run_tells_its_beginning_and_its_end(tmp_path, every_step):
    out = tmp_path / "a.h5"
    found, _ = progress_of(study(trials=100_000), out=out, threads=2)
    first, last = found[0], found[-1]
    assert first.begun == {"title": "both", "points": 2, "exact": 0, "cores": 2}
    assert (first.name, first.trials, first.goal, first.done, first.total) == ("", 0, 200_000, 0, 2)
    assert first.eta is None and first.kept == 0
    during = [step for step in found if step.name]
    assert during[0].name == "one code.d=1" and any(step.estimate for step in during)
    assert every(0 <= step.own[0] <= step.own[1] == 100_000 for step in during)
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
    for unit, trials in enumerate(reached, 1):
        own = [each.own for each in found if each.name == f"one code.d={unit}"]
        goals = [goal for sampled, goal, _ in own if sampled > trials / 4]
        # probed at after 1, 2, 4, … blocks only: what is just reached may take twice as long
        assert goals and every(trials / 2 <= goal <= 2 * trials for goal in goals)


@pytest.mark.night
def test_time_left_is_never_longer_than_what_is_left(every_step, monkeypatch):
    clock = []
    ticking = SimpleNamespace(monotonic=lambda: clock.append(time.monotonic()) or clock[-1])
    monkeypatch.setattr("fastgc.runs.progress.time", ticking)
    for stop, options in (({}, {"max_seconds": 0.3}), ({"seconds": 0.3}, {})):
        clock.clear()
        known = []

        def tell(step, known=known):
            if step.eta:
                known.append(clock[-1] - clock[0] + step.eta)

        fastgc.run(study(trials=10**12, **stop), progress=tell, **options)
        assert known and max(known) <= 0.3 + 1e-6
