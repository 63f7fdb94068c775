"""The measure `lost`: shares of partitions, and of work, that nobody who answers holds."""

import itertools
import math
from typing import Literal

import numpy as np
import pytest

import fastgc
from fastgc import codes, systems
from fastgc.experiments.completion.scenario import Scenario
from fastgc.latency import Exponential
from fastgc.registry import register
from fastgc.study.study import Study
from fastgc.systems import answers, at_least, constant
from fastgc.systems.timing.rounds import Port

UNIT = {"distribution": "exponential", "mean": 1.0}
IID = {"model": "iid", "p": 0.3}


def values(result):
    return {
        (row["statistic"], row["method"]): row
        for row in result.rows()
        if row["quantity"] == "lost" and row["method"] != "closed-form"
    }


# ---- of a code's partitions


def shares(B, survivors):
    """Share of the rows without an entry in the columns of survivors, by plain sets."""
    held = set().union(*({i for i in range(len(B)) if B[i, j]} for j in survivors), set())
    return 1 - len(held) / len(B)


def decoding(code, stragglers, **more):
    table = {"kind": "decoding", "code": code, "stragglers": stragglers, "measure": ["lost"]}
    return {"experiment": [{"name": "lost", **table, **more}]}


CODES = [
    ({"family": "frc", "n": 6, "d": 2}, codes.frc(n=6, d=2)),
    ({"family": "circulant", "n": 7, "d": 3}, codes.circulant(n=7, d=3)),
    ({"family": "graph", "name": "complete", "vertices": 4}, None),
    ({"family": "bibd", "name": "fano"}, None),
    # a partition that nobody holds is always lost
    ({"family": "matrix", "rows": [[1, 0, 2], [0, 0, 0], [0, 1, 1], [0, 3, 0]]}, None),
]


@pytest.mark.parametrize(("table", "code"), CODES, ids=lambda each: str(each)[:30])
def test_all_patterns_against_plain_sets(table, code):
    if code is None:
        [point] = Study.parse(decoding(table, IID)).points()
        code = point.table.code.build()
    n, mean, square, above = code.n, 0.0, 0.0, 0.0
    for r in range(n + 1):
        for left in itertools.combinations(range(n), r):
            p, x = 0.7**r * 0.3 ** (n - r), shares(code.B, left)
            mean, square, above = mean + p * x, square + p * x * x, above + p * (x > 0.25)
    study = decoding(table, IID, method="both", thresholds=[0.25])
    found = values(fastgc.run(study, trials=40_000))
    assert found["mean", "exact"]["value"] == pytest.approx(mean, rel=1e-10)
    assert found["variance", "exact"]["value"] == pytest.approx(square - mean**2, rel=1e-9)
    assert found["P(>0.25)", "exact"]["value"] == pytest.approx(above, rel=1e-10)
    for statistic in ("mean", "variance", "P(>0.25)"):
        exact, sampled = found[statistic, "exact"], found[statistic, "monte-carlo"]
        error = sampled["standard_error"]
        assert abs(sampled["value"] - exact["value"]) < 4.5 * error, statistic


@pytest.mark.parametrize("shuffle", ["none", "random", "cyclic"])
def test_trials_are_those_that_are_replayed(shuffle):
    """Of several iterations all are pooled, each with what `replay` says of it."""
    asked = {"iterations": 3, "shuffle": shuffle, "method": "monte-carlo"}
    study = decoding({"family": "circulant", "n": 70, "d": 2}, {"model": "iid", "p": 0.4}, **asked)
    own = [
        len(step["not_accessed"]) / 70
        for trial in range(70)
        for step in fastgc.runs.replay(study, trial=trial)["iterations"]
    ]
    found = values(fastgc.run(study, trials=70))
    assert found["mean", "monte-carlo"]["value"] == pytest.approx(np.mean(own), rel=1e-10)
    assert found["variance", "monte-carlo"]["value"] == pytest.approx(np.var(own), rel=1e-8)
    assert found["maximum", "monte-carlo"]["value"] == pytest.approx(max(own), rel=1e-12)


# ---- of a system's work


def completion(system, latency=UNIT, **more):
    table = {"kind": "completion", "system": system, "latency": latency, "measure": ["lost"]}
    return {"experiment": [{"name": "lost", **table, **more}]}


@pytest.mark.parametrize(("system", "share"), [
    ({"family": "bounded-wait", "n": 5, "k": 3}, 0.4),
    ({"family": "ignore-stragglers", "n": 8, "stragglers": 2}, 0.25),
    ({"family": "replication", "n": 6, "d": 2, "groups": 2}, 1 / 3),
    ({"family": "replication", "n": 6, "d": 2}, 0.0),
    ({"family": "gradient-code", "n": 6, "s": 2}, 0.0),
    ({"family": "local-sgd", "n": 3, "period": 2}, 0.0),
    ({"family": "clones", "n": 3, "r": 2, "after": 1.0}, 0.0),
    ({"family": "coded-reduce", "n": 3, "layers": 2, "s": 1}, 0.0),
], ids=lambda each: each["family"] if isinstance(each, dict) else "")  # fmt: skip
def test_shares_that_are_always_the_same(system, share):
    for found in values(fastgc.run(completion(system, method="both"), trials=256)).values():
        assert (found["value"], found["low"]) == (pytest.approx(share), pytest.approx(share))


def test_a_deadline_and_unlike_workers():
    """The number of late workers is a sum of independent ones: its law by all sets of workers."""
    laws = [
        {"distribution": "exponential", "mean": mean, "shift": shift}
        for mean, shift in ((1.0, 0.0), (2.0, 0.1), (0.5, 0.0), (4.0, 0.3))
    ]
    system = {"family": "drop-late", "n": 4, "deadline": 0.3}
    late = [
        math.exp(-max(0.0, 0.3 - law["shift"] / 4) / (law["mean"] / 4)) for law in laws
    ]  # a time is of a quarter of the work
    chances = {share: 0.0 for share in range(5)}
    for which in itertools.product([False, True], repeat=4):
        chance = math.prod(q if is_late else 1 - q for q, is_late in zip(late, which, strict=True))
        chances[sum(which)] += chance
    mean = sum(p * m / 4 for m, p in chances.items())
    asked = {"method": "both", "thresholds": [0.5], "quantiles": [0.9]}
    found = values(fastgc.run(completion(system, laws, **asked), trials=40_000))
    assert found["mean", "exact"]["value"] == pytest.approx(mean, rel=1e-12)
    square = sum(p * (m / 4 - mean) ** 2 for m, p in chances.items())
    assert found["variance", "exact"]["value"] == pytest.approx(square, rel=1e-9)
    above = chances[3] + chances[4]
    assert found["P(>0.5)", "exact"]["value"] == pytest.approx(above, rel=1e-12)
    level, below = 0, chances[0]
    while below < 0.9:
        level += 1
        below += chances[level]
    assert found["quantile(0.9)", "exact"]["value"] == level / 4
    for statistic in ("mean", "variance", "P(>0.5)"):
        sampled = found[statistic, "monte-carlo"]
        gap = abs(sampled["value"] - found[statistic, "exact"]["value"])
        assert gap < 4.5 * sampled["standard_error"], statistic


def test_at_a_deadline_a_round_may_be_done_before(own_members):
    @register("system")
    class Hasty(systems.System):
        GRADIENT = "lost"
        family: Literal["hasty"] = "hasty"

        def term(self):
            return at_least(1, at_least(9, *answers(12)), constant(0.2))

    table = {"system": {"family": "hasty"}, "latency": UNIT, "measure": ["lost"]}
    with pytest.raises(fastgc.FastgcError, match='"exact" is not known for lost'):
        fastgc.run(table | {"method": "exact"})
    found = values(fastgc.run(table, trials=20_000))["mean", "monte-carlo"]
    p = 1 - math.exp(-0.2 * 12)  # to be there by then, with a twelfth of the work
    there = [math.comb(12, j) * p**j * (1 - p) ** (12 - j) for j in range(13)]
    wanted = sum(share * max(3, 12 - j) for j, share in enumerate(there)) / 12
    assert abs(found["value"] - wanted) < 4.5 * found["standard_error"]


def test_workers_that_never_answer_are_late_at_a_deadline():
    system = {"family": "drop-late", "n": 3, "deadline": 0.4}
    more = {"stragglers": {"model": "iid", "p": 0.25}, "method": "both"}
    found = values(fastgc.run(completion(system, **more), trials=40_000))
    expected = 1 - 0.75 * (1 - math.exp(-1.2))
    assert found["mean", "exact"]["value"] == pytest.approx(expected, rel=1e-12)
    sampled = found["mean", "monte-carlo"]
    assert abs(sampled["value"] - expected) < 4.5 * sampled["standard_error"]


@pytest.mark.parametrize("receive", [0.0, 0.3])
def test_patience_counts_who_is_there_when_the_round_ends(receive):
    """By hand: F is when the first answer is received, and answers come one by one at the port."""
    rows = np.random.default_rng(3).gamma(2.0, 1.0, (20, 4))
    system = systems.ignore_stragglers(n=4, stragglers=3, patience=0.8)
    scenario = Scenario(system, (Exponential(mean=1.0),), port=Port(receive=receive))
    done = scenario.evaluator.done(np.ascontiguousarray(rows.T))
    found = scenario.lost(rows.T, done)
    for times, share in zip(rows, found, strict=True):
        clock, received = 0.0, []
        for arrival in sorted(times):
            clock = max(clock, arrival) + receive
            received.append(clock)
        end = min(1.8 * received[0], received[-1])
        assert share == sum(at > end * (1 + 1e-12) for at in received) / 4


def test_rows_of_a_recording_are_counted_exactly():
    files = {"times.csv": "a,b,c\n1.0,2.0,4.0\n3.0,1.5,0.9\n2.5,3.0,1.2\n"}
    latency = {"distribution": "empirical", "file": "times.csv", "order": "replay"}
    system = {"family": "drop-late", "n": 3, "deadline": 0.7, "load": 1 / 3}
    study = completion(system, latency, method="both", iterations=3) | {"files": files}
    found = values(fastgc.run(study, trials=20_000))
    # in thirds of seconds: .33 .67 (1.33); (1.0) .5 .3; (.83) (1.0) .4
    assert found["mean", "exact"]["value"] == pytest.approx((1 + 1 + 2) / 9)
    sampled = found["mean", "monte-carlo"]
    assert abs(sampled["value"] - 4 / 9) <= 4.5 * sampled["standard_error"] + 1e-12
