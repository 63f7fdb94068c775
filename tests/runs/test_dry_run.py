"""``fastgc.runs.dry_run``: what it predicts is what a run then does; nothing is written."""

import itertools
import json
import math
import os
from types import SimpleNamespace

import pytest

import fastgc
from fastgc.draws import streams
from fastgc.engine.units import Unit
from fastgc.results import store
from fastgc.runs import cost
from fastgc.runs.plan import Plan
from fastgc_kernels import _jit
from suite.checks import every
from suite.studies import descent, groups, ring

WORKERS = 12
BLOCK = 256
PILOT = 0.04  # seconds: some 40 tasks


@pytest.fixture(autouse=True)
def small_blocks_and_a_clock_that_ticks(monkeypatch):
    """Each look at the clock is a millisecond after the one before: pilots are always as long."""
    ticks = itertools.count(1)
    clock = SimpleNamespace(process_time=lambda: next(ticks) / 1000)
    monkeypatch.setattr(cost, "time", clock)
    monkeypatch.setattr(cost, "MOST_BLOCKS", 8)
    monkeypatch.setattr(cost, "PILOT_SECONDS", PILOT)
    monkeypatch.setattr(streams, "LARGEST_BLOCK", BLOCK)


def a_clock(monkeypatch, **seconds):
    """What a pilot's clock shows; the named calls of a unit each move it by so many seconds."""
    since = [0.0]
    monkeypatch.setattr(cost, "time", SimpleNamespace(process_time=lambda: since[0]))

    def timed(call, price):
        def later(*arguments):
            since[0] += price(*arguments)
            return call(*arguments)

        return later

    for name, price in seconds.items():
        monkeypatch.setattr(Unit, name, timed(getattr(Unit, name), price))
    return since


def decoding(**changes):
    return groups(WORKERS, 0.1, name="frc") | changes


def study(*experiments, stop, **more):
    return {"seed": 5, "stop": stop, "experiment": list(experiments), **more}


def circulant(**changes):
    return ring(WORKERS, 0.1) | changes


def forecast_of(*experiments, stop, **options):
    return fastgc.runs.dry_run(study(*experiments, stop=stop), **options)


DESCENT = descent(n=8, samples=40, features=3, iterations=12)
MANY = 10**7
RULES = {
    "trials": study(decoding(), circulant(), stop={"trials": 5000}),
    "less than a block": study(decoding(), stop={"trials": 100}),
    "relative": study(decoding(), stop={"trials": MANY, "relative_error": 0.02}),
    "absolute": study(circulant(measure=["exact"]), stop={"trials": MANY, "absolute_error": 0.002}),
    "the larger of two": study(
        decoding(), stop={"trials": MANY, "relative_error": 1e-3, "absolute_error": 0.004}
    ),
    "too precise": study(decoding(), stop={"trials": 30_000, "relative_error": 1e-4}),
    "common": study(
        decoding(),
        circulant(),
        stop={"trials": MANY, "relative_error": 0.02},
        common_random_numbers=True,
    ),
    "descent": study(DESCENT, stop={"trials": 10**6, "relative_error": 0.002}),
    "shard": study(decoding(), stop={"trials": 40_100, "relative_error": 0.5}),
}


@pytest.mark.night
@pytest.mark.parametrize("name", RULES)
def test_trials_and_rule_are_those_of_the_run(name, tmp_path):
    """Precision stops no shard."""
    batch = fastgc.runs.Batch(shard=(1, 3) if name == "shard" else (0, 1))
    forecast = fastgc.runs.dry_run(RULES[name], batch=batch)
    fastgc.run(RULES[name], out=tmp_path / "run.h5", batch=batch)
    run = store.load(tmp_path / "run.h5")
    for each, unit in zip(forecast.sampled, run.units, strict=True):
        end = each.trials
        assert end.low <= unit.trials <= end.high
        assert end.low < end.high or (end.value, each.stopped_by) == (unit.trials, unit.stopped_by)
    json.dumps(forecast.as_dict(), allow_nan=False)


def test_what_a_pilot_reaches_is_certain(tmp_path, monkeypatch):
    monkeypatch.setattr(cost, "PILOT_SECONDS", 20.0)
    asked = study(decoding(), stop={"trials": 10**7, "relative_error": 0.05})
    [each] = fastgc.runs.dry_run(asked).sampled
    fastgc.run(asked, out=tmp_path / "run.h5")
    [unit] = store.load(tmp_path / "run.h5").units
    assert (each.trials.value, each.trials.low, each.trials.high) == (unit.trials,) * 3
    assert each.stopped_by == unit.stopped_by == "relative_error"
    own = each.pilot.stored.tally
    assert own.trials == unit.tally.trials
    assert (own.sums.limbs() == unit.tally.sums.limbs()).all(), "the run's own first blocks"


def test_a_need_far_above_the_pilot_is_the_next_doubling():
    [each] = forecast_of(decoding(), stop={"trials": 10**12, "relative_error": 1e-4}).sampled
    groups, q = WORKERS // 2, 0.01
    needed = 1.959964**2 * (1 - q) / (groups * q) / 1e-8  # lost groups are independent
    assert each.needed.low < needed < each.needed.high
    assert each.trials.value == BLOCK << math.ceil(math.log2(needed / BLOCK))
    never = decoding(stragglers={"model": "iid", "p": 1e-6})
    [each] = forecast_of(never, stop={"trials": 10**9, "relative_error": 0.1}).sampled
    assert (each.trials.value, each.stopped_by) == (10**9, "trials")
    assert each.needed is None and each.trials.low < each.trials.high


def test_seconds_stop_what_would_take_longer():
    long = {"trials": 10**15, "seconds": 100}
    [each] = forecast_of(decoding(), stop=long, threads=3).sampled
    assert each.stopped_by == "seconds"
    assert each.trials.low < each.trials.value < each.trials.high < 10**15
    assert each.trials.value % BLOCK == 0
    assert each.seconds.value == pytest.approx(300)
    found = forecast_of(decoding(), circulant(), stop=long, threads=1).sampled
    assert [each.seconds.value for each in found] == pytest.approx([50, 50]), "they share them"
    [each] = forecast_of(decoding(), stop={"trials": 2000, "seconds": 1000}).sampled
    assert (each.trials.value, each.stopped_by) == (2000, "trials")


def test_a_shard_may_have_nothing_to_do():
    batch = fastgc.runs.Batch(shard=(1, 3))
    [each] = forecast_of(decoding(), stop={"trials": 100}, batch=batch).sampled
    assert (each.trials.value, each.seconds.value) == (0, 0)


def methods(forecast):
    [point] = forecast.as_dict()["points"]
    return {each["method"]: each for each in point["methods"]}


def test_methods_are_named_with_what_they_cost():
    exact = decoding(name="exact", method="exact", measure=["error", "exact"])
    forecast = forecast_of(exact, stop={"trials": 10})
    assert forecast.sampled == () and forecast.sampling.value == 0
    assert set(methods(forecast)) == {"closed-form", "exact"}
    assert methods(forecast)["exact"]["patterns"] == 2**WORKERS
    assert methods(forecast)["exact"]["tried"]
    both = forecast_of(decoding(method="both"), stop={"trials": 3000})
    assert set(methods(both)) == {"closed-form", "exact", "monte-carlo"}
    worst = decoding(stragglers={"model": "adversarial", "stragglers": 3}, method="exact")
    assert set(methods(forecast_of(worst, stop={"trials": 3000}))) == {"exact"}


@pytest.mark.parametrize(
    ("longest", "tried"), [(30.0, [True, False, False]), (0.0, [False, False, False])]
)
def test_an_exact_method_that_takes_too_long_is_reckoned(monkeypatch, longest, tried):
    monkeypatch.setattr(cost, "EXACT_SECONDS", 1e-9)
    monkeypatch.setattr(cost, "LONGEST", longest)
    swept = decoding(method="exact", sweep={"stragglers.p": [0.1, 0.2, 0.3]})
    found = forecast_of(swept, stop={"trials": 10}).enumerated
    assert [each.tried for each in found] == tried
    assert every(each.seconds.value > 0 for each in found)


@pytest.mark.parametrize(("seconds", "tried"), [(30.0, [True] * 2), (1e-9, [True, False])])
def test_rare_events_are_tried_as_long_as_there_is_time(monkeypatch, seconds, tried):
    monkeypatch.setattr(cost, "EXACT_SECONDS", seconds)
    monkeypatch.setattr(Plan, "enumerate", lambda _: pytest.fail("all of them are sought"))
    rare = decoding(method="rare", thresholds=[4.0], sweep={"stragglers.p": [0.02, 0.03]})
    found = forecast_of(rare, stop={"trials": 2000}).enumerated
    assert [(each.method, each.tried) for each in found] == [("rare", each) for each in tried]
    untried = [each.seconds.high for each in found if not each.tried]
    assert untried == [cost.LONGEST] * tried.count(False)


def test_a_block_that_takes_long_is_not_sampled_whole(monkeypatch):
    a_clock(monkeypatch, run=lambda _, blocks, trials, *more: trials * len(blocks) / 1e4)
    monkeypatch.setattr(streams, "LARGEST_BLOCK", 65_536)
    [each] = forecast_of(decoding(), stop={"trials": 10**9}).sampled
    assert each.pilot.stored.trials < each.pilot.unit.block
    assert each.trials.value == 10**9
    assert each.seconds.low < each.seconds.value < each.seconds.high


@pytest.mark.parametrize("stop", [{}, {"relative_error": 0.01}])
def test_trials_that_take_minutes_are_not_sampled_by_the_word(monkeypatch, stop):
    since = a_clock(monkeypatch, run=lambda _, blocks, trials, *more: 100.0 * trials * len(blocks))
    [each] = forecast_of(decoding(), stop={"trials": 10**6} | stop).sampled
    assert since[0] <= 1000.0, "ten trials"
    low, high = 100.0 / streams.WORD, 100.0
    assert each.pilot.rate.low <= low < high <= each.pilot.rate.high
    assert each.seconds.high > 0


def test_a_step_is_shown_before_each_pilot_and_nothing_is_written(here):
    seen = []
    batch = fastgc.runs.Batch(progress=seen.append)
    forecast_of(decoding(), circulant(), stop={"trials": 5000}, out=here / "out.h5", batch=batch)
    assert os.listdir(here) == []
    assert [(step.name, step.done, step.total) for step in seen] == [("frc", 0, 2), ("ring", 1, 2)]


def test_of_many_points_some_stand_for_their_neighbours(monkeypatch):
    monkeypatch.setattr(cost, "MOST_PILOTS", 3)
    piloted, run = [], cost.Pilot.run
    own = lambda pilot, *rest: piloted.append(pilot.unit) or run(pilot, *rest)  # noqa: E731
    monkeypatch.setattr(cost.Pilot, "run", own)
    swept = decoding(method="monte-carlo", sweep={"stragglers.p": [0.1, 0.2, 0.3, 0.4, 0.5]})
    found = forecast_of(swept, circulant(), stop={"trials": 5000}, method="monte-carlo")
    assert piloted == [found.sampled[i].pilot.unit for i in (0, 3, 5)]
    assert [each.trials.value for each in found.sampled] == [5000] * 6
    said = found.as_dict()
    assert said["pilot"]["trials"] == sum(found.sampled[i].pilot.stored.trials for i in (0, 3, 5))
    assert [each["methods"][-1]["sampled"] for each in said["points"]] == [*range(6)]


def test_start_up_has_the_time_that_making_measures_takes(monkeypatch):
    """Those of a tree of 10⁵ workers take many times as long as its trials."""
    a_clock(monkeypatch, fresh=lambda *_: 1000.0, run=lambda *_: 1.0)
    found = fastgc.runs.dry_run(study(decoding(), stop={"trials": 1000}))
    assert 1000.0 <= found.start_up < 1500.0


@pytest.mark.parametrize(("trials", "compiled"), [(64, True), (10**9, False)])
def test_a_long_run_is_measured_with_compiled_kernels(monkeypatch, trials, compiled):
    """What NumPy takes as their fallback said 34 core-hours where one is taken."""
    monkeypatch.setattr(_jit.FALLBACKS, "wanted", True)
    seen, own = set(), cost.Pilot._sample

    def sample(*arguments):
        seen.add(_jit.FALLBACKS.wanted)
        own(*arguments)

    monkeypatch.setattr(cost.Pilot, "_sample", sample)
    forecast_of(decoding(), stop={"trials": trials})
    assert seen == {compiled} and _jit.FALLBACKS.wanted


def test_loading_kernels_is_start_up_and_no_trial(monkeypatch):
    """The first trial, and the first many blocks at once, load kernels."""
    loaded = set()

    def price(_, blocks, trials, *more):
        is_new = (len(blocks) > 3) not in loaded
        loaded.add(len(blocks) > 3)
        return 100.0 * is_new + trials * len(blocks) / 1e6

    a_clock(monkeypatch, run=price)
    found = forecast_of(decoding(), stop={"trials": 10**9})
    assert found.sampled[0].seconds.value == pytest.approx(1000)
    assert 200 <= found.start_up < 201
