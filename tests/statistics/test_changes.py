"""A change for good is found where it is, and nothing that passes is taken for one."""

import numpy as np
import pytest

from bench import changes as made_up
from bench.intervals import rows_of
from fastgc.statistics.changes import FEWEST, _long_run_variance, changes, is_line, trend


def steps(rows, after, seed=1, times=1.3):
    rng = np.random.default_rng(seed)
    series = 1 + 0.1 * rng.random(rows)
    series[after:] *= times
    return series


@pytest.mark.parametrize("after", [60, 150, 219, 270])
def test_a_change_is_found_where_it_is(after):
    assert changes(steps(300, after), 15) == [after]
    assert changes(steps(300, after)[::-1], 15) == [300 - after]


def test_a_long_time_before_the_change_is_not_taken_for_one_after_it():
    series = steps(300, 219, times=10)
    series[218] = 1.9
    assert changes(series, 15) == [219]


def test_what_few_rows_or_no_rows_show_is_no_change():
    assert changes(np.ones(200)) == [] and changes(np.empty(0)) == []
    assert changes(steps(2 * FEWEST - 1, FEWEST)) == []
    # the last ten of 100 may be a slow moment that passes
    assert changes(steps(100, 90, times=10)) == []


def test_a_drift_to_and_fro_is_no_change():
    assert changes(np.sin(np.arange(300) / 8)) == []


def test_the_long_run_variance_is_that_of_slow_sums():
    rng = np.random.default_rng(3)
    rest = rng.normal(size=40)
    found = [float(np.var(rest))]
    for length in (2, 3, 6, 9):
        means = [np.mean([rest[(i + k) % 40] for k in range(length)]) for i in range(40)]
        found.append(length * np.var(means) * 40 / (40 - length))
    assert _long_run_variance(rest) == pytest.approx(max(found), rel=1e-12)


@pytest.mark.night
@pytest.mark.parametrize("kind", made_up.KINDS)
def test_alarms_are_rare_and_changes_seen(kind):
    """At most 1 % of recordings that never change are said to; 4 of 60 by chance 3 in 1000."""
    alarms, _ = rows_of(made_up.situation(kind, 300), range(60))
    _, seen = rows_of(made_up.situation(kind, 1000), range(8))
    assert alarms.hits <= 4
    assert seen.hits >= 7 and int(seen.note.split()[0]) <= 40


@pytest.mark.parametrize("kind", ["iid", "heavy", "dependent"])
def test_a_trend_is_hardly_ever_seen_where_there_is_none(kind):
    found = 0
    for seed in range(100):
        rng = np.random.default_rng(seed)
        series = {"iid": rng.normal(size=80), "heavy": rng.pareto(1.5, 80)}.get(kind)
        if series is None:
            noise = rng.normal(size=380)
            series = np.convolve(noise, 0.9 ** np.arange(300), "valid")[:80]
        found += trend(series) is not None
    assert found <= 2


def test_a_trend_is_seen_with_its_ends_and_is_no_change():
    rng = np.random.default_rng(1)
    for _ in range(20):
        series = np.linspace(1.0, 1.6, 160) * (1 + rng.exponential(0.1, 160))
        assert trend(series) == pytest.approx((1.1, 1.76), abs=0.1)
        places = changes(series)
        assert not places or is_line(series, places)
        step = np.where(np.arange(160) < 80, 1.0, 1.6) * (1 + rng.exponential(0.1, 160))
        assert not is_line(step, [80])
