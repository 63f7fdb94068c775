"""``fastgc.dry_run``: what it predicts is what a run then does; nothing is written."""

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
from fastgc.runs import pilots
from fastgc.runs.plan import Plan
from fastgc_kernels import _jit
from suite.checks import every, refusal
from suite.studies import groups, ring

LIMIT = 0.3
WORKERS = 12
BLOCK = 256
PILOT = 0.04  # seconds: some 40 tasks


@pytest.fixture(autouse=True)
def small_blocks_and_a_clock_that_ticks(monkeypatch):
    """Each look at the clock is a millisecond after the one before: pilots are always as long."""
    ticks = itertools.count(1)
    clock = SimpleNamespace(process_time=lambda: next(ticks) / 1000)
    monkeypatch.setattr(pilots, "time", clock)
    monkeypatch.setattr(pilots, "MOST_BLOCKS", 8)
    monkeypatch.setattr(streams, "LARGEST_BLOCK", BLOCK)


def a_clock(monkeypatch, **seconds):
    """What a pilot's clock shows; the named calls of a unit each move it by so many seconds."""
    since = [0.0]
    monkeypatch.setattr(pilots, "time", SimpleNamespace(process_time=lambda: since[0]))

    def timed(call, cost):
        def later(*arguments):
            since[0] += cost(*arguments)
            return call(*arguments)

        return later

    for name, cost in seconds.items():
        monkeypatch.setattr(Unit, name, timed(getattr(Unit, name), cost))
    return since


def decoding(**changes):
    return groups(WORKERS, 0.1, name="frc") | changes


def study(*experiments, stop, **more):
    return {"seed": 5, "stop": stop, "experiment": list(experiments), **more}


def circulant(**changes):
    return ring(WORKERS, 0.1) | changes


def forecast_of(*experiments, stop, pilot_seconds=PILOT, **options):
    return fastgc.dry_run(study(*experiments, stop=stop), pilot_seconds=pilot_seconds, **options)


DESCENT = {
    "name": "descent",
    "kind": "training",
    "problem": {"model": "linear", "data": "synthetic", "samples": 40, "features": 3, "noise": 1.0},
    "code": {"family": "frc", "n": 8, "d": 2},
    "stragglers": {"model": "iid", "p": 0.2},
    "optimizer": {"method": "gradient-descent", "step": 0.1},
    "iterations": 12,
}


def predicted_and_run(asked, path, pilot_seconds=PILOT, **options):
    """A dry run's forecast, and the file of the run."""
    forecast = fastgc.dry_run(asked, pilot_seconds=pilot_seconds, **options)
    fastgc.run(asked, out=path, **options)
    return forecast, store.load(path), path


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
}


@pytest.mark.night
@pytest.mark.parametrize("name", RULES)
def test_trials_and_rule_and_file_are_those_of_the_run(name, tmp_path):
    forecast, run, path = predicted_and_run(RULES[name], tmp_path / "run.h5")
    assert forecast.sampled
    for each, unit in zip(forecast.sampled, run.units, strict=True):
        end = each.ending
        assert end.low <= unit.trials <= end.high
        assert end.low < end.high or (end.trials, end.stopped_by) == (unit.trials, unit.stopped_by)
    size = path.stat().st_size
    assert abs(forecast.bytes / size - 1) < LIMIT, f"{forecast.bytes} bytes predicted, {size} found"
    json.dumps(forecast.as_dict(), allow_nan=False)


def test_what_a_pilot_reaches_is_certain(tmp_path):
    asked = study(decoding(), stop={"trials": 10**7, "relative_error": 0.05})
    forecast, run, _ = predicted_and_run(asked, tmp_path / "run.h5", 20.0)
    [each], [unit] = forecast.sampled, run.units
    end = each.ending
    assert (end.trials, end.low, end.high) == (unit.trials,) * 3
    assert end.stopped_by == unit.stopped_by == "relative_error"
    own = each.pilot.stored.tally
    assert own.trials == unit.tally.trials
    assert (own.sums.limbs() == unit.tally.sums.limbs()).all(), "the run's own first blocks"


def test_a_need_far_above_the_pilot_is_the_next_doubling():
    [each] = forecast_of(decoding(), stop={"trials": 10**12, "relative_error": 1e-4}).sampled
    groups, q = WORKERS // 2, 0.01
    needed = 1.959964**2 * (1 - q) / (groups * q) / 1e-8  # lost groups are independent
    assert each.ending.needed.low < needed < each.ending.needed.high
    assert each.ending.trials == BLOCK << math.ceil(math.log2(needed / BLOCK))
    never = decoding(stragglers={"model": "iid", "p": 1e-6})
    [each] = forecast_of(never, stop={"trials": 10**9, "relative_error": 0.1}).sampled
    assert (each.ending.trials, each.ending.stopped_by) == (10**9, "trials")
    assert each.ending.needed is None and each.ending.low < each.ending.high


def test_seconds_stop_what_would_take_longer():
    long = {"trials": 10**15, "seconds": 100}
    [each] = forecast_of(decoding(), stop=long, threads=3).sampled
    assert each.ending.stopped_by == "seconds"
    assert each.ending.low < each.ending.trials < each.ending.high < 10**15
    assert each.ending.trials % BLOCK == 0
    assert each.seconds.value == pytest.approx(300)
    found = forecast_of(decoding(), circulant(), stop=long, threads=1).sampled
    assert [each.seconds.value for each in found] == pytest.approx([50, 50]), "they share them"
    [each] = forecast_of(decoding(), stop={"trials": 2000, "seconds": 1000}).sampled
    assert (each.ending.trials, each.ending.stopped_by) == (2000, "trials")


@pytest.mark.night
def test_shards_are_not_stopped_by_precision(tmp_path):
    asked = study(decoding(), stop={"trials": 40_100, "relative_error": 0.5})
    for own in range(3):
        forecast, run, path = predicted_and_run(asked, tmp_path / f"{own}.h5", shard=(own, 3))
        [unit], [each] = run.units, forecast.sampled
        assert (each.ending.trials, each.ending.stopped_by) == (unit.trials, "trials")
        assert abs(forecast.bytes / path.stat().st_size - 1) < LIMIT


def test_a_shard_may_have_nothing_to_do():
    [each] = forecast_of(decoding(), stop={"trials": 100}, shard=(1, 3)).sampled
    assert (each.ending.trials, each.seconds.value) == (0, 0)


def methods(forecast):
    [point] = forecast.as_dict()["points"]
    return {each["method"]: each for each in point["roads"]}


@pytest.mark.night
def test_methods_are_named_with_what_they_cost(tmp_path):
    exact = decoding(name="exact", method="exact", measure=["error", "exact"])
    asked = study(exact, stop={"trials": 10})
    forecast, _, path = predicted_and_run(asked, tmp_path / "run.h5")
    assert forecast.sampled == () and forecast.sampling.value == 0
    assert set(methods(forecast)) == {"closed-form", "exact"}
    assert methods(forecast)["exact"]["patterns"] == 2**WORKERS
    assert methods(forecast)["exact"]["tried"]
    assert abs(forecast.bytes / path.stat().st_size - 1) < LIMIT
    both = forecast_of(decoding(method="both"), stop={"trials": 3000})
    assert set(methods(both)) == {"closed-form", "exact", "monte-carlo"}
    worst = decoding(stragglers={"model": "adversarial", "stragglers": 3}, method="exact")
    assert set(methods(forecast_of(worst, stop={"trials": 3000}))) == {"exact"}


def test_an_exact_method_that_takes_too_long_is_reckoned(tmp_path, monkeypatch):
    asked = study(
        decoding(method="exact", sweep={"stragglers.p": [0.1, 0.2, 0.3]}), stop={"trials": 10}
    )
    path = tmp_path / "run.h5"
    fastgc.run(asked, out=path)
    for longest, tried in ((30.0, [True, False, False]), (0.0, [False] * 3)):
        monkeypatch.setattr(pilots, "EXACT_SECONDS", 1e-9)
        monkeypatch.setattr(pilots, "LONGEST", longest)
        forecast = fastgc.dry_run(asked)
        assert [each.tried for each in forecast.enumerated] == tried
        assert every(each.seconds.value > 0 for each in forecast.enumerated)
        if any(tried):  # the others have rows like those
            assert abs(forecast.bytes / path.stat().st_size - 1) < LIMIT


@pytest.mark.parametrize(("seconds", "tried"), [(30.0, [True] * 2), (1e-9, [True, False])])
def test_rare_events_are_tried_as_long_as_there_is_time(monkeypatch, seconds, tried):
    monkeypatch.setattr(pilots, "EXACT_SECONDS", seconds)
    monkeypatch.setattr(Plan, "enumerate", lambda _: pytest.fail("all of them are sought"))
    rare = decoding(method="rare", thresholds=[4.0], sweep={"stragglers.p": [0.02, 0.03]})
    forecast = forecast_of(rare, stop={"trials": 2000})
    found = forecast.enumerated
    assert forecast.bytes > 0
    assert every(each.is_rare for each in found) and [each.tried for each in found] == tried
    assert [bool(each.rows) for each in found] == tried
    untried = [each.seconds.high for each in found if not each.tried]
    assert untried == [pilots.LONGEST] * tried.count(False)


def test_a_block_that_takes_long_is_not_sampled_whole(monkeypatch):
    monkeypatch.setattr(streams, "LARGEST_BLOCK", 65_536)
    [each] = forecast_of(decoding(), stop={"trials": 10**9}).sampled
    assert each.pilot.trials < each.unit.block
    assert each.ending.trials == 10**9
    assert each.seconds.low < each.seconds.value < each.seconds.high


@pytest.mark.parametrize("stop", [{}, {"relative_error": 0.01}])
def test_trials_that_take_minutes_are_not_sampled_by_the_word(monkeypatch, stop):
    since = a_clock(monkeypatch, run=lambda _, blocks, trials, *more: 100.0 * trials * len(blocks))
    [each] = forecast_of(decoding(), stop={"trials": 10**6} | stop, pilot_seconds=1.0).sampled
    assert since[0] <= 1000.0, "ten trials"
    low, high = 100.0 / streams.WORD, 100.0
    assert each.pilot.rate.low <= low < high <= each.pilot.rate.high
    assert each.seconds.high > 0


def test_the_incomplete_block_at_the_end_is_a_part_of_its_own(monkeypatch):
    a_clock(monkeypatch, run=lambda _, blocks, trials, *more: trials * len(blocks) / BLOCK)
    stop = {"trials": 3 * BLOCK + BLOCK // 2}
    [each] = forecast_of(decoding(), stop=stop, pilot_seconds=100.0).sampled
    assert [part.trials for part in each.pilot.parts] == [BLOCK] * 3 + [BLOCK // 2]


def test_a_step_is_shown_before_each_pilot_and_nothing_is_written(here):
    seen, said = [], {"out": here / "out.h5", "progress": lambda step: seen.append(step)}
    forecast = forecast_of(decoding(), circulant(), stop={"trials": 5000}, **said)
    assert os.listdir(here) == []
    assert forecast.batch is None, "a study in a dict has no line for a queue"
    assert [(step.name, step.done, step.total) for step in seen] == [("frc", 0, 2), ("ring", 1, 2)]


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"threads": 0}, "threads: must be at least 1"),
        ({"shard": (3, 3)}, "shard: must be i/N"),
        ({"pilot_seconds": 0.0}, "pilot_seconds: must be"),
        ({"trials": 0}, "stop.trials: must be"),
    ],
)
def test_mistakes_are_sentences(options, said):
    assert said in refusal(fastgc.dry_run, decoding(), **options)


def test_start_up_has_the_time_that_making_measures_takes(monkeypatch):
    """Those of a tree of 10⁵ workers take many times as long as its trials."""
    a_clock(monkeypatch, fresh=lambda *_: 1000.0, run=lambda *_: 1.0)
    found = fastgc.dry_run(study(decoding(), stop={"trials": 1000}))
    assert 1001.0 <= found.start_up < 1500.0


@pytest.mark.parametrize(("trials", "compiled"), [(64, {True}), (10**9, {False})])
def test_a_long_run_is_measured_with_compiled_kernels(monkeypatch, trials, compiled):
    """What NumPy takes as their fallback said 34 core-hours where one is taken."""
    monkeypatch.setattr(_jit.FALLBACKS, "wanted", True)
    seen, own = set(), pilots.Pilot._clocked

    def clocked(self, *arguments):
        run = own(self, *arguments)
        if len(self.parts) and arguments[1] > 1:
            seen.add(_jit.FALLBACKS.wanted)
        return run

    monkeypatch.setattr(pilots.Pilot, "_clocked", clocked)
    forecast_of(decoding(), stop={"trials": trials})
    assert seen == compiled and _jit.FALLBACKS.wanted
