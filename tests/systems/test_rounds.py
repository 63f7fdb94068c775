"""Rounds one after the other whose late workers finish, against a simulation event by event."""

import heapq
from typing import Literal

import numpy as np
import pytest

import fastgc
from fastgc import systems
from fastgc.experiments.completion.scenario import Scenario
from fastgc.latency import Exponential
from fastgc.systems.system import SizedSystem
from fastgc.systems.timing.rounds import carried
from suite.checks import refusal
from suite.recordings import replayed

BELL = -1
LAW = {"distribution": "exponential", "mean": 1.0, "shift": 0.2}
TREE = {"family": "coded-reduce", "n": 2, "layers": 2, "s": 1}
LAYERS = {"family": "hierarchical", "n": 4, "k": [2, 3]}


class Half(SizedSystem):
    """Done when half of the workers have answered, as its own function says."""

    family: Literal["half"] = "half"

    def default_share(self):
        return 1.0

    def done(self, times):
        return np.sort(times, axis=1)[:, self.n // 2 - 1]


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
    Half(n=6),
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
    counts = not isinstance(system, Half)
    for t in range(times.shape[2]):
        found = simulate(system, times[..., t].tolist())
        for r, expected in enumerate(found):
            done, messages, _ = scenario.evaluator.counted(answers[r])
            if late is not None:
                messages = messages + late[r]
            worked = scenario.structure.worked(answers[r], done)
            own = done[t], messages[t] if counts else expected[1], worked[t]
            assert own == pytest.approx(expected, rel=1e-9)


@pytest.mark.parametrize("system", CASES[:-1], ids=str)
def test_a_trial_of_a_law_is_a_sequence_of_rounds(system):
    study = {
        "kind": "completion",
        "system": system.settings(),
        "latency": LAW,
        "between_rounds": "finish",
        "iterations": 25,
    }
    rounds = fastgc.replay(study, trial=70)["iterations"]
    times = [each["workers"] for each in rounds]
    if times[0] is None:  # nobody is late: rounds are drawn without workers
        assert system.settings()["family"] == "uncoded"
        return
    expected = [time for time, _, _ in simulate(system, times)]
    assert [each["time"] for each in rounds] == pytest.approx(expected, rel=1e-9)


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
    study = {
        "kind": "completion",
        "system": system.settings(),
        "latency": replayed(rows, tmp_path / "t.csv"),
        "between_rounds": "finish",
        "iterations": 8,
        "measure": ["time", "worker_seconds", "messages"],
        "quantiles": [0.9],
    }
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


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"iterations": 1}, "iterations: must be at least 2 with between_rounds"),
        ({"port": {"receive": 0.1}}, 'between_rounds: must be "cancel" with a port'),
        ({"stragglers": {"model": "iid", "p": 0.1}}, 'must be "cancel" with stragglers'),
        ({"system": {"family": "clones", "n": 3, "r": 2}}, 'must be "cancel" with clones'),
        ({"system": TREE}, 'must be "cancel" with coded-reduce'),
        ({"system": LAYERS}, 'must be "cancel" with hierarchical'),
        ({"method": "exact"}, "rounds whose late workers finish depend on those before"),
        ({"between_rounds": "drop"}, "between_rounds"),
    ],
)
def test_what_cannot_be_is_refused(change, said):
    study = {
        "kind": "completion",
        "system": {"family": "bounded-wait", "n": 4, "k": 3},
        "latency": LAW,
        "between_rounds": "finish",
        "iterations": 5,
    }
    assert said in refusal(fastgc.run, study | change, trials=64)


@pytest.mark.parametrize(
    "system",
    [
        systems.uncoded(n=4), systems.balanced(n=4), systems.leave_out(n=4, k=1),
        systems.local_sgd(n=4, period=3), systems.ring_all_reduce(n=4),
        systems.gradient_code(n=4, s=0),
    ],
    ids=str,
)  # fmt: skip
def test_where_nobody_is_late_rounds_know_nothing_of_each_other(system):
    study = {"kind": "completion", "system": system.settings(), "latency": LAW, "iterations": 3}
    plain, finishing = (
        rows_of(fastgc.run(study | {"between_rounds": each}, trials=640))
        for each in ("cancel", "finish")
    )
    assert finishing["time", "mean"] == pytest.approx(plain["time", "mean"], rel=1e-12)
