"""Models of who straggles, fitted: against counts by hand, brute force, and at the edges."""

import itertools
import math
import tomllib

import numpy as np
import pytest

import fastgc
from bench import trace_coverage as bench
from fastgc.errors import StoppedError
from fastgc.latency import Uniform
from fastgc.traces import fitting, law_fits, straggling
from fastgc.traces.straggling import counted
from suite.checks import close, refusal
from suite.recordings import written


def sequence_likelihood(late, after_ok, after_straggle):
    """Log-likelihood of workers that are Markov chains, round by round."""
    share = after_ok / (1 - after_straggle + after_ok)
    total = 0.0
    for own in late.T:
        total += math.log(share if own[0] else 1 - share)
        for before, now in itertools.pairwise(own):
            p = after_straggle if before else after_ok
            total += math.log(p if now else 1 - p)
    return total


def test_markov_against_a_walk_along_the_rounds():
    late = bench.chains(np.random.default_rng(1), 6, 80, 0.1, 0.6)
    model = straggling.markov(counted(late))
    a, b = model.keys["p_straggle_after_ok"], model.keys["p_straggle_after_straggle"]
    assert model.log_likelihood == pytest.approx(sequence_likelihood(late, a, b))
    moves = counted(late).moves.sum(axis=0)
    assert a == moves[0, 1] / moves[0].sum() and b == moves[1, 1] / moves[1].sum()
    each, own = straggling.own_chains(counted(late))
    by_hand = sum(
        sequence_likelihood(
            late[:, [j]], each["p_straggle_after_ok"][j], each["p_straggle_after_straggle"][j]
        )
        for j in range(6)
    )
    assert own == pytest.approx(by_hand) and own >= model.log_likelihood


@pytest.mark.night
def test_two_classes_against_all_mixtures_of_a_grid():
    rng = np.random.default_rng(2)
    late = rng.random((30, 8)) < np.repeat([0.1, 0.6], 4)
    model = straggling.two_class(counted(late))
    hits, rounds = late.sum(axis=0), len(late)

    def likelihood(p, slow, active):
        own = [q**hits * (1 - q) ** (rounds - hits) for q in (slow, active)]
        return float(np.log(p * own[0] + (1 - p) * own[1]).sum())

    found = [model.keys[k] for k in ("p_slow", "p_straggle_slow", "p_straggle_active")]
    assert model.log_likelihood == pytest.approx(likelihood(*found))
    grid = np.linspace(0.02, 0.98, 49)
    best = max(likelihood(*at) for at in itertools.product(grid, grid, grid))
    assert model.log_likelihood >= best
    assert straggling.slow_workers(counted(late)) == [4, 5, 6, 7]


@pytest.mark.parametrize("fit", [straggling.iid, straggling.two_class, straggling.markov])
@pytest.mark.parametrize("late", [
    np.array([[True, False]] * 12),  # one always, one never
    np.array([[False, False]] * 11 + [[True, False]]),
    np.array([[True]] * 5 + [[False]] * 5),
])  # fmt: skip
def test_edges_give_probabilities_with_intervals_around_them(fit, late):
    model = fit(counted(late))
    assert math.isfinite(model.log_likelihood)
    for each in model.parameters():
        assert 0 <= each.low <= each.value <= each.high <= 1 and each.low < each.high
    draws = np.random.default_rng(0).random((len(late) + 1, late.shape[1]))
    assert model.draw(draws).shape == late.shape


def p_value(name, late, seed, replications):
    samples = fitting.Replications(replications, seed)
    return fitting.model(name, fitting._MODELS[name], counted(late), samples).p_value


def test_goodness_of_fit_of_a_model():
    rng = np.random.default_rng(5)
    chains = bench.chains(rng, 8, 120, 0.05, 0.7)
    assert p_value("markov", chains, 1, 99) > 0.05
    assert p_value("iid", chains, 1, 99) == 0.01
    classes = rng.random((120, 10)) < np.repeat([0.02, 0.7], [7, 3])
    assert p_value("two-class", classes, 1, 99) > 0.05
    assert p_value("markov", classes, 1, 99) == 0.01


@pytest.mark.night
@pytest.mark.parametrize("name", ["iid", "markov"])
def test_p_values_of_a_model_that_fits_are_uniform(name):
    """Own chains gain less on a model that was fitted to the same rounds: fitted anew, or not."""
    rng, found = np.random.default_rng(9), []
    for seed in range(100):
        late = rng.random((60, 6)) < 0.3 if name == "iid" else bench.chains(rng, 6, 60, 0.2, 0.5)
        found.append(p_value(name, late, seed, 19))
    # uniform: a mean of .525 with standard error .03
    assert abs(np.mean(found) - 0.525) < 0.1
    assert 0.2 < np.std(found) < 0.36


# ---- a whole trace


def recorded(seed, rounds=150, late=None, n=6):
    rng = np.random.default_rng(seed)
    slow = rng.random((rounds, n)) < 0.15 if late is None else late(rng)
    return (rng.gamma(6.0, 0.1, (rounds, n)) + 1.0 + 5 * slow).round(6)


@pytest.mark.night
def test_a_fit_ranks_laws_and_models_in_a_study_that_runs(tmp_path):
    path = written(recorded(7), tmp_path / "trace.csv")
    fitted = fastgc.traces.fit(path, threshold=4.0, replications=19)
    assert fitted.latency[0].name in ("bimodal", "each its own")
    assert [each.aic for each in fitted.latency] == sorted(each.aic for each in fitted.latency)
    assert fitted.stragglers[0].name in ("iid", "two-class", "markov")
    named = {each.name: each for each in fitted.stragglers}
    [p] = named["iid"].parameters
    assert p.low < 0.15 < p.high and named["iid"].p_value > 0.05
    assert fitted.rounds == 150 and fitted.workers == 6 and fitted.times == 900
    assert [each.fails for each in fitted.independence] == [False] * 5
    names = {row["experiment"] for row in run(fitted, tmp_path, 500).rows()}
    assert {"time-bimodal", "time-each-its-own", "iid", "markov", "two-class"} <= names
    assert f"p = {float(f'{p.value:.6g}')}" in fitted.toml


@pytest.mark.night
def test_what_fails_is_said_in_the_study_too(tmp_path):
    late = recorded(8, late=lambda rng: bench.chains(rng, 6, 150, 0.05, 0.75))
    found = fastgc.traces.fit(written(late, tmp_path / "t.csv"), threshold=4.0, replications=0)
    broken = "straggling independent over rounds"
    assert broken in {each.of for each in found.independence if each.fails}
    assert f"# The recording contradicts {broken}.\n" in found.toml


@pytest.mark.night
def test_a_trace_without_stragglers_has_laws_alone(tmp_path):
    path = written(recorded(9, late=lambda rng: np.zeros((150, 6), bool)), tmp_path / "t.csv")
    found = fastgc.traces.fit(path, threshold=50.0, replications=0)
    assert found.stragglers == () and found.latency[0].p_value is None
    assert "stragglers" not in found.toml
    run(found, tmp_path, 200)


def run(found, folder, trials):
    (folder / "f.toml").write_text(found.toml)
    return fastgc.run(folder / "f.toml", trials=trials)


def test_a_time_that_equals_the_threshold_is_none_of_a_straggler(tmp_path):
    rows = np.tile([[1.0, 2.0, 4.0], [1.0, 2.0, 5.0]], (10, 1))
    found = fastgc.traces.fit(written(rows, tmp_path / "t.csv"), threshold=4.0, replications=0)
    iid = next(each for each in found.stragglers if each.name == "iid")
    assert iid.keys["p"] == close(10 / 60)  # those of 5 s alone


def test_workers_that_differ_have_laws_of_their_own(tmp_path, monkeypatch):
    quick = {
        "exponential": law_fits.exponential,
        "uniform": law_fits.uniform,
        "pareto": law_fits.pareto,
    }
    monkeypatch.setattr(fitting, "_LAWS", quick)
    levels = (np.arange(24) + 0.5) / 24
    times = np.stack([Uniform(low=5.0, high=6.0).time().quantile(levels), 1 - np.log(levels)], 1)
    found = fastgc.traces.fit(written(times, tmp_path / "t.csv"), replications=0)
    best = found.latency[0]
    alone = [law_fits.uniform(times[:, 0]), law_fits.exponential(times[:, 1])]
    assert best.name == "each its own" and best.parameters == ()
    assert [each.pop("distribution") for each in best.keys["laws"]] == ["uniform", "exponential"]
    assert [*best.keys["laws"]] == [each.law.model_dump(exclude={"distribution"}) for each in alone]
    # three parameters each: the law is chosen, too
    assert best.aic == close(2 * 6 - 2 * sum(each.log_likelihood for each in alone))
    own = tomllib.loads(found.toml)["experiment"][0]
    assert own["name"] == "time-each-its-own"
    assert [each["distribution"] for each in own["latency"]] == ["uniform", "exponential"]


@pytest.mark.parametrize("rows", [19, 40])
def test_no_worker_has_a_law_of_its_own_where_one_has_none(rows, tmp_path):
    """A worker has fewer than 20 times, or all of its times are the same."""
    times = np.stack([np.linspace(1, 2, rows), np.full(rows, 1.5)], 1)
    found = fastgc.traces.fit(written(times, tmp_path / "t.csv"), replications=0)
    assert "each its own" not in {each.name for each in found.latency}
    assert found.latency


@pytest.mark.night
@pytest.mark.parametrize("n", [1, 2])
def test_few_workers(n, tmp_path):
    path = written(recorded(10, n=n), tmp_path / "t.csv")
    found = fastgc.traces.fit(path, threshold=4.0, replications=0)
    run(found, tmp_path, 200)


@pytest.mark.parametrize(("text", "options", "said"), [
    ("a,b\n1,2\n2,1\n", {}, "has 4 times; 20 at least fit"),
    ("a\n" + "1\n" * 30, {}, "all times of t.csv are 1; none to fit"),
    ("a\n1\n", {}, "at least 2 iterations of all workers (has 1)"),
    ("a,b\n1,2\n2,1\n", {"replications": -1}, "replications: must be at least 0"),
    ("a,b\n1,2\n2,1\n", {"threshold": "x"}, "threshold: must be a number more than 0"),
])  # fmt: skip
def test_what_cannot_be_fitted_is_said(text, options, said, tmp_path):
    (tmp_path / "t.csv").write_text(text)
    assert said in refusal(fastgc.traces.fit, tmp_path / "t.csv", **options)


@pytest.mark.night
def test_a_fit_can_be_stopped(tmp_path):
    path = written(recorded(7), tmp_path / "t.csv")
    steps = []
    with pytest.raises(StoppedError, match="stopped early by SIGTERM"):
        fastgc.traces.fit(
            path, progress=steps.append, interrupted=lambda: "SIGTERM" if len(steps) > 2 else None
        )
    assert [step.name for step in steps] == ["exponential", "weibull", "gamma"]
