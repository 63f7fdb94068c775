"""How often 95 % intervals of rare events hold the truth: ``python -m bench.rare_coverage``.

Probabilities from 1e-3 to 1e-12 whose truth is known (products over groups, a closed form, all 2ⁿ
patterns) are estimated with so many seeds, by chains and by union sampling even where a shorter
method exists: with equal and with strongly unequal probabilities to straggle (lognormal,
σ = 1), with two ways to fail of which hardly any set has the second where chains begin, and with so
few sets to an island that none of them reaches the fewest stragglers. 93 to
97 % of the intervals are to hold it; those with empty strata at least 93 %, for what was never
seen is bounded, not estimated.

A count that would come less than once in a thousand from the edge of that band is a failure.
"""

import sys
from collections import Counter
from collections.abc import Callable, Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from bench import command
from bench.intervals import Promise, Situation, measured
from fastgc.codes.structure import Groups
from fastgc.experiments.decoding.experiment import DecodingExperiment
from fastgc.experiments.decoding.rare import few_stragglers
from fastgc.experiments.decoding.rare.method import RareErrors
from fastgc.experiments.decoding.rare.number_law import by_products
from fastgc.experiments.methods import Asked
from fastgc.statistics.estimates import Estimate
from fastgc.study.study import Study

REPETITIONS = 1000
BAND, FLOOR = Promise(0.93, 0.97), Promise(0.93)


def _situation(
    name: str, truth: float, estimate: Callable[[int], Estimate], promise: Promise
) -> Situation:
    """An event whose probability is known, and how it is estimated with a seed."""
    number = f"{truth:.2e}"

    def hits(seed: int) -> Counter[str]:
        found = estimate(seed)
        low, high = found.interval()
        assert low is not None and high is not None and found.value is not None
        slack = 1e-9 * truth
        holds = low <= truth + slack and truth - slack <= high
        return Counter({number: int(holds), "ratio": found.value / truth})  # type: ignore[dict-item]

    def note(found: Counter[str], replications: int) -> str:
        return f"mean/truth {found['ratio'] / replications:.4f}"

    return Situation(name, {number: promise}, hits, note)


def two_ways(groups: int, size: int, heavy: int) -> dict[str, object]:
    """A code of light groups of so many workers, and of one that weighs as much as four of them."""
    light = np.kron(np.eye(groups), np.ones(size))
    B = np.zeros((groups + 4, groups * size + heavy))
    B[:groups, : groups * size] = light
    B[groups:, groups * size :] = 1.0
    return {"family": "matrix", "rows": B.tolist()}


def _method(code: dict[str, object], p: object, threshold: float, sets: int = 128) -> RareErrors:
    table = {"code": code, "stragglers": {"model": "iid", "p": p}, "thresholds": [threshold]}
    [point] = Study.parse(table).points()
    assert isinstance(point.compiled, DecodingExperiment)
    method = point.compiled.rare_method
    assert method is not None
    return RareErrors(method.table, method.code, method.make_decoder, method.law, sets)


def binary_failure(n: int, s: int, p: NDArray[np.float64]) -> float:
    """P(inexact) of the binary code where worker j straggles with p[j], independently.

    The first n mod (s + 1) classes share out the partitions alike, and so do the others. Decoding
    fails iff in either lot there is a block that all of its classes have lost.
    """
    larger = n % (s + 1)
    probability = 1.0
    for lot in (range(larger), range(larger, s + 1)):
        lengths = {len(range(residue, n, s + 1)) for residue in lot}
        for length in lengths:
            blocks = [[residue + i * (s + 1) for residue in lot] for i in range(length)]
            lost = np.array([p[block].prod() for block in blocks])
            probability *= -np.expm1(np.log1p(-lost).sum())
    return float(probability)


def table_failure(method: RareErrors) -> float:
    """Probability of a method's event from all 2ⁿ patterns."""
    errors = method.decoder.errors_of_all_patterns()
    straggle = method.law.straggle
    assert straggle is not None
    probabilities = np.ones(1)
    for q in straggle:
        probabilities = np.concatenate([probabilities * q, probabilities * (1.0 - q)])
    return float(probabilities[errors > method.events[0].limit].sum())


def unequal(n: int, scale: float, seed: int) -> list[float]:
    """Lognormal probabilities to straggle, σ = 1, at most .6."""
    draws = np.random.default_rng(seed).normal(0.0, 1.0, n)
    return np.minimum(scale * np.exp(draws), 0.6).tolist()  # type: ignore[no-any-return]


def fewest(method: RareErrors) -> int:
    """Fewest stragglers with a method's event: below them there is nothing to be found."""
    event = method.events[0]
    s = few_stragglers.least_stragglers(method.code, event.limit, method.decoder.exact_threshold)
    if isinstance(method.code.structure, Groups):
        return s
    while few_stragglers.share(method.decoder, event.limit, method.law, s) == 0.0:
        s += 1
    return s


def _by(method: RareErrors, seed: int, union: bool, known: int, relative: float) -> Estimate:
    """Estimate as a run does; there is nothing below so many stragglers as are known."""

    def sampling(place: int, first: int, islands: int) -> NDArray[np.float64]:
        return method.part(place, seed, first, islands)

    asked = Asked(seed, trials=1 << 20, relative=relative)
    method._spectra.clear()  # tables of 500 seeds and 250 workers take gigabytes
    if union:
        return method.by_union(0, asked, sampling)
    return method.by_chain(0, asked, sampling, np.zeros(known))


def situations() -> Iterator[Situation]:

    def of(
        name: str,
        method: RareErrors,
        truth: float,
        union: bool = False,
        empty: bool = False,
        relative: float = 1e9,  # the first look is enough
    ) -> Situation:
        known = 0 if empty else fewest(method)
        promise = FLOOR if empty or union else BAND
        return _situation(
            name, truth, lambda seed: _by(method, seed, union, known, relative), promise
        )

    def groups(method: RareErrors) -> float:
        assert method.law.straggle is not None
        return by_products(method.code.structure, method.law.straggle, method.events[0].limit)  # type: ignore[arg-type]

    frc = {"family": "frc", "n": 24, "d": 3}
    for p in (0.05, 0.001):
        method = _method(frc, p, 3.0)
        yield of(f"frc n=24 d=3 p={p}: P(error > 3)", method, groups(method))
    method = _method(frc, unequal(24, 0.01, 2), 3.0)
    yield of("frc n=24 d=3 unequal p: P(error > 3)", method, groups(method))
    method = _method(frc, unequal(24, 0.3, 2), 0.0)
    yield of("frc n=24 d=3 unequal p: union", method, groups(method), union=True)
    for code, p in ((two_ways(40, 3, 8), 0.06), (two_ways(60, 4, 10), 0.1)):
        method = _method(code, p, 3.5)
        yield of(f"two ways to fail n={method.code.n}: P(error > 3.5)", method, groups(method))
    binary = {"family": "binary", "n": 19, "s": 3}
    for p in (0.1, 0.005):
        truth = binary_failure(19, 3, np.full(19, p))
        yield of(f"binary n=19 s=3 p={p}: P(inexact)", _method(binary, p, 0.0), truth)
    q = unequal(19, 0.02, 1)
    yield of(
        "binary n=19 s=3 unequal p", _method(binary, q, 0.0), binary_failure(19, 3, np.array(q))
    )
    any_b = {"family": "sparse-regular", "n": 16, "d": 3, "seed": 2}
    for p in (0.05, 0.001):
        method = _method(any_b, p, 2.0)
        yield of(f"any B n=16 d=3 p={p}: P(error > 2)", method, table_failure(method))
    method = _method(any_b, unequal(16, 0.02, 3), 2.0)
    yield of("any B n=16 d=3 unequal p: P(error > 2)", method, table_failure(method))
    method = _method(any_b, 0.001, 2.0, 8)
    truth = table_failure(method)
    yield of("any B n=16, 8 sets, to half-widths of 10 %", method, truth, relative=0.1)
    for sets in (2, 8):
        method = _method(any_b, 0.001, 2.0, sets)
        yield of(f"any B n=16, {sets} sets an island", method, table_failure(method), empty=True)


def main(arguments: Sequence[str] | None = None) -> int:
    given = command.parse(
        "bench.rare_coverage", __doc__, arguments, "--only", repetitions=REPETITIONS
    )
    seeds = range(1, given.repetitions + 1)
    return 0 if all([row.fine for row in measured(situations, seeds, given.only)]) else 1


if __name__ == "__main__":
    few_stragglers.MORE_SETS = 0  # nothing is enumerated: what is not seen stays unseen
    sys.exit(main())
