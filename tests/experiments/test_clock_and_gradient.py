"""In training who is late, how long it takes and whose gradients are in are of one draw."""

import itertools

import numpy as np
import pytest

import fastgc
from fastgc.errors import FastgcError

LINEAR = {"model": "linear", "data": "synthetic", "samples": 30, "features": 3, "noise": 1.0}
UNCODED = {"family": "uncoded", "n": 1}
#: Seconds of four workers; in each row the largest is another worker's, and all are different.
ROWS = [
    [1.0, 2.0, 3.0, 9.0],
    [1.5, 8.5, 2.5, 3.5],
    [7.0, 1.25, 2.25, 4.0],
    [2.75, 1.75, 6.5, 3.25],
    [1.1, 1.2, 1.3, 1.4],
]
FILE = {"times.csv": "a,b,c,d\n" + "".join(",".join(map(str, row)) + "\n" for row in ROWS)}
MEASURES = ["loss", "time", "uploads"]
EXPONENTIAL = {"distribution": "exponential", "mean": 1.0}
LATE = {"model": "trace", "file": "times.csv", "threshold": 3.1}


def recorded(order="replay"):
    return {"distribution": "empirical", "file": "times.csv", "order": order}


def experiment(**changes):
    return {
        "kind": "training",
        "problem": LINEAR,
        "optimizer": {"method": "gradient-descent", "step": 0.1},
        "code": {"family": "uncoded", "n": 4},
        "work": 4.0,  # so that a worker's load is 1
        "latency": recorded(),
        "iterations": 12,
        "measure": MEASURES,
    } | changes


def study(**changes):
    table = experiment(**changes)
    return {"files": FILE, "experiment": [{k: v for k, v in table.items() if v is not None}]}


def rounds(given, trial):
    """Of every iteration: who is left out, and what it adds to each curve."""
    found = fastgc.runs.replay(given, trial=trial)["iterations"]
    for now, then in itertools.pairwise(found):
        yield now["stragglers"], {name: then[name] - now[name] for name in MEASURES}


# ---- a system decides who is in


def received(row, need, receive):
    """When each worker's answer is in the master's hands, by a queue in words."""
    clock, at = 0.0, {}
    for time, worker in sorted((time, worker) for worker, time in enumerate(row)):
        clock = max(clock, time) + receive
        at[worker] = clock
    return at, sorted(at.values())[need - 1]


def check(given, ends, least):
    """Each round is of a row: when it ends, and who is late by ``ends(row)``."""
    seen = set()
    for trial in (0, 1, 63, 64, 200):
        for lost, costs in rounds(given, trial):
            fits = []
            for row in ROWS:
                at, done = ends(row)
                late = [worker for worker in range(4) if at[worker] > done + 1e-9]
                fits.append((late, abs(done - costs["time"]) < 1e-9))
            assert fits.count((lost, True)) == 1 and costs["uploads"] == 4 - len(lost)
            seen.add(tuple(lost))
    assert len(seen) >= least, "the case tells nothing"


@pytest.mark.parametrize("receive", [0.0, 0.5])
@pytest.mark.parametrize("patience", [None, 0.3, 2.0])
@pytest.mark.parametrize("keys", [
    {"family": "ignore-stragglers", "stragglers": 1}, {"family": "gradient-code", "s": 1},
], ids=lambda keys: keys["family"])  # fmt: skip
def test_whose_gradients_are_in_is_who_answered_in_time(keys, patience, receive):
    waits = {} if patience is None else {"patience": patience}
    given = study(system=keys | waits | {"n": 4, "load": 0.25}, port={"receive": receive})

    def ends(row):
        at, done = received(row, 3, receive)
        if patience is not None:
            done = max(done, min((1 + patience) * min(at.values()), max(at.values())))
        return at, done

    check(given, ends, 2)


@pytest.mark.parametrize("receive", [0.0, 0.5])
def test_whose_gradients_are_in_is_who_answered_by_the_deadline(receive):
    system = {"family": "drop-late", "n": 4, "deadline": 3.1, "load": 0.25}
    given = study(system=system, port={"receive": receive})

    def ends(row):
        at, last = received(row, 4, receive)
        return at, min(last, 3.1)

    check(given, ends, 2)


def test_a_slow_worker_that_is_left_out_is_never_learnt_from():
    """The clock leaves out worker 2 in every round: so does the gradient."""
    laws = [{"distribution": "deterministic", "value": value} for value in (1.0, 2.0, 9.0, 3.0)]
    system = {"family": "ignore-stragglers", "n": 4, "stragglers": 1}
    left_out = study(latency=laws, system=system)
    always = {"model": "two-class", "slow": [2], "p_straggle_slow": 1.0, "p_straggle_active": 0.0}
    straggling = study(latency=laws, stragglers=always)
    everybody = study(latency=laws)
    curves = [
        [entry["loss"] for entry in fastgc.runs.replay(each, trial=3)["iterations"]]
        for each in (left_out, straggling, everybody)
    ]
    assert curves[0] == curves[1] != curves[2]
    found = fastgc.runs.replay(left_out, trial=3)["iterations"][-1]
    assert (found["time"], found["uploads"]) == (36.0, 36.0)


def test_groups_and_systems_of_ones_own_decide_too():
    system = {"family": "replication", "n": 4, "d": 2}
    given = study(system=system | {"load": 0.25}, code={"family": "frc", "n": 4, "d": 2})
    for lost, costs in rounds(given, 5):
        done = costs["time"]
        [row] = [r for r in ROWS if abs(max(min(r[:2]), min(r[2:])) - done) < 1e-9]
        assert lost == [worker for worker in range(4) if row[worker] > done + 1e-9]
        assert costs["uploads"] == 4 - len(lost)


@pytest.mark.night
def test_who_is_left_out_is_the_same_on_common_draws_and_in_samples():
    system = {"family": "ignore-stragglers", "n": 4, "stragglers": 2}
    given = study(system=system, latency=EXPONENTIAL, measure=["loss", "time"])
    losses = [fastgc.runs.replay(given, trial=t)["iterations"][-1]["loss"] for t in range(64)]
    for measure in (["loss"], ["loss", "time"]):
        own = study(system=system, latency=EXPONENTIAL, measure=measure)
        rows = fastgc.run(own, trials=64).rows()
        [mean] = [
            row["value"]
            for row in rows
            if (row["quantity"], row["statistic"], row["index"]) == ("loss", "mean", 12)
        ]
        assert mean == pytest.approx(np.mean(losses), rel=1e-12)


# ---- the same rows


@pytest.mark.parametrize("order", ["replay", "rows"])
def test_who_is_late_and_how_long_it_takes_are_of_one_row(order):
    given = study(latency=recorded(order), stragglers=LATE | {"order": order})
    check(given, lambda row: (row, max(time for time in row if time <= 3.1)), 5)


def test_rows_of_other_files_are_drawn_apart():
    other = {"other.csv": FILE["times.csv"].replace("9.0", "9.5")}
    given = study(stragglers=LATE | {"file": "other.csv"})
    given["files"] = FILE | other
    pairs = {(tuple(lost), costs["time"]) for t in range(20) for lost, costs in rounds(given, t)}
    assert len(pairs) > 5


# ---- what contradicts itself


IGNORE = {"family": "ignore-stragglers", "n": 4, "stragglers": 1}
IID = {"model": "iid", "p": 0.1}


@pytest.mark.parametrize(("changes", "says"), [
    ({"system": IGNORE, "stragglers": {"model": "uniform", "stragglers": 1}},
     "stragglers: must be left out with system ignore-stragglers"),
    ({"system": {"family": "gradient-code", "n": 4, "s": 1}, "stragglers": IID},
     "stragglers: must be left out with system gradient-code"),
    ({"system": IGNORE, "code": UNCODED},
     'give the code those workers, like { family = "uncoded", n = 4 }'),
    ({"stragglers": LATE | {"order": "rows"}}, "must be of the same row"),
    ({"latency": recorded("pooled"), "stragglers": LATE}, "must be of the same row"),
    ({"measure": ["worker_seconds"]}, "measure[0]: must be 'loss', 'gradient_error', 'distance',"),
])  # fmt: skip
def test_what_contradicts_itself_is_refused(changes, says):
    with pytest.raises(FastgcError) as caught:
        fastgc.run(study(**changes), trials=64)
    assert says in str(caught.value)
