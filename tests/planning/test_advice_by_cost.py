"""What to do at which cost of load; deadlines, trees, units and the page of an advice."""

from dataclasses import replace

import numpy as np
import pytest

from fastgc import report
from fastgc.planning.judging import KNOTS, covering, overtaken
from suite.checks import refusal

N = 6


def times(rows=200, late=0.05, seed=1, n=N):
    """Times of workers all of which are late now and then."""
    rng = np.random.default_rng(seed)
    return rng.uniform(1.0, 1.1, (rows, n)) * np.where(rng.random((rows, n)) < late, 4.0, 1.0)


@pytest.mark.night
def test_what_is_named_for_a_range_of_costs_is_near_the_best_there(advise):
    rows = times()
    found = advise(rows)
    assert (found.kind, found.decided, found.system) == ("load", True, None)
    ends = [each.low.value for each in found.ranges] + [found.ranges[-1].high.value]
    assert ends[0] == 0 and ends[-1] == found.rates[-1] and ends == sorted(set(ends))
    assert ends[-2] == found.break_even.value  # the last code gives way there
    percent = 100 / 6 / rows.mean()  # what twice the work adds, of a cost of 1
    low, value = (percent * each for each in (found.break_even.low, found.break_even.value))
    assert f"{value:.3g} [{low:.3g}" in found.verdict
    assert found.ranges[-1].system == {"family": "uncoded", "n": N}
    for each in found.ranges:
        middle = (each.low.value + each.high.value) / 2
        known = [own for own in advise(rows, rate=middle) if own.gradient == "exact"]
        best, uncoded = (pick(own.value for own in known) for pick in (min, max))
        load = each.judged[0].load
        share = (middle - each.low.value) / (each.high.value - each.low.value)
        own = each.judged[0].value * (1 - share) + each.judged[1].value * share
        assert own <= best + 0.1 * max(best, uncoded - best) and load >= 1 / N
        assert each.judged[0].rate == each.low.value and each.behind <= 0.1


@pytest.mark.night
def test_a_gain_that_is_not_certain_at_the_highest_cost_is_said_to_be_none(advise):
    found = advise(1 + np.random.default_rng(1).pareto(1.5, (40, 8)))
    least, most = found.ranges[-1].judged
    assert found.kind == "load" and most.gain_low < 1 < least.gain_low
    assert "at the highest cost, where that is not certainly more than 1); from" in found.verdict
    text = " ".join(report.remedies(found).split())
    assert "If the mean time grows in proportion to work (all of it costs" in text
    assert "; tails do not grow with the load)" in text


@pytest.mark.night
def test_halves_that_disagree_tell_nothing(advise):
    early, later = times(100, seed=5), times(100, late=0.0, seed=2)
    found = advise(np.concatenate([early, later]))
    assert (found.kind, found.decided, found.ranges) == ("unsure", False, ())
    assert "the two halves of the rounds do not agree" in found.verdict
    assert found.next == "Record 400 rounds or more."


def test_deadlines_are_of_the_first_half_and_what_is_late_is_lost(advise):
    rows = times()
    rows[:, 2] += 0.2
    found = advise(rows)
    late = next(each for each in found if each.system["family"] == "drop-late")
    # it waits as long as takes little more time than the first of these quantiles
    deadlines = np.quantile(rows[:100].round(6), [0.9, 0.95, 0.99, 0.995])
    slowest = rows[10:100].round(6).max(axis=1)
    means = [np.minimum(slowest, each).mean() for each in deadlines]
    deadline = max(d for d, mean in zip(deadlines, means, strict=True) if mean <= 1.05 * min(means))
    assert late.system["deadline"] == pytest.approx(deadline, rel=1e-12)
    lost = (rows[100:].round(6) > deadline).mean(axis=0)
    assert late.gradient == "lost" and max(lost) > 0.3
    assert late.lost == {"mean": pytest.approx(lost.mean()), "most": max(lost), "worker": "w2"}
    assert f"{100 * lost.mean():.2g} % lost" in report.remedies(found)
    gone = replace(found, choices=(replace(late, lost={"mean": 1.0}),))
    assert " 100 % lost" in report.remedies(gone)


@pytest.mark.night
@pytest.mark.parametrize(
    ("head", "unit"),
    [
        ("a [ms],b [ms],c (ms)", "milliseconds"),
        ("a,b [ms],c [ms]", None),
        ("a us,b us,c us", None),
        ("a,b,c", None),
    ],
)
def test_a_unit_is_said_where_the_file_names_one(advise, head, unit):
    rows = times(90)[:, :3]
    found = advise(rows, head)
    text = " ".join(report.remedies(found).split())
    assert found.unit == unit and ("worker-milliseconds" in text) == (unit is not None)
    assert ("does not name its unit" in text) == (unit is None) and " seconds" not in text
    if unit is None:
        assert advise(rows, head, unit="years").unit == "years"
        return
    assert found.workers == ("a", "b", "c") and "[ms]" not in text
    assert advise(rows, head, unit="ms").unit == unit
    assert "times are in milliseconds" in refusal(advise, rows, head, unit="seconds")


def test_columns_in_different_units_are_refused(advise):
    found = advise(times()[:, :2], "a [s],b [ms]")
    assert found.kind == "refused" and "milliseconds and seconds" in found.verdict


def test_few_systems_cover_all_costs():
    # the first is the best at the last place, the second at the first, the third in between
    known = np.array([[9.0, 7.0, 5.0, 4.0], [1.0, 4.0, 7.0, 10.0], [2.0, 3.0, 4.0, 5.5]])
    assert covering(known, known <= 1.05 * known.min(axis=0)) == [1, 2, 0]
    # of two that are near the best at first the one that stays so
    near = np.array([[0, 0, 0, 1], [1, 0, 0, 0], [1, 1, 1, 0]], dtype=bool)
    assert covering(known, near) == [2, 0]
    anything = np.ones_like(known, dtype=bool)
    assert covering(known, anything) == [0]  # nothing need be done
    assert covering(known[:, :1], np.array([[False], [True], [True]])) == [1]


def test_where_one_system_is_overtaken_by_another():
    rising, level = 1.0 + 4.0 * KNOTS, np.full(KNOTS.size, 2.2)
    found = overtaken(np.array([rising, level, rising]), np.array([level, rising, rising + 1]))
    assert found == pytest.approx([0.3, 1.0, 1.0], abs=1e-12)
    assert overtaken(level[np.newaxis] + 9, rising[np.newaxis]) == [0.0]


@pytest.mark.night
def test_no_code_is_named_where_codes_do_not_pay(advise):
    """Leaving out two workers is a little faster than a code, long before nothing need be done."""
    rng = np.random.default_rng(1)
    rows = rng.uniform(1.0, 1.02, (240, 8)) + 0.25 * rng.random((240, 8)) ** 6
    rows[:, :2] += 0.12
    found = advise(rows)
    codes = [
        each.high.value
        for each in found.ranges
        if each.system["family"] in ("gradient-code", "replication")
    ]
    assert found.kind == "load" and 0 < max(codes) <= found.break_even.value
    assert "leave-out" in {each.system["family"] for each in found.ranges}


@pytest.mark.night
def test_none_of_two_workers_is_said_to_cause_the_waiting(advise):
    """Whichever of two is replaced by the other, nobody is waited for."""
    rows = times(200, late=0.1, n=2)
    found = advise(rows)
    assert found.slowdown.M_W.value == pytest.approx(1)
    assert "slow moments wander" in found.why[1] and "causes most" not in found.why[1]
    rows[:, 1] *= 3
    assert "Some workers are always slower" in advise(rows).why[1]


@pytest.mark.night
def test_doing_nothing_is_named_at_the_highest_cost_if_it_is_the_best_there(advise):
    """Leaving out one worker is near the best there, too, but it gains nothing."""
    rng = np.random.default_rng(2)
    rows = rng.uniform(1.0, 1.05, (300, 16))
    rows[::5, 3] *= 1.33
    found = advise(rows)
    assert found.kind == "load" and found.ranges[-1].system["family"] == "uncoded"
    assert found.ranges[-2].system == {"family": "leave-out", "n": 16, "k": 1, "who": [3]}
    asked = "If twice the work takes "
    start = found.verdict.index(asked)
    condition = found.verdict[start : found.verdict.index("do nothing")]
    assert "longer or more (100 % if it grows in proportion to work)" in condition
    percent = float(condition.removeprefix(asked).split()[0])
    assert percent == pytest.approx(100 * found.ranges[-1].low.value / 16 / rows.mean(), rel=1e-2)
    assert found.verdict.index("below that") > start
