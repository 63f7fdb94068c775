"""Sequences of rounds run for real: gradients that are decoded later, from repeated tasks."""

import numpy as np
import pytest

import fastgc
from fastgc.experiments.sequence.experiment import SequenceExperiment
from fastgc.measuring.designs import ranked
from fastgc.measuring.faults import Faults
from fastgc.measuring.jobs import JobsGradient
from fastgc.measuring.measurement import measure
from fastgc.measuring.merging import merge
from fastgc.measuring.sequences import Master, SequenceRule
from fastgc.study.study import Study
from fastgc.training.problems import Logistic
from suite.checks import every, refusal
from twins.sequences import sequence
from twins.virtual import Virtual

LAW = {"distribution": "exponential", "shift": 0.5, "mean": 1.0}
PROBLEM = {"model": "logistic", "samples": 203, "features": 5}
SYSTEMS = {
    "uncoded": {"family": "uncoded", "n": 4},
    "gradient code": {"family": "gradient-code", "n": 6, "s": 2},
    "repeats": {"family": "sr-sgc", "n": 6, "burst": 2, "window": 3, "distinct": 4},
    "peer": {"family": "sr-sgc", "n": 6, "burst": 1, "window": 2, "distinct": 3, "rule": "peer"},
    "mini-tasks": {"family": "m-sgc", "n": 5, "burst": 1, "window": 2, "distinct": 2},
    "long": {"family": "m-sgc", "n": 5, "burst": 2, "window": 4, "distinct": 3},
    "chunks alone": {"family": "m-sgc", "n": 4, "burst": 1, "window": 3, "distinct": 4},
}
JOBS = 7


def study(system, rounds=None, latency=LAW, then="all", factor=1.0, **more):
    how = {"problem": PROBLEM} | ({} if rounds is None else {"rounds": rounds})
    law = {} if latency is None else {"latency": latency}
    return {
        "kind": "sequence",
        "jobs": JOBS,
        "system": SYSTEMS.get(system, system),
        "patience": {"factor": factor, "then": then},
        "measure": how | more.pop("measure", {}),
        **law,
        **more,
    }


def table(asked):
    [point] = Study.parse(asked).points()
    return point.table


def twin(asked, times):
    """What the twin says of a sequence: seconds, rounds waited for, when jobs are done."""
    own, system = table(asked), asked["system"]
    code = "gradient-code", 0
    if system["family"] == "gradient-code":
        code = "gradient-code", system["s"]
    elif system["family"].endswith("sgc"):
        code = tuple(system[key] for key in ("family", "burst", "window", "distinct"))
    mu = np.inf if system["family"] == "uncoded" else own.patience.factor
    rule = system.get("rule", "paper")
    return sequence(code, JOBS, times.tolist(), mu, own.patience.then, rule)


@pytest.mark.night
@pytest.mark.parametrize("then", ["all", "enough", "never"])
@pytest.mark.parametrize("name", SYSTEMS)
def test_rounds_are_those_of_the_simulation(name, then):
    asked = study(name, 26, then=then)
    own = table(asked)
    found = measure(asked, carrier=Virtual)
    injected = found.arrays["injected"]
    for begin in range(0, 26, own.rounds):
        times = injected[begin : begin + own.rounds]
        part = slice(begin, begin + len(times))
        played = SequenceExperiment(own).play(times[np.newaxis])
        assert found.measured[part] == pytest.approx(played.seconds[:, 0], abs=1e-9)
        if len(times) < own.rounds:
            continue
        seconds, _, done = twin(asked, times)
        assert found.measured[part] == pytest.approx(seconds, abs=1e-9)
        ended = [r for r, row in enumerate(found.rounds[part]) if row["error"] is not None]
        assert ended == sorted({r for r in done if r is not None})
        lost = found.arrays["decoding_error"][part] > 0
        late = [job + own.delay for job, r in enumerate(done) if r is None]
        assert np.flatnonzero(lost).tolist() == late
        assert (then == "never") or not late
    assert found.predicted == pytest.approx(found.measured, abs=1e-9)
    assert np.array_equal(found.arrays["used"], found.arrays["predicted_used"])
    errors = [row["error"] for row in found.rounds if row["error"] is not None]
    assert max(errors, default=0.0) < 1e-24  # of squares
    [learning] = [each for each in found.verdicts if each["comparison"] == "learning"]
    assert learning["verdict"] == "held"
    assert learning["facts"]["largest_difference"] < 1e-12


def test_models_learn_side_by_side():
    found = measure(study("long"), carrier=Virtual)  # as many rounds as a sequence has
    alone = measure(
        {"kind": "completion", "system": {"family": "uncoded", "n": 3}, "latency": LAW}
        | {"measure": {"problem": PROBLEM, "rounds": 2}},
        carrier=Virtual,
    )
    assert len(found.measured) == JOBS + 4
    thetas = found.arrays["theta"].reshape(5, 5)  # jobs 0 … 6 of models 0, 1, 2, 3, 4, 0, 1
    two, one = alone.arrays["theta"], alone.arrays["loss"][1]
    assert thetas[:2] == pytest.approx(np.tile(two, (2, 1)), rel=1e-9)
    loss = (2 * alone.arrays["loss"][2] + 3 * one) / 5
    assert found.arrays["loss"][-1] == pytest.approx(loss, rel=1e-12)


def test_a_tail_in_which_nothing_is_repeated_takes_no_time():
    law = {"distribution": "deterministic", "value": 3.0}
    found = measure(study("repeats", 18, latency=law), carrier=Virtual)
    free = np.isin(np.arange(18), [7, 8, 16, 17])
    assert found.measured[~free] == pytest.approx(3.0 * found.arrays["share"].max(), abs=1e-9)
    assert found.measured[free].tolist() == [0.0] * 4
    assert (found.arrays["share"] > 0).all(axis=1).tolist() == (~free).tolist()
    assert np.isnan(found.recording[free]).all() and np.isfinite(found.recording[~free]).all()


def test_those_who_owe_a_task_repeat_it_for_the_model_of_its_job():
    tasks = {}
    times = np.ones((JOBS + 2, 6))
    times[0, :4] = times[3, 5] = 9.0  # four straggle in round 0; s = 2
    asked = study("repeats", 9, then="never")

    class Played(Virtual):
        def order(self, worker, order):
            super().order(worker, order)
            tasks[order.round, worker] = int(order.parameters[3 * 5 + worker])  # after 3 models

        def begin(self, worker, part, now):
            self.own = lambda worker, number: float(times[number, worker])
            super().begin(worker, part, now)

    found = measure(asked, carrier=Played)
    # in round 2 = 0 + burst workers 0 and 1 repeat for job 0, of model 0; the others do job 2
    assert [tasks[2, worker] for worker in range(6)] == [0, 0, 2, 2, 2, 2]
    assert [tasks[1, worker] for worker in range(6)] == [1] * 6
    assert every(number < JOBS for number, _ in tasks)
    assert max(row["error"] for row in found.rounds if row["error"] is not None) < 1e-24


def stopping(after):
    asked = iter(range(10**9))
    return lambda: "SIGTERM" if next(asked) >= after else None


@pytest.mark.night
@pytest.mark.parametrize("after", [0, 9, 22, 38, 55, 71])
@pytest.mark.parametrize("name", ["repeats", "long"])
@pytest.mark.parametrize("method", ["gradient-descent", "adam"])
def test_a_stopped_measurement_goes_on(tmp_path, name, after, method):
    asked = study(name, 20, then="enough", measure={"optimizer": {"method": method, "step": 0.1}})
    whole = measure(asked, carrier=Virtual)
    out = tmp_path / "m.h5"
    first = measure(asked, carrier=Virtual, out=out, interrupted=stopping(after))
    assert not first.complete
    found = measure(asked, carrier=Virtual, out=out)
    assert found.complete
    for key in ("loss", "theta", "moments", "used", "gradient_error", "injected"):
        np.testing.assert_array_equal(found.arrays[key], whole.arrays[key])
    assert found.measured == pytest.approx(whole.measured, abs=1e-9)
    assert fastgc.open(out).rounds == found.rounds


@pytest.mark.night
def test_measurements_of_sequences_are_merged(tmp_path):
    files = []
    for seed in (1, 2):
        files.append(tmp_path / f"{seed}.h5")
        measure(study("mini-tasks", 20), seed=seed, carrier=Virtual, out=files[-1])
    found = merge(files, tmp_path / "both.h5")
    assert found.sizes == [20, 20]
    [learning] = [each for each in found.verdicts if each["comparison"] == "learning"]
    assert learning["verdict"] == "held"


# ---- workers that are lost


def test_a_lost_worker_is_one_of_the_stragglers_of_a_gradient_code():
    dead = Faults(kill=[(0, 2), (5, 4)])
    found = measure(study("gradient code", 14), carrier=Virtual, faults=dead)
    assert max(row["error"] for row in found.rounds) < 1e-24
    assert every(np.isfinite(found.arrays["over"]))
    assert found.arrays["decoding_error"].tolist() == [0.0] * 14


@pytest.mark.parametrize("name", ["repeats", "long", "uncoded"])
def test_jobs_that_nobody_can_finish_are_lost_and_waited_for_no_longer_than_others_work(name):
    made = []

    def make(*parts):
        made.append(Virtual(*parts))
        return made[0]

    dead = Faults(kill=[(0, 2), (1, 2), (2, 2)])
    found = measure(study(name, 2 * 11), carrier=make, faults=dead)
    assert found.complete and made[0].now < 60.0  # nothing is given up
    own = table(study(name))
    due = [r % own.rounds - own.delay for r in range(22)]
    lost = found.arrays["decoding_error"] > 0
    assert not lost[:2].any() and lost[-own.rounds :].any()
    assert every(0 <= due[r] < JOBS for r in np.flatnonzero(lost))
    errors = [row["error"] for row in found.rounds if row["error"] is not None]
    assert max(errors, default=0.0) < 1e-24
    [learning] = [each for each in found.verdicts if each["comparison"] == "learning"]
    assert learning["verdict"] == "held"


def test_an_exact_measurement_ends_with_the_first_job_that_is_lost():
    asked = study("mini-tasks", 20)
    found = measure(asked, carrier=Virtual, faults=Faults(kill=[(1, 3)]), exact=True)
    # worker 1 lacks its chunk of job 3, which is due one round later
    assert (found.facts["ended"], len(found.measured)) == ("inexact", 5)


# ---- where times come from


def test_stragglers_of_a_model_are_slow(tmp_path):
    slow = {"model": "bursty", "burst": 1, "window": 2, "distinct": 2, "p": 0.3}
    asked = study("mini-tasks", latency=None, stragglers=slow, times={"ok": 1.0, "straggle": 9.0})
    found = measure(asked, carrier=Virtual, rounds=40)
    assert set(found.arrays["injected"].ravel().tolist()) == {1.0, 9.0}
    # the code is made for these: no round is waited for, but where all are slow
    assert found.measured.tolist() == [
        min(2.0 * row.min(), row.max()) for row in found.arrays["injected"]
    ]
    assert {each["comparison"]: each["verdict"] for each in found.verdicts}["law"] == "held"


def test_a_recording_begins_each_sequence_with_its_first_row(tmp_path):
    rows = np.random.default_rng(3).gamma(4.0, 0.25, (30, 5))
    path = tmp_path / "t.csv"
    np.savetxt(path, rows, delimiter=",", header="a,b,c,d,e", comments="", fmt="%.17g")
    law = {"distribution": "empirical", "file": str(path), "order": "replay"}
    asked = study("mini-tasks", 16, latency=law, start="first")
    found = measure(asked, carrier=Virtual)
    load = table(asked).system.share()
    assert found.arrays["injected"][:8] == pytest.approx(load * rows[:8], rel=1e-12)
    assert np.array_equal(found.arrays["injected"][8:], found.arrays["injected"][:8])
    assert {each["comparison"]: each["verdict"] for each in found.verdicts}["law"] == "open"


# ---- real workers


@pytest.mark.parametrize("between", ["drain", "cancel"])
@pytest.mark.parametrize("name", ["uncoded", "gradient code", "repeats", "mini-tasks", "long"])
def test_sequences_on_processes(name, between):
    quick = {"distribution": "exponential", "shift": 0.002, "mean": 0.01}
    asked = study(name, latency=quick, measure={"between_rounds": between})
    dead = Faults(kill=[(1, 3)] if name == "gradient code" else [])
    found = fastgc.measure(asked, faults=dead)
    assert found.complete and len(found.measured) == table(asked).rounds
    assert found.arrays["decoding_error"].tolist() == [0.0] * len(found.measured)
    errors = [row["error"] for row in found.rounds if row["error"] is not None]
    assert len(errors) > 0 and max(errors) < 1e-24
    assert [each["verdict"] for each in found.verdicts if each["comparison"] == "learning"] == [
        "held"
    ]


def test_a_study_of_sequences_on_the_command_line(command, tmp_path):
    path, out = tmp_path / "s.toml", tmp_path / "m.h5"
    path.write_text(
        """
[[experiment]]
kind = "sequence"
system = { family = "m-sgc", n = 3, burst = 1, window = 2, distinct = 1 }
jobs = 20
latency = { distribution = "exponential", shift = 0.002, mean = 0.01 }
""",
        encoding="utf-8",
    )
    code, text, _ = command("measure", path, "-o", out)
    assert code in (0, 1) and "m-sgc" in text and "Learning held" in text
    assert len(fastgc.open(out).measured) == 21
    code, text, _ = command("show", out)
    assert code == 0 and "gradients of 2 linear models by m-sgc" in text


# ---- what cannot be


def test_what_does_not_fit_is_refused():
    late = study("repeats", measure={"between_rounds": "finish"})
    said = refusal(measure, late, carrier=Virtual)
    assert 'must be "drain" or "cancel" with sr-sgc, whose rounds begin with workers' in said
    coded = {"family": "cyclic", "n": 5, "d": 3}
    said = refusal(measure, study("mini-tasks", measure={"code": coded}), carrier=Virtual)
    assert "code: must be left out with m-sgc, which has several" in said
    weak = {"family": "cyclic", "n": 6, "d": 2}
    said = refusal(measure, study("gradient code", measure={"code": weak}), carrier=Virtual)
    assert "must be decoded whole without any 2 of its workers (got cyclic(n=6, d=2" in said
    other = {"family": "cyclic", "n": 7, "d": 3}
    said = refusal(measure, study("gradient code", measure={"code": other}), carrier=Virtual)
    assert "has 6 workers, and the code 7" in said
    few = study("long", measure={"problem": PROBLEM | {"samples": 69}})
    assert "partitions: 70 of them need at least 70 samples" in refusal(
        measure, few, carrier=Virtual
    )
    decoding = {"kind": "decoding", "code": coded, "stragglers": {"model": "iid", "p": 0.1}}
    said = refusal(measure, decoding, carrier=Virtual)
    assert 'must be "completion", "sequence" or "training" to be measured' in said


def test_a_code_of_ones_own_is_repeated_too():
    coded = {"family": "cyclic", "n": 6, "d": 4}
    found = measure(study("repeats", measure={"code": coded}), carrier=Virtual)
    errors = [row["error"] for row in found.rounds if row["error"] is not None]
    assert max(errors) < 1e-20 and len(errors) > 3


def test_tasks_of_mini_tasks_add_up_to_all_samples():
    [point] = Study.parse(study("long")).points()
    rule = SequenceRule(point.table)
    scheme = JobsGradient(rule, Logistic(samples=203, features=5), None)
    # 5 workers with 3 chunks of 4 units, and 2 groups of 5 units: 70
    sizes = [[len(y) for _, y in kind._parts] for kind in scheme._kinds]
    assert [len(each) for each in sizes] == [5] * 5 and sum(map(sum, sizes)) == 203
    assert every(10 <= size <= 12 for kind in sizes[:3] for size in kind)
    assert every(2 <= size <= 3 for kind in sizes[3:] for size in kind)
    master = Master(point.table, rule.experiment)
    assert master.tasks()[:, 0].tolist() == [0] * 5 and every(master.tasks()[:, 1:].ravel() == -1)


def test_a_code_that_a_design_ranks_is_run_as_its_sequence():
    jobs = {"jobs": 5, "patience": {"factor": 0.5, "then": "enough"}}
    table = {"workers": 4, "schemes": ["m-sgc"], "sequence": jobs, "port": {"receive": 0.0}}
    table |= {"latency": {"distribution": "uniform", "low": 0.5, "high": 2.0}, "trials": 256}
    given = {"design": table, "measure": {"rounds": 9, "problem": PROBLEM}}
    [(found, place)] = ranked(given, [1])
    [experiment] = found["experiment"]
    assert place == 1 and experiment["kind"] == "sequence" and "port" not in experiment
    assert {key: experiment[key] for key in jobs} == jobs
    assert measure(given, carrier=Virtual).rounds
