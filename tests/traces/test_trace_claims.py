"""What paper agc says of straggling, on traces made here that keep or break one statement each."""

import json

import numpy as np
import pytest

import fastgc
from fastgc import report
from fastgc.cli.commands import cli
from fastgc.errors import StoppedError
from fastgc.results.verdicts import CONFIRMED, REFUTED, UNDECIDED, rejected
from fastgc.traces import claims, measurements
from fastgc.traces.measurements import Recording
from suite.checks import close, every, refusal

IDS = [each.id for each in claims.STATEMENTS]
MEASURES = (measurements.across_workers, measurements.two_classes, measurements.within_a_worker)
TWO_RATES = np.repeat([0.5, 0.02], [4, 6])


def independent(seed, rates=TWO_RATES, length=400):
    return np.random.default_rng(seed).random((length, len(rates))) < rates


def correlated(seed, length=400):
    x = independent(seed, length=length)
    copied = np.random.default_rng((seed, 1)).random(length) < 0.5
    x[copied, 1] = x[copied, 0]
    return x


def markov(seed, length=400, n=10):
    """Workers of one rate whose straggling has correlation 0.6 at lag 1."""
    rng = np.random.default_rng(seed)
    x = rng.random((length, n)) < 0.3
    for t in range(1, length):
        stays = rng.random(n) < 0.6
        x[t, stays] = x[t - 1, stays]
    return x


def table(straggled, path):
    """A trace whose median is 1 and whose stragglers take 10, written as a wide table."""
    times = np.where(straggled, 10.0, 1.0)
    lines = [",".join(f"w{j}" for j in range(times.shape[1]))]
    lines += [",".join(map(str, row)) for row in times]
    path.write_text("\n".join(lines))
    return path


def verdicts_of(straggled, tmp_path, **more):
    found = claims.validate(table(straggled, tmp_path / "t.csv"), **more)
    return {verdict.claim: verdict.verdict for verdict in found}


# ---- right ones stand, wrong ones fall


@pytest.mark.night
def test_the_model_of_the_paper_is_confirmed(tmp_path):
    found = verdicts_of(independent(1, length=2000), tmp_path)
    assert found == dict.fromkeys(IDS, CONFIRMED)
    equal = independent(2, np.full(8, 0.3), 1000)  # these rates are two classes, too
    assert verdicts_of(equal, tmp_path)[IDS[1]] == CONFIRMED


@pytest.mark.night
@pytest.mark.parametrize(
    ("make", "fallen"),
    [
        (correlated, IDS[0]),
        (lambda seed: independent(seed, np.repeat([0.05, 0.3, 0.6], [4, 3, 3])), IDS[1]),
        (markov, IDS[2]),
    ],
)
def test_what_breaks_one_statement_refutes_that_one(make, fallen, tmp_path):
    found = verdicts_of(make(1), tmp_path)
    assert [name for name in IDS if found[name] == REFUTED] == [fallen]


@pytest.mark.night
@pytest.mark.parametrize(
    ("make", "true"), [(independent, (0, 1, 2)), (markov, (0, 1)), (correlated, (1, 2))]
)
def test_true_statements_are_seldom_refuted(make, true, monkeypatch):
    monkeypatch.setattr(measurements, "PERMUTATIONS", 199)
    seeds, alpha = 200, 0.1
    mistakes = 0
    for seed in range(seeds):
        recording = Recording(make(seed, length=100), tuple(map(str, range(10))), seed)
        p_values = [MEASURES[i](recording).p_value for i in true]
        mistakes += any(rejected(p_values, alpha))
    # 20 expected at most, standard deviation 4.2; beyond 40 by chance once in 10⁵
    assert mistakes <= 40


# ---- statistics against slow, obvious twins


@pytest.mark.night
def test_mean_correlation_is_that_of_all_pairs():
    x = correlated(3)[:, :4]
    found = measurements.across_workers(Recording(x, tuple("abcd")))
    covariances = np.cov(x.T)
    deviations = np.sqrt(np.diag(covariances))
    pairs = [(i, j) for i in range(4) for j in range(4) if i != j]
    above = sum(covariances[i, j] for i, j in pairs)
    assert found.value == pytest.approx(
        above / sum(deviations[i] * deviations[j] for i, j in pairs)
    )
    assert "a and b" in found.remark


def test_most_likely_split_is_the_best_of_all_subsets():
    hits, length = np.array([3, 5, 20, 22, 40]), 50

    def likelihood(some):
        p = some.sum() / (len(some) * length)
        return np.sum(some * np.log(p) + (length - some) * np.log(1 - p))

    own = sum(likelihood(hits[j : j + 1]) for j in range(5))
    subsets = [np.array([m >> j & 1 for j in range(5)], bool) for m in range(1, 31)]
    best = max(likelihood(hits[s]) + likelihood(hits[~s]) for s in subsets)
    ratio, active = measurements._likelihood_ratio(hits[None, :], length)
    assert ratio[0] == pytest.approx(2 * (own - best)) and active[0] == 2


@pytest.mark.night
def test_standard_error_of_a_rate_against_that_of_its_class(monkeypatch):
    """Of two classes of m workers a rate is off by √(p(1 − p)/T · (1 − 1/m)), its own part of the
    class's rate taken out.

    Of 400 recordings the mean square is that of the standard errors within 28 %: four standard
    deviations. Without 1 − 1/m it would be a half of them, or two thirds.
    """
    monkeypatch.setattr(measurements, "PERMUTATIONS", 9)
    for m, length in ((2, 400), (3, 400)):
        found = []
        for seed in range(400):
            rates = np.repeat([0.5, 0.02], m)
            x = independent((m, seed), rates, length)
            found.append(measurements.two_classes(Recording(x, tuple(map(str, range(2 * m))))))
        # the worst of a class of three is picked out: beyond its own spread by a known factor
        worst = np.random.default_rng(0).normal(size=(100_000, m))
        worst -= worst.mean(axis=1, keepdims=True)
        picked = (worst**2).max(axis=1).mean() / (1 - 1 / m)
        square = np.mean([each.value**2 for each in found])
        claimed = np.mean([each.standard_error**2 for each in found])
        assert square == close(picked * claimed, rel=0.28)


def test_iterations_that_repeat_the_one_before_tell_no_more(monkeypatch):
    monkeypatch.setattr(measurements, "PERMUTATIONS", 100)
    x, workers = independent(3), tuple(map(str, range(10)))
    once, held = (
        measurements.two_classes(Recording(own, workers)) for own in (x, np.repeat(x, 5, axis=0))
    )
    assert 1 < held.standard_error / once.standard_error < 1.6
    assert held.value == close(once.value, rel=1e-12)


@pytest.mark.parametrize(("half", "needed"), [(0.025, 401), (0.05, 401), (0.1, 1600), (0.15, 3600)])
def test_an_interval_half_as_wide_takes_four_times_the_iterations(half, needed):
    assert measurements._needed(400, half) == pytest.approx(needed, abs=1)


def test_shuffled_runs_keep_every_worker_and_its_changes(monkeypatch):
    monkeypatch.setattr(measurements, "PERMUTATIONS", 50)
    x = markov(4, length=60, n=1)
    squares = measurements._squares_of_shuffled_runs(Recording(x, ("a",)), x)
    assert (squares == x.sum()).all()  # one worker: N² is 0 or 1, and hits stay


def test_the_p_value_of_changes_is_that_of_all_orders():
    x = np.array([1, 1, 1, 0, 0, 0, 0, 0], bool)[:, None]
    found = measurements.within_a_worker(Recording(x, ("a",)))
    assert found.p_value == pytest.approx(2 * 2 / 56, abs=0.01)  # 11100000 and 00000111 of C(8,3)
    assert found.value == pytest.approx(1 - 1 / (2 * 3 * 5 / 8))


# ---- what cannot be seen is said


def test_what_few_iterations_cannot_show_is_undecided(tmp_path):
    found = claims.validate(table(independent(1, length=30), tmp_path / "t.csv"))
    for verdict in found:
        [finding] = verdict.findings
        assert verdict.verdict == UNDECIDED and finding.trials_needed > 30
    said = report.verdicts(found)
    assert "iterations would decide" in said and "no verdict is expected" in said


def test_one_worker_that_straggles_says_nothing_of_independence(tmp_path):
    x = independent(1, np.array([0.5, 0.0, 0.0]))
    [verdict] = claims.validate(table(x, tmp_path / "t.csv"), claims=IDS[0])
    assert (verdict.verdict, verdict.value) == (UNDECIDED, None)
    assert "only 1 worker straggled" in verdict.findings[0].remark
    two = claims.validate(table(x[:, :2], tmp_path / "t.csv"), claims=IDS[1])
    assert two[0].verdict == UNDECIDED and "always make two classes" in two[0].findings[0].remark
    never = Recording(np.zeros((9, 3), bool), tuple("abc"))
    assert measurements.within_a_worker(never).value is None


# ---- verdicts like all others


@pytest.mark.night
def test_verdicts_say_what_they_are_of(tmp_path):
    path = table(correlated(1), tmp_path / "t.csv")
    found = claims.validate(path, threshold=2.5)
    assert [verdict.claim for verdict in found] == IDS
    assert every(verdict.as_expected and verdict.method == "trace" for verdict in found)
    point = {"trace": "t.csv", "n": 10, "iterations": 400, "threshold": 2.5}
    assert found[0].point == point and found[0].relation == "="
    rows = json.loads(report.as_json(report.verdict_rows(found)))
    assert rows[0]["cases"][0]["p_value"] < 0.001 and "w0 and w1" in rows[0]["cases"][0]["remark"]
    assert claims.validate(path, threshold=2.5) == found
    assert claims.validate(path, threshold=2.5, seed=2) != found


@pytest.mark.night
def test_long_tables(tmp_path):
    x = independent(1)
    path = tmp_path / "long.csv"
    lines = [f"{j},{10 if x[t, j] else 1}" for t in range(len(x)) for j in range(10)]
    path.write_text("\n".join(["who,s", *lines]))
    long = claims.validate({"file": str(path), "worker": "who", "value": "s"})
    wide = claims.validate(table(x, tmp_path / "t.csv"))
    assert [v.value for v in long] == [v.value for v in wide]


@pytest.mark.night
def test_command(tmp_path, capsys):
    path = str(table(correlated(1), tmp_path / "t.csv"))
    assert cli.main(["validate", "--trace", path], standalone_mode=False) == 0
    said = capsys.readouterr().out
    assert "trace=t.csv, n=10, iterations=400, threshold=1.5" in " ".join(said.split())
    assert "agc.trace.independent-across-workers: refuted; mean correlation" in said
    assert "strongest pair: w0 and w1" in " ".join(said.split())
    assert cli.main(["validate", "--trace", path, "--brief"], standalone_mode=False) == 0
    facts, _, heads, *_ = capsys.readouterr().out.splitlines()
    assert facts == "trace=t.csv, n=10, iterations=400, threshold=1.5"
    assert heads.split() == ["claim", "relation", "theory", "measured", "verdict"]
    arguments = ["validate", IDS[2], "--trace", path, "--threshold", "2", "--json"]
    assert cli.main(arguments, standalone_mode=False) == 0
    assert [row["claim"] for row in json.loads(capsys.readouterr().out)] == [IDS[2]]


def test_interruption(tmp_path):
    path = table(independent(1), tmp_path / "t.csv")
    with pytest.raises(StoppedError, match="SIGTERM"):
        claims.validate(path, interrupted=lambda: "SIGTERM")


# ---- mistakes


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ({"trace": "none.csv"}, "trace: there is no file"),
        ({"trace": {"file": "t.csv", "row": 1}}, "trace: unknown key 'row'"),
        ({"trace": {"worker": "w0"}}, "trace: must name a file"),
        ({"trace": {"file": "t.csv", "worker": "w0"}}, "value is not given"),
        ({"trace": {"file": "t.csv", "workers": [3]}}, "at least 2 workers (has 1)"),
        ({"trace": "short.csv"}, "at least 2 iterations of all workers (has 1)"),
        ({"trace": "t.csv", "threshold": "1.5 mean"}, "threshold: must be a number more than 0"),
        ({"trace": "t.csv", "threshold": 11}, "threshold: no worker is ever slower than 11"),
        ({"trace": "t.csv", "threshold": 0.5}, "threshold: every worker is always slower"),
        ({"trace": "t.csv", "claims": "agc.theorem1"}, "unknown claim on a trace 'agc.theorem1'"),
        ({"trace": "t.csv", "alpha": 1e-4}, "alpha: with a trace must be at least 0.001"),
    ],
)
def test_mistakes(arguments, said, here):
    table(independent(1), here / "t.csv")
    table(independent(1, length=1), here / "short.csv")
    sentence = refusal(claims.validate, **arguments)
    assert said in sentence and "\n" not in sentence


def test_its_claims_are_not_measured_by_simulation():
    assert "give --trace FILE" in refusal(fastgc.validate, IDS[0])
