"""How often a partition is not accessed in a trial: agc, Proposition 1.

For codes in which every partition has d holders: frc, circulant.
"""

import math
from typing import Any

from fastgc.theory.agc import paper
from fastgc.theory.cases.experiment_tables import compared, decoding
from fastgc.theory.cases.studies import Table, circulant, frc, two_class
from fastgc.theory.common import straggler_laws as models
from fastgc.theory.common.numerics import binomial_probabilities
from fastgc.theory.papers.claim import Case, Measure, at

paper.share(models.not_accessed_probability_given_slow)


def _points(keys: str, *points: tuple[Any, ...]) -> list[Table]:
    names = ["code", "iterations", *keys.split(), "p_straggle_slow", "p_straggle_active"]
    found = [dict(zip(names, each, strict=True)) for each in points]
    return [each | {key: each["code"][key] for key in ("n", "d")} for each in found]


#: Who is slow, and how many of them hold partition 0.
_FIXED = _points(
    "who slow_holders",
    (frc(8, 2), 4, [0, 1, 5], 2, 0.8, 0.01),
    (frc(8, 2), 4, [0, 4], 1, 0.8, 0.4),
    (circulant(7, 3), 4, [0, 5], 2, 0.7, 0.5),
)
_COUNTED = _points(
    "slow",
    (frc(8, 2), 4, 3, 0.8, 0.01),
    (frc(6, 3), 4, 3, 0.9, 0.3),
    (circulant(5, 2), 4, 2, 0.7, 0.2),
)
_AVERAGED = _points(
    "p_slow",
    (frc(8, 2), 2, 0.3, 0.8, 0.01),
    (frc(4, 2), 4, 0.3, 0.8, 0.1),
    (circulant(6, 3), 4, 0.5, 0.9, 0.3),
)
_MIXED = _points(
    "p_slow",
    (frc(8, 2), 3, 0.3, 0.8, 0.01),
    (frc(4, 2), 4, 0.4, 0.9, 0.2),
    (circulant(5, 2), 4, 0.5, 0.9, 0.1),
)
#: Slow workers among the first holders of partition 0, p_slow of all others.
_HOLDERS = _points(
    "slow_holders p_slow",
    (frc(8, 2), 2, 1, 0.3, 0.8, 0.01),
    (frc(4, 2), 2, 0, 0.5, 0.8, 0.3),
    (frc(6, 3), 2, 1, 0.7, 0.9, 0.4),
)


def _count(statistic: str = "mean", shuffle: str = "random") -> Measure:
    # in how many iterations no survivor holds partition 0
    def measure(theory: float, code: Table, iterations: int, **point: Any) -> Case:
        match point:
            case {"who": who}:
                classes = {"slow": who}
            case {"slow_holders": slow}:
                # it is known which of the first holders of partition 0 are slow
                known = [1.0] * slow + [0.0] * (point["d"] - slow)
                classes = {"p_slow": known + [point["p_slow"]] * (point["n"] - point["d"])}
            case _:
                classes = {key: point[key] for key in ("slow", "p_slow") if key in point}
        used = point.get("shuffle", shuffle)
        pair = point["p_straggle_slow"], point["p_straggle_active"]
        run = decoding("not_accessed", code, two_class(pair, **classes), iterations, used)
        return compared(run, theory, statistic, note={"shuffle": used}, index=0)

    return measure


@paper.states("proposition1.without-shuffling.printed", "Proposition 1")
@at(_FIXED, _count(shuffle="none"))
def proposition1_without_shuffling(
    iterations: int, d: int, slow_holders: int, p_straggle_slow: float, p_straggle_active: float
) -> float:
    """Without shuffling, a partition with k slow workers among its d holders is not accessed in
    L p_straggle_slow^k p_straggle_active^(d-k) of L iterations on average."""
    lost = p_straggle_slow**slow_holders * p_straggle_active ** (d - slow_holders)
    return iterations * lost


@paper.states("proposition1.count-without-shuffling.printed", "Proposition 1, proof")
@at(_FIXED, _count("variance", "none"))
def not_accessed_variance_without_shuffling(
    iterations: int, d: int, slow_holders: int, p_straggle_slow: float, p_straggle_active: float
) -> float:
    """Without shuffling, given the classes, the number of iterations without access to a partition
    is binomial: its variance is L x (1-x) with x = p_straggle_slow^k p_straggle_active^(d-k)."""
    law = p_straggle_slow, p_straggle_active
    return _binomial_variance(
        iterations, proposition1_without_shuffling(iterations, d, slow_holders, *law)
    )


@paper.states(
    "proposition1.with-shuffling.printed",
    "Proposition 1, the classes averaged over too",
    reads="proposition1.given-holders.printed",
)
@at(_AVERAGED, _count())
def proposition1_with_shuffling(
    iterations: int, d: int, p_slow: float, p_straggle_slow: float, p_straggle_active: float
) -> float:
    """With random shuffling, a partition with d holders is not accessed in L q^d of L iterations on
    average over the workers' classes, q = p_slow p_straggle_slow + (1-p_slow) p_straggle_active.

    Proof. In one iteration each of the d workers that hold the partition is slow with p_slow, so
    straggles with q, independently of the others; means add up over the iterations."""
    q = models.straggle_probability(p_slow, p_straggle_slow, p_straggle_active)
    return float(iterations * q**d)


@paper.states(
    "proposition1.given-slow.derived", "Proposition 1, for the (n, m) model of Section IV"
)
@at(_COUNTED, _count())
def proposition1_given_slow(
    iterations: int, n: int, d: int, slow: int, p_straggle_slow: float, p_straggle_active: float
) -> float:
    """With random shuffling and m slow workers, the mean number of iterations without access to a
    partition is L h(m),
    h(m) = sum_i C(m,i) C(n-m,d-i)/C(n,d) p_straggle_slow^i p_straggle_active^(d-i)."""
    law = p_straggle_slow, p_straggle_active
    return float(iterations * models.not_accessed_probability_given_slow(n, d, slow, *law))


@paper.states(
    "proposition1.given-holders.printed",
    "Proposition 1, under its condition on the first iteration",
    kind="missing condition",
)
@at(_HOLDERS, _count())
def _printed_with_shuffling(
    iterations: int, d: int, p_slow: float, p_straggle_slow: float, p_straggle_active: float
) -> float:
    """With random shuffling and exactly k slow workers among the d that hold a partition at first,
    it is not accessed in L q^d of L iterations on average (of those after the first).

    Printed: Suppose that exactly k_i workers out of these s belong to the slow-class … the expected
    number of times D_i is not accessed with and without shuffling is equal to L(p̂ p_ss + (1 − p̂)
    p_as)^s and L p_ss^(k_i) p_as^(s−k_i) respectively"""
    law = p_slow, p_straggle_slow, p_straggle_active
    return float(proposition1_with_shuffling(iterations, d, *law))


@paper.states("proposition1.given-holders.corrected", "Proposition 1, corrected")
@at(_HOLDERS, _count())
def proposition1_given_holders(
    iterations: int,
    n: int,
    d: int,
    slow_holders: int,
    p_slow: float,
    p_straggle_slow: float,
    p_straggle_active: float,
) -> float:
    """With random shuffling and exactly k slow workers among the d that hold a partition at first,
    it is not accessed in L E[h(k + Bin(n-d, p_slow))] of L iterations on average (of those after
    the first).

    Proof. Workers keep their classes: k holders are slow, and each of the n-d other workers with
    probability p_slow, so m = k + Bin(n-d, p_slow) workers are slow in every iteration, and
    shuffling draws the d holders from all n. The probability in the first iteration is
    p_straggle_slow^k p_straggle_active^(d-k)."""
    h = models.not_accessed_probability_given_slow
    mean = math.fsum(
        weight * h(n, d, slow_holders + others, p_straggle_slow, p_straggle_active)
        for others, weight in enumerate(binomial_probabilities(n - d, p_slow).tolist())
    )
    return iterations * mean


@paper.states(
    "proposition1.count-given-slow.derived",
    "Proposition 1, proof, for the (n, m) model of Section IV",
    reads="proposition1.count.printed",
)
@at(_COUNTED, _count("variance"))
def not_accessed_variance_given_slow(
    iterations: int, n: int, d: int, slow: int, p_straggle_slow: float, p_straggle_active: float
) -> float:
    """With random shuffling and m slow workers the number of iterations without access to a
    partition is binomial: its variance is L h(m) (1-h(m)).

    Proof. Given m, shuffling makes the iterations independent, with one probability h(m) each. The
    expectation, for which the proof needs no more, is right without it."""
    law = p_straggle_slow, p_straggle_active
    return _binomial_variance(iterations, proposition1_given_slow(iterations, n, d, slow, *law))


@paper.states(
    "proposition1.count.printed",
    "Proposition 1, proof, for the classes of Section II",
    kind="missing condition",
)
@at(_MIXED, _count("variance"))
def not_accessed_variance_printed(
    iterations: int, d: int, p_slow: float, p_straggle_slow: float, p_straggle_active: float
) -> float:
    """With random shuffling the number of iterations without access to a partition is binomial,
    also if the number of slow workers is not given: its variance is L q^d (1-q^d).

    Printed: Hence event A follows the binomial distribution"""
    law = p_slow, p_straggle_slow, p_straggle_active
    return _binomial_variance(iterations, proposition1_with_shuffling(iterations, d, *law))


@paper.states("proposition1.count.corrected", "Proposition 1, proof, corrected")
@at(
    [each | {"shuffle": shuffle} for shuffle in ("random", "none") for each in _MIXED],
    _count("variance"),
)
def not_accessed_variance(
    iterations: int,
    n: int,
    d: int,
    p_slow: float,
    p_straggle_slow: float,
    p_straggle_active: float,
    shuffle: str = "none",
) -> float:
    """Classes persist, so the number of iterations without access to a partition is a mixture: of
    Bin(L, h(m)) over the number m of slow workers with random shuffling, of
    Bin(L, p_straggle_slow^k p_straggle_active^(d-k)) over the number k of slow holders without; its
    variance is the mixture's.

    Proof. Iterations are independent only given the classes: given m (random shuffling) or k (none)
    the count is binomial, and the variance of its mean over m or k is added."""
    q = models.straggle_probability(p_slow, p_straggle_slow, p_straggle_active)
    w = models.straggle_probability(p_slow, p_straggle_slow**2, p_straggle_active**2)

    def covariance(lag: int) -> float:
        if lag == 0:
            return float(q**d * (1.0 - q**d))
        if shuffle == "random":
            common = models.hypergeometric(n, d, d)
        else:
            turn = lag % n if shuffle == "cyclic" else 0
            common = [0.0] * (d + 1)
            common[max(0, d - turn) + max(0, d - (n - turn))] = 1.0
        both = math.fsum(c * w**o * q ** (2 * (d - o)) for o, c in enumerate(common))
        return float(both - q ** (2 * d))

    return float(iterations**2 * models.average_variance(iterations, covariance))


def _binomial_variance(iterations: int, mean: float) -> float:
    return float(mean * (1.0 - mean / iterations))
