"""How often fits of traces hold the truth: ``python -m bench.trace_coverage [--replications N]``.

Traces are drawn from each law of latency and each model of stragglers, and fitted; the 95 %
intervals of every parameter that hold its true value are counted: 93 to 97 % are promised. Of
ten workers nothing is promised, what they reach is shown: a share of slow workers among ten takes
eleven values, and in one of 35 such traces none is slow.
"""

from __future__ import annotations

import argparse
import itertools
import os
import sys
import time
from collections import Counter
from collections.abc import Callable, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from multiprocessing import get_context
from typing import Any

import numpy as np
from scipy import stats

from fastgc.latency import (
    Bimodal,
    Exponential,
    Gamma,
    Law,
    Lognormal,
    Pareto,
    Uniform,
    Weibull,
)
from fastgc.traces import laws, shifted, straggling
from fastgc.traces.parameters import Parameter
from fastgc.traces.summary import fraction

REPLICATIONS = 1000
LEAST, MOST = 0.93, 0.97
#: How seldom a coverage at the edge of the band is called a failure by the short form.
ALARM = 1e-4
ENOUGH = 40  # workers, for their classes
TIMES, FEW_TIMES = 2000, 300  # 10 workers, 200 rounds or 30

Generator = np.random.Generator


@dataclass(frozen=True)
class Case:
    """A model with its true parameters, and how a trace of it is drawn and fitted."""

    name: str
    truth: dict[str, float]
    intervals: Callable[[Generator], Sequence[Parameter]]
    promised: bool = True


@dataclass(frozen=True)
class Line:
    """How often the intervals of one parameter hold its true value."""

    case: Case
    parameter: str
    replications: int
    hits: int

    @property
    def coverage(self) -> float:
        """Share of the intervals."""
        return self.hits / self.replications

    @property
    def met(self) -> bool:
        """Whether what was counted lies in the band."""
        return not self.case.promised or LEAST <= self.coverage <= MOST

    @property
    def likely(self) -> bool:
        """Whether a coverage in the band makes such a count likely."""
        few = stats.binom.cdf(self.hits, self.replications, LEAST) < ALARM
        many = stats.binom.sf(self.hits - 1, self.replications, MOST) < ALARM
        return not (few or many)


def _of_law(fit: Callable[[Any], Any], law: Law, times: int = TIMES) -> Case:
    truth = {key: value for key, value in dict(law).items() if isinstance(value, float)}
    if isinstance(law, Bimodal):
        for part in ("fast", "slow"):
            own = dict(getattr(law, part)).items()
            truth |= {f"{part}.{key}": value for key, value in own if isinstance(value, float)}
    said = ", ".join(f"{key} {value:g}" for key, value in truth.items())

    def intervals(rng: Generator) -> Sequence[Parameter]:
        found: Sequence[Parameter] = fit(
            np.asarray(law.time().upper_quantile(rng.random(times)))
        ).intervals()
        return found

    return Case(f"{law.distribution}({said}), {times} times", truth, intervals)


def _of_model(
    name: str,
    truth: dict[str, float],
    draw: Callable[[Generator], Any],
    fit: Callable[[straggling.Counts], straggling.Model],
    size: str,
    promised: bool = True,
) -> Case:
    said = ", ".join(f"{value:g}" for value in truth.values())
    return Case(
        f"{name}({said}), {size}",
        truth,
        lambda rng: fit(straggling.counted(draw(rng))).parameters(),
        promised,
    )


def _iid(n: int, rounds: int, p: float) -> Case:
    size = f"{n} × {rounds}"
    return _of_model("iid", {"p": p}, lambda rng: rng.random((rounds, n)) < p, straggling.iid, size)


def _two_class(n: int, rounds: int, p_slow: float, slow: float, active: float) -> Case:
    def draw(rng: Generator) -> Any:
        return rng.random((rounds, n)) < np.where(rng.random(n) < p_slow, slow, active)

    truth = {"p_slow": p_slow, "p_straggle_slow": slow, "p_straggle_active": active}
    return _of_model("two-class", truth, draw, straggling.two_class, f"{n} × {rounds}", n >= ENOUGH)


def chains(rng: Generator, n: int, rounds: int, after_ok: float, after_straggle: float) -> Any:
    """Workers that remember a round, (rounds, n)."""
    late = np.empty((rounds, n), bool)
    late[0] = rng.random(n) < after_ok / (1 - after_straggle + after_ok)
    for t in range(1, rounds):
        late[t] = rng.random(n) < np.where(late[t - 1], after_straggle, after_ok)
    return late


def _markov(n: int, rounds: int, after_ok: float, after_straggle: float) -> Case:
    def draw(rng: Generator) -> Any:
        return chains(rng, n, rounds, after_ok, after_straggle)

    truth = {"p_straggle_after_ok": after_ok, "p_straggle_after_straggle": after_straggle}
    return _of_model("markov", truth, draw, straggling.markov, f"{n} × {rounds}")


def _share(rounds: int, after_ok: float, after_straggle: float) -> Case:
    share = after_ok / (1 - after_straggle + after_ok)

    def intervals(rng: Generator) -> Sequence[Parameter]:
        late = chains(rng, 1, rounds, after_ok, after_straggle)[:, 0]
        value, low, high = fraction(late)
        return [Parameter("late", value, None, low, high)]

    name = f"show: markov({after_ok:g}, {after_straggle:g}), {rounds} rounds"
    return Case(name, {"late": share}, intervals)


def cases() -> list[Case]:
    """All models."""
    found = [
        _of_law(laws.exponential, Exponential(mean=2.0, shift=1.0)),
        _of_law(laws.pareto, Pareto(shape=2.5, scale=1.0)),
        _of_law(laws.uniform, Uniform(low=1.0, high=3.0)),
        _of_law(laws.lognormal, Lognormal(mu=1.0, sigma=0.3)),
    ]
    for shape in (0.7, 1.0, 1.2, 1.5, 2.5, 4.0):
        found.append(_of_law(shifted.weibull, Weibull(shape=shape, scale=2.0, shift=5.0)))
        found.append(_of_law(shifted.gamma, Gamma(shape=shape, scale=2.0, shift=5.0)))
    for p, sigma in ((0.1, 0.1), (0.3, 0.3)):
        fast, slow = Lognormal(mu=0.0, sigma=sigma), Lognormal(mu=1.0, sigma=0.4)
        found.append(_of_law(laws.bimodal, Bimodal(p_slow=p, fast=fast, slow=slow)))
    found += [
        _iid(10, 200, 0.13),
        _two_class(50, 200, 0.3, 0.8, 0.01),
        _two_class(50, 200, 0.3, 0.3, 0.05),
        _two_class(40, 100, 0.3, 0.5, 0.05),
        _two_class(10, 200, 0.3, 0.8, 0.01),
        _markov(10, 200, 0.05, 0.6),
        _markov(20, 100, 0.1, 0.3),
        _share(200, 0.1, 0.1),
        _share(500, 0.1, 0.5),
    ]
    found += [
        _of_law(laws.exponential, Exponential(mean=2.0, shift=1.0), FEW_TIMES),
        _of_law(laws.lognormal, Lognormal(mu=1.0, sigma=0.3), FEW_TIMES),
        _of_law(shifted.weibull, Weibull(shape=0.7, scale=2.0, shift=5.0), FEW_TIMES),
        _of_law(shifted.weibull, Weibull(shape=1.5, scale=2.0, shift=5.0), FEW_TIMES),
        _of_law(shifted.weibull, Weibull(shape=4.0, scale=2.0, shift=5.0), FEW_TIMES),
        _of_law(shifted.gamma, Gamma(shape=1.5, scale=2.0, shift=5.0), FEW_TIMES),
        _of_law(shifted.gamma, Gamma(shape=4.0, scale=2.0, shift=5.0), FEW_TIMES),
    ]
    return found


def counted(place: int, first: int, last: int) -> Counter[str]:
    """Count, of the case at this place, the intervals of traces first … last − 1."""
    case = cases()[place]
    hits: Counter[str] = Counter(dict.fromkeys(case.truth, 0))
    for replication in range(first, last):
        rng = np.random.default_rng([*case.name.encode(), replication])
        found = {each.name: each for each in case.intervals(rng)}
        for name, value in case.truth.items():
            own = found.get(name)
            # a shift that the best fit does without is 0
            hits[name] += value == 0 if own is None else own.low <= value <= own.high
    return hits


def lines(
    place: int, replications: int, executor: Any = None, parts: int = 1, first: int = 0
) -> list[Line]:
    """Count one case's intervals, in so many parts, of the traces from the first on."""
    edges = np.linspace(first, first + replications, parts + 1).astype(int).tolist()
    total: Counter[str] = Counter()
    if executor is None:
        total.update(counted(place, first, first + replications))
    else:
        pieces = itertools.pairwise(edges)
        jobs = [executor.submit(counted, place, *piece) for piece in pieces]
        for job in jobs:
            total.update(job.result())
    case = cases()[place]
    return [Line(case, name, replications, total[name]) for name in case.truth]


def main(arguments: Sequence[str] | None = None) -> int:
    """Print the table; exit with 1 if a promised coverage is missed."""
    parser = argparse.ArgumentParser(
        prog="python -m bench.trace_coverage", description=(__doc__ or "").splitlines()[0]
    )
    parser.add_argument("--replications", type=int, default=REPLICATIONS)
    parser.add_argument("--first", type=int, default=0, help="number of the first trace")
    parser.add_argument("--only", default="", help="cases whose name has this")
    parser.add_argument("--workers", type=int, default=os.cpu_count(), help="processes")
    options = parser.parse_args(arguments)
    chosen = [i for i, case in enumerate(cases()) if options.only in case.name]
    print("| model | parameter | coverage % | 93–97 % |\n|---|---|---|---|")
    found: list[Line] = []
    with ProcessPoolExecutor(options.workers, get_context("spawn")) as executor:
        for place in chosen:
            began = time.perf_counter()
            parts = 4 * options.workers
            new = lines(place, options.replications, executor, parts, options.first)
            for line in new:
                error = 100 * (line.coverage * (1 - line.coverage) / line.replications) ** 0.5
                known = f"{100 * line.coverage:.1f} ± {error:.1f}"
                met = "met" if line.met else "**missed**"
                said = met if line.case.promised else "not promised"
                print(f"| {line.case.name} | {line.parameter} | {known} | {said} |", flush=True)
            found += new
            took = time.perf_counter() - began
            print(f"{cases()[place].name}: {took:.0f} s", file=sys.stderr, flush=True)
    return 0 if all(line.met for line in found) else 1


if __name__ == "__main__":
    sys.exit(main())
