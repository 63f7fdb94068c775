"""What people do instead of coding: an event simulation, closed forms, and recorded rows."""

import heapq
import math

import numpy as np
import pytest

import fastgc
from fastgc import systems
from fastgc.experiments.completion.scenario import Scenario
from fastgc.latency import Empirical, Exponential
from fastgc.systems.timing.laws import distribution
from suite.recordings import shared_by_speed, slowing

# ---- an event simulation of rounds, which shares nothing with structures


def simulate(system, times):
    """Time, messages and worker-seconds of one round; ``times`` (n,) or (n, rounds)."""
    family = system.settings()["family"]
    n = len(times)
    if family == "local-sgd":
        clocks = [0.0] * n
        for j in range(n):
            for own in times[j]:
                clocks[j] += own
        return max(clocks) / system.period, n / system.period, sum(clocks) / system.period
    size = system.r if family == "clones" else 1
    after = system.after if family == "clones" else 0.0
    need = {
        "clones": system.n,
        "spare": system.n,
        "bounded-wait": getattr(system, "k", n),
        "drop-late": n,
    }[family]
    events = [((j % size) * after, "begin", j) for j in range(n)]
    if family == "drop-late":
        events.append((system.deadline, "stop", -1))
    heapq.heapify(events)
    begun, done, worked, answers, now = {}, set(), 0.0, 0, 0.0
    while events and len(done) < need:
        now, what, j = heapq.heappop(events)
        if what == "stop":
            break
        if j // size in done:
            continue
        if what == "begin":
            begun[j] = now
            heapq.heappush(events, (now + times[j], "end", j))
            continue
        done.add(j // size)
        answers += 1
        for other in [i for i in begun if i // size == j // size]:
            worked += now - begun.pop(other)
    return now, answers, worked + sum(now - since for since in begun.values())


CASES = [
    systems.spare(n=5, b=2),
    systems.bounded_wait(n=6, k=4),
    systems.drop_late(n=5, deadline=1.3),
    systems.clones(n=3, r=2, after=0.6),
    systems.clones(n=2, r=3, after=0.0),
    systems.local_sgd(n=4, period=3),
]


@pytest.mark.parametrize("system", CASES, ids=str)
def test_rounds_are_those_of_an_event_simulation(system):
    scenario = Scenario(system, (Exponential(mean=1.0, shift=0.1),))
    shape = (system.workers(),) + ((scenario.tasks,) if scenario.tasks > 1 else ())
    times = np.random.default_rng(1).exponential(size=(*shape, 200)) + 0.1
    done, messages, _ = scenario.evaluator.counted(times)
    worked = scenario.structure.worked(times, done)
    for t in range(200):
        found = simulate(system, times[..., t].tolist())
        assert (done[t], messages[t], worked[t]) == pytest.approx(found, rel=1e-12)
    assert scenario.evaluator.done(times).tolist() == done.tolist()


@pytest.mark.parametrize("system", CASES, ids=str)
def test_the_exact_law_is_that_of_samples(system):
    """Mean, 1 and 90 % points of 40 000 trials within 4.5 standard errors: 1 in 10 000 fails."""
    law = Exponential(mean=1.0, shift=0.1)
    exact = distribution(system.structure(), [law.time()])
    scenario = Scenario(system, (law,))
    shape = (system.workers(), *([scenario.tasks] if scenario.tasks > 1 else []), 40_000)
    done = scenario.evaluator.done(np.random.default_rng(2).exponential(size=shape) + 0.1)
    assert abs(done.mean() - exact.mean()) < 4.5 * math.sqrt(exact.variance() / done.size)
    for level in (0.01, 0.5, 0.9):
        t = float(exact.quantile(level))
        share = float(exact.cdf(t))
        off = np.mean(done <= t * (1 + 1e-12)) - share
        assert abs(off) <= 4.5 * math.sqrt(max(share * (1 - share), 1e-9) / done.size)


@pytest.mark.parametrize(("period", "mean"), [(1, 3.3807289932), (4, 2.0626), (16, 1.4893)])
def test_local_steps_wait_for_the_largest_erlang_sum(period, mean):
    law = distribution(
        systems.local_sgd(n=16, period=period).structure(), [Exponential(mean=1.0).time()]
    )
    assert law.mean() == pytest.approx(mean, abs=5e-5)


def test_a_deadline_is_met_where_workers_never_answer():
    study = {
        "kind": "completion",
        "system": {"family": "drop-late", "n": 4, "deadline": 2.0},
        "latency": {"distribution": "exponential", "mean": 0.5},
        "stragglers": {"model": "iid", "p": 0.3},
        "measure": ["time", "decodable"],
        "method": "both",
    }
    rows = fastgc.run(study, trials=20_000).rows()
    exact, sampled = (
        row["value"]
        for row in sorted(rows, key=lambda row: str(row["method"]))
        if (row["quantity"], row["statistic"]) == ("time", "mean")
    )
    assert exact == pytest.approx(sampled, abs=0.02) and exact < 2.0


# ---- work shared out by speed


def laws(*means):
    return tuple(Exponential(mean=mean) for mean in means)


def test_the_slowest_law_is_left_out():
    scenario = Scenario(systems.leave_out(n=3, k=1), laws(1.0, 5.0, 1.0))
    exact = distribution(scenario.structure, scenario.times)
    assert exact.mean() == pytest.approx(0.5 * 1.5)  # half of the work on two: the larger of two
    assert scenario.burden == 0.5 and scenario.messages == 2


def test_balanced_work_takes_all_the_same_mean():
    scenario = Scenario(systems.balanced(n=3), laws(1.0, 3.0, 6.0))
    means = [time.mean() for time in scenario.times]
    assert means == pytest.approx([means[0]] * 3) and means[0] == pytest.approx(
        1 / (1 + 1 / 3 + 1 / 6)
    )
    assert scenario.burden == pytest.approx(2 / 3)


@pytest.fixture(scope="module")
def recorded(tmp_path_factory):
    """Times of 5 workers of which one slows down in the middle, and another is always slow."""
    return slowing(40, tmp_path_factory.mktemp("recorded") / "t.csv")


def holds(system, path, ends):
    """Hold exact and sampled mean time of a replayed recording made at a fifth of the work."""
    law = {"distribution": "empirical", "file": path, "order": "replay"}
    study = {
        "kind": "completion",
        "system": system,
        "latency": law | {"recorded_load": 0.2, "rate": 0.5},
        "scaling": "recorded",
        "method": "both",
    }
    found = fastgc.run(study, trials=4096)
    means = {row["method"]: row["value"] for row in found.rows() if row["statistic"] == "mean"}
    assert means["exact"] == pytest.approx(np.mean(ends), rel=1e-12)
    assert abs(means["monte-carlo"] - np.mean(ends)) < 4.5 * np.std(ends) / math.sqrt(4096)


@pytest.mark.parametrize("family", ["leave-out", "balanced"])
def test_work_is_shared_out_by_the_rows_before(family, recorded):
    rows, path = recorded
    basis, ends = 7, []
    for r in range(basis, len(rows)):
        shares = shared_by_speed(family, rows[r - basis : r].mean(axis=0).tolist())
        ends.append(
            max(
                own + 0.5 * (share - 0.2) if share else 0.0
                for own, share in zip(rows[r], shares, strict=True)
            )
        )
    keys = {"k": 2} if family == "leave-out" else {}
    holds({"family": family, "n": 5, "basis": basis, **keys}, path, ends)


def test_local_steps_take_rows_that_follow_each_other(recorded):
    rows, path = recorded
    ends = [  # the recorded load is that of five workers
        max(sum(rows[(r + i) % len(rows), j] for i in range(4)) for j in range(5)) / 4
        for r in range(len(rows))
    ]
    holds({"family": "local-sgd", "n": 5, "period": 4}, path, ends)


LAW = {"distribution": "exponential", "mean": 1.0}
PARETO = {"distribution": "pareto", "shape": 0.9, "scale": 1.0}
IID = {"model": "iid", "p": 0.1}


@pytest.mark.parametrize(
    ("system", "more", "said"),
    [
        ({"family": "leave-out", "n": 3, "k": 3}, {}, "k: must be less than n"),
        ({"family": "leave-out", "n": 5, "k": 2, "who": [1, 1]}, {}, "who: must be k different"),
        ({"family": "leave-out", "n": 5, "k": 1, "who": [5]}, {}, "who: must be k different"),
        ({"family": "leave-out", "n": 5, "k": 1}, {"order": "rows"}, 'must be "replay"'),
        ({"family": "leave-out", "n": 3, "k": 1}, {"stragglers": IID}, "left out with leave-out"),
        ({"family": "balanced", "n": 5, "basis": 40}, {"order": "replay"}, "less than the rows"),
        ({"family": "balanced", "n": 3}, {"latency": PARETO}, "mean time is infinite"),
        ({"family": "bounded-wait", "n": 3, "k": 4}, {}, "k: must be at most n"),
        ({"family": "drop-late", "n": 3, "deadline": 0.0}, {}, "deadline"),
        ({"family": "clones", "n": 3, "r": 0}, {}, "r: "),
        ({"family": "clones", "n": 2, "r": 2}, {"port": {"receive": 0.1}}, "must be 0 with clones"),
        ({"family": "local-sgd", "n": 3, "period": 0}, {}, "period"),
        ({"family": "spare", "n": 100_000, "b": 1}, {}, "n + b must be at most"),
    ],
)
def test_what_cannot_be_is_refused(system, more, said, recorded):
    if "order" in more:
        more = {"latency": {"distribution": "empirical", "file": recorded[1], **more}}
    with pytest.raises(fastgc.FastgcError) as wrong:
        fastgc.run({"kind": "completion", "system": system, "latency": LAW, **more}, trials=64)
    assert said in str(wrong.value)


def test_the_same_workers_are_left_out_whatever_their_times_are(recorded):
    law = Empirical(file=recorded[1], order="replay", recorded_load=0.2, rate=0.5)
    scenario = Scenario(systems.leave_out(n=5, k=2, who=[0, 3]), (law,), scaling="recorded")
    times = scenario.times_of_rows()
    assert (times[[0, 3]] == 0).all() and (times[[1, 2, 4]] > 0).all()
    assert scenario.burden == pytest.approx(1 / 3) and scenario.messages == 3
    rest = Scenario(systems.leave_out(n=3, k=1, who=[2]), laws(1.0, 5.0, 1.0))
    exact = distribution(rest.structure, rest.times)
    assert exact.mean() == pytest.approx(0.5 * (1 + 5 - 5 / 6))  # the larger of these two
