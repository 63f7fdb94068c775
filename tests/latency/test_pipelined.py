"""Steps of pipelines under 1F1B: against a search of all paths, and by hand."""

import functools
import itertools
import json

import numpy as np
import pytest

import fastgc
from fastgc.latency.pipelined import Pipeline
from fastgc.latency.slowdown import slowdown


def order(stage, stages, many):
    """A stage's pieces as the paper tells it: warm up, one forward one backward, drain."""
    warm = min(many, stages - 1 - stage)
    pieces = [("F", i) for i in range(warm)]
    for i in range(many - warm):
        pieces += [("F", warm + i), ("B", i)]
    return pieces + [("B", i) for i in range(many - warm, many)]


def longest(times, many, backward):
    """A pipeline's time by the longest of all paths through an explicit graph; times (stages,)."""
    stages = len(times)
    before = {}
    for p in range(stages):
        own = [(kind, i, p) for kind, i in order(p, stages, many)]
        for earlier, later in itertools.pairwise(own):
            before.setdefault(later, []).append(earlier)
        for i in range(many):
            if p:
                before.setdefault(("F", i, p), []).append(("F", i, p - 1))
            behind = ("B", i, p + 1) if p + 1 < stages else ("F", i, p)
            before.setdefault(("B", i, p), []).append(behind)
    piece = 1 / (1 + backward) / many

    @functools.cache
    def end(node):
        start = max((end(each) for each in before.get(node, [])), default=0.0)
        return start + (piece if node[0] == "F" else backward * piece) * times[node[2]]

    return max(end((kind, i, p)) for p in range(stages) for kind in "FB" for i in range(many))


def named(stages, ranks):
    return [f"pp{p}dp{d}" for p in range(stages) for d in range(ranks)]


@pytest.mark.parametrize(
    ("stages", "ranks", "many", "backward"),
    [(1, 3, 1, 2.0), (2, 2, 1, 2.0), (3, 2, 2, 1.0), (4, 3, 7, 2.0), (5, 1, 3, 0.5), (2, 3, 9, 0)],
)
def test_a_step_is_the_longest_path(stages, ranks, many, backward):
    times = np.random.default_rng(stages + many).gamma(2.0, 1.0, (6, stages * ranks))
    schedule = Pipeline(stages, many, backward).of(named(stages, ranks))
    twin = [
        max(longest(tuple(row[d::ranks]), many, backward) for d in range(ranks)) for row in times
    ]
    assert schedule.done(times).tolist() == twin
    np.testing.assert_allclose((schedule.weights(times) * times).sum(axis=1), twin, rtol=1e-12)


def test_even_stages_fill_and_drain():
    assert Pipeline(4, 12).of(named(4, 2)).even == pytest.approx(1 + 3 / 12)
    assert Pipeline(4, 12, backward=0.7).of(named(4, 2)).even == pytest.approx(1 + 3 / 12)
    # two stages, two micro-batches: F0 F0 B0 B0 waits for F1 B1 F1 B1 in between
    times = np.array([[3.0, 6.0]])
    by_hand = 0.5 + 1.0 + 2.0 + 1.0 + 2.0 + 1.0
    assert Pipeline(2, 2).of(["a", "b"]).done(times)[0] == pytest.approx(by_hand)


def test_long_recordings_are_timed_in_parts(monkeypatch):
    times = np.random.default_rng(5).gamma(2.0, 1.0, (50, 6))
    schedule = Pipeline(3, 4).of(named(3, 2))
    whole = schedule.done(times), schedule.weights(times)
    monkeypatch.setattr("fastgc.latency.pipelined._HELD", 1000)
    np.testing.assert_array_equal(schedule.done(times), whole[0])
    np.testing.assert_array_equal(schedule.weights(times), whole[1])


@pytest.fixture(scope="module")
def times():
    found = np.random.default_rng(3).gamma(9.0, 1.0, (60, 8))
    found[:, 5] *= 2.0
    return found


def ratio(times, schedule):
    return schedule.done(times).mean() / schedule.done(np.full((1, 8), times.mean()))[0]


def test_the_numbers_are_those_of_replaced_times(times):
    schedule = Pipeline("pp{stage}dp{rank}", 6).of(named(4, 2))
    found = slowdown(times, 1, schedule)
    s = ratio(times, schedule)
    assert found.S.value == pytest.approx(s)
    for w in range(8):
        replaced = times.copy()
        replaced[:, w] = np.delete(times, w, axis=1).mean(axis=1)
        assert found.S_w[w].value == pytest.approx(ratio(replaced, schedule))
    assert found.ranked[0] == 5 and found.slowest == (5,)
    assert found.M_W.value == pytest.approx((s - found.S_w[5].value) / (s - 1))
    balanced = times / times.mean(axis=0)
    assert found.balanced.value == pytest.approx((ratio(balanced, schedule) - 1) / (s - 1))
    for each in (found.S, found.M_W, found.balanced, *found.S_w):
        assert each.low < each.value < each.high


def test_one_stage_is_a_round_that_waits_for_all(times):
    alone, plain = slowdown(times, 1, Pipeline(1).of(named(1, 8))), slowdown(times)
    for key in ("S", "M_W", "balanced"):
        one, other = getattr(alone, key), getattr(plain, key)
        assert (one.value, one.low, one.high) == pytest.approx((other.value, other.low, other.high))


@pytest.mark.night
def test_intervals_hold_the_truth():
    """Against the mean of very many steps; fewer hits have probability .0003 at 95 %."""
    schedule = Pipeline(2, 3).of(named(2, 3))
    draw = np.random.default_rng(0)
    truth = schedule.done(draw.exponential(size=(400_000, 6))).mean() / schedule.even
    hits = 0
    for seed in range(120):
        drawn = np.random.default_rng(seed + 1).exponential(size=(100, 6))
        found = slowdown(drawn, seed, schedule).S
        hits += found.low <= truth <= found.high
    assert hits >= 105


def test_slack_of_stages_may_hide_a_slow_one():
    found = slowdown(np.tile([1.05, 0.95], (20, 1)), 1, Pipeline(2, 2).of(["a", "b"]))
    assert found.S.value < 1 and found.S.low >= 1 / 1.5 and found.M_W is None


@pytest.mark.parametrize(
    ("given", "workers", "said"),
    [
        (("pp{stage}", 2), None, "with {stage} and {rank} once each"),
        ((0, 2), None, "must be 1 stage or more"),
        (("3", 2), None, "8 workers are not 3 stages"),
        (("p{stage}dp{rank}", 2), None, "worker 'pp0dp0' is not called"),
        (("pp{stage}dp{rank}",), None, "give their number"),
        ((4, 0), None, "micro_batches: must be 1 … 10000"),
        ((4, 10**8), None, "micro_batches: must be 1 … 10000"),
        ((4, 2, -1.0), None, "backward: must be"),
        ((4, 2, float("nan")), None, "backward: must be"),
        (("{stage}.{rank}", 2), ["0.0", "0.1", "1.0"], "rank 1 has no worker for stage 1"),
        (("{stage}.{rank}", 2), ["0.0", "0.00"], "are both stage 0 of rank 0"),
    ],
)
def test_what_is_wrong_is_said(given, workers, said):
    with pytest.raises(fastgc.FastgcError) as wrong:
        Pipeline(*given).of(workers or named(4, 2))
    assert said in str(wrong.value)


@pytest.mark.night
def test_trace_show_takes_groups(times, tmp_path, command):
    path = tmp_path / "t.csv"
    head = ",".join(named(4, 2))
    np.savetxt(path, times, delimiter=",", header=head, comments="", fmt="%.17g")
    asked = ["trace", "show", path, "--groups", "pp{stage}dp{rank}"]
    data = json.loads(command(*asked, "--micro-batches", 6, "--json")[1])
    pipeline = {"stages": 4, "pipelines": 2, "micro_batches": 6, "backward": 2.0}
    assert data["pipeline"] == pipeline
    found = fastgc.traces.show(path, pipeline=fastgc.traces.Pipeline(4, 6)).as_dict()
    assert data["S"] == found["S"] and data["S_w"] == found["S_w"]
    text = command(*asked, "--micro-batches", 6)[1]
    assert "What waiting costs in 2 pipelines of 4 stages, 6 equal micro-batches" in text
    code, _, err = command(*asked)
    assert code == 2 and "--micro-batches" in err
    for option in ("--micro-batches", "--backward"):
        code, _, err = command(*asked[:3], option, 6)
        assert code == 2 and f"{option} is of a pipeline; give --groups" in err
