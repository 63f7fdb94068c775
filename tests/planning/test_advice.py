"""What to do about stragglers: the remedy that made-up recordings ask for, and refusals."""

import math
from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest

import fastgc
from fastgc import report
from fastgc.planning.judging import KNOTS, covering, last_winning_rate, overtaken
from fastgc.planning.offered import CODES
from fastgc.planning.verdict import AdviceFindings
from suite.checks import every, refusal
from suite.recordings import written

N = 6


def times(rows=120, slow=1.0, late=0.0, seed=1, n=N):
    """Times of workers of which the last is slow all the time, and all are late now and then."""
    rng = np.random.default_rng(seed)
    found = rng.uniform(1.0, 1.1, (rows, n)) * np.where(rng.random((rows, n)) < late, 4.0, 1.0)
    found[:, -1] *= slow
    return found


@pytest.mark.parametrize("rate", [0.1, 0.5, 6.0])
def test_a_worker_that_is_always_slow_is_left_out(advise, rate):
    found = advise(times(slow=3.0), rate=rate)
    assert (found.kind, found.decided) == ("remedy", True)
    assert found.system == {"family": "leave-out", "n": N, "k": 1, "who": [5]}
    assert "Leave out w5 in all rounds" in found.verdict
    assert found.why[1].startswith("w5: most of the waiting")
    own = [each for each in found if each.system == found.system]
    assert [each.rate for each in own] == list(found.rates)
    for each in own:
        # the largest of five uniform times, and what a fifth instead of a sixth costs
        expected = 1 + 0.1 * 5 / 6 + each.rate * (1 / 5 - 1 / 6)
        assert each.value == pytest.approx(expected, abs=0.01)
        assert each.gain_low < each.gain < each.gain_high and each.gain_low > 1.5
    assert (f"row, {found[0].name}, takes " in found.verdict) == (found[0].system != own[0].system)


@pytest.mark.night
def test_slow_moments_depend_on_what_load_costs_and_spare_workers_on_fresh_batches(advise):
    rows = times(rows=200, late=0.05)
    unknown = advise(rows)
    assert (unknown.kind, unknown.system, unknown.rate_known) == ("load", None, False)
    assert unknown.rates == (0.0, pytest.approx(N * rows.mean(), rel=1e-6))
    even = unknown.break_even
    assert 0 < even.low < even.value < even.high < even.highest
    kept, fresh = (advise(rows, rate=even.value / 3, fresh=each) for each in (False, True))
    assert kept.kind == "remedy" and kept.system["family"] in ("gradient-code", "replication")
    [spare] = [each for each in kept if each.system["family"] == "spare"]
    assert spare.gradient == "fresh"
    assert fresh.system["family"] == "spare" and fresh.break_even.value == 0
    nothing = advise(rows, rate=unknown.rates[-1])
    assert (nothing.kind, nothing.system["family"]) == ("nothing", "uncoded")
    alike = advise(times(), rate=3.0)
    assert alike.kind == "nothing" and "nearly the same" in alike.why[1]


def scaled(rows, where, factor):
    rows[where] *= factor
    return rows


def clock(rows, each=120):
    """Let a worker's times be moments, that begin anew after so many rounds."""
    for first in range(0, 120, each):
        rows[first : first + each, 2] = np.cumsum(rows[first : first + each, 2])
    return rows


@pytest.mark.parametrize(("spoilt", "said"), [
    (lambda rows: rows.max(axis=1, keepdims=True).repeat(N, axis=1), "times of the round"),
    (lambda rows: rows.reshape(-1, 2, 3).max(axis=2).repeat(3, axis=1), "w0, w1, w2 take the same"),
    (lambda rows: rows[:29], "29 rows"), (lambda rows: rows[:1], "1 row;"),
    (lambda rows: rows[:, :1], "1 worker"), (lambda rows: rows * 0.0, "no time is more than 0"),
    (clock, "w2 rise in"), (lambda rows: clock(rows, 20), "w2 rise in 114 of 119 rounds"),
    (lambda rows: scaled(rows, np.s_[:, 3], 1000), "in different units"),
    (lambda rows: scaled(rows, np.s_[60:], 1000), "in different units"),
    (lambda rows: scaled(times(rows=300), np.s_[-25:, 1], 5), "25 rows after worker w1"),
    (lambda rows: scaled(rows, np.s_[:, 2], 1 / 60), "worker w0 usually takes"),
    (lambda rows: scaled(rows[:36], np.s_[14:], 1 / 60), "w0 goes from 1.0"),
])  # fmt: skip
def test_what_cannot_tell_is_refused(advise, spoilt, said):
    found = advise(spoilt(times()))
    assert (found.kind, found.decided, found.choices) == ("refused", False, ())
    assert said in found.verdict and found.next and found.as_dict()["break_even"] is None


def test_rows_after_a_change_are_taken_where_they_are_enough(advise):
    rows = times(rows=200, late=0.02)
    rows[100:, 4] *= 6
    found = advise(rows, rate=3.0)
    assert (found.kind, found.rounds) == ("remedy", 100)
    assert "worker w4 changed at row 100" in found.why[2]
    before = times(80, late=0.02, seed=4, n=8)
    few = advise(np.concatenate([before, times(60, slow=2.0, late=0.03, seed=54, n=8)]))
    assert few.kind == "slow" and few.verdict.startswith("Always slow: w7, ")
    assert few.next.endswith("Record 120 rounds or more like those after row 80.")


def test_who_is_always_slow_is_named_among_slow_moments_and_what_is_as_good(advise):
    found = advise(times(rows=200, slow=1.6, late=0.02, seed=20, n=8), rate=3.0)
    assert found.why[1].startswith("Always slow: w7, 1.59 times as long as the others")
    assert "By slow moments 0." in found.why[1] and "not certain" not in found.why[1]
    said = "As good or better by the rounds that judge it, and simpler: leave out w7 in all rounds"
    assert found.system["family"] == "replication" and said in found.verdict
    # nearly equal times may hold the wait for the others
    assert advise(times(), rate=3.0).verdict.startswith("Do nothing, unless these times contain")


@pytest.mark.night
def test_few_independent_blocks_are_refused(advise):
    slow = np.repeat(np.random.default_rng(3).integers(0, N, 6), 20)  # each for twenty rows
    rows = times()
    rows[np.arange(120), slow] *= 3
    found = advise(rows, rate=1.0)
    assert found.kind in ("unsure", "refused") and "Record" in found.next


@pytest.mark.night
def test_rounds_that_are_left_out_are_said(tmp_path):
    rows, path = times(rows=120, late=0.1), tmp_path / "long.csv"
    own = [(j, i, t) for i, row in enumerate(rows) for j, t in enumerate(row) if t < 2]
    path.write_text("\n".join(["rank,step,s", *(f"{j},{i},{t}" for j, i, t in own)]))
    columns = {"file": str(path), "worker": "rank", "iteration": "step", "value": "s"}
    found = fastgc.advise(columns)
    [said] = found.warnings
    assert said.startswith(f"{(rows >= 2).any(axis=1).sum()} of 120 rounds are left out")
    assert [said] == fastgc.traces.show(columns).as_dict()["warnings"]
    assert "Beware: " in report.remedies(found)


@pytest.mark.night
def test_a_rate_is_fitted_to_another_load_and_refused_where_it_takes_more_than_all(
    advise, tmp_path
):
    rows = times(rows=100, late=0.05)

    def fitted(other):
        return advise(rows, fit=[(written(other, tmp_path / "other.csv"), 2 / N)])

    found = fitted(rows + 0.6 / N)
    assert found.rate_known and len(found.rates) == 3
    assert found.rates[1] == pytest.approx(0.6, rel=1e-4)
    assert "look at the loads and units" in refusal(fitted, rows + 3.0)
    assert "5 workers" in refusal(fitted, (rows + 0.2)[:, :5])
    assert fitted(2.02 * rows).rate_known  # 1 % below 0 may be a little curved


@pytest.mark.parametrize(("options", "key"), [
    ({"load": -1.0}, "load"), ({"load": 0.0}, "load"), ({"load": 6.25}, "load"),  # per cent
    ({"fit": [("other.csv", 16.0)]}, "fit"), ({"rate": math.nan}, "rate"),
    ({"rate": 1e200}, "rate"), ({"rate": 6.7}, "rate: all of the work would cost 6.7"),
])  # fmt: skip
def test_mistakes(advise, options, key):
    assert refusal(advise, times(), **options).startswith(key if ": " in key else f"{key}: ")


def test_where_a_code_stops_to_be_the_fastest():
    # uncoded 2; a code 1 + 4 t, a steeper one 0.5 + 8 t: the best is below 2 up to t = 1/4
    means = np.array([[2.0, 1.0, 0.5, 2.0, 5.0, 8.5], [2.0, 3.0, 4.0, 2.0, 5.0, 8.5]])
    found = last_winning_rate(means, np.array([False, True, True]))
    assert found == pytest.approx([0.25, 0.0], abs=1e-9)


@pytest.mark.night
def test_what_is_named_is_near_the_best_in_time_and_not_in_what_is_saved_alone(advise):
    rows = times(slow=15.0)  # leaving out saves nearly all; a code takes a twelfth less time still
    found = advise(rows)
    assert found.kind == "load" and len(found.ranges) >= 2
    assert found.ranges[0].system["family"] in CODES
    assert found.ranges[-1].system == {"family": "leave-out", "n": N, "k": 1, "who": [5]}
    # that is certainly faster at every cost, and is said first, with its least gain
    least, said = found.ranges[-1].judged[1], found.verdict
    gains = [own.gain for own in found if own.system == least.system]
    assert 1 < least.gain_low < least.gain <= min(gains) and said.startswith("Leave out w5 in all")
    assert f"(0 to 100 % longer for twice the work), rounds are at least {least.gain:.2f} [" in said
    left = replace(found, choices=(), ranges=(), verdict="Left out: a.", workers=(), trace="a.csv")
    text = " ".join(report.folder([found, left]).split())
    assert "good (w5)" in text and "(1 of 2 are left out)" in text and "Left out: a" in text


@pytest.mark.night
def test_sound_times_are_not_taken_for_a_clock_or_for_two_units(advise):
    steps = np.ones((60, N)) + np.arange(60)[:, np.newaxis] % 3 * np.arange(N)
    steps[:, 0] = np.where(np.arange(60) < 45, 1.0, 2.0)  # whole seconds: it never falls
    assert advise(steps).kind != "refused"
    idle = times()
    idle[:, 3] = np.where(np.arange(120) % 3 == 0, 0.02, 0.0)  # it has next to no work
    assert advise(idle).kind != "refused"
    slow = times()
    slow[:, 0] *= 15
    assert advise(slow).kind != "refused"


@pytest.mark.night
def test_of_very_many_rounds_the_last_are_looked_at(advise, monkeypatch):
    rows = times(rows=300, slow=3.0)
    alone = advise(rows[-200:])
    monkeypatch.setattr("fastgc.planning.judging._LAST", 200)
    found = advise(rows)
    assert found.rounds == 200 and found.choices == alone.choices
    said = " Earlier rounds, up to row 100, are left out: the last ones are enough."
    assert [any(said in why for why in each.why) for each in (found, alone)] == [True, False]


@pytest.mark.night
def test_workers_are_named_that_the_remedy_leaves_out_in_all_rounds(advise):
    """The first half shows who is late now and then; the last rows before a round seldom do."""
    rng = np.random.default_rng(6)
    rows = rng.uniform(1.0, 1.05, (300, 8))
    rows[np.ix_(rng.random(300) < 0.15, (1, 4))] *= 3.0
    rows[-12:, [1, 4]], rows[-12:, 6] = 1.0, 1.4  # another one is the slowest at the end
    found = advise(rows, rate=0.8)
    assert found.kind == "remedy"
    assert found.system["family"] == "leave-out" and {*found.system["who"]} == {1, 4}
    assert "Leave out w1, w4 in all rounds" in found.verdict.replace("w4, w1", "w1, w4")
    own = next(each for each in found if each.system == found.system)
    expected = np.delete(rows, [1, 4], axis=1)[150:].max(axis=1).mean() + 0.8 * (1 / 6 - 1 / 8)
    assert own.value == pytest.approx(expected, rel=1e-6)
    assert own.gain == pytest.approx(rows[150:].max(axis=1).mean() / expected, rel=1e-6)


@pytest.mark.night
def test_nobody_is_named_where_who_is_slow_changes(advise):
    rng = np.random.default_rng(8)
    rows = rng.uniform(1.0, 1.05, (1200, 8))
    for start in range(0, 1200, 12):  # one after the other is slow for some rounds
        rows[start : start + 12, rng.integers(8)] *= 3.0
    found = advise(rows, rate=2.0)
    assert found.system == {"family": "leave-out", "n": 8, "k": 2}
    said = "Before every round leave out the 2 workers that took longest in the 10 rounds before"
    assert said in found.verdict
    assert not any(f"w{j}" in found.verdict for j in range(8))
    assert "slow moments wander" in found.why[1] and "Do it" in found.next


@pytest.mark.parametrize("n", [2, 4])
def test_a_worker_that_takes_no_time_is_named_and_refused(tmp_path, advise, n):
    rows = times()[:, :n]
    rows[:, 1] = 0.0
    path = written(rows, tmp_path / "t.csv")
    law = {"distribution": "empirical", "file": str(path), "order": "replay"}
    asked = [(ask, path) for ask in (fastgc.advise, fastgc.traces.show, fastgc.traces.fit)]
    for ask, given in (*asked, (fastgc.design, {"workers": n, "latency": law})):
        assert "worker w1 takes no time in any round" in refusal(ask, given)
    rows[:50, 1] = 1.0  # it stops, and the first of two answers takes no time from then on
    found = advise(rows)
    assert found.kind == "refused" and "and w1 in" in found.verdict


@pytest.mark.parametrize(("load", "asked"), [(0.5, False), (1.0, True)])
def test_no_recording_is_asked_for_that_was_given(tmp_path, advise, load, asked):
    rows = np.ones((40, 4))
    rows[np.arange(40), np.arange(40) % 4] = 4.0  # one of four is late, and s = 1 waits for none
    other = written(rows + 0.4 * (load - 0.25), tmp_path / "other.csv")
    found = advise(rows, fit=[(other, load)])
    assert found.system == {"family": "gradient-code", "n": 4, "s": 1}
    assert ("--fit OTHER.csv:0.5`" in found.next) == asked
    assert found.next.startswith("Try it" if asked else "Do it: a recording at that load")
    assert "OTHER.csv:0.5` in place of `--rate`" in advise(rows, rate=0.4).next
    assert "other.csv has the very times of" in refusal(fastgc.advise, other, fit=[(other, 0.75)])


def always(slow=(6, 7), rows=32):
    """Two of eight workers that are late in all rounds; all take turns of some rounds together."""
    rng = np.random.default_rng(20)
    walk = np.cumsum(rng.normal(0, 0.003, rows))[:, np.newaxis]
    found = 10 * (1 + walk + 0.003 * rng.normal(size=(rows, 8)))
    found[:, slow] *= 1.62
    return found


@pytest.mark.night
@pytest.mark.parametrize("slow", [[6, 7], [0]])
def test_who_is_late_in_all_rounds_is_certain(slow, advise):
    names = [f"w{j}" for j in range(8)]
    found = advise(always(slow), ",".join(names))
    assert every(names[w] in " ".join((found.verdict, *found.why)) for w in slow)
    if len(slow) > 1:  # of one, what is best is certain
        assert found.decided and "Repair or replace what is slow" in found.verdict
        assert found.verdict.startswith("Always slow: w7, w6, 1.62 times as long")


def test_stages_of_pipelines_are_not_compared_but_the_workers_of_one_are(advise, tmp_path):
    rows, names = always(), ",".join(f"pp{1 + 9 * (i // 6)}dp{i % 6}" for i in range(8))
    found = advise(rows, names)
    assert found.kind == "refused" and "stages of a pipeline" in found.verdict
    assert "`--workers '*pp1[!0-9]*'`" in found.next
    kept = {"file": tmp_path / "times.csv", "workers": "*pp1[!0-9]*"}
    assert "`--workers '*pp1[!0-9]*'`" in fastgc.traces.show(tmp_path / "times.csv").warnings[0]
    assert fastgc.advise(kept).workers == tuple(f"pp1dp{j}" for j in range(6))
    said = refusal(fastgc.advise, kept | {"workers": "x*"})
    assert "workers must name at least one, like pp1dp0, pp1dp1, pp1dp2 (got 'x*')" in said


@pytest.mark.night
def test_a_drift_is_said_and_halves_are_taken_in_turns(advise):
    rows = 1 + np.random.default_rng(21).exponential(0.1, (400, N))
    assert "Rounds grow" not in " ".join(advise(rows).why)
    found = advise(rows * np.linspace(1.0, 1.6, 400)[:, np.newaxis])
    said = " ".join(found.why)
    grown = int(said.split("Rounds grow ")[1].split(" %")[0])
    assert 55 < grown < 65 and "slower from the first to the last" in said and "16 parts" in said
    assert found.rounds == 400  # no change at which it is cut
    [late] = [each for each in found[:20] if each.system["family"] == "drop-late"][:1]
    assert f"{100 * late.lost['mean']:.2g} % lost" in report.remedies(found)
    assert late.lost["mean"] < 0.1  # halves of which one is slower would lose a third
    rows[:, 3] *= np.linspace(1.5, 2.0, 400)
    assert advise(rows[::2]).next.endswith("Record 400 rounds or more, when times are steady.")


# ---- what to do at which cost of load; deadlines, trees, units


@pytest.mark.night
def test_what_is_named_for_a_range_of_costs_is_near_the_best_there(advise):
    rows = times(200, late=0.05)
    found = advise(rows)
    assert (found.kind, found.decided, found.system) == ("load", True, None)
    ends = [each.low.value for each in found.ranges] + [found.ranges[-1].high.value]
    assert ends[0] == 0 and ends[-1] == found.rates[-1] and ends == sorted(set(ends))
    assert ends[-2] == found.break_even.value  # the last code gives way there
    percent = 100 / 6 / rows.mean()  # what twice the work adds, of a cost of 1
    even, text = found.break_even, report.remedies(found)
    value, low, high = (f"{percent * e:.3g}" for e in (even.value, even.low, even.high))
    codes = f"Codes help while twice the work takes less than {value} [{low}, {high}] % longer; at"
    assert found.verdict.startswith(codes)
    assert f"(100 %: in proportion; 1 % is `--rate {1 / percent:.3g}`)" in found.verdict
    free = [own for own in found if (own.rate, own.gradient) == (0, "exact")]
    most = max(own.gain for own in free if own.system["family"] in CODES)
    assert f"if load costs nothing, one makes rounds {most:.2f} [" in found.verdict
    assert f": up to {value} [{low}, {high}] %, use the code" in found.verdict
    for each in found.ranges:  # what the verdict names has its gains in a table
        gains = (f"{own.gain:.3g} [{own.gain_low:.3g}, " for own in each.judged)
        assert each.where in found.verdict and every(gain in text for gain in gains)
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
    assert "at the highest cost, where that is not certainly more than 1)." in found.verdict
    text = " ".join(report.remedies(found).split())
    assert "If the mean time grows in proportion to work (all of it costs" in text
    assert "; tails do not grow with the load)" in text


@pytest.mark.night
def test_halves_that_disagree_tell_nothing(advise):
    early, later = times(100, late=0.05, seed=5), times(100, late=0.0, seed=2)
    found = advise(np.concatenate([early, later]))
    assert (found.kind, found.decided, found.ranges) == ("unsure", False, ())
    assert "the two halves of the rounds do not agree" in found.verdict
    assert found.next == "Record 400 rounds or more."
    rows, named = times(60, slow=1.35, late=0.01, seed=15), "leave-out n=6 k=2 for good"
    rows[:, 4] *= np.where(np.arange(60) % 2, 1.0, 1.3) * np.where(np.arange(60) < 30, 1.0, 1.2)
    found = advise(rows, rate=4.5)  # the other half's best has a row, too
    assert f"other half {named} takes" in found.verdict and named in [each.name for each in found]


def test_deadlines_are_of_the_first_half_and_what_is_late_is_lost(advise):
    rows = times(200, late=0.05)
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
@pytest.mark.parametrize(("head", "unit"), [
    ("a [ms],b [ms],c (ms)", "milliseconds"), ("a,b [ms],c [ms]", None), ("a us,b us,c us", None),
    ("a,b,c", None),
])  # fmt: skip
def test_a_unit_is_said_where_the_file_names_one(advise, head, unit):
    rows = times(90, late=0.05)[:, :3]
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
    found = advise(times(200, late=0.05)[:, :2], "a [s],b [ms]")
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
    codes = [each.high.value for each in found.ranges if each.system["family"] in CODES]
    assert found.kind == "load" and 0 < max(codes) <= found.break_even.value
    assert "leave-out" in {each.system["family"] for each in found.ranges}


@pytest.mark.night
def test_none_of_two_workers_is_said_to_cause_the_waiting(advise):
    """Whichever of two is replaced by the other, nobody is waited for."""
    rows = times(200, late=0.1, n=2)
    assert "slow moments wander" in advise(rows).why[1]
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
    end, above = found.verdict.rpartition(" up to ")[2].split("; above that, ")
    assert above == "do nothing." and "longer twice the work takes (100 %: in" in found.verdict
    percent = float(end.split()[0])
    assert percent == pytest.approx(100 * found.ranges[-1].low.value / 16 / rows.mean(), rel=1e-2)


def test_that_codes_help_is_never_said_to_be_surer_than_it_is():
    found = AdviceFindings.__new__(AdviceFindings)
    even = SimpleNamespace(value=0.0, low=0.0, high=0.4)
    found.slope, found.even = None, even
    found.asked = SimpleNamespace(share=0.125, mean=1.0, unit="seconds")
    assert found._codes() == "codes help while twice the work takes less than 0 [0, 5] % longer"
    even.high = 0.0
    assert found._codes() == "codes do not help, even if more work takes no more time"
    found.slope, even.high = 1.0, 8.0
    assert found._codes().endswith("while all of the work costs less than 0 [0, 8] seconds a round")
