"""What to do about stragglers: the remedy that made-up recordings ask for, and refusals."""

import math

import numpy as np
import pytest

import fastgc
from fastgc import report
from fastgc.planning.judging import crossing
from fastgc.planning.offered import CODES
from suite.checks import refusal
from suite.recordings import written

N = 6


def times(rows=120, slow=1.0, late=0.0, seed=1):
    """Times of workers of which the last is slow all the time, and all are late now and then."""
    rng = np.random.default_rng(seed)
    found = rng.uniform(1.0, 1.1, (rows, N)) * np.where(rng.random((rows, N)) < late, 4.0, 1.0)
    found[:, -1] *= slow
    return found


@pytest.mark.parametrize("rate", [0.5, 6.0])
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


@pytest.mark.night
def test_slow_moments_depend_on_what_load_costs(advise):
    rows = times(rows=200, late=0.05)
    unknown = advise(rows)
    assert (unknown.kind, unknown.system, unknown.rate_known) == ("load", None, False)
    assert unknown.rates == (0.0, pytest.approx(N * rows.mean(), rel=1e-6))
    even = unknown.break_even
    assert 0 < even.low < even.value < even.high < even.highest
    code = advise(rows, rate=even.value / 3)
    assert code.kind == "remedy" and code.system["family"] in ("gradient-code", "replication")
    nothing = advise(rows, rate=unknown.rates[-1])
    assert (nothing.kind, nothing.system["family"]) == ("nothing", "uncoded")


@pytest.mark.night
def test_spare_workers_are_named_only_where_batches_are_fresh(advise):
    rows = times(rows=200, late=0.05)
    kept, fresh = (advise(rows, rate=0.5, fresh=each) for each in (False, True))
    [spare] = [each for each in kept if each.system["family"] == "spare"]
    assert spare.gradient == "fresh" and kept.system["family"] != "spare"
    assert fresh.system["family"] == "spare" and fresh.break_even.value == 0


@pytest.mark.night
def test_workers_that_are_alike_need_nothing(advise):
    found = advise(times())
    assert found.kind in ("nothing", "load") and "nearly the same" in found.why[1]
    assert advise(times(), rate=3.0).kind == "nothing"


def scaled(rows, where, factor):
    rows[where] *= factor
    return rows


def clock(rows, each=120):
    """Let a worker's times be moments, that begin anew after so many rounds."""
    for first in range(0, 120, each):
        rows[first : first + each, 2] = np.cumsum(rows[first : first + each, 2])
    return rows


@pytest.mark.parametrize(
    ("spoilt", "said"),
    [
        (lambda rows: rows.max(axis=1, keepdims=True).repeat(N, axis=1), "times of the round"),
        (lambda rows: rows[:29], "29 rows"),
        (lambda rows: rows[:1], "1 row;"),
        (lambda rows: rows[:, :1], "1 worker"),
        (lambda rows: rows * 0.0, "no time is more than 0"),
        (clock, "w2 rise in"),
        (lambda rows: scaled(rows, np.s_[:, 3], 1000), "in different units"),
        (lambda rows: scaled(rows, np.s_[60:], 1000), "in different units"),
        (lambda rows: scaled(times(rows=300), np.s_[-25:, 1], 5), "25 rows after worker w1"),
        (lambda rows: scaled(rows, np.s_[:, 2], 1 / 60), "worker w0 usually takes"),
        (lambda rows: scaled(rows[:36], np.s_[14:], 1 / 60), "w0 goes from 1.0"),
        (lambda rows: clock(rows, 20), "w2 rise in 114 of 119 rounds"),
    ],
)
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


@pytest.mark.night
def test_few_independent_blocks_are_refused(advise):
    rng = np.random.default_rng(3)
    slow = np.repeat(rng.integers(0, N, 6), 20)  # each for twenty rows
    rows = times()
    rows[np.arange(120), slow] *= 3
    found = advise(rows, rate=1.0)
    assert found.kind in ("unsure", "refused")
    assert "Record" in found.next


@pytest.mark.night
def test_rounds_that_are_left_out_or_come_again_are_said(tmp_path):
    rows, path = times(rows=120, late=0.1), tmp_path / "long.csv"
    own = [(j, i, t) for i, row in enumerate(rows) for j, t in enumerate(row)]
    late = [each for each in own if each[2] < 2]  # a round that is late is lost
    columns = {"file": str(path), "worker": "rank", "iteration": "step", "value": "s"}
    for lines, said in (
        (late, f"{(rows >= 2).any(axis=1).sum()} of 120 rounds are left out"),
        (own, None),
    ):
        path.write_text("\n".join(["rank,step,s", *(f"{j},{i},{t}" for j, i, t in lines)]))
        found = fastgc.advise(columns)
        shown = fastgc.traces.show(columns).as_dict()["warnings"]
        assert list(found.warnings) == shown == found.as_dict()["warnings"]
        assert [each.startswith(said) for each in shown] == [True] * (said is not None)
        assert ("Beware: " in report.remedies(found)) == (said is not None)


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
    for other, said in (
        (rows + 3.0, "look at the loads and units"),
        ((rows + 0.2)[:, :5], "5 workers"),
    ):
        assert said in refusal(fitted, other)
    assert fitted(2.02 * rows).rate_known  # 1 % below 0 may be a little curved


@pytest.mark.parametrize(
    ("options", "key"),
    [
        ({"load": -1.0}, "load"),
        ({"load": 0.0}, "load"),
        ({"load": 6.25}, "load"),  # per cent
        ({"fit": [("other.csv", 16.0)]}, "fit"),
        ({"rate": math.nan}, "rate"),
        ({"rate": 1e200}, "rate"),
    ],
)
def test_mistakes(advise, options, key):
    assert refusal(advise, times(), **options).startswith(f"{key}: ")


def test_where_a_code_stops_to_be_the_fastest():
    # uncoded 2; a code 1 + 4 t, a steeper one 0.5 + 8 t: the best is below 2 up to t = 1/4
    means = np.array([[2.0, 1.0, 0.5, 2.0, 5.0, 8.5], [2.0, 3.0, 4.0, 2.0, 5.0, 8.5]])
    found = crossing(means, np.array([False, True, True]))
    assert found == pytest.approx([0.25, 0.0], abs=1e-9)


@pytest.mark.night
def test_what_is_named_is_near_the_best_in_time_and_not_in_what_is_saved_alone(advise):
    rows = times(slow=15.0)  # leaving out saves nearly all; a code takes a twelfth less time still
    found = advise(rows)
    assert found.kind == "load" and len(found.ranges) >= 2
    assert found.ranges[0].system["family"] in CODES
    assert found.ranges[-1].system == {"family": "leave-out", "n": N, "k": 1, "who": [5]}


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
    assert any(said in why for why in found.why)
    assert not any("left out: the last" in why for why in alone.why)


@pytest.mark.night
def test_workers_are_named_that_the_remedy_leaves_out_in_all_rounds(advise):
    """The first half shows who is late now and then; the last rows before a round seldom do."""
    rng = np.random.default_rng(6)
    rows = rng.uniform(1.0, 1.05, (300, 8))
    rows[np.ix_(rng.random(300) < 0.15, (1, 4))] *= 3.0
    rows[-12:, [1, 4]], rows[-12:, 6] = 1.0, 1.4  # another one is the slowest at the end
    found = advise(rows, rate=0.8)
    assert found.kind == "remedy"
    assert {**found.system, "who": {*found.system["who"]}} == {
        **{"family": "leave-out", "n": 8, "k": 2},
        "who": {1, 4},
    }
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
    assert (
        "Before every round leave out the 2 workers that took longest in the 10 rounds before"
        in (found.verdict)
    )
    assert not any(f"w{j}" in found.verdict for j in range(8))
    assert "slow moments wander" in found.why[1] and "Do it" in found.next


@pytest.mark.parametrize("n", [2, 4])
def test_a_worker_that_takes_no_time_is_named_and_refused(tmp_path, advise, n):
    rows = times()[:, :n]
    rows[:, 1] = 0.0
    path = written(rows, tmp_path / "t.csv")
    law = {"distribution": "empirical", "file": str(path), "order": "replay"}
    for ask, given in (
        (fastgc.advise, path),
        (fastgc.traces.show, path),
        (fastgc.traces.fit, path),
        (fastgc.design, {"workers": n, "latency": law}),
    ):
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
    who = ", ".join(names[w] for w in slow)
    if found.kind == "slow":
        assert found.decided and "Repair or replace what is slow" in found.verdict
        assert found.verdict.startswith(f"{who}: 1.62 times as long")
        assert "in all 32 rounds (1.6" in found.verdict
    else:  # what is best was certain
        assert who in " ".join((found.verdict, *found.why))


def test_stages_of_pipelines_are_not_compared(advise):
    rows = always()
    found = advise(rows, ",".join(f"pp{i // 2}dp{i % 2}" for i in range(8)))
    assert found.kind == "refused" and "stages of pipelines" in found.verdict
    assert "one stage" in found.next


@pytest.mark.night
def test_a_drift_is_said_and_halves_are_taken_in_turns(advise):
    rng = np.random.default_rng(21)
    rows = 1 + rng.exponential(0.1, (400, N))
    steady = advise(rows)
    assert "Rounds grow" not in " ".join(steady.why)
    found = advise(rows * np.linspace(1.0, 1.6, 400)[:, np.newaxis])
    said = " ".join(found.why)
    grown = int(said.split("Rounds grow ")[1].split(" %")[0])
    assert 55 < grown < 65 and "slower from the first to the last" in said and "16 parts" in said
    assert found.rounds == 400  # no change at which it is cut
    [late] = [each for each in found[:20] if each.system["family"] == "drop-late"][:1]
    assert f"{100 * late.lost['mean']:.2g} % lost" in report.remedies(found)
    assert late.lost["mean"] < 0.1  # halves of which one is slower would lose a third
    rows[:, 3] *= np.linspace(1.5, 2.0, 400)
    assert advise(rows[::2]).next == "Record 400 rounds or more, when times are steady."
