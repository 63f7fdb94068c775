"""`fastgc design` by the time to a loss, held against training in plain NumPy on the same rows."""

import json
import math

import numpy as np
import pytest

import fastgc
from fastgc import report
from fastgc.engine.payloads import Payload
from fastgc.errors import FastgcError, StudyError
from fastgc.planning.timed_system import Setting
from fastgc.planning.training_runs import (
    LOST,
    MESSAGES,
    REACHED,
    ROUNDS,
    VALUE,
    WORKED,
    Trained,
    course,
    losses_at,
    outcomes,
    shared_losses,
)
from fastgc.report import pictures
from fastgc.study.design import parse, schemes
from suite.checks import every

PROBLEM = {"model": "linear", "data": "synthetic", "samples": 90, "features": 3, "noise": 1.0}
OPTIMIZER = {"method": "gradient-descent", "step": 0.15, "decay": 0.05}
SHIFTED = {"distribution": "exponential", "shift": 1.0, "mean": 1.0}
STUDY = {
    "workers": 4,
    "latency": SHIFTED,
    "goal": "time_to_loss(0.5)",
    "problem": PROBLEM,
    "optimizer": OPTIMIZER,
    "iterations": 60,
}
SLOW = [SHIFTED, SHIFTED, SHIFTED, {"distribution": "exponential", "shift": 12.0, "mean": 1.0}]


def design(**changes):
    return fastgc.design(STUDY | changes)


def of(ranking, family):
    return next(choice for choice in ranking if choice.system["family"] == family)


# ---- a twin that shares no code


def data():
    """The samples, and the loss; they are made, not trained on, by the product."""
    made = parse(STUDY).problem.load()
    return made.X, made.y


def slope(X, y, theta, rows):
    return X[rows].T @ (X[rows] @ theta - y[rows]) / len(rows)


def step(l):  # noqa: E741
    return 0.15 / (1 + 0.05 * l)


def loss_of(X, y, theta):
    return 0.5 * np.mean((X @ theta - y) ** 2)


def trained(times, system):
    """Clock and loss after each synchronisation of one run whose rounds take times (L, n)."""
    X, y = data()
    n = times.shape[1]
    parts = np.array_split(np.arange(len(y)), n)
    theta, clock = np.zeros(X.shape[1]), 0.0
    found = [(clock, loss_of(X, y, theta))]
    period = system.get("period", 1)
    for first in range(0, len(times) - period + 1, period):
        rounds = times[first : first + period] * (1 + system.get("s", 0)) / n  # the load
        if system["family"] == "local-sgd":
            clock += rounds.sum(axis=0).max()
            ends = []
            for own in parts:
                local = theta.copy()
                for i in range(period):
                    local -= step(first + i) * slope(X, y, local, own)
                ends.append(len(own) / len(y) * local)
            theta = sum(ends)
        else:
            order = np.argsort(rounds[0])
            need = {"bounded-wait": system.get("k"), "gradient-code": n - system.get("s", 0)}
            last = need[system["family"]]
            clock += rounds[0][order[last - 1]]
            rows = np.arange(len(y))
            if system["family"] == "bounded-wait":
                rows = np.concatenate([parts[j] for j in order[:last]])
            theta = theta - step(first) * slope(X, y, theta, rows)
        found.append((clock, loss_of(X, y, theta)))
    return found


ROWS = np.random.default_rng(5).gamma(2.0, 1.0, (40, 4)) + np.array([0.0, 0.0, 0.5, 2.5])
SYSTEMS = [
    {"family": "local-sgd", "n": 4, "period": 2},
    {"family": "local-sgd", "n": 4, "period": 4},
    {"family": "bounded-wait", "n": 4, "k": 2},
    {"family": "bounded-wait", "n": 4, "k": 3},
    {"family": "gradient-code", "n": 4, "s": 0},
    {"family": "gradient-code", "n": 4, "s": 2},
]


GRID = np.linspace(0.0, 30.0, 17)


@pytest.fixture(scope="module")
def recorded(tmp_path_factory):
    file = tmp_path_factory.mktemp("rows") / "rows.csv"
    np.savetxt(file, ROWS, delimiter=",", header="a,b,c,d", comments="")
    return {"distribution": "empirical", "file": str(file), "order": "replay"}


@pytest.fixture(scope="module")
def by_system(recorded):
    """What the product makes of the first 64 trials under each system, and its course."""
    table = parse(STUDY | {"latency": recorded, "schemes": ["uncoded"], "iterations": 20})
    setting = Payload(Setting(table))
    found = []
    for system in SYSTEMS:
        keys = {key: value for key, value in system.items() if key != "family"}
        own = Trained(setting, schemes()[system["family"]](**keys))
        losses = shared_losses(table, own.system)
        given = own.timed, losses, 0, 1
        found.append((course(*given), outcomes(*given), losses_at(*given[:2], GRID, 0, 1)))
    return found


def test_runs_are_those_of_a_plain_twin_on_the_same_rows(by_system):
    """A trial's first row is drawn: whatever it is, it is one for all systems of the trial."""
    twins = [
        [trained(np.roll(ROWS, -first, axis=0)[:20], system) for system in SYSTEMS]
        for first in range(len(ROWS))
    ]
    firsts = set()
    for trial in range(64):
        clocks = by_system[-2][0].seconds[:, trial]  # that of uncoded work
        [first] = [
            i for i, own in enumerate(twins) if np.allclose([at for at, _ in own[-2]], clocks)
        ]
        firsts.add(first)
        for twin, (found, values, at_grid) in zip(twins[first], by_system, strict=True):
            seconds, losses = np.transpose(twin)
            own = np.broadcast_to(found.loss, found.seconds.shape)[:, trial]
            np.testing.assert_allclose(found.seconds[:, trial], seconds, rtol=1e-12)
            np.testing.assert_allclose(own, losses, rtol=1e-9)
            there = np.flatnonzero(losses <= 0.5)
            assert values[REACHED, trial] == bool(there.size)
            last = there[0] if there.size else len(losses) - 1
            assert values[VALUE, trial] == pytest.approx(seconds[last], rel=1e-12)
            assert values[ROUNDS, trial] == found.rounds[last]
            for t, loss in zip(GRID, at_grid[:, trial], strict=True):
                expected = losses[seconds <= t][-1] if t <= seconds[-1] else np.nan
                np.testing.assert_allclose(loss, expected, rtol=1e-9)
    assert len(firsts) > 10


def test_late_workers_may_finish_between_rounds(recorded):
    """Clocks of workers: who is busy when a round begins takes it up later, or never."""
    table = parse(
        STUDY
        | {
            "latency": recorded,
            "schemes": ["uncoded"],
            "iterations": 20,
            "between_rounds": "finish",
        }
    )
    own = Trained(Payload(Setting(table)), schemes()["bounded-wait"](n=4, k=2))
    found = course(own.timed, None, 0, 1)
    clocks = []
    for first in range(len(ROWS)):
        rows, now, free, clock, late = (
            np.roll(ROWS, -first, axis=0)[:20] / 4,
            0.0,
            [0.0] * 4,
            [0],
            0,
        )
        messages = [0]
        for times in rows:
            begin = [max(now, at) for at in free]
            ends = [at + own for at, own in zip(begin, times, strict=True)]
            end = sorted(ends)[1]
            late = sum(now < at <= end for at in free)
            free = [e if b < end else f for b, e, f in zip(begin, ends, free, strict=True)]
            now = end
            clock.append(now)
            messages.append(messages[-1] + 2 + late)
        clocks.append((clock, messages))
    for seconds, messages in zip(found.seconds.T, found.messages.T, strict=True):
        [same] = [one for one in clocks if np.allclose(one[0], seconds)]
        np.testing.assert_allclose(messages, same[1])


def test_costs_until_the_loss(by_system):
    """Messages, worker-seconds and lost shares of the systems, up to the round of the loss."""
    for system, (found, values, _) in zip(SYSTEMS, by_system, strict=True):
        rounds, messages = values[ROUNDS], values[MESSAGES]
        each = {
            "local-sgd": 4 / system.get("period", 1),
            "bounded-wait": system.get("k"),
            "gradient-code": 4 - system.get("s", 0),
        }[system["family"]]
        np.testing.assert_allclose(messages, each * rounds, rtol=1e-12)
        assert (values[WORKED] <= 4 * found.seconds[-1] + 1e-9).all()
        share = 1 - system["k"] / 4 if system["family"] == "bounded-wait" else 0.0
        # 90 samples are 23, 23, 22 and 22 for four workers
        np.testing.assert_allclose(values[LOST], share, atol=0.02 * (share > 0))
    np.testing.assert_allclose(by_system[4][1][WORKED], by_system[0][1][WORKED], rtol=0.2)


# ---- the ranking


def test_exact_systems_take_as_many_rounds_times_the_mean_round():
    """They share one course of the loss; expected rounds are exact laws of `design` itself."""
    names = ["uncoded", "gradient-code", "replication", "balanced"]
    found = design(schemes=names, trials=16384)
    by_time = {
        name: fastgc.design({"workers": 4, "latency": SHIFTED, "schemes": [name]}) for name in names
    }
    rounds = {each.training.rounds for each in found}
    assert len(rounds) == 1 and every(each.training.reached == 1 for each in found)
    [length] = rounds
    z = 4.5 / 1.96
    for each in found:
        exact = [c for c in by_time[each.system["family"]] if c.system == each.system]
        for other in exact:
            half = z * (each.high - each.value)
            assert abs(length * other.value - each.value) <= half


def test_all_gradients_in_one_order():
    found = design()
    values = [each.value for each in found]
    assert values == sorted(values)
    assert {each.gradient for each in found} == {"exact", "lost", "stale"}
    gradients = [each.gradient for each in found]
    assert gradients != sorted(gradients, key=["exact", "lost", "stale"].index)
    rows = json.loads(json.dumps(found.data()))
    assert [row["system"] for row in rows["systems"]] == [each.system for each in found]
    assert rows["systems"][0]["reached"] == 1 and "time alone does not" not in " ".join(
        rows["notes"]
    )


def test_long_lists_are_looked_at_near_the_best():
    """Of many systems some are looked at first; two names of a system share its runs."""
    problem = PROBLEM | {"samples": 80}
    found = design(workers=40, schemes=["uncoded", "gradient-code"], trials=64, problem=problem)
    assert found.looked_at["gradient-code"] < 40
    assert {"family": "gradient-code", "n": 40, "s": 0} in of(found, "uncoded").also
    assert any("were looked at" in note for note in found.notes)
    for each in found:  # gains are paired: what is the same system gains nothing
        assert each.gain_low <= each.gain <= each.gain_high


def test_same_bits_for_any_threads():
    one = fastgc.design(STUDY, threads=1).data()
    assert one == fastgc.design(STUDY, threads=2).data()


def test_the_same_worker_always_late_biases_what_drops_it():
    """One worker is slow for good: who does not wait for it never gets to the loss, and says so."""
    found = design(latency=SLOW, goal="time_to_loss(0.384)", iterations=200, deadline=1.0)
    late = [each for each in found if each.gradient == "lost" and each.training.reached < 1]
    exact = [each for each in found if each.gradient == "exact"]
    assert late and found[0].gradient == "exact" and every(e.training.reached == 1 for e in exact)
    for each in late:
        assert each.value == math.inf and each.high == math.inf and 0 < each.low < math.inf
        assert "did not reach the loss in 200 rounds" in each.note
        row = each.row(front=False)
        assert row["value"] is None and row["reached"] == each.training.reached
    text = report.design(found)
    assert "not reached" in text or "not always" in text


def test_the_loss_at_a_time():
    found = design(goal="loss_at(12)", schemes=["uncoded", "bounded-wait", "local-sgd"])
    assert every(each.gain is None for each in found)
    assert [each.value for each in found] == sorted(each.value for each in found)
    assert "Mean loss after 12 seconds" in report.design(found)
    uncoded = of(found, "uncoded")
    # the round that is on at 12 s does not count
    assert uncoded.training.rounds < 12 / (1.0 / 4 + 2.0833 / 4)


def test_intervals_cover_a_long_run():
    """Half-widths at 256 trials hold the value of 64 times as many in nearly all seeds."""
    asked = {"schemes": ["bounded-wait"], "workers": 3, "iterations": 40}
    long = of(design(**asked, trials=16384, seed=999), "bounded-wait")
    known = [
        next(c for c in design(**asked, trials=256, seed=seed) if c.system == long.system)
        for seed in range(1, 31)
    ]
    missed = sum(not each.low <= long.value <= each.high for each in known)
    assert missed <= 6  # of 30 at 95 %: more has probability 3e-4


def test_curves_and_pictures():
    found = design()
    assert found.curves and len(found.curves) <= 6
    for curve in found.curves:
        start = curve.loss[0], curve.low[0], curve.high[0]
        assert curve.seconds[0] == 0 and len(set(start)) == 1
        assert np.all(np.array(curve.low) <= curve.loss) and np.all(
            np.array(curve.high) >= curve.loss
        )
    first = pictures.of(found)[0]
    assert first.kind == "clock" and found[0].name in first.caption
    assert pictures.of(fastgc.design({"workers": 3, "latency": SHIFTED}))[0].kind == "ranking"


def test_rows_of_a_recording_are_replayed_and_not_taken_for_the_cluster(recorded):
    found = design(latency=recorded)
    assert found.scope == "recording" and "itself a sample" in found.statement
    again = design(latency=recorded | {"order": "rows"})
    assert [each.value for each in again] == [each.value for each in found]


# ---- what is refused


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"problem": None}, "design.problem: missing"),
        ({"optimizer": None}, "design.optimizer: missing"),
        ({"iterations": None}, "design.iterations: missing"),
        ({"goal": "mean"}, "design.problem: belongs to goal"),
        ({"goal": "time_to_loss()"}, "time_to_loss(x)"),
        ({"goal": "loss_at(-1)"}, "loss_at(seconds)"),
        ({"goal": "loss_at(inf)"}, "loss_at(seconds)"),
        ({"problem": PROBLEM | {"samples": 3}}, "4 workers need as many samples"),
        ({"schemes": ["spare"]}, "mini-batches of their own"),
        ({"schemes": ["k-of-n"]}, "codes linear computations alone"),
        (
            {"schemes": ["local-sgd"], "optimizer": {"method": "adam", "step": 0.1}},
            "its local steps are those of gradient-descent",
        ),
        ({"workers": 100, "iterations": 100_000}, "design.iterations: must be at most"),
    ],
)
def test_mistakes_are_refused(changes, said):
    study = {key: value for key, value in (STUDY | changes).items() if value is not None}
    with pytest.raises(StudyError) as refused:
        fastgc.design({"design": study})
    assert said in str(refused.value)


def test_a_loss_that_nobody_reaches_is_refused_with_what_is_reached():
    with pytest.raises(FastgcError, match=r"under no system .* 60 iterations.* get to 0\.38"):
        design(goal="time_to_loss(0.001)")


def test_runs_that_are_over_too_soon_are_refused():
    with pytest.raises(FastgcError, match=r"iterations: under uncoded n=4 some runs of 60 rounds"):
        design(goal="loss_at(500)", schemes=["uncoded"])
    with pytest.raises(FastgcError, match="; give fewer seconds in goal, or leave uncoded out"):
        design(goal="loss_at(1e300)", schemes=["uncoded"])


def test_rounds_that_take_no_time_never_get_to_some_seconds(tmp_path):
    np.savetxt(tmp_path / "t.csv", np.zeros((20, 4)), delimiter=",", header="a,b,c,d", comments="")
    law = {"distribution": "empirical", "file": str(tmp_path / "t.csv"), "order": "replay"}
    with pytest.raises(FastgcError, match="; give fewer seconds in goal"):
        design(goal="loss_at(5)", schemes=["uncoded"], latency=law)


def test_adam_leaves_local_steps_out():
    found = design(optimizer={"method": "adam", "step": 0.1})
    assert "local-sgd" in found.left_out and every(e.gradient != "stale" for e in found)
