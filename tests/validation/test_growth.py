"""Statements as n grows: what vanishes is distinguished from what stays."""

import math

import pytest

from bench import limits
from bench.intervals import NONE, rows_of
from bench.limits import ALPHA
from fastgc.errors import FastgcError
from fastgc.results.verdict_data import CONFIRMED, LOOSE, REFUTED, UNDECIDED
from fastgc.theory.papers.claim import Case, Claim
from fastgc.validation import growth
from suite.checks import every

SIZES = (10, 30, 100, 300, 1000, 10_000)
SHORT = (10, 100, 300, 1000)
GAMMA = 0.5772156649015329
Z = 3.0


def claim(theory, relation="=", limit="ratio", rate=None, sizes=SIZES):
    cases = [
        Case({"n": n}, theory(n), {}, "time", size=n, rate=None if rate is None else rate(n))
        for n in sizes
    ]
    return Claim("a.b", "a", "s", "c", relation, CONFIRMED, lambda: cases, "as n grows", limit)


def assessed(value, theory, *arguments, error=0.0, sizes=SIZES, **more):
    said = claim(theory, *arguments, sizes=sizes, **more)
    return growth.assess(said, [value(n) for n in sizes], [error] * len(sizes), Z)


def verdict(*arguments, **more):
    found = assessed(*arguments, **more)
    if found.p_value <= ALPHA:
        return REFUTED
    return (LOOSE if found.is_loose else CONFIRMED) if found.is_confirmed else UNDECIDED


def harmonic(n):
    """1 + 1/2 + … + 1/n, the mean of the slowest of n exponential times."""
    return math.fsum(1 / i for i in range(1, round(n) + 1))


def one(n):
    return 1.0


@pytest.mark.parametrize(("value", "theory", "relation", "limit", "expected"), [
    (lambda n: 2 + 1 / n, lambda n: 2, "=", "difference", CONFIRMED),
    # an excess that falls at first and stays at 0.15 for ever
    (lambda n: 2.15 + 1 / n, lambda n: 2, "=", "difference", REFUTED),
    # the median of n exponential times
    (lambda n: harmonic(n) - harmonic(n // 2), lambda n: 0.6915, "=", "difference", REFUTED),
    (lambda n: harmonic(n) - harmonic(n // 2), lambda n: math.log(2), "=", "difference", CONFIRMED),
    # what falls slowly
    (lambda n: 2 + math.log(n) ** -0.5, lambda n: 2, "=", "difference", UNDECIDED),
    (lambda n: 2 + 1 / math.log(n), lambda n: 2, "=", "difference", UNDECIDED),
    (lambda n: n + math.sqrt(n), float, "=", "ratio", CONFIRMED),
    (lambda n: 1.1 * n, float, "=", "ratio", REFUTED), (float, float, "=", "ratio", CONFIRMED),
    # of a bound only the wrong side counts
    (lambda n: 0.5 * n, float, "<=", "ratio", CONFIRMED),
    (lambda n: 1.5 * n, float, "<=", "ratio", REFUTED),
    (lambda n: 1.5 * n, float, ">=", "ratio", CONFIRMED),
    (lambda n: n + 3, float, "<=", "ratio", CONFIRMED),
    # orders have two sides; a constant is no order n
    (lambda n: 3 * n + 5, float, "=", "order", CONFIRMED),
    (lambda n: n * math.log(n), float, "=", "order", REFUTED),
    (lambda n: n / math.log(n), float, "=", "order", REFUTED),
    (math.sqrt, float, "=", "order", REFUTED), (one, float, "=", "order", REFUTED),
    (one, float, "<=", "order", LOOSE), (one, float, ">=", "order", REFUTED),
    (lambda n: n**1.5, float, ">=", "order", LOOSE),
    (lambda n: n**1.5, float, "<=", "order", REFUTED),
    (lambda n: n**1.04, float, "=", "order", UNDECIDED),  # an exponent that does not shrink
    (lambda n: n**1.5 / 1000, float, "<", "order", REFUTED),
    (math.sqrt, float, "<", "order", CONFIRMED),
    (lambda n: n / 10 + math.sqrt(n), float, "<", "order", REFUTED),  # no o(n)
    (lambda n: n**1.5, float, ">", "order", CONFIRMED),
])  # fmt: skip
def test_what_vanishes_and_what_stays(value, theory, relation, limit, expected):
    sizes = (10, 40, 200, 1000, 10_000) if limit == "difference" else SIZES
    assert verdict(value, theory, relation, limit, sizes=sizes) == expected


@pytest.mark.parametrize("constant", [GAMMA, 0.57, 0.58, 0.5772])
def test_a_plateau_is_seen_before_values_reach_it(constant):
    """H_n - log n = .5772 + 1/(2n): .57 is refuted, and .5772 is right to what is said."""
    found = assessed(harmonic, lambda n: math.log(n) + constant, "=", "difference", sizes=SHORT)
    is_right = abs(constant - GAMMA) < 1e-4
    assert (found.p_value > ALPHA, found.is_confirmed) == (is_right, is_right)
    if is_right:
        assert abs(constant - GAMMA) < found.within < 1e-4
        assert "its limit is 0 to within" in found.reason


def test_a_stated_rate_is_held_against_the_fall():
    def slow(n):
        return 1 + n**-0.5

    own = slow, lambda n: 1, "=", "difference"
    assert verdict(*own, rate=lambda n: n**-0.5) == CONFIRMED
    assert verdict(*own, rate=lambda n: n**-0.25) == CONFIRMED
    assert verdict(*own, rate=lambda n: 1 / n) == REFUTED
    assert (
        "over the stated rate like n^0.50 at the end" in assessed(*own, rate=lambda n: 1 / n).reason
    )


def test_sampling_errors_refute_nothing_that_is_true():
    """Θ(log n), with errors of sampling as large as any drift: the first finding of a referee."""
    sizes, errors = (10, 100, 1000, 10_000), (0.02, 0.03, 0.04, 0.05)
    for signs in ((1, -1, 1, -1), (-1, 1, -1, 1), (1, 1, -1, -1)):
        noisy = [harmonic(n) + s * e for n, s, e in zip(sizes, signs, errors, strict=True)]
        said = claim(math.log, "=", "order", sizes=sizes)
        found = growth.assess(said, noisy, errors, Z)
        assert found.p_value > ALPHA
    # with errors a hundredth of these Θ(1) is refuted; (log n)^.95 fits nearly as well as log n
    finer = [error / 100 for error in errors]
    values = [harmonic(n) + error for n, error in zip(sizes, finer, strict=True)]
    found = growth.assess(said, values, finer, Z)
    assert not found.is_confirmed and found.p_value > ALPHA
    assert found.doubt.startswith("(log n)^") and "fits the ratio, too" in found.doubt
    wrong = claim(lambda n: 1.0, "=", "order", sizes=sizes)
    assert growth.assess(wrong, values, finer, Z).p_value <= ALPHA


def test_what_is_lost_in_the_error_of_sampling_or_in_rounding_is_undecided():
    found = assessed(lambda n: 2 + 1 / n, lambda n: 2, "=", "difference", error=0.02)
    assert found.p_value > ALPHA and not found.is_confirmed
    assert found.doubt == "lost in the error of sampling, ±0.06"
    tiny = {"relation": "=", "limit": "difference", "rate": lambda n: 1 / n}
    found = assessed(lambda n: 1 + 1e-10 / n, lambda n: 1.0, **tiny)
    assert not found.is_confirmed and found.p_value > ALPHA
    assert "lost in rounding, ±1e-09" in found.doubt


FAR = (1e3, 1e5, 1e7, 1e9)


def slowest(n):
    """H_n, by its expansion where the sum is long."""
    return harmonic(n) if n < 1000 else math.log(n) + GAMMA + 1 / (2 * n)


@pytest.mark.parametrize("sizes", [(10, 30, 100, 1000), (10, 100, 1000, 10_000, 100_000), FAR])
@pytest.mark.parametrize("power", [1.05, 1.1, 1.2, 0.95, 0.9, 0.8])
def test_a_power_of_log_n_beside_log_n_is_not_confirmed(power, sizes):
    """H_n is Θ(log n): a small power of log n more or less is another order."""

    def said(relation, power=power):
        return verdict(slowest, lambda n: math.log(n) ** power, relation, "order", sizes=sizes)

    more, less = ("<=", ">=") if power > 1 else (">=", "<=")
    assert CONFIRMED not in (said("="), said(less))
    assert REFUTED not in (said(more), said(more.strip("=")))
    # log n is the order where sizes are large
    assert sizes != FAR or {said(each, 1) for each in ("=", "<=", ">=")} == {CONFIRMED}


@pytest.mark.parametrize("sizes", [SHORT, SIZES, (10, 100, 1000, 10_000, 100_000), FAR])
def test_what_vanishes_slower_than_any_power_is_not_refuted(sizes):
    """A share of n is o(n log log n) and o(n (log n)^.2); a share of n is no o(n)."""

    def share(n):
        return 0.1 * n

    of = {"limit": "order", "sizes": sizes}
    for slow in (
        lambda n: n * math.log(math.log(n)),
        lambda n: n * math.log(n) ** 0.2,
        lambda n: n * math.log(n) ** 0.05,
    ):
        assert verdict(share, slow, relation="<", **of) != REFUTED
        assert verdict(slow, share, relation=">", **of) != REFUTED
        assert verdict(slow, share, relation="=", **of) != CONFIRMED
        assert verdict(slow, share, relation="<=", **of) != CONFIRMED
    assert verdict(share, float, relation="<", **of) == REFUTED


@pytest.mark.parametrize(
    "sizes", [(10, 100, 1000), (10, 20, 30, 40), (10, 100, 90, 2000), (10, 100, 998, 1000)]
)
def test_sizes_must_grow_far_enough(sizes):
    with pytest.raises(FastgcError, match=r"a\.b: .*size"):
        verdict(lambda n: n, lambda n: n, sizes=sizes)


@pytest.mark.night
@pytest.mark.parametrize("kind", limits.KINDS)
@pytest.mark.parametrize("is_exact", [True, False], ids=["exact", "sampled"])
def test_verdicts_on_limits_are_calibrated(kind, is_exact):
    """A short form of ``bench.limits``: 100 true and 100 wrong statements of each kind.

    Were one in a hundred of each wrongly judged, as is allowed, more than six would be with a
    probability of 7e-5, and of the twenty counts here any with one of .0014. The seed is fixed.
    """
    rows = rows_of(limits.situation(kind, is_exact), range(100))
    assert every(row.hits <= 6 for row in rows if row.promise is limits.ALLOWED)
    # of what is planted a third is a small power of log n, which sampled values rarely tell
    least = 40 if is_exact else 10 if kind == "rate" else 20
    assert every(row.hits >= least for row in rows if row.promise is NONE)
