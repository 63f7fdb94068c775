"""Times until answers decode: against sums over all patterns, and draws against all patterns."""

import functools
import itertools
import math
import re
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from fastgc.errors import FastgcError
from fastgc.latency import Exponential, Pareto, Weibull
from fastgc.planning.code_search import search
from fastgc.searching import certificate, problem
from fastgc.searching.clock import Clock
from fastgc.searching.judge import Judge
from fastgc.searching.problem import Problem

CODES = {
    "groups": np.kron(np.eye(2), np.ones((2, 3)))[:, :5],
    "ring": np.array([[1.0 if (i - j) % 5 < 2 else 0.0 for j in range(5)] for i in range(5)]),
    "weights": np.array([[1.0, 0, 0, 1, 2], [0.5, -1, 0, 0, 1], [0, 2, 1, 0, 1]]),
}


def decodes(B: np.ndarray, who: tuple[int, ...]) -> bool:
    """Whether these answers decode, by NumPy alone."""
    if not who:
        return False
    columns = B[:, list(who)]
    x = np.linalg.lstsq(columns, np.ones(len(B)), rcond=None)[0]
    return float(((columns @ x - 1) ** 2).sum()) < 1e-18


@functools.cache
def broken(name: str) -> list[int]:
    """How many answers each set that does not decode has."""
    B = CODES[name]
    sets = (itertools.combinations(range(5), m) for m in range(6))
    return [len(who) for who in itertools.chain.from_iterable(sets) if not decodes(B, who)]


def late(name: str, v: float) -> float:
    """P(T > t) where each worker is still out with probability v: a sum over all patterns."""
    return sum(v ** (5 - m) * (1 - v) ** m for m in broken(name))


#: Laws, and P(X > t) as written in a book.
LAWS: list[tuple[Any, Callable[[float], float]]] = [
    (None, lambda t: math.exp(-t)),
    (Exponential(mean=2.0, shift=0.5), lambda t: min(1.0, math.exp(-(t - 0.5) / 2))),
    (Weibull(shape=2.0, scale=1.5), lambda t: math.exp(-((t / 1.5) ** 2))),
    (Pareto(shape=1.2, scale=1.0), lambda t: min(1.0, t**-1.2) if t > 0 else 1.0),
]


@pytest.mark.parametrize("level", [0.1, 0.5, 0.99, 0.999])
@pytest.mark.parametrize(("law", "out"), LAWS)
@pytest.mark.parametrize("name", CODES)
def test_a_quantile_is_where_so_much_is_late(
    name: str, law: Any, out: Callable[[float], float], level: float
) -> None:
    B = CODES[name]
    own = Problem(n=5, k=len(B), d=len(B), goal="time", latency=law, quantile=level, entries="real")
    t = Judge(own).certain(B).first
    assert late(name, out(t)) == pytest.approx(1 - level, rel=1e-6, abs=0)


@pytest.mark.parametrize(("law", "out"), LAWS[:3])
@pytest.mark.parametrize("name", CODES)
def test_a_mean_is_the_area_below_the_tail(
    name: str, law: Any, out: Callable[[float], float]
) -> None:
    B = CODES[name]
    own = Problem(n=5, k=len(B), d=len(B), goal="time", latency=law, entries="real")
    edges = np.linspace(0.0, 40.0, 1001)
    area = 0.04 * sum(late(name, out(float(t))) for t in 0.5 * (edges[1:] + edges[:-1]))
    assert Judge(own).certain(B).first == pytest.approx(area, rel=1e-3)


def test_infinite_means_are_of_codes_that_need_the_last() -> None:
    clock = Clock(3, Pareto(shape=0.7, scale=1.0).time(), None)
    assert clock.value([0.0, 1.0, 1.0, 1.0]) == math.inf
    assert math.isfinite(clock.value([0.0, 0.0, 1.0, 1.0]))
    law = {"distribution": "pareto", "shape": 0.7, "scale": 1.0}
    made = search(n=3, d=1, goal="time", latency=law, steps=0).certificate
    assert made["value"] is None and "ask for a quantile" in made["statement"]


def test_the_exponential_law_is_the_default() -> None:
    B, law = CODES["ring"], Exponential(mean=1.0)
    for level in (None, 0.9):
        of = {"n": 5, "d": 2, "goal": "time", "quantile": level}
        given, default = Judge(Problem(**of, latency=law)), Judge(Problem(**of))
        assert given.full(B).first == pytest.approx(default.full(B).first, rel=1e-9)
    assert Judge(Problem(n=5, d=2, goal="time")).exact_value(B) is not None
    assert Judge(Problem(n=5, d=2, goal="time", quantile=0.9)).exact_value(B) is None


@pytest.mark.night
@pytest.mark.parametrize("level", [None, 0.9])
def test_draws_say_what_all_patterns_say(
    level: float | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    law = Weibull(shape=0.8, scale=1.0)
    own = Problem(n=7, d=3, goal="time", latency=law, quantile=level)
    codes = [np.array(B.T) for B in np.random.default_rng(3).random((6, 7, 7)) < 0.4]
    codes = [np.where(B.any(axis=0), B, 1).astype(float) for B in codes]
    exact = [Judge(own).full(B).first for B in codes]
    monkeypatch.setattr(problem, "MOST_ENUMERATED", 4)
    judge = Judge(own)
    found = [judge.full(B).first for B in codes]
    assert found == pytest.approx(exact, rel=0.02)
    assert len(set(found)) > 2


@pytest.mark.night
def test_intervals_of_draws_hold(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of 40 seeds, the 95 % interval of a quantile misses at most 6 times (1 in 100 would more)."""
    of = {"n": 6, "d": 2, "goal": "time", "quantile": 0.9}
    B = np.array([[1.0 if (i - j) % 6 < 2 else 0.0 for j in range(6)] for i in range(6)])
    truth = Judge(Problem(**of)).full(B).first
    monkeypatch.setattr(problem, "MOST_ENUMERATED", 4)
    monkeypatch.setattr(certificate, "_DRAWS", 1 << 11)
    held = 0
    for seed in range(40):
        judge = Judge(Problem(**of, seed=seed))
        valued = judge.full(B), certificate.Candidate("ring", B)
        made, _ = certificate._by_draws(judge, valued, [])
        held += made["low"] <= truth <= made["high"]
    assert held >= 34


@pytest.mark.night
def test_draws_decide_or_do_not(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(certificate, "_DRAWS", 1 << 12)
    made = search(n=21, d=3, goal="time", quantile=0.9, steps=20).certificate
    assert made["low"] < made["value"] < made["high"]
    standings = {row["name"]: row["standing"] for row in made["compared"]}
    assert standings["uncoded n=21"] == "worse"
    assert made["statement"].startswith("0.9-quantile of the completion time")


@pytest.mark.parametrize(
    ("keys", "said"),
    [
        ({"p": 0.1, "quantile": 0.9}, 'latency and quantile are of goal "time"'),
        ({"goal": "time", "quantile": 1.0}, "quantile: must be less than 1"),
        ({"goal": "time", "latency": 3}, "latency: must be a table (got 3)"),
        ({"goal": "time", "latency": {"distribution": "exponentail", "mean": 1}}, "exponential"),
        ({"goal": "time", "p": 0.1}, "takes neither p nor s"),
    ],
)
def test_mistakes_are_told(keys: dict[str, Any], said: str) -> None:
    with pytest.raises(FastgcError, match=re.escape(said)):
        search({"n": 6, "d": 2, "steps": 0} | keys)
