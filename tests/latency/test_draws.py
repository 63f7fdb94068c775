"""Workers' times: number by number against plain Python, their laws, and what is refused."""

import itertools

import numpy as np
import pytest
from scipy import stats

from fastgc.draws.streams import Trials
from fastgc.latency import (
    Bimodal,
    Deterministic,
    DrawnLaw,
    Empirical,
    Exponential,
    Gamma,
    Law,
    Pareto,
    Weibull,
)
from fastgc.latency.draws import Draws
from fastgc.latency.time import Time
from fastgc_kernels._jit import jit
from fastgc_kernels.draw import pairs, variates
from suite.checks import close, refusal
from suite.laws import CERTAIN, INVERTIBLE, LAWS, OTHERS
from twins import sampling
from twins import times as twin

SEED, STREAM = 5, "a stream"
KEY = sampling.key(SEED, STREAM, "time")
TRIALS = (0, 1, 63, 64, 700)

EITHER = Bimodal(
    p_slow=0.5, fast=Gamma(shape=2.0, scale=1.0, shift=1.0), slow=Weibull(shape=2.0, scale=9.0)
)
ROWS = np.array([[4, 10, 7], [1, 20, 8], [4, 30, 9]])  # that all workers of the recording have


def batch(first=0, groups=12, iterations=2):
    return Trials(SEED, STREAM, first, groups, iterations)


@pytest.fixture
def recorded(tmp_path):
    def make(**more):
        (tmp_path / "t.csv").write_text("a,b,c\n4,10,7\n1,20,8\n4,30,9\n2,,\n")
        return Empirical(file=str(tmp_path / "t.csv"), **more)

    return make


# ---- numbers


@jit
def evaluate(function, x, out):
    for i in range(x.size):
        out[i] = function(x[i])


def evaluated(function, x):
    x = np.asarray(x, float)
    out = np.empty_like(x)
    evaluate(function, x, out)
    return out


def test_logarithm_and_exponential_function():
    rng = np.random.default_rng(1)
    x = np.concatenate([rng.random(1000), 10.0 ** rng.uniform(-300, 300, 1000), [1.0]])
    assert evaluated(variates.log, x) == pytest.approx(np.log(x), rel=3e-16, abs=0)
    x = np.concatenate([rng.uniform(-708, 709.7, 1000), rng.uniform(-1, 1, 1000), [0.0]])
    assert evaluated(variates.exp, x) == pytest.approx(np.exp(x), rel=4e-16, abs=0)
    assert evaluated(variates.exp, [-709, -np.inf, 709.8, 1e9, np.inf]).tolist() == [0, 0] + 3 * [
        np.inf
    ]
    x = 10.0 ** rng.uniform(-300, 3, 1000)
    assert evaluated(variates.probability_below, x) == pytest.approx(
        -np.expm1(-x), rel=4e-16, abs=0
    )
    assert evaluated(variates.probability_below, [0.0, np.inf]).tolist() == [0, 1]


@pytest.mark.night
@pytest.mark.parametrize("first", [0, 2**32 - 1000])
def test_exponential_numbers_are_logarithms_of_uniform_ones_to_the_end_of_the_tail(first):
    """Ten million at once: some hundred pass 11.5, and a cut there would move no distribution."""
    size = 5_000_000
    uniform, found = (tuple(np.empty(size) for _ in range(2)) for _ in range(2))
    pairs.uniforms(np.uint64(KEY), np.uint64(first), 3, 2, *uniform)
    pairs.exponentials(np.uint64(KEY), np.uint64(first), 3, 2, *found)
    for u, x in zip(uniform, found, strict=True):
        assert u.min() > 0 and u.max() <= 1
        assert (np.abs(x + np.log(u)) <= 4 * np.spacing(np.maximum(x, 1e-300))).all()
        # the largest of so many is about 15.4, and below 13.5 once in 900 other keys
        assert x.max() > 13.5 and x.min() >= 0


def test_normal_quantiles_in_both_tails():
    e = np.concatenate([10.0 ** np.linspace(-15, 2.8, 1000), -np.log([0.075, 0.5, 0.925])])
    above = np.where(e > 0.7, stats.norm.isf(np.exp(-np.minimum(e, 700))), 0)
    below = np.where(e > 0.7, 0, stats.norm.ppf(-np.expm1(-e)))
    assert evaluated(variates.normal_above, e) == pytest.approx(above + below, rel=1e-14, abs=2e-16)


# ---- draws, one by one


@pytest.mark.parametrize("law", [*INVERTIBLE.values(), CERTAIN], ids=str)
@pytest.mark.parametrize("n", [1, 3])
def test_inverted_times_one_by_one(law, n):
    time = law.time(3.0, "data-dependent")
    found = Draws([law], n, 3.0, "data-dependent").times(batch(first=64 * 7))
    for trial, i, j in itertools.product(TRIALS, range(2), range(n)):
        expected = float(time.times(twin.uniform(KEY, 64 * 7 + trial, i, j)))
        assert found[i, j, trial] == close(expected, rel=1e-13)


@pytest.mark.parametrize("shape", [0.05, 0.5, 1.0, 1.5, 30.0])
def test_gamma_times_one_by_one(shape):
    law = Gamma(shape=shape, scale=2.0, shift=1.0)
    found = Draws([law], 3).times(batch())
    for trial, j in itertools.product(range(0, 768, 5), range(3)):
        expected = 1 + 2 * twin.gamma(KEY, trial, 1, j, 0, shape)
        assert found[1, j, trial] == pytest.approx(expected, rel=1e-11)


def test_mixtures_one_by_one():
    found = Draws([EITHER], 4, 2.0).times(batch())
    for trial, j in itertools.product(range(0, 768, 7), range(4)):
        e = -np.log(twin.uniform(KEY, trial, 0, j))
        slow = twin.uniform(KEY, trial, 0, j, 0, twin.CHOICE) < 0.5
        either = 18 * e**0.5 if slow else 2 + 2 * twin.gamma(KEY, trial, 0, j, 0, 2.0)
        assert found[0, j, trial] == pytest.approx(either, rel=1e-11)


def test_tasks_and_summands_have_numbers_of_their_own():
    law = Weibull(shape=2.0, scale=1.0)
    found = Draws([law], 3, 4.0, "additive", tasks=2).times(batch())
    assert found.shape == (2, 3, 2, 768)
    for trial, task in itertools.product(TRIALS, range(2)):
        uniforms = [twin.uniform(KEY, trial, 1, 2, twin.number(task, part)) for part in range(4)]
        expected = np.sqrt(-np.log(uniforms)).sum()
        assert found[1, 2, task, trial] == pytest.approx(expected, rel=1e-13)


def test_later_trials_than_32_bits():
    first = 2**32 + 64
    found = Draws([Exponential(mean=1.0)], 2).times(batch(first=first, groups=1))
    u = twin.uniform(KEY, first + 9, 1, 1)
    assert found[1, 1, 9] == pytest.approx(-np.log(u), rel=1e-14)


# ---- laws


@pytest.mark.parametrize("scaling", ["server-dependent", "data-dependent"])
@pytest.mark.parametrize("law", [*LAWS.values(), EITHER], ids=str)
def test_distributions(law, scaling):
    times = Draws([law], 5, 2.0, scaling).times(Trials(11, "law", 0, 100, 4))
    # 128 000 numbers; 20 tests: a false alarm once in 2000 changes of the stream
    assert stats.kstest(times.ravel(), law.time(2.0, scaling).cdf).pvalue > 2.5e-5


def test_known_sums_are_not_added_up():
    erlang = Draws([Exponential(mean=1.0, shift=0.5)], 2, 1e6, "additive")
    times = erlang.times(Trials(11, "law", 0, 50, 1)).ravel()
    assert stats.kstest(times, stats.gamma(1e6, loc=5e5).cdf).pvalue > 1e-4
    assert (Draws([Deterministic(value=2.0)], 2, 30.0, "additive").times(batch()) == 60).all()


def test_one_law_a_worker():
    laws = [Exponential(mean=1.0), Gamma(shape=2.0, scale=1.0), LAWS["bimodal"]]
    found = Draws(laws, 3).times(batch())
    for j, law in enumerate(laws):
        assert (found[:, j] == Draws([law], 3).times(batch())[:, j]).all()
    assert not Draws(laws, 3, 0.0).times(batch()).any()


# ---- traces


def test_pooled_and_own_values(recorded):
    pooled = Draws([recorded()], 2, 2.0).times(batch())
    values = np.array([1, 2, 4, 4, 7, 8, 9, 10, 20, 30])
    for trial in TRIALS:
        place = 9 - int(10 * twin.uniform(KEY, trial, 0, 1))
        assert pooled[0, 1, trial] == 2 * values[place]
    own = Draws([recorded(order="workers")], 3).times(batch(groups=100))
    for j, values in enumerate([[1, 2, 4], [10, 20, 30], [7, 8, 9]]):
        found, counts = np.unique(own[:, j], return_counts=True)
        assert found.tolist() == values
        # 12 800 values; a share is off by more than 4.5 standard deviations once in 147 000
        share = np.array([1, 1, 2]) / 4 if j == 0 else np.full(3, 1 / 3)
        assert np.abs(counts / 12800 - share).max() < 4.5 * 0.5 / 12800**0.5


def test_rows_are_drawn_whole(recorded):
    found = Draws([recorded(order="rows")], 3, 2.0).times(batch())
    for trial, i, j in itertools.product(TRIALS, range(2), range(3)):
        assert found[i, j, trial] == 2 * ROWS[twin.row(KEY, trial, i, 3), j]
    added = Draws([recorded(order="rows")], 3, 2.0, "additive").times(batch())
    for trial in TRIALS:
        numbers = [twin.row(KEY, trial, 1, 3, twin.number(0, part)) for part in range(2)]
        assert added[1, 1, trial] == ROWS[numbers, 1].sum()


def test_replay_goes_on_in_order(recorded):
    law = recorded(order="replay")
    found = Draws([law], 3, tasks=2).times(batch(iterations=4))
    added = Draws([law], 3, 4.0, "additive").times(batch(iterations=3))
    for trial in TRIALS:
        rows = np.roll(ROWS, -twin.row(KEY, trial, 0, 3, 0, twin.START), axis=0)
        for i, task in itertools.product(range(4), range(2)):
            assert (found[i, :, task, trial] == rows[(2 * i + task) % 3]).all()
        for i in range(3):
            assert (added[i, :, trial] == rows[np.arange(4 * i, 4 * i + 4) % 3].sum(axis=0)).all()


@pytest.mark.night
def test_mixtures_with_rows(recorded):
    law = Bimodal(p_slow=0.5, fast=Exponential(mean=1.0), slow=recorded(order="rows"))
    found = Draws([law], 3, 2.0).times(batch())
    for trial, j in itertools.product(range(0, 768, 11), range(3)):
        slow = twin.uniform(KEY, trial, 0, j, 0, twin.CHOICE) < 0.5
        fast = -np.log(twin.uniform(KEY, trial, 0, j))
        expected = 2 * (ROWS[twin.row(KEY, trial, 0, 3), j] if slow else fast)
        assert found[0, j, trial] == pytest.approx(expected, rel=1e-14)
    assert Draws([law], 3).common is None


def test_two_traces_take_their_rows_independently(recorded, tmp_path):
    (tmp_path / "u.csv").write_text("a,b,c\n0,0,0\n1,1,1\n2,2,2\n")
    other = Empirical(file=str(tmp_path / "u.csv"), order="rows")
    laws = [recorded(order="rows"), other, recorded(order="rows")]
    first, second, third = Draws(laws, 3).times(batch(groups=100, iterations=1))[0]
    assert ((first == 1) == (third == 8)).all()
    pairs = np.histogram2d(third, second, bins=3)[0]
    assert stats.chi2_contingency(pairs).pvalue > 1e-4 and pairs.min() > 0


# ---- laws of users


class RootTime(Time):
    """√U, of which only the upper quantiles are known."""

    def upper_quantile(self, v):
        return 1.0 - np.sqrt(v)

    def survival(self, t):
        raise NotImplementedError

    cdf = quantile = mean = survival


class Root(Law):
    distribution: str = "root"

    def rest(self):
        return RootTime()


class OnlyTimes(DrawnLaw):
    """No law, but times."""

    distribution: str = "only-times"
    shift: float = 1.0

    def times(self, uniforms):
        return 1.0 + np.sqrt(uniforms)


def test_times_from_uniform_numbers():
    for scaling, expected in (
        ("server-dependent", lambda u: 3 * (1 + np.sqrt(u))),
        ("data-dependent", lambda u: 3 + np.sqrt(u)),
    ):
        draws = Draws([OnlyTimes()], 3, 3.0, scaling)
        assert draws.common is None
        found = draws.times(batch())
        for trial in TRIALS:
            by_hand = expected(twin.uniform(KEY, trial, 1, 2))
            assert found[1, 2, trial] == pytest.approx(by_hand, rel=1e-14)
    found = Draws([Root()], 3, 3.0).times(batch())
    assert found[1, 2, 64] == 3 * (1 - np.sqrt(twin.uniform(KEY, 64, 1, 2)))
    found = Draws([OnlyTimes()], 3, 2.0, "additive").times(batch())
    u = [twin.uniform(KEY, 64, 0, 1, twin.number(0, part)) for part in range(2)]
    assert found[0, 1, 64] == pytest.approx(2 + np.sqrt(u).sum(), rel=1e-14)


# ---- the common law, and what is refused


def test_which_laws_are_not_common(recorded):
    alone = [*OTHERS.values(), EITHER]
    alone += [recorded(order=order) for order in ("workers", "rows", "replay")]
    for law in alone:
        assert Draws([law], 3).common is None
    assert Draws([Exponential(mean=1.0), Exponential(mean=2.0)], 2).common is None
    assert Draws([Pareto(shape=2.0, scale=1.0)], 2, 3.0, "additive").common is None
    assert Draws([Pareto(shape=2.0, scale=1.0)], 2, 1.0, "additive").common is not None


@pytest.mark.parametrize(("arguments", "sentence"), [
    (([Pareto(shape=2.0, scale=1.0)], 3, 1.5, "additive"), "integer load (got 1.5)"),
    (([Pareto(shape=2.0, scale=1.0)], 3, 10001.0, "additive"), "at most 10000 pareto times"),
])  # fmt: skip
def test_refusals(arguments, sentence):
    assert sentence in refusal(Draws, *arguments)
