"""Systems found by their completion time: against all systems by brute force, which shares no code.

Workers' times are one of two numbers, so that a mean is a sum over all outcomes.
"""

import itertools
import math
from collections.abc import Callable, Iterator
from fractions import Fraction
from typing import Any

import pytest

import fastgc
from fastgc.errors import FastgcError, StoppedError
from fastgc.planning.code_search import search
from fastgc.searching import exchange, timed
from suite.checks import every

pytestmark = pytest.mark.night

FAST, SLOW, P_SLOW = 1.0, 3.5, 0.3
TWO = {
    "distribution": "bimodal",
    "p_slow": P_SLOW,
    "fast": {"distribution": "deterministic", "value": FAST},
    "slow": {"distribution": "deterministic", "value": SLOW},
}
ONCE = {"distribution": "deterministic", "value": 2.0}
LAW = {"distribution": "exponential", "mean": 1.0, "shift": 1.0}


def outcomes(n: int, certain: int = 0) -> Iterator[tuple[float, tuple[float, ...]]]:
    """Probabilities and times of all workers; the last ones take 2 s for certain."""
    for times in itertools.product((FAST, SLOW), repeat=n - certain):
        slow = times.count(SLOW)
        yield P_SLOW**slow * (1 - P_SLOW) ** (n - certain - slow), (*times, *[2.0] * certain)


def worth(done: Callable[[tuple[float, ...]], float], n: int, level: float | None, **how: int):
    """The mean or the quantile of a completion time."""
    each = [(done(times), p) for p, times in outcomes(n, **how)]
    if level is None:
        return sum(p * t for t, p in each)
    below = 0.0
    for t, p in sorted(each):
        below += p
        if below >= level:
            return t
    raise AssertionError


def layers_done(k: tuple[int, ...], load: float, times: tuple[float, ...]) -> float:
    ends = [sorted((j + 1) * load * t for t in times) for j in range(len(k))]
    return max(own[need - 1] for own, need in zip(ends, k, strict=True) if need)


def chunks_done(
    lists: Any, load: float, copies: int, once: bool, times: tuple[float, ...]
) -> float:
    ready: list[list[float]] = [[] for _ in lists]
    for own, t in zip(lists, times, strict=True):
        for place, chunk in enumerate(own, 1):
            ready[chunk].append(load * t * (1 if once else place))
    return max(sorted(own)[copies - 1] if len(own) >= copies else math.inf for own in ready)


def tree_done(
    parents: tuple[int, ...], s: int, load: float, receive: float, times: tuple[float, ...]
) -> float:
    def of(node: int) -> float:
        below = sorted(of(v) for v, parent in enumerate(parents, 1) if parent == node)
        clock = 0.0
        for arrival in below[: len(below) - s if below else 0]:
            clock = max(clock, arrival) + receive
        return max(clock, load * times[node - 1] if node else 0.0)

    return of(0)


def tree_load(parents: tuple[int, ...], s: int) -> Fraction:
    """The smallest load: no subtree is given more than fits, and each point is in s + 1 of them."""

    def capacity(node: int) -> Fraction:
        below = [capacity(v) for v, parent in enumerate(parents, 1) if parent == node]
        own = Fraction(1 if node else 0)
        if not below:
            return own
        # Σ min(c, m) − (s + 1) m is concave in m, and 0 at most where all of some are full
        tried = [sum(sorted(below)[:kept], Fraction(0)) for kept in range(len(below) + 1)]
        shares = [
            total / (s + 1 - len(below) + kept)
            for kept, total in enumerate(tried)
            if s + 1 - len(below) + kept > 0
        ]
        fits = [m for m in shares if sum(min(c, m) for c in below) >= (s + 1) * m]
        return own + max(fits)

    return 1 / capacity(0)


def trees(n: int, s: int) -> Iterator[tuple[int, ...]]:
    for size in range(1, n + 1):
        for parents in itertools.product(*(range(i + 1) for i in range(size))):
            if all(parents.count(v) > s for v in {0, *parents}):
                yield parents


def least_of(keys: dict[str, Any], level: float | None) -> float:
    """The least value of all systems, by brute force."""
    n, certain = keys["n"], keys.get("certain", 0)

    def of(done: Callable[[tuple[float, ...]], float], size: int = n) -> float:
        return worth(done, size, level, certain=certain)

    if keys["system"] == "hierarchical":
        layers, tasks = keys["layers"], keys["tasks"]
        every = itertools.product(range(n + 1), repeat=layers)
        return min(
            of(lambda times, k=k: layers_done(k, 1 / tasks, times))
            for k in every
            if sum(k) == tasks
        )
    if keys["system"] == "coded-reduce":
        receive = keys.get("port", {}).get("receive", 0.0)
        return min(
            of(
                lambda times, p=p, s=s: tree_done(p, s, float(tree_load(p, s)), receive, times),
                len(p),
            )
            for s in range(n)
            for p in trees(n, s)
        )
    d, copies, once = keys["d"], keys.get("copies", 1), keys["system"] == "batches"
    one = list(itertools.permutations(range(n), d))
    load = d / n if once else 1 / n
    return min(
        of(lambda times, lists=lists: chunks_done(lists, load, copies, once, times))
        for lists in itertools.product(one, repeat=n)
    )


CASES: list[dict[str, Any]] = [
    {"system": "hierarchical", "n": 4, "layers": 3, "tasks": 7},
    {"system": "hierarchical", "n": 4, "layers": 3, "tasks": 6, "certain": 2},
    {"system": "coded-reduce", "n": 4},
    {"system": "coded-reduce", "n": 4, "port": {"receive": 0.25}},
    {"system": "partial", "n": 3, "d": 2},
    {"system": "partial", "n": 3, "d": 2, "certain": 1},
    {"system": "partial", "n": 3, "d": 2, "copies": 2},
    {"system": "batches", "n": 3, "d": 2},
    {"system": "batches", "n": 4, "d": 2, "certain": 1},
]


def asked(case: dict[str, Any]) -> dict[str, Any]:
    keys = dict(case)
    certain = keys.pop("certain", 0)
    laws = [TWO] * (keys["n"] - certain) + [ONCE] * certain
    return keys | {"latency": laws if certain else TWO}


@pytest.mark.night
@pytest.mark.parametrize("level", [None, 0.8])
@pytest.mark.parametrize("case", CASES, ids=lambda case: " ".join(map(str, case.values())))
def test_the_best_of_all_is_found(
    case: dict[str, Any], level: float | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    want = least_of(case, level)
    keys = asked(case) | {"quantile": level}
    made = search(keys).certificate
    assert made["value"] == pytest.approx(want, rel=1e-9)
    if made["optimal"]:
        assert f"all {made['all']} forms were judged" in made["statement"]
    monkeypatch.setattr(exchange, "MOST_SOLVED", 0)  # changes find it, too
    made = search(keys, steps=600).certificate
    assert made["value"] == pytest.approx(want, rel=1e-9) and not made["optimal"]


def test_all_forms_are_said_to_be_judged_where_they_were() -> None:
    made = search(system="hierarchical", n=6, layers=3, tasks=9, latency=LAW).certificate
    ways = {tuple(sorted(k)) for k in itertools.product(range(7), repeat=3) if sum(k) == 9}
    assert made["optimal"] and made["all"] == len(ways)
    made = search(system="hierarchical", n=6, layers=3, tasks=9, latency=LAW, steps=5).certificate
    assert not made["optimal"] and made["all"] is None


@pytest.mark.night
@pytest.mark.parametrize(
    "keys",
    [
        {"system": "hierarchical", "n": 5, "layers": 3, "tasks": 8, "draws": "task"},
        {"system": "coded-reduce", "n": 9, "s": 1, "port": {"receive": 0.1, "opens": "after-own"}},
        {"system": "partial", "n": 5, "d": 2},
        {"system": "batches", "n": 6, "d": 2, "work": 3.0},
    ],
    ids=lambda keys: keys["system"],
)
@pytest.mark.parametrize("level", [None, 0.9])
def test_the_study_measures_what_the_search_says(keys: dict[str, Any], level: float | None) -> None:
    found = search(keys, latency=LAW, quantile=level, steps=300)
    assert found.certificate["method"] == "exact laws"
    study = {"experiment": [found.study["experiment"][0] | {"method": "exact"}]}
    statistic = "mean" if level is None else f"quantile({level})"
    [row] = [row for row in fastgc.run(study).rows() if row["statistic"] == statistic]
    assert row["value"] == pytest.approx(found.value, rel=1e-9)


@pytest.mark.night
def test_changes_beat_families_of_trees() -> None:
    """Regular trees leave workers idle; the same seed and steps find the same tree again."""
    keys = {"system": "coded-reduce", "n": 10, "s": 1, "latency": LAW, "port": {"receive": 0.1}}
    first, second = (search(keys, steps=20) for _ in range(2))
    assert first.certificate["verdict"] == "better than every family"
    assert len(first.system["parents"]) == 10
    assert first.certificate == second.certificate
    families = [row for row in first.certificate["compared"] if row["family"]]
    assert every(row["value"] > first.value for row in families)


@pytest.mark.night
@pytest.mark.parametrize("level", [None, 0.9])
def test_draws_agree_with_exact_laws(level: float | None, monkeypatch: pytest.MonkeyPatch) -> None:
    keys = {"system": "partial", "n": 5, "d": 3, "latency": LAW, "quantile": level, "steps": 0}
    exact = search(keys).certificate
    monkeypatch.setattr(timed, "_MOST_WORK", 0)
    monkeypatch.setattr(exchange, "_DRAWS", 1 << 16)
    drawn = search(keys).certificate
    assert drawn["low"] < drawn["value"] < drawn["high"]
    assert drawn["low"] < exact["value"] * 1.01 and exact["value"] * 0.99 < drawn["high"]
    known = {row["name"]: row["value"] for row in exact["compared"]} | {exact["by"]: exact["value"]}
    for row in drawn["compared"]:
        if row["standing"] == "worse":
            assert known[row["name"]] > exact["value"]
    assert any(row["standing"] == "worse" for row in drawn["compared"])
    assert any(row["standing"] in ("undecided", "equal") for row in drawn["compared"])


def test_draws_decide_nothing_of_means_without_variance(monkeypatch: pytest.MonkeyPatch) -> None:
    law = {"distribution": "pareto", "shape": 1.1, "scale": 1.0}
    monkeypatch.setattr(timed, "_MOST_WORK", 0)
    monkeypatch.setattr(exchange, "_DRAWS", 1 << 14)
    made = search(system="partial", n=4, d=1, latency=law, steps=0).certificate
    assert {row["standing"] for row in made["compared"]} <= {"undecided", "equal"}
    heavy = {"distribution": "pareto", "shape": 0.9, "scale": 1.0}
    monkeypatch.undo()
    made = search(system="partial", n=3, d=1, latency=heavy, steps=10).certificate
    assert made["value"] is None and "ask for a quantile" in made["statement"]


def test_files_say_and_repeat_it(tmp_path: Any) -> None:
    keys = {"system": "hierarchical", "n": 5, "layers": 2, "tasks": 6, "latency": LAW}
    found = search(keys, out=tmp_path / "best.toml")
    assert fastgc.run(tmp_path / "best.toml").rows()
    again = search(tmp_path / "best.search.toml")
    assert again.certificate == found.certificate
    with pytest.raises(FastgcError, match=r"out: must end in \.toml"):
        search(keys, out=tmp_path / "best.csv")


def test_it_ends_when_asked() -> None:
    keys = {"system": "coded-reduce", "n": 12, "latency": LAW}
    few = {"system": "hierarchical", "n": 6, "layers": 3, "tasks": 9, "latency": LAW}
    made = search(few, seconds=1e-9).certificate
    assert made["ended"] == "seconds" and not made["optimal"]
    with pytest.raises(StoppedError, match="keeps nothing"):
        search(keys, interrupted=lambda: "SIGINT")


@pytest.mark.parametrize(
    ("keys", "said"),
    [
        ({"system": "gcada"}, "system: must be"),
        ({"system": "hierarchical"}, "layers: missing; hierarchical needs it"),
        ({"system": "hierarchical", "layers": 2, "tasks": 9}, "tasks: must be at most layers · n"),
        ({"system": "partial", "d": 2, "tasks": 3}, "tasks: does not belong to partial; drop it"),
        ({"system": "partial", "d": 5}, "d: must be at most n (got n=4, d=5)"),
        ({"system": "partial", "d": 2, "copies": 3}, "copies: must be at most d"),
        ({"system": "coded-reduce", "s": 4}, "s: must be less than n"),
        ({"system": "coded-reduce", "latency": [LAW, LAW]}, "latency"),
        ({"system": "coded-reduce", "latency": [TWO, TWO, TWO, LAW]}, "must be one law for all"),
        ({"system": "batches", "d": 2, "quantile": 0}, "quantile: must be more than 0"),
        ({"system": "coded-reduce", "scaling": "additive"}, "needs an integer load"),
    ],
    ids=lambda each: None if isinstance(each, str) else " ".join(map(str, each)),
)
def test_mistakes_are_told(keys: dict[str, Any], said: str) -> None:
    with pytest.raises(FastgcError) as caught:
        search({"n": 4, "latency": LAW, "steps": 5} | keys)
    assert said in str(caught.value) and "Traceback" not in str(caught.value)


def test_a_latency_is_needed() -> None:
    with pytest.raises(FastgcError, match="latency: missing"):
        search(system="coded-reduce", n=4)
