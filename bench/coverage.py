"""How often 95 % intervals hold the truth: ``python -m bench.coverage [--replications N]``.

Every situation is sampled with so many seeds, through the blocks, stop rules and estimates of a
run, and the intervals that hold the known truth are counted: at least 93.5 % of them, where only a
floor is promised, 93.5 … 96.5 % of means.

A count that would come less than once in a thousand from a coverage at the edge of its band is a
failure. So of numbers that keep their promise at most one in a thousand is called a failure; one
whose coverage is 95 % never is, in practice: 4 000 replications have a standard error of .34 %.

``seconds`` is not measured: where it stops depends on the machine. It looks at the clock alone,
never at a number, and so its runs are those of ``trials``. A number's truth is that of the exact
method: enumeration or quadrature, which share no draw with what is sampled.
"""

import math
import sys
from collections.abc import Iterator, Sequence
from typing import Any

from bench.intervals import NONE, Promise, judge
from bench.situation import BAND, FLOOR, Situation, Table, Target

REPLICATIONS = 4000
TWO_CLASS = {"model": "two-class", "p_slow": 0.3, "p_straggle_slow": 0.8, "p_straggle_active": 0.05}
MARKOV = {"model": "markov", "p_straggle_after_ok": 0.05, "p_straggle_after_straggle": 0.7}
EXPONENTIAL = {"distribution": "exponential", "mean": 1.0}
ONE = {"family": "uncoded", "n": 1}
#: Expected outcomes: just below Wilson's lower ends for 1, 2, 3, 4, 8, where it covers least; more.
WORST = (0.1765, 0.5487, 1.0214, 1.5554, 4.0538, 14.0, 43.9)


def situations() -> Iterator[Situation]:
    for part in (_errors, _times, _probabilities, _conditional, _ratios, _runs, _reduced):
        yield from part()


def counted() -> Iterator[Any]:
    return (each.counted for each in situations())


def _one(name: str, table: Table, stop: int | Table, *numbers: Target, **how: Any) -> Situation:
    rules = {"trials": stop} if isinstance(stop, int) else stop
    return Situation(name, (table,), rules, numbers, **how)


def _decoding(code: Table, stragglers: Table, name: str = "a", **more: Any) -> Table:
    return {"name": name, "code": code, "stragglers": stragglers, **more}


def _timed(latency: Table, system: Table | None = None, name: str = "a", **more: Any) -> Table:
    return {"name": name, "kind": "completion", "system": system or ONE, "latency": latency, **more}


def _frc(n: int, d: int) -> Table:
    return {"family": "frc", "n": n, "d": d}


def _of(n: int, k: int) -> Table:
    return {"family": "k-of-n", "n": n, "k": k, "load": 1.0}


def _quantiles(quantity: str, levels: tuple[float, ...], promise: Promise) -> Any:
    return tuple(
        Target(f"quantile {level}", ("a", quantity, f"quantile({level})", None), promise)
        for level in levels
    )


def _mean(quantity: str, promise: Promise, said: str = "mean") -> Target:
    return Target(said, ("a", quantity, "mean", None), promise)


def _both(quantity: str, promise: Promise) -> tuple[Target, Target]:
    variance = Target("variance", ("a", quantity, "variance", None), promise)
    return _mean(quantity, promise), variance


def _errors() -> Iterator[Situation]:
    """Decoding errors, which are discrete; iterations of a trial that depend on each other."""
    levels = (0.5, 0.9, 0.99)
    asked = {"measure": ["error", "exact"], "quantiles": list(levels), "thresholds": [2.5]}
    above = "P(error > 2.5)"
    for name, code, model, iterations in (
        ("sparse-regular, iid", {"family": "sparse-regular", "n": 12, "d": 3, "seed": 1}, None, 1),
        ("frc, two-class, 5 iterations", _frc(12, 3), TWO_CLASS, 5),
        ("frc, Markov, 10 iterations", _frc(12, 3), MARKOV, 10),
    ):
        stragglers = model or {"model": "iid", "p": 0.3}
        yield _one(
            f"error: {name}",
            _decoding(code, stragglers, iterations=iterations, **asked),
            1000,
            *_both("error", BAND),
            _mean("exact", FLOOR, "P(exact)"),
            Target(above, ("a", "error", "P(>2.5)", None), FLOOR),
            *_quantiles("error", levels, FLOOR),
        )
    for trials, said, promise in ((1_000, "3", FLOOR), (65_536, "210", BAND)):
        yield _one(
            f"error: frc, {said} events expected",
            _decoding(_frc(8, 4), {"model": "iid", "p": 0.2}),
            trials,
            _mean("error", promise),
        )

    nearly_all = _decoding({"family": "circulant", "n": 3, "d": 2}, {"model": "iid", "p": 0.999})
    yield _one("error: circulant, all but 3 trials alike", nearly_all, 1000, *_both("error", FLOOR))


def _times() -> Iterator[Situation]:
    """Completion times, binned; tails that are ever heavier."""
    levels = (0.01, 0.5, 0.9, 0.99)
    for trials in (1_000, 65_536):
        yield _one(
            "time: 8 of 12, exponential",
            _timed(EXPONENTIAL, _of(12, 8), quantiles=list(levels)),
            trials,
            *_both("time", BAND),
            *_quantiles("time", levels, FLOOR),
        )
    yield _one(
        "time: exponential, 4 iterations",
        _timed(EXPONENTIAL, iterations=4, quantiles=[0.5, 0.99]),
        1000,
        *_both("time", BAND),
        *_quantiles("time", (0.5, 0.99), FLOOR),
    )
    for shape, promises in ((4.5, (BAND, BAND)), (2.5, (NONE, NONE))):
        for trials, promise in zip((1_000, 65_536), promises, strict=True):
            law = {"distribution": "pareto", "shape": shape, "scale": 1.0}
            yield _one(f"time: Pareto {shape}", _timed(law), trials, _mean("time", promise))


def _probabilities() -> Iterator[Situation]:
    """Probabilities near 0, in the middle and near 1; slow trials, in which all goes wrong."""
    trials = 1000
    few = [expected / trials for expected in WORST]
    probabilities = (0.5, 0.1, 0.9, *few, *(1 - p for p in few[::4]))
    thresholds = [-math.log(p) for p in probabilities]
    numbers = [
        Target(f"P = {p:.5g}", ("a", "time", f"P(>{threshold!r})", None), FLOOR)
        for p, threshold in zip(probabilities, thresholds, strict=True)
    ]
    for iterations in (1, 4):
        table = _timed(EXPONENTIAL, iterations=iterations, thresholds=thresholds)
        yield _one(f"probability: iterations {iterations}", table, trials, *numbers)
    for p_slow in (0.0002, 0.0006, 0.003, 0.1):
        slow = {**TWO_CLASS, "p_slow": p_slow, "p_straggle_active": 0.0}
        yield _one(
            f"probability: 10 iterations, a trial slow with {p_slow}",
            _decoding(ONE, slow, iterations=10, measure=["exact", "error"]),
            trials,
            _mean("exact", FLOOR, "P(exact)"),
            _mean("error", FLOOR, "mean error"),
        )


def _conditional() -> Iterator[Situation]:
    """Times given that they end at all, and errors given how many survive."""
    numbers = (
        _mean("time", BAND),
        *_quantiles("time", (0.5,), FLOOR),
        Target("P(time > 1.9)", ("a", "time", "P(>1.9)", None), FLOOR),
        _mean("decodable", FLOOR, "P(decodable)"),
    )
    for p in (0.1, 0.3):
        iid = {"model": "iid", "p": p}
        asked = {"measure": ["time", "decodable"], "quantiles": [0.5], "thresholds": [1.9]}
        table = _timed(EXPONENTIAL, _of(10, 8), stragglers=iid, iterations=3, **asked)
        said = f"given decodable: 8 of 10, iid {p}, 3 iterations"
        yield _one(said, table, 1000, *numbers)
    given = _decoding(_frc(12, 3), TWO_CLASS, iterations=5, measure=["error_by_survivors"])
    yield _one(
        "given r survivors: frc, two-class, 5 iterations",
        given,
        1000,
        *(
            Target(f"mean error, r = {r}", ("a", "error_by_survivors", "mean", r), promise)
            for r, promise in ((8, BAND), (5, BAND), (11, FLOOR))
        ),
    )


def _ratios() -> Iterator[Situation]:
    errors = tuple(
        _decoding({"family": name, "n": 12, "d": 3}, TWO_CLASS, name, iterations=5)
        for name in ("frc", "circulant")
    )
    ratio = Target("ratio of means", ("frc/circulant", "error", "ratio", None), BAND)
    yield Situation("ratio: errors", errors, {"trials": 1000}, (ratio,), ratio=True)
    times = tuple(_timed(EXPONENTIAL, _of(10, k), f"k{k}") for k in (8, 6))
    ratio = Target("ratio of means", ("k8/k6", "time", "ratio", None), BAND)
    yield Situation("ratio: times", times, {"trials": 1000}, (ratio,), ratio=True)


def _runs() -> Iterator[Situation]:
    """Runs that end when they are precise, looked at after 1, 2, 4, … blocks; merged, extended.

    Most are about as likely to end at one look as at the next, where what ends them biases most.
    """
    frc = _decoding(_frc(6, 3), {"model": "iid", "p": 0.3}, measure=["error", "exact"])
    rare = _decoding(_frc(8, 4), {"model": "iid", "p": 0.3}, measure=["error", "exact"])
    often = _decoding(_frc(12, 3), TWO_CLASS, iterations=5, measure=["error", "exact"])
    of_errors = (_mean("error", FLOOR, "mean error"), _mean("exact", FLOOR, "P(exact)"))
    time = _timed(EXPONENTIAL, _of(12, 8), quantiles=[0.5])
    heavy = _timed({"distribution": "pareto", "shape": 4.5, "scale": 1.0})
    of_times = (_mean("time", FLOOR), *_quantiles("time", (0.5,), FLOOR))
    events = {"relative_error": 0.5, "events": 20}
    for said, table, stop, numbers, block in (
        ("relative_error 0.2, frc", frc, {"relative_error": 0.2}, of_errors, 256),
        ("relative_error 0.5, events 20", rare, events, of_errors, 256),
        ("relative_error 0.1, two-class", often, {"relative_error": 0.1}, of_errors, 512),
        ("absolute_error 0.011, rare", rare, {"absolute_error": 0.011}, of_errors, 1024),
        ("relative_error 0.032, times", time, {"relative_error": 0.032}, of_times, 128),
        ("relative_error 0.009, Pareto 4.5", heavy, {"relative_error": 0.009}, of_times[:1], 512),
    ):
        stops = {"trials": 65_536, **stop}
        yield _one(f"stop rule: {said}", table, stops, *numbers, block=block)
    table = _decoding(_frc(12, 3), TWO_CLASS, iterations=5, measure=["error", "exact"])
    table |= {"quantiles": [0.9]}
    numbers = (
        _mean("error", BAND),
        _mean("exact", FLOOR, "P(exact)"),
        *_quantiles("error", (0.9,), FLOOR),
    )
    yield _one("3 shards, merged", table, 1000, *numbers, block=128, shards=3)
    yield _one("extended from 300 trials", table, 1000, *numbers, block=128, first=300)


def _reduced() -> Iterator[Situation]:
    """Means with less variance than those of their trials: strata, controls, few of either."""
    cyclic = {"family": "cyclic", "n": 10, "d": 3, "seed": 1}
    cycle = {"family": "circulant", "n": 10, "d": 2}
    binary = {"family": "binary", "n": 10, "s": 2}
    sparse = {"family": "sparse-regular", "n": 12, "d": 3, "seed": 1}
    often, rare = {"model": "iid", "p": 0.3}, {"model": "iid", "p": 0.05}
    unlike = {"model": "iid", "p": [0.05 + 0.05 * j for j in range(10)]}
    so_many = {"model": "uniform", "stragglers": 3}
    for said, code, model, trials in (
        ("cyclic, iid .3", cyclic, often, 100),
        ("cyclic, iid .3", cyclic, often, 1_000),
        ("cyclic, iid .05", cyclic, rare, 8_192),
        ("cyclic, unlike workers", cyclic, unlike, 1_000),
        ("circulant, so many stragglers", cycle, so_many, 1_000),
        ("binary, iid .05", binary, rare, 8_192),
        ("sparse-regular, iid .97", sparse, {"model": "iid", "p": 0.97}, 1_000),
    ):
        yield _one(f"less variance: {said}", _decoding(code, model), trials, _mean("error", FLOOR))
    tree = {"family": "coded-reduce", "n": 4, "layers": 2, "s": 1, "load": 1.0}
    layers = {"family": "hierarchical", "n": 12, "k": [11, 9, 6]}
    slow = {"distribution": "exponential", "mean": 5.0}
    mixed = {"distribution": "bimodal", "p_slow": 0.02, "fast": EXPONENTIAL, "slow": slow}
    for said, system, law, receive in (
        ("tree with a port, few slow", tree, mixed, 0.1),
        ("layers", layers, EXPONENTIAL, 0.0),
    ):
        for trials in (200, 1_000):
            yield _one(
                f"less variance: {said}",
                _timed(law, system, port={"receive": receive}),
                trials,
                _mean("time", BAND),
            )
    numbers = (_mean("error", FLOOR),)
    table = _decoding(cyclic, often)
    stop = {"trials": 65_536, "relative_error": 0.03}
    yield _one("less variance: relative_error 0.03", table, stop, *numbers, block=256)
    yield _one("less variance: 3 shards, merged", table, 1000, *numbers, block=128, shards=3)


def main(arguments: Sequence[str] | None = None) -> int:
    return judge("bench.coverage", __doc__, counted, REPLICATIONS, arguments)


if __name__ == "__main__":
    sys.exit(main())
