"""Work and sending one after the other: the law of the sum, draws, and what does not fit."""

import math

import mpmath
import numpy as np
import pytest

import fastgc
from fastgc.draws.streams import Trials
from fastgc.experiments.completion.scenario import Scenario
from fastgc.latency import Deterministic, Exponential, Gamma
from fastgc.latency.laws import TwoExponentials, added
from fastgc.systems import gradient_code
from suite.checks import every, refusal

WORK = {"distribution": "exponential", "shift": 1.6, "mean": 1.25}
SEND = {"distribution": "exponential", "shift": 6.0, "mean": 10.0}


def study(**keys):
    own = {"kind": "completion", "system": {"family": "gradient-code", "n": 8, "s": 1, "m": 3}}
    return own | {"work": 8, "latency": WORK, "send": SEND} | keys


@pytest.mark.parametrize(
    ("slow", "fast"), [(1.0, 1.0), (0.1, 5.0), (2.0, 2.0 + 1e-12), (1e-3, 7.0)]
)
def test_the_sum_of_two_exponentials_keeps_its_digits(slow, fast):
    """Against 60 digits, where the formula's difference of close numbers does no harm."""
    law = TwoExponentials(slow, fast)
    mpmath.mp.dps = 60
    a, b = mpmath.mpf(slow), mpmath.mpf(fast)
    for t in (1e-9, 1e-3, 0.3 / fast, 1.0 / fast, 1.0, 30.0 / slow):
        x = mpmath.mpf(t)
        late = (1 + a * x) * mpmath.e ** (-a * x)
        if a != b:
            late = (b * mpmath.e ** (-a * x) - a * mpmath.e ** (-b * x)) / (b - a)
        assert float(law.survival(t)) == pytest.approx(float(late), rel=1e-12, abs=0)
        assert float(law.cdf(t)) == pytest.approx(float(1 - late), rel=1e-12, abs=0)
    for level in (1e-9, 0.3, 0.999):
        assert float(law.cdf(law.quantile(level))) == pytest.approx(level, rel=1e-12, abs=0)
        assert float(law.survival(law.upper_quantile(level))) == pytest.approx(
            level, rel=1e-12, abs=0
        )
    assert law.mean() == 1 / slow + 1 / fast and float(law.cdf(-1.0)) == 0.0


def test_sums_of_laws():
    one, two = Exponential(mean=2.0, shift=0.5).time(3.0), Exponential(mean=1.0, shift=1.0).time()
    law = added(one, two)
    assert law.mean() == pytest.approx(1.5 + 6.0 + 1.0 + 1.0)
    assert float(law.quantile(0.0)) == 2.5
    fixed = Deterministic(value=2.0).time()
    assert added(fixed, one).mean() == added(one, fixed).mean() == one.mean() + 2.0
    assert "no exact law" in refusal(added, one, Gamma(shape=2.0, scale=1.0).time())


#: d, and the mean for m = 1, 2, …: computed elsewhere.
KNOWN = [
    (1, [36.1138]),
    (2, [29.2288, 23.1036]),
    (3, [27.3351, 21.3994, 22.2604]),
    (4, [26.7469, 21.5369, 21.3697, 24.8036]),
    (5, [26.4574, 21.9114, 21.5749, 23.2793, 28.5800]),
    (6, [26.0891, 22.2099, 21.9095, 23.1114, 25.9827, 32.8664]),
    (7, [25.4172, 22.3189, 22.1707, 23.1862, 25.2862, 29.0745, 37.3977]),
    (8, [24.1063, 22.1405, 22.2772, 23.2611, 25.0141, 27.7904, 32.3759, 42.0638]),
]


@pytest.mark.parametrize(("d", "means"), KNOWN)
def test_means_of_answers_that_are_an_mth_of_the_gradient(d, means):
    for m, mean in enumerate(means, 1):
        system = {"family": "gradient-code", "n": 8, "s": d - m, "m": m}
        found = fastgc.run(study(system=system, method="exact"))["time"].mean
        assert found.value == pytest.approx(mean, abs=5.1e-5)


def test_samples_have_the_law_and_are_sums_of_both_times():
    found = fastgc.run(study(method="monte-carlo", thresholds=[30.0]), trials=40_000)["time"]
    assert abs(found.mean.value - 21.369743) < 4.5 * found.mean.standard_error
    system = gradient_code(n=8, s=1, m=3)
    work, send = Exponential(mean=1.25, shift=1.6), Exponential(mean=10.0, shift=6.0)
    batch = Trials(seed=3, stream="s", first=0, groups=1, iterations=2)
    both = Scenario(system, (work,), 8.0, send=(send,)).draws.times(batch)
    alone = Scenario(system, (work,), 8.0).draws.times(batch)
    sent = both - alone
    assert sent.min() >= 2.0 and sent.shape == (2, 8, 64)
    # a third of a whole gradient each, independent of the work
    mean = 2.0 + 10.0 / 3
    assert abs(sent.mean() - mean) < 4.5 * (10.0 / 3) / math.sqrt(sent.size)
    assert abs(np.corrcoef(sent.ravel(), alone.ravel())[0, 1]) < 4.5 / math.sqrt(sent.size)


@pytest.mark.night
def test_design_looks_at_shorter_answers_where_sending_takes_time():
    table = {"workers": 8, "work": 8, "latency": WORK, "schemes": ["gradient-code"]}
    best = fastgc.design(table | {"send": SEND})[0]
    assert (best.system["s"], best.system["m"]) == (1, 3)
    assert best.value == pytest.approx(21.369743, abs=1e-6)
    assert every(own.system.get("m", 1) == 1 for own in fastgc.design(table))


def test_what_has_no_time_to_send_is_refused():
    for family in ({"family": "partial", "n": 4, "d": 2}, {"family": "balanced", "n": 4}):
        assert "send: belongs to systems" in refusal(fastgc.run, study(system=family))
    assert "send: must be one law or a list" in refusal(fastgc.run, study(send=[SEND, SEND]))


def test_other_laws_of_sending_are_sampled():
    gamma = {"distribution": "gamma", "shape": 2.0, "scale": 1.0}
    found = fastgc.run(study(send=gamma), trials=640)
    assert found["time"].mean.method == "monte-carlo"
    assert '"exact" is not known' in refusal(fastgc.run, study(send=gamma, method="exact"))
