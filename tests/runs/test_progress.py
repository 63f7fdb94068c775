"""What a run says of how far it is, and of how long it will still take."""

import math
import time
from types import SimpleNamespace

import pytest

import fastgc
from suite.checks import every
from suite.studies import groups


@pytest.fixture
def every_step(monkeypatch):
    """Each step of a run is reported."""
    monkeypatch.setattr("fastgc.runs.loop.PROGRESS_SECONDS", 0.0)
    monkeypatch.setattr("fastgc.runs.loop.PROGRESS_SHARE", math.inf)


def study(**stop):
    swept = groups(20, 0.2, name="one", sweep={"code.d": [1, 2]})
    return {"title": "both", "stop": stop, "experiment": [swept]}


def progress_of(study, shard=(0, 1), **options):
    found = []
    batch = fastgc.Batch(progress=found.append, shard=shard)
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

        watched = fastgc.Batch(progress=tell, max_seconds=most)
        fastgc.run(study(trials=10**12, **stop), batch=watched)
        assert known and max(known) <= 0.3 + 1e-6
