"""Training experiments end to end: runs against NumPy, costs, losses reached, runs that diverge."""

import math
from fractions import Fraction
from functools import cache
from types import SimpleNamespace

import h5py
import numpy as np
import pytest

import fastgc
from fastgc import registry
from fastgc.codes import circulant, cyclic, frc
from fastgc.codes.matrix import code_given
from fastgc.decoding.decoder import Decoder
from fastgc.draws.patterns import Patterns
from fastgc.draws.streams import Trials
from fastgc.errors import FastgcError
from fastgc.experiments.training.gradients import Weights
from fastgc.experiments.training.training_measures import RunBlock, make
from fastgc.study.study import Study
from suite.checks import a_third_by_day, close
from suite.raw_samples import raw_samples
from twins import training as twin

LINEAR = {"model": "linear", "data": "synthetic", "samples": 30, "features": 3, "noise": 1.0}
LOGISTIC = {"model": "logistic", "data": "synthetic", "samples": 29, "features": 3}
SOFTMAX = {"model": "softmax", "data": "synthetic", "samples": 26, "features": 3}
PROBLEMS = {"linear": LINEAR, "logistic": LOGISTIC, "softmax": SOFTMAX}
STEP = {"method": "gradient-descent", "step": 0.1}
OPTIMIZERS = [STEP | {"decay": 0.01}, *({"method": m, "step": 0.02} for m in ("adam", "amsgrad"))]
FRC = {"family": "frc", "n": 6, "d": 2}
TWO_CLASS = {"model": "two-class", "p_slow": 0.3, "p_straggle_slow": 0.8, "p_straggle_active": 0.1}
EXPONENTIAL = {"distribution": "exponential", "mean": 1.0}
GROUPS = {"method": "g-cada", "workers": 6, "groups": 3, "c": 0.3, "batch": 4, "gradient": "mean"}


def experiment(**changes):
    given = {"kind": "training", "problem": LINEAR, "optimizer": STEP, "iterations": 20}
    if "selection" not in changes:
        given |= {"code": FRC}
    return given | changes


def run(table=None, trials=256, **changes):
    own = ("out", "threads", "batch", "seed")
    how = {key: changes.pop(key) for key in own if key in changes}
    stop = {"trials": trials}
    return fastgc.run({"stop": stop, "experiment": [(table or experiment()) | changes]}, **how)


def curve(result, quantity, statistic="mean"):
    wanted = (quantity, statistic, "monte-carlo")
    found = [r for r in result.rows() if (r["quantity"], r["statistic"], r["method"]) == wanted]
    assert [row["index"] for row in found] == list(range(len(found)))
    return np.array([row["value"] for row in found], float)


def row(result, quantity, statistic="mean", index=None):
    sampled = [r for r in result.rows() if r["method"] == "monte-carlo"]
    rows = {(r["quantity"], r["statistic"], r["index"]): r for r in sampled}
    assert len(rows) == len(sampled)
    return rows[quantity, statistic, index]


@cache
def loaded(name):
    table = PROBLEMS[name]
    problem = registry.members("problem")[table["model"]](**table)
    return problem, problem.load()


def reference(name, optimizer, weights):
    problem, data = loaded(name)
    return twin.descend(name, data, problem.start(data), optimizer, weights)


def replayed(table, *trials, **joint):
    """What `fastgc.runs.replay` says of trials of one experiment, the study read once."""
    study = Study.parse({"experiment": [table]})
    [point] = study.points()
    sampler = point.compiled
    stream = "common" if joint.get("common") else study.canonical(point)
    return [sampler.replay(1, stream, trial, **joint) for trial in trials]


def decoded(B, stragglers):
    """Weights of partitions by least squares, as a researcher finds them."""
    alive = np.setdiff1d(np.arange(B.shape[1]), stragglers)
    A = B[:, alive]
    return A @ np.linalg.lstsq(A, np.ones(len(B)), rcond=None)[0]


# --- runs -----------------------------------------------------------------------------------------

EXACT = [
    {"code": {"family": "uncoded", "n": 5}},
    {"code": FRC, "shuffle": "random"},
    {"code": {"family": "circulant", "n": 5, "d": 2}},
    {"code": {"family": "cyclic", "n": 5, "d": 2, "seed": 1}, "shuffle": "cyclic"},
    {"code": FRC, "decoder": "one-step"},
    {"code": {"family": "cyclic-mds", "n": 5, "d": 3}, "stragglers": {"model": "iid", "p": 0.0}},
    {"code": {"family": "cyclic-mds", "n": 5, "d": 3}}
    | {"stragglers": {"model": "uniform", "stragglers": 2}},
    {"selection": {"method": "all", "workers": 4, "gradient": "mean"}},
    {"selection": {"method": "cada", "workers": 4, "c": 0.0, "gradient": "mean"}},
]


@pytest.mark.parametrize("scheme", EXACT)
@pytest.mark.parametrize("name", ["linear", "logistic"])
def test_exact_schemes_are_gradient_descent(scheme, name):
    _, losses, _ = reference(name, STEP, np.ones((20, 1)))
    table = experiment(problem=PROBLEMS[name], **scheme)
    result = run(table, trials=64)
    assert curve(result, "loss") == pytest.approx(losses, rel=1e-9)
    assert np.abs(curve(result, "loss", "variance")).max() < 1e-18


@pytest.mark.parametrize("name", PROBLEMS)
@pytest.mark.parametrize("optimizer", a_third_by_day(OPTIMIZERS))
@pytest.mark.parametrize("code", [FRC, {"family": "circulant", "n": 5, "d": 2}])
def test_runs_are_those_of_numpy_on_the_drawn_patterns(name, optimizer, code):
    measure = ["loss", "gradient_error"] + (["distance"] if name == "linear" else [])
    table = experiment(problem=PROBLEMS[name], optimizer=optimizer, code=code, measure=measure)
    table |= {"stragglers": TWO_CLASS, "iterations": 200}
    B = Study.parse({"experiment": [table]}).points()[0].table.code.build().B
    trial = 70
    found = fastgc.runs.replay({"experiment": [table]}, trial=trial)["iterations"]
    weights = [decoded(B, entry["stragglers"]) for entry in found[:-1]]
    assert len({tuple(entry["stragglers"]) for entry in found[:-1]}) > 5
    path, losses, errors = reference(name, optimizer, np.array(weights))
    assert [entry["loss"] for entry in found] == pytest.approx(losses, rel=1e-9)
    own = [entry["gradient_error"] for entry in found[:-1]]
    assert own == pytest.approx(errors, rel=1e-6, abs=1e-9)
    if name == "linear":
        _, data = loaded(name)
        away = ((path - data.best) ** 2).sum(axis=1) / (data.best**2).sum()
        assert [entry["distance"] for entry in found] == pytest.approx(away, rel=1e-8)


def test_kept_runs_are_what_rows_average_and_what_is_replayed(tmp_path):
    path = tmp_path / "r.h5"
    table = experiment(stragglers=TWO_CLASS)
    result = run(table, trials=200, out=path)
    losses = raw_samples({"experiment": [table]}, 200)["loss"]
    assert losses.shape == (200, 21)
    assert curve(result, "loss") == pytest.approx(losses.mean(axis=0), rel=1e-12)
    assert curve(result, "loss", "variance") == pytest.approx(
        losses.var(axis=0, ddof=1), rel=1e-9, abs=1e-20
    )
    error = losses[:, -1].std(ddof=1) / math.sqrt(200)
    assert row(result, "loss", index=20)["standard_error"] == close(error, rel=1e-9)
    for trial in (0, 63, 64, 199):
        found = fastgc.runs.replay({"experiment": [table]}, trial=trial)["iterations"]
        assert [entry["loss"] for entry in found] == losses[trial].tolist()
    again = fastgc.open(path)
    assert again.rows() == result.rows()


def moments(values):
    """Variance and its standard error, by definition, without rounding."""
    own = [Fraction(value) for value in values]
    mean = sum(own) / len(own)
    second, fourth = (sum((v - mean) ** p for v in own) / len(own) for p in (2, 4))
    error = math.sqrt((fourth - second**2) / len(own))
    return float(second * len(own) / (len(own) - 1)), error


def test_standard_errors_of_spreads_far_below_the_values():
    """Times of 1 and spreads of 3e-6: their fourth powers are 3e-23 times those of the times."""
    law = {"distribution": "uniform", "low": 1.0, "high": 1.00001}
    table = experiment(code={"family": "uncoded", "n": 1}, latency=law, iterations=8)
    table |= {"target_loss": 0.8, "measure": ["time", "time_to_loss"]}
    result = run(table, trials=64)
    runs = replayed(table, *range(64))
    first = next(i for i, entry in enumerate(runs[0]) if entry["loss"] <= 0.8)
    assert 0 < first < 8
    for name, index, ends in (("time", 8, 8), ("time", 1, 1), ("time_to_loss", None, first)):
        variance, error = moments([own[ends]["time"] for own in runs])
        found = row(result, name, "variance", index=index)
        assert variance < 1e-10
        assert found["value"] == close(variance, rel=1e-9)
        assert found["standard_error"] == close(error, rel=1e-9)
        assert 0 < found["low"] < found["value"] < found["high"] < 2 * variance


TIMED = {"latency": EXPONENTIAL}
COUNTED = {"loss", "uploads", "downloads", "gradients"}


@pytest.mark.parametrize(("scheme", "certain"), [
    (TIMED, COUNTED),
    (TIMED | {"selection": {"method": "all", "workers": 6, "gradient": "mean"}}, COUNTED),
    ({"stragglers": TIMED | {"model": "deadline", "deadline": 9e9}},
     {"time", "downloads", "gradients"}),
    (TIMED | {"selection": GROUPS | {"c": 0.0}}, set()),
])  # fmt: skip
def test_what_is_alike_by_design_is_not_remarked(scheme, certain):
    """Of the rest, what happens not to differ is: a deadline that no worker misses."""
    measure = ["loss", "time", "uploads", "downloads", "gradients"]
    result = run(experiment(measure=measure, **scheme), trials=64)
    for name in measure:
        found = row(result, name, index=20)
        remarked = name not in certain and found["standard_error"] == 0.0
        assert found["note"] == ("alike in all 64 trials" if remarked else ""), name
    assert ("uploads" in certain) == (row(result, "uploads", index=20)["note"] == "")


def patterns_of(alive, batch):
    planes = np.packbits(alive, axis=1, bitorder="little").view(np.uint64)
    return Patterns(len(alive), batch, planes=planes)


@pytest.mark.parametrize("code", [
    frc(70, 5), frc(20, 2), cyclic(16, 3, seed=7), circulant(4, 2), circulant(15, 2),
    circulant(70, 2), code_given([[0.0, 0.0], [1.0, 1.0]]), code_given([[0.0] * 70] * 2),
])  # fmt: skip
@pytest.mark.parametrize("decoder", ["optimal", "one-step"])
def test_weights_are_those_of_decoding_vectors(code, decoder):
    batch = Trials(seed=1, stream="s", first=0, groups=1, iterations=2)
    patterns = patterns_of(np.random.default_rng(3).random((code.n, 128)) < 0.6, batch)
    rho = None if code.B.any() or decoder == "optimal" else 1.0
    weights, index = Weights(code, decoder, rho).rows(patterns)
    vectors = Decoder(code, decoder=decoder, rho=rho).vectors(patterns.packed)
    assert weights[index] == pytest.approx(vectors @ code.B.T, abs=1e-12)


@pytest.mark.parametrize("shuffle", ["none", "random", "cyclic"])
def test_a_replayed_run_can_be_followed(shuffle):
    """Stragglers are workers; what they hold follows from the columns that are left."""
    cyclic = {"family": "cyclic", "n": 6, "d": 3, "seed": 1}
    table = experiment(code=cyclic, stragglers={"model": "iid", "p": 0.6}, shuffle=shuffle)
    B = registry.members("code")["cyclic"](**cyclic).build().B
    differ = 0
    for steps in replayed(table, 3, 70):
        weights = []
        for place, step in enumerate(steps[:-1]):
            alive = set(range(6)) - set(step["stragglers"])
            if shuffle == "cyclic":
                alive = {(worker + place) % 6 for worker in alive}
            columns = set(step.get("columns", alive))
            assert columns == alive if shuffle != "random" else len(columns) == len(alive)
            differ += columns != set(range(6)) - set(step["stragglers"])
            weights.append(decoded(B, sorted(set(range(6)) - columns)))
        _, losses, _ = reference("linear", STEP, np.array(weights))
        assert [step["loss"] for step in steps] == pytest.approx(losses, rel=1e-9)
        assert ("columns" in steps[0]) == (shuffle != "none")
        assert "columns" not in steps[-1]
    assert (differ > 0) == (shuffle != "none")


# --- what it costs --------------------------------------------------------------------------------


def test_costs_are_counted_from_the_start():
    table = experiment(stragglers=TWO_CLASS, measure=["downloads", "uploads", "gradients"])
    result = run(table, trials=64)
    iterations = np.arange(21)
    assert (curve(result, "downloads") == 6 * iterations).all()
    assert (curve(result, "gradients") == 2 * 30 * iterations).all()
    assert (curve(result, "gradients", "variance") == 0).all()
    [found] = replayed(table, 5)
    answers = np.cumsum([0] + [6 - len(entry["stragglers"]) for entry in found[:-1]])
    assert [entry["uploads"] for entry in found] == answers.tolist()


def test_a_deadline_is_what_every_iteration_takes():
    stragglers = {"model": "deadline", "deadline": 0.7, "latency": EXPONENTIAL}
    result = run(experiment(stragglers=stragglers, measure=["time", "uploads"]))
    assert curve(result, "time") == pytest.approx(0.7 * np.arange(21), rel=1e-12)
    assert np.abs(curve(result, "time", "variance")).max() == 0.0
    late = math.exp(-0.7 / (2 / 6))
    uploads = row(result, "uploads", index=20)
    expected = 20 * 6 * (1 - late)
    assert abs(uploads["value"] - expected) < 5 * uploads["standard_error"]
    # a deadline ends an iteration whatever else is given
    system = {"family": "uncoded", "n": 6}
    given = run(
        experiment(stragglers=stragglers, measure=["time"], system=system, latency=EXPONENTIAL)
    )
    assert (curve(given, "time") == curve(result, "time")).all()


def test_without_a_system_the_last_survivor_is_waited_for():
    laws = [{"distribution": "deterministic", "value": float(v)} for v in (5, 1, 4, 2, 3, 6)]
    table = experiment(code={"family": "uncoded", "n": 6}, latency=laws, work=12.0)
    table |= {"stragglers": TWO_CLASS | {"p_straggle_active": 0.7}, "measure": ["time"]}
    for found in replayed(table, 0, 64):
        alive = [set(range(6)) - {*entry["stragglers"]} for entry in found[:-1]]
        each = [max((2.0 * laws[j]["value"] for j in own), default=0) for own in alive]
        assert [entry["time"] for entry in found] == pytest.approx(np.cumsum([0, *each]))


def test_a_worker_takes_time_for_what_it_holds():
    rows = [[1, 1, 0], [0, 1, 0], [0, 1, 1], [0, 1, 0]]
    law = {"distribution": "deterministic", "value": 1.0}
    code = {"family": "matrix", "rows": rows}
    table = experiment(code=code, latency=law, work=8.0, measure=["time"])
    assert curve(run(table), "time") == pytest.approx(8.0 * np.arange(21))
    table["stragglers"] = {"model": "iid", "p": [0.0, 1.0, 0.0]}
    assert curve(run(table), "time") == pytest.approx(2.0 * np.arange(21))
    with pytest.raises(FastgcError, match="latency: must be left out"):
        run(table | {"shuffle": "random", "stragglers": {"model": "iid", "p": 0.1}})


def test_a_system_says_when_an_iteration_is_done():
    system = {"family": "gradient-code", "n": 6, "s": 2}
    port = {"receive": 0.25}
    table = experiment(system=system, latency=EXPONENTIAL, port=port, measure=["time"])
    result = run(table, trials=2000)
    completion = {"kind": "completion", "system": system, "latency": EXPONENTIAL, "port": port}
    exact = fastgc.run({"experiment": [completion | {"method": "exact"}]})
    [mean] = [r["value"] for r in exact.rows() if r["statistic"] == "mean"]
    for index in (1, 7, 20):
        found = row(result, "time", index=index)
        assert abs(found["value"] - index * mean) < 5 * found["standard_error"]
    # an exact gradient by a system whose workers have several tasks
    layers = {"family": "hierarchical", "n": 40, "k": [3, 2], "draws": "task"}
    exactly = {"code": {"family": "uncoded", "n": 1}, "stragglers": None, "port": {}}
    found = row(run(table | exactly | {"system": layers}, trials=64), "time", index=20)
    assert found["value"] > 0


def test_no_mean_time_where_a_law_has_none():
    law = {"distribution": "pareto", "shape": 0.6, "scale": 1.0}
    table = experiment(latency=law, target_loss=2.0, measure=["time", "time_to_loss"])
    result = run(table)
    assert row(result, "time", index=0)["value"] == 0.0
    for found in (row(result, "time", index=3), row(result, "time_to_loss")):
        assert (found["value"], found["note"]) == (None, "infinite")
    # of two workers with the same data the faster one counts: 1 < 1.2 < 2
    table = experiment(latency=law, selection=GROUPS, measure=["time"])
    found = row(run(table), "time", index=3)
    assert found["value"] > 0 and found["standard_error"] is None


# --- reaching a loss, and not ---------------------------------------------------------------------

TO_LOSS = [f"{name}_to_loss" for name in ("time", "downloads", "uploads", "gradients")]
#: Some of its runs do not reach the target.
MISSING = experiment(latency=EXPONENTIAL, target_loss=0.5, iterations=6)
MISSING |= {"stragglers": TWO_CLASS | {"p_straggle_active": 0.3}}


@pytest.mark.night
def test_what_it_takes_to_reach_a_loss(tmp_path):
    table = MISSING | {"quantiles": [0.5], "thresholds": [5.0]}
    table["measure"] = ["loss", "time", *TO_LOSS, "reached", "diverged"]
    trials = 192
    path = tmp_path / "r.h5"
    result = run(table, trials=trials, out=path)
    runs = replayed(table, *range(trials))
    first = [next((i for i, e in enumerate(own) if e["loss"] <= 0.5), None) for own in runs]
    got = [(own, i) for own, i in zip(runs, first, strict=True) if i is not None]
    assert 20 < len(got) < trials - 20
    for name in TO_LOSS:
        values = np.array([own[i][name.removesuffix("_to_loss")] for own, i in got])
        found = row(result, name)
        assert found["value"] == pytest.approx(values.mean(), rel=1e-12)
        assert found["trials"] == len(got)
        assert found["note"].endswith(f"{trials - len(got)} of the runs did not reach the target")
        error = values.std(ddof=1) / math.sqrt(len(got))
        assert found["standard_error"] == close(error, rel=1e-9)
        assert row(result, name, "minimum")["value"] == values.min()
        assert row(result, name, "maximum")["value"] == values.max()
        above = row(result, name, "P(>5.0)")["value"]
        assert above == pytest.approx((values > 5.0).mean())
        median = row(result, name, "quantile(0.5)")
        assert median["low"] <= np.median(values) <= median["high"]
    reached = row(result, "reached")
    assert reached["value"] == pytest.approx(len(got) / trials)
    assert reached["low"] < reached["value"] < reached["high"]
    assert row(result, "diverged")["value"] == 0
    with h5py.File(path) as file:
        group = file["results/experiment1"]
        assert group["time_to_loss_mean_monte_carlo"].attrs["units"] == "s"
        assert group["uploads_to_loss_mean_monte_carlo"].attrs["units"] == "1"


@pytest.mark.parametrize(("change", "quantity", "said", "share", "expected"), [
    ({"target_loss": 1e-9}, "uploads_to_loss", "did not reach the target", "reached", 0),
    ({"optimizer": STEP | {"step": 50.0}}, "loss", "diverged", "diverged", 1),
])  # fmt: skip
def test_what_no_run_has(change, quantity, said, share, expected):
    result = run(experiment(iterations=100, measure=[quantity, share], **change), trials=64)
    found = row(result, quantity, index=100 if quantity == "loss" else None)
    assert found["value"] is None and f"64 of the runs {said}" in found["note"]
    assert row(result, share)["value"] == expected


@pytest.mark.parametrize("iteration", [0, 1, 4])
def test_a_loss_equal_to_the_target_reaches_it(iteration):
    certain = experiment(stragglers={"model": "iid", "p": 0.0}, iterations=5)
    [own] = replayed(certain, 0)
    losses = [each["loss"] for each in own]
    assert losses == sorted(losses, reverse=True) and len(set(losses)) == len(losses)
    table = certain | {"target_loss": losses[iteration], "measure": ["uploads_to_loss", "reached"]}
    result = run(table, trials=64)
    assert row(result, "reached")["value"] == 1
    assert row(result, "uploads_to_loss")["value"] == 6 * iteration
    below = run(table | {"target_loss": math.nextafter(losses[iteration], 0.0)}, trials=64)
    assert row(below, "uploads_to_loss")["value"] == 6 * (iteration + 1)


@pytest.mark.night
def test_runs_that_diverge_are_counted_and_left_out():
    """Lost groups make steps shorter: this one is too large but for runs that lose many."""
    table = experiment(
        stragglers={"model": "iid", "p": 0.6},
        optimizer={"method": "gradient-descent", "step": 2.5},
        iterations=200,
        target_loss=0.9,
        measure=["loss", "uploads", "diverged", "reached", "uploads_to_loss"],
    )
    trials = 128
    runs = replayed(table, *range(trials))
    ends = np.array([own[-1]["loss"] is not None for own in runs])
    assert 5 < ends.sum() < trials - 5
    result = run(table, trials=trials)
    assert row(result, "diverged")["value"] == pytest.approx(1 - ends.mean())
    for index in (0, 1, 200):
        for name in ("loss", "uploads"):
            values = [own[index][name] for own, well in zip(runs, ends, strict=True) if well]
            found = row(result, name, index=index)
            assert found["value"] == pytest.approx(np.mean(values), rel=1e-9)
            assert found["trials"] == ends.sum()
            assert f"{trials - ends.sum()} of the runs diverged" in found["note"]
    well = [own for own, ended in zip(runs, ends, strict=True) if ended]
    got = sum(any(entry["loss"] <= 0.9 for entry in own) for own in well)
    assert row(result, "reached")["value"] == pytest.approx(got / trials)


def test_values_that_are_not_finite_are_left_out_and_said():
    random = SimpleNamespace(iterations=2, durations=SimpleNamespace(certain=()))
    measure = make("gradient_error", random)
    values = np.array([[1.0, 3.0, np.inf, np.nan], [1.0, 1.0, 1.0, np.nan]])
    cells = np.zeros(measure.cells)
    measure.add(RunBlock({"gradient_error": values}, np.isnan(values[-1])), cells, [], [])
    assert np.isfinite(cells).all()
    sums = [Fraction(cell) for cell in cells.tolist()]
    found = {(name, index): estimate for name, index, estimate in measure.rows(4, sums, [])}
    assert found["mean", 0].value == 2.0
    assert found["mean", 0].note == "1 of the runs diverged; 1 of the runs had no finite value"
    assert found["mean", 1].value == 1.0 and found["mean", 1].trials == 3


# --- on common draws ------------------------------------------------------------------------------


def common(one, other, trials):
    study = {
        "common_random_numbers": True,
        "ratio": [["one", "other"]],
        "stop": {"trials": trials},
        "experiment": [one | {"name": "one"}, other | {"name": "other"}],
    }
    [found] = [r for r in fastgc.run(study).rows() if r["experiment"] == "one/other"]
    tables = {"one": one, "other": other}
    runs = {name: replayed(tables[name], *range(trials), common=True) for name in tables}
    replay = fastgc.runs.replay(study, trial=7, experiment="other")["iterations"]
    assert replay == runs["other"][7]
    return found, runs


@pytest.mark.night
def test_ratios_are_over_trials_in_which_both_get_there():
    table = MISSING | {"measure": ["time_to_loss"]}
    found, runs = common(table, table | {"iterations": 8, "optimizer": STEP | {"step": 0.07}}, 256)

    def taken(own):
        return next((e["time"] for e in own if e["loss"] <= 0.5), math.nan)

    one, other = (np.array([taken(own) for own in runs[name]]) for name in ("one", "other"))
    both = ~(np.isnan(one) | np.isnan(other))
    assert 30 < both.sum() < 226
    assert found["value"] == pytest.approx(one[both].mean() / other[both].mean(), rel=1e-9)
    assert f"{256 - both.sum()} of the trials left out" in found["note"]


# --- bad input ------------------------------------------------------------------------------------

SELECTED = {"code": None, "selection": GROUPS, "latency": EXPONENTIAL}


@pytest.mark.parametrize(("change", "said"), [
    ({"problem": LINEAR | {"samples": 4}}, "6 partitions, which need at least 6 samples"),
    ({"measure": ["time"]}, "time needs latency, or stragglers of model deadline"),
    ({"measure": ["uploads_to_loss"]}, "target_loss: missing; uploads_to_loss needs it"),
    ({"measure": ["distance"], "problem": LOGISTIC}, "distance needs θ*"),
    ({"selection": GROUPS, "latency": EXPONENTIAL}, "code: must be left out with a selection"),
    ({"code": None, "selection": GROUPS}, "latency: missing; which worker"),
    ({"code": None}, "code: missing; give a code"),
    (SELECTED | {"shuffle": "random"}, "shuffle: must be left out with a selection"),
    (SELECTED | {"measure": ["distance"]}, "leave them out with a selection"),
    ({"system": {"family": "uncoded", "n": 6}}, "latency: missing; a system needs the law"),
    ({"latency": EXPONENTIAL, "scaling": "additive"}, "needs an integer load"),
    ({"latency": EXPONENTIAL, "iterations": 99_999, "code": {"family": "frc", "n": 60, "d": 2}},
     "iterations: must be at most 34952 with 60 times drawn in each"),
    ({"stragglers": {"model": "adversarial", "stragglers": 1}}, "are for decoding"),
    ({"port": {"receive": 0.1}}, "port: must be left out without a system"),
])  # fmt: skip
def test_mistakes_are_said_in_a_sentence(change, said):
    table = {key: value for key, value in (experiment() | change).items() if value is not None}
    with pytest.raises(FastgcError) as caught:
        run(table)
    assert said in str(caught.value)
    assert "\n" not in str(caught.value).strip() and len(str(caught.value)) < 500


def test_a_run_says_how_it_was_trained():
    table = experiment(problem=LINEAR | {"samples": 32}, latency=EXPONENTIAL, measure=["time"])
    [point] = Study.parse({"experiment": [table]}).points()
    assert point.compiled.describe() == {
        "samples": 32,
        "parameters": 3,
        "iteration_time": "last survivor",
        "partition_sizes": [5, 6],
    }
