"""Rounds of uncoded systems, alone and after each other, against simulations event by event."""

import heapq
import math

import numpy as np
import pytest

import fastgc
from fastgc import systems
from fastgc.experiments.completion.scenario import Scenario
from fastgc.latency import Empirical, Exponential
from fastgc.systems.timing.laws import distribution
from fastgc.systems.timing.rounds import Evaluator, carried
from fastgc.systems.timing.stars import Flat, Patient
from suite.checks import refusal
from suite.plug_ins import Half
from suite.recordings import replayed, shared_by_speed, slowing

BELL = -1
LAW = {"distribution": "exponential", "mean": 1.0, "shift": 0.2}


def finishing(system, iterations, **more):
    """A study of rounds whose late workers finish."""
    own = {"kind": "completion", "system": system, "latency": LAW, "between_rounds": "finish"}
    return own | {"iterations": iterations} | more


CASES = [
    systems.bounded_wait(n=6, k=4, load=1.0),
    systems.spare(n=4, b=2, load=1.0),
    systems.gradient_code(n=6, s=1, load=1.0),
    systems.replication(n=6, d=2, load=1.0),
    systems.replication(n=6, d=3, groups=1, load=1.0),
    systems.drop_late(n=5, deadline=1.3, load=1.0),
    systems.gradient_code(n=5, s=2, patience=0.5, load=1.0),
    systems.replication(n=6, d=2, patience=1.5, load=1.0),
    systems.uncoded(n=4, load=1.0),
    Half(n=6, load=1.0),
]


def decodes(system, answered):
    """Whether a master can decode who has the answers of these workers."""
    family, n = system.settings()["family"], system.workers()
    if family == "replication":
        return len({j // system.d for j in answered}) >= (system.groups or n // system.d)
    need = {
        "half": n // 2,
        "bounded-wait": getattr(system, "k", n),
        "gradient-code": n - getattr(system, "s", 0),
        "spare": getattr(system, "n", n),
    }
    return len(answered) >= need.get(family, n)


def simulate(system, times):
    """Seconds, messages and seconds of work of each round, of workers' times (rounds, n)."""
    n, family = system.workers(), system.settings()["family"]
    patience = getattr(system, "patience", None) or 0.0
    rounds, events, busy, now = [], [], {}, 0.0

    def take_up(j):
        busy[j] = now
        heapq.heappush(events, (now + times[r][j], j, r))

    for r in range(len(times)):
        begun, answered, messages, worked, until = now, set(), 0, 0.0, now
        for j in sorted(set(range(n)) - set(busy)):
            take_up(j)
        if family == "drop-late":
            heapq.heappush(events, (now + system.deadline, BELL, r))
        while True:
            now, j, of = heapq.heappop(events)
            if j == BELL:
                if of == r and (family == "drop-late" or decodes(system, answered)):
                    break
                continue
            messages += 1
            worked += now - busy.pop(j)
            if of < r:
                take_up(j)
                continue
            answered.add(j)
            if patience and len(answered) == 1:
                until = begun + (1 + patience) * (now - begun)
                heapq.heappush(events, (until, BELL, r))
            if decodes(system, answered) and (now >= until or len(answered) == n):
                break
        for j in busy:  # what is done in this round, and what is left
            worked += now - busy[j]
            busy[j] = now
        rounds.append((now - begun, messages, worked))
    return rounds


def drawn(system, rounds=30, trials=20):
    shape = (rounds, system.workers(), trials)
    return np.random.default_rng(7).exponential(size=shape) + 0.1


@pytest.mark.parametrize("system", CASES, ids=str)
def test_rounds_are_those_of_an_event_simulation(system):
    scenario = Scenario(system, (Exponential(mean=1.0),), between_rounds="finish")
    times = drawn(system)
    answers, late = scenario.carried(times)
    assert (late is not None) == scenario.carries == (system.settings()["family"] != "uncoded")
    for t in range(times.shape[2]):
        found = simulate(system, times[..., t].tolist())
        for r, expected in enumerate(found):
            done, messages, _ = scenario.evaluator.counted(answers[r])
            if late is not None:
                messages = messages + late[r]
            worked = scenario.structure.worked(answers[r], done)
            assert (done[t], messages[t], worked[t]) == pytest.approx(expected, rel=1e-9)


@pytest.mark.parametrize("system", [CASES[0], CASES[3]], ids=str)
def test_rounding_decides_no_tie(system):
    whole = np.random.default_rng(4).choice([1.0, 2.0, 4.0], (40, 6, 20), p=[0.6, 0.2, 0.2])
    scenario = Scenario(system, (Exponential(mean=1.0),), between_rounds="finish")
    expected, late = scenario.carried(whole)
    found, also = scenario.carried(whole * (0.1 / 3))  # no sum of these is exact
    assert found == pytest.approx(expected * (0.1 / 3), rel=1e-9)
    assert np.array_equal(also, late)


def test_a_round_that_is_never_done_receives_no_late_answers():
    times = np.array([[[1.0], [np.inf]], [[np.inf], [1.0]], [[1.0], [1.0]]])
    _, late = carried(lambda each: np.sort(each, axis=0)[1], times)
    assert late[:, 0].tolist() == [0.0, 0.0, 0.0]


@pytest.mark.parametrize("system", [CASES[0], CASES[3], CASES[6]], ids=str)
def test_replayed_rows_follow_each_other_from_every_row_on(system, tmp_path):
    rows = np.random.default_rng(3).gamma(2.0, 0.5, (30, system.workers())) + 0.1
    study = finishing(system.settings(), 8, latency=replayed(rows, tmp_path / "t.csv"))
    study |= {"measure": ["time", "worker_seconds", "messages"], "quantiles": [0.9]}
    expected = np.array(
        [simulate(system, np.roll(rows, -start, axis=0)[:8].tolist()) for start in range(30)]
    )
    found = rows_of(fastgc.run(study | {"method": "monte-carlo"}, trials=3000))
    for place, quantity in enumerate(("time", "messages", "worker_seconds")):
        mean, error = found[quantity, "mean"]
        assert abs(mean - expected[..., place].mean()) < 4.5 * error
    exact = rows_of(fastgc.run(study | {"measure": ["time", "worker_seconds"], "method": "exact"}))
    assert exact["time", "mean"][0] == pytest.approx(expected[..., 0].mean(), rel=1e-12)
    assert exact["worker_seconds", "mean"][0] == pytest.approx(expected[..., 2].mean(), rel=1e-12)
    assert exact["time", "variance"][0] == pytest.approx(expected[..., 0].var(), rel=1e-9)
    ordered = np.sort(expected[..., 0].reshape(-1))
    assert exact["time", "quantile(0.9)"][0] == pytest.approx(ordered[215], rel=1e-12)


def rows_of(result):
    return {
        (row["quantity"], row["statistic"]): (row["value"], row.get("standard_error"))
        for row in result.rows()
    }


def test_where_nobody_is_late_rounds_know_nothing_of_each_other():
    for system in (
        systems.balanced(n=4), systems.leave_out(n=4, k=1), systems.local_sgd(n=4, period=3),
        systems.ring_all_reduce(n=4), systems.gradient_code(n=4, s=0),
    ):  # fmt: skip
        assert not Scenario(system, (Exponential(mean=1.0),), between_rounds="finish").carries


# ---- what people do instead of coding: rounds that know nothing of each other


def simulate_one(system, times):
    """Time, messages and worker-seconds of one round; ``times`` (n,) or (n, rounds)."""
    family = system.settings()["family"]
    if family == "local-sgd":
        clocks = [sum(own) for own in times]
        return max(clocks) / system.period, len(times) / system.period, sum(clocks) / system.period
    if family != "clones":
        return simulate(system, [times])[0]
    ends, worked, late = [], 0.0, [i * system.after for i in range(system.r)]
    for first in range(0, len(times), system.r):
        copies = list(zip(late, times[first:], strict=False))
        ends.append(min(begun + own for begun, own in copies))
        worked += sum(max(0.0, min(own, ends[-1] - begun)) for begun, own in copies)
    return max(ends), len(ends), worked


RIVALS = [
    systems.spare(n=5, b=2),
    systems.bounded_wait(n=6, k=4),
    systems.drop_late(n=5, deadline=1.3),
    systems.clones(n=3, r=2, after=0.6),
    systems.clones(n=2, r=3, after=0.0),
    systems.local_sgd(n=4, period=3),
]


@pytest.mark.parametrize("system", RIVALS, ids=str)
def test_single_rounds_are_those_of_a_simulation(system):
    scenario = Scenario(system, (Exponential(mean=1.0, shift=0.1),))
    shape = (system.workers(),) + ((scenario.tasks,) if scenario.tasks > 1 else ())
    times = np.random.default_rng(1).exponential(size=(*shape, 200)) + 0.1
    done, messages, _ = scenario.evaluator.counted(times)
    worked = scenario.structure.worked(times, done)
    for t in range(200):
        found = simulate_one(system, times[..., t].tolist())
        assert (done[t], messages[t], worked[t]) == pytest.approx(found, rel=1e-12)
    assert scenario.evaluator.done(times).tolist() == done.tolist()


@pytest.mark.parametrize("system", RIVALS, ids=str)
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


def test_a_patient_master_has_no_exact_law_and_no_closed_form_beside_it():
    system = systems.gradient_code(n=6, s=2, patience=0.3)
    assert system.structure() == Patient(Flat(6, 4), 0.3)
    assert systems.gradient_code(n=6, s=2, patience=0).structure() == Flat(6, 4)
    study = {"kind": "completion", "system": system.settings(), "latency": LAW}
    found = fastgc.run(study | {"measure": ["time", "messages"]}, trials=4000)
    assert 4 < found["messages"].mean.value < 6
    assert {row["method"] for row in found.rows()} == {"monte-carlo"}
    assert "patience has no exact law" in refusal(fastgc.run, study | {"method": "exact"})


@pytest.mark.parametrize(("period", "mean"), [(1, 3.3807289932), (4, 2.0626), (16, 1.4893)])
def test_local_steps_wait_for_the_largest_erlang_sum(period, mean):
    law = distribution(
        systems.local_sgd(n=16, period=period).structure(), [Exponential(mean=1.0).time()]
    )
    assert law.mean() == pytest.approx(mean, abs=5e-5)


def test_a_deadline_is_met_where_workers_never_answer():
    system = systems.drop_late(n=4, deadline=2.0).structure()
    exact = distribution(system, [Exponential(mean=0.5).time()], answers=0.7)
    draw = np.random.default_rng(3)
    times = np.where(draw.random((4, 20_000)) < 0.7, draw.exponential(0.5, (4, 20_000)), np.inf)
    done = Evaluator(system).done(times)
    assert exact.mean() == pytest.approx(done.mean(), abs=0.02) and exact.mean() < 2.0


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


UNIT = {"distribution": "exponential", "mean": 1.0}
PARETO = {"distribution": "pareto", "shape": 0.9, "scale": 1.0}
IID = {"model": "iid", "p": 0.1}
PORT = {"port": {"receive": 0.1}}
FOUR = {"family": "bounded-wait", "n": 4, "k": 3}
FINISH = {"between_rounds": "finish", "iterations": 5}


@pytest.mark.parametrize(("system", "more", "said"), [
    ({"family": "leave-out", "n": 3, "k": 3}, {}, "k: must be less than n"),
    ({"family": "leave-out", "n": 5, "k": 1, "who": [5]}, {}, "who: must be k different"),
    ({"family": "leave-out", "n": 5, "k": 1}, {"order": "rows"}, 'must be "replay"'),
    ({"family": "leave-out", "n": 3, "k": 1}, {"stragglers": IID}, "left out with leave-out"),
    ({"family": "balanced", "n": 5, "basis": 40}, {"order": "replay"}, "less than the rows"),
    ({"family": "balanced", "n": 3}, {"latency": PARETO}, "mean time is infinite"),
    ({"family": "clones", "n": 2, "r": 2}, PORT, "must be 0 with clones"),
    ({"family": "spare", "n": 100_000, "b": 1}, {}, "n + b must be at most"),
    ({"family": "batches", "n": 12, "d": 4, "deadline": 2.0}, PORT, "0 with chunks that are"),
    ({"family": "block", "n": 3, "blocks": "1/mean"}, PORT, "must be 0 with blocks"),
    (FOUR, FINISH | {"iterations": 1}, "iterations: must be at least 2 with between_rounds"),
    (FOUR, FINISH | PORT, 'between_rounds: must be "cancel" with a port'),
    (FOUR, FINISH | {"stragglers": IID}, 'must be "cancel" with stragglers'),
    ({"family": "clones", "n": 3, "r": 2}, FINISH, 'must be "cancel" with clones'),
    (FOUR, FINISH | {"method": "exact"}, "rounds whose late workers finish depend on those"),
    (FOUR, FINISH | {"between_rounds": "drop"}, "between_rounds"),
])  # fmt: skip
def test_what_no_rival_can_be_is_refused(system, more, said, recorded):
    if "order" in more:
        more = {"latency": {"distribution": "empirical", "file": recorded[1], **more}}
    study = {"kind": "completion", "system": system, "latency": UNIT, **more}
    assert said in refusal(fastgc.run, study, trials=64)


def test_the_same_workers_are_left_out_whatever_their_times_are(recorded):
    law = Empirical(file=recorded[1], order="replay", recorded_load=0.2, rate=0.5)
    scenario = Scenario(systems.leave_out(n=5, k=2, who=[0, 3]), (law,), scaling="recorded")
    times = scenario.times_of_rows()
    assert (times[[0, 3]] == 0).all() and (times[[1, 2, 4]] > 0).all()
    assert scenario.burden == pytest.approx(1 / 3) and scenario.messages == 3
    rest = Scenario(systems.leave_out(n=3, k=1, who=[2]), laws(1.0, 5.0, 1.0))
    exact = distribution(rest.structure, rest.times)
    assert exact.mean() == pytest.approx(0.5 * (1 + 5 - 5 / 6))  # the larger of these two
