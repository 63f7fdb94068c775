"""Statements as n grows: what vanishes is told from what stays."""

import math

import pytest

from fastgc.errors import FastgcError
from fastgc.results.verdicts import CONFIRMED, REFUTED, UNDECIDED
from fastgc.theory.papers.claim import Case, Claim
from fastgc.validation import growth

SIZES = (10, 30, 100, 300, 1000, 10_000)


def claim(theory, relation="=", limit="ratio", rate=None, sizes=SIZES):
    cases = [
        Case({"n": n}, theory(n), {}, "time", size=n, rate=None if rate is None else rate(n))
        for n in sizes
    ]
    return Claim("a.b", "a", "s", "c", relation, CONFIRMED, lambda: cases, "as n grows", limit)


def verdict(value, theory, *arguments, error=0.0, sizes=SIZES, **more):
    said = claim(theory, *arguments, sizes=sizes, **more)
    return growth.judge(said, [value(n) for n in sizes], [error] * len(sizes)).verdict


def test_a_ratio_that_goes_to_one():
    assert verdict(lambda n: n + math.sqrt(n), lambda n: n) == CONFIRMED
    assert verdict(lambda n: 1.1 * n, lambda n: n) == REFUTED
    assert verdict(lambda n: n, lambda n: n) == CONFIRMED


def test_a_difference_that_vanishes_and_one_that_stays():
    assert verdict(lambda n: 2 + 1 / n, lambda n: 2, "=", "difference") == CONFIRMED
    # an excess that falls at first and stays at 0.15 for ever
    assert verdict(lambda n: 2.15 + 1 / n, lambda n: 2, "=", "difference") == REFUTED


def test_what_falls_slowly_is_undecided():
    assert (
        verdict(lambda n: 2 + 1 / math.log(n) ** 0.5, lambda n: 2, "=", "difference") == UNDECIDED
    )


def test_of_a_bound_only_the_wrong_side_counts():
    def below(n):
        return 0.5 * n

    def beyond(n):
        return 1.5 * n

    assert verdict(below, lambda n: n, "<=") == CONFIRMED
    assert verdict(beyond, lambda n: n, "<=") == REFUTED
    assert verdict(beyond, lambda n: n, ">=") == CONFIRMED
    assert verdict(lambda n: n * (1 + 3 / n), lambda n: n, "<=") == CONFIRMED


def test_a_stated_rate_is_held_against_the_fall():
    def slow(n):
        return 1 + n**-0.5

    assert verdict(slow, lambda n: 1, "=", "difference", rate=lambda n: n**-0.5) == CONFIRMED
    assert verdict(slow, lambda n: 1, "=", "difference", rate=lambda n: n**-0.25) == CONFIRMED
    assert verdict(slow, lambda n: 1, "=", "difference", rate=lambda n: 1 / n) == REFUTED


@pytest.mark.parametrize(
    ("value", "relation", "expected"),
    [
        (lambda n: 3 * n + 5, "=", CONFIRMED),
        (lambda n: n * math.log(n), "=", REFUTED),
        (lambda n: math.sqrt(n), "=", REFUTED),
        (lambda n: 7.0, "=", REFUTED),  # a constant is no order n
        (lambda n: 7.0, "<=", CONFIRMED),
        (lambda n: 7.0, ">=", REFUTED),
        (lambda n: n**1.5, ">=", CONFIRMED),
        (lambda n: n**1.5, "<=", REFUTED),
    ],
)
def test_orders_have_two_sides(value, relation, expected):
    assert verdict(value, lambda n: float(n), relation, "order") == expected


def test_what_is_lost_in_the_error_of_sampling_is_undecided():
    assert verdict(lambda n: 2 + 1 / n, lambda n: 2, "=", "difference", error=0.01) == UNDECIDED


@pytest.mark.parametrize("sizes", [(10, 100, 1000), (10, 20, 30, 40), (10, 100, 90, 2000)])
def test_sizes_must_grow_far_enough(sizes):
    with pytest.raises(FastgcError, match=r"a\.b: .*size"):
        verdict(lambda n: n, lambda n: n, sizes=sizes)
