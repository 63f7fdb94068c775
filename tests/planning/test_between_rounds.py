"""`design` where late workers finish before they take up a round: rows in order, and laws."""

import numpy as np
import pytest

import fastgc
from suite.checks import refusal
from suite.recordings import replayed

FINISH = {"between_rounds": "finish"}


def spiky(rows, workers=6, seed=4):
    rng = np.random.default_rng(seed)
    times = 1 + 0.1 * rng.random((rows, workers))
    return times * np.where(rng.random((rows, workers)) < 0.05, 6, 1)


def table(folder, times, scheme, **keys):
    law = replayed(times, folder / "t.csv", **keys)
    return {"workers": times.shape[1], "work": 6, "schemes": [scheme], "latency": law}


def in_turn(rows, need):
    """When each round has ``need`` answers, and seconds of work in it: clocks of every worker."""
    free, now, ends, worked = [0.0] * len(rows[0]), 0.0, [], []
    for row in rows:
        out = [max(clock, now) + own for clock, own in zip(free, row, strict=True)]
        end = sorted(out)[need - 1]
        worked.append(sum(min(each, end) - now for each in out))
        free = [own if clock < end else clock for own, clock in zip(out, free, strict=True)]
        ends.append(end - now)
        now = end
    return ends, worked


@pytest.mark.night
def test_rows_follow_each_other(tmp_path):
    times = spiky(80)
    asked = table(tmp_path, times, "gradient-code") | FINISH
    found = fastgc.design(asked)
    assert found.scope == "cluster" and {choice.system["s"] for choice in found} >= {0, 1}
    for choice in found:
        s = choice.system["s"]
        ends, worked = in_turn(((s + 1) * times).tolist(), 6 - s)
        assert choice.value == pytest.approx(np.mean(ends))
        assert choice.worked == pytest.approx(np.mean(worked))
        assert choice.low < choice.value < choice.high
    assert fastgc.design(asked) == found


def in_a_chain(n, k, rounds):
    """Mean time and answers of a round, by linear equations over (new answers, old ones out)."""
    states = [(a, o) for a in range(k) for o in range(n - k + 1)]
    place = {state: i for i, state in enumerate(states)}
    moves, steps = np.zeros((len(states),) * 2), np.ones((len(states), 2))
    for (a, o), i in place.items():
        steps[i, 0] = 1.0 / (n - a)
        for after, share in (((a, o - 1), o), ((a + 1, o), n - a - o)):
            if after in place and share:
                moves[i, place[after]] = share / (n - a)
    found = np.linalg.solve(np.eye(len(states)) - moves, steps)
    return (found[place[0, 0]] + (rounds - 1) * found[place[0, n - k]]) / rounds


@pytest.mark.night
def test_a_trial_of_a_law_is_a_sequence():
    """Exponential times: the mean of 30 rounds is known, and that of all others here is 100."""
    table = {
        "workers": 5,
        "work": 5,
        "schemes": ["bounded-wait"],
        "latency": {"distribution": "exponential", "mean": 1.0},
        "trials": 16_384,
        **FINISH,
    }
    for many, given in ((30, {"iterations": 30}), (100, {})):
        found = fastgc.design(table | given)
        for choice in found:
            known, answers = in_a_chain(5, choice.system["k"], many)
            assert abs(choice.value - known) < 1.2 * (choice.high - choice.low)  # 4.7 errors
            assert choice.messages == pytest.approx(answers, rel=0.02)
            assert choice.worked == pytest.approx(answers, rel=0.04)
        assert f"the mean of {many} rounds" in " ".join(found.notes)


def test_what_cannot_be_is_refused(tmp_path):
    own = {"workers": 6, "latency": {"distribution": "exponential", "mean": 1.0}, **FINISH}
    for change, said in (
        ({"goal": "quantile(0.9)"}, 'goal: must be "mean" with between_rounds = "finish"'),
        ({"port": {"receive": 0.1}}, 'port: receive: must be 0 with between_rounds = "finish"'),
        ({"between_rounds": "cancel", "iterations": 9}, "iterations: belongs to between_rounds"),
        ({"iterations": 1}, "iterations: must be at least 2"),
        (table(tmp_path, spiky(40), "uncoded", order="rows"), 'order: must be "replay"'),
    ):
        assert said in refusal(fastgc.design, own | change)
    found = fastgc.design(own | {"schemes": ["uncoded", "coded-reduce"]})
    said = 'between_rounds: must be "cancel" with coded-reduce'
    assert any(said in note for note in found.notes)
