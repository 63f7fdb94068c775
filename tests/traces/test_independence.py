"""What fits take for granted, on recordings made here that keep or break one statement each."""

import numpy as np
import pytest

import fastgc
from fastgc.statistics.estimates import holm_rejections
from fastgc.traces import dependence
from suite.checks import close

MEASURES = (
    lambda x, seed: dependence.across_workers(x.astype(float), range(x.shape[1]), seed)[1],
    lambda x, seed: dependence.memory(x.astype(float), 1, seed, whole=True).p_value,
)
OF = ["straggling independent between workers", "straggling independent over rounds"]
TWO_RATES = np.repeat([0.5, 0.02], [4, 6])


def independent(seed, rates=TWO_RATES, length=400):
    return np.random.default_rng(seed).random((length, len(rates))) < rates


def together(seed, length=400, n=10):
    """Workers that straggle in the same rounds."""
    return np.repeat(np.random.default_rng(seed).random((length, 1)) < 0.2, n, axis=1)


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


def fails(straggled, tmp_path):
    """What a fit says that a recording contradicts, of straggling; stragglers take ten times."""
    times = np.where(straggled, 10.0, 1.0)
    names = ",".join(f"w{j}" for j in range(times.shape[1]))
    np.savetxt(tmp_path / "t.csv", times, "%g", ",", header=names, comments="")
    found = fastgc.traces.fit(tmp_path / "t.csv", replications=0).independence
    return [each.of for each in found if each.of in OF and each.fails]


# ---- right ones stand, wrong ones fall


@pytest.mark.night
@pytest.mark.parametrize(
    ("make", "fallen"), [(independent, []), (correlated, OF[:1]), (markov, OF[1:])]
)
def test_what_breaks_one_statement_contradicts_that_one(make, fallen, tmp_path):
    assert fails(make(1), tmp_path) == fallen


@pytest.mark.night
@pytest.mark.parametrize(
    ("make", "true"), [(independent, (0, 1)), (markov, (0,)), (correlated, (1,)), (together, (1,))]
)
def test_true_statements_are_seldom_refuted(make, true, monkeypatch):
    monkeypatch.setattr(dependence, "SHUFFLES", 199)
    seeds, alpha = 200, 0.1
    mistakes = 0
    for seed in range(seeds):
        x = make(seed, length=100)
        mistakes += any(holm_rejections([MEASURES[i](x, seed) for i in true], alpha))
    # 20 expected at most, standard deviation 4.2; beyond 40 by chance once in 10⁵
    assert mistakes <= 40


# ---- statistics against slow, obvious twins


def test_mean_correlation_is_that_of_all_pairs():
    x = correlated(3)[:, :4].astype(float)
    value, p_value, remark = dependence.across_workers(x, tuple("abcd"))
    covariances = np.cov(x.T)
    deviations = np.sqrt(np.diag(covariances))
    pairs = [(i, j) for i in range(4) for j in range(4) if i != j]
    above = sum(covariances[i, j] for i, j in pairs)
    assert value == close(above / sum(deviations[i] * deviations[j] for i, j in pairs), rel=1e-9)
    assert "a and b" in remark and p_value < 0.01


def test_the_p_value_of_a_memory_is_that_of_all_orders(monkeypatch):
    monkeypatch.setattr(dependence, "SHUFFLES", 9999)
    x = np.array([1, 1, 1, 0, 0, 0, 0, 0], float)[:, None]
    # 11100000 and 00000111 of C(8, 3) have the largest
    assert dependence.memory(x, 1, 1).p_value == pytest.approx(2 * 2 / 56, abs=0.01)
