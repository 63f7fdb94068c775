"""Codes with real weights that are worst to decode, in closed form: pairs of partitions. Derived.

Paper binary, Section I, calls codes over the reals unstable. Here the simplest of them are worked
out: two partitions are held by m workers, of whom worker j adds a_j times the second to the first.
Any two with unlike a_j decode exactly, however little they differ, but scale by the inverse of the
difference; one alone leaves (1−a)²/(1+a²). Several such pairs do not touch each other.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from dataclasses import replace

from fastgc.errors import FastgcError
from fastgc.theory.binary import paper
from fastgc.theory.binary.encoding import both
from fastgc.theory.cases.finite import finite
from fastgc.theory.cases.tables import Table, decoding, iid
from fastgc.theory.common.arguments import check_probabilities
from fastgc.theory.papers.claim import Case, Cases

Weights = Sequence[Sequence[float]]


@paper.formula
def pairs_mean_error(weights: Weights, p: float) -> float:
    """Mean decoding error of pairs of partitions, stragglers iid with probability p. Derived.

    ``weights`` has one list of a_j a pair; of m workers all straggle with probability p^m, which
    costs 2, and all but worker j with probability p^(m−1)(1−p), which costs (1−a_j)²/(1+a_j²).

    >>> pairs_mean_error([[0.0, 1e-9]], 0.5)
    0.9999999995
    """
    check_probabilities(p=p)
    _check(weights)
    return math.fsum(
        2.0 * p ** len(pair)
        + p ** (len(pair) - 1) * (1.0 - p) * math.fsum((1 - a) ** 2 / (1 + a * a) for a in pair)
        for pair in weights
    )


@paper.formula
def pairs_exact_probability(weights: Weights, p: float) -> float:
    """Probability that all pairs of partitions decode exactly, stragglers iid. Derived.

    Of a pair's workers two must answer, or one whose a_j is 1.

    >>> pairs_exact_probability([[0.0, 1e-9]], 0.5)
    0.25
    """
    check_probabilities(p=p)
    _check(weights)
    chances = []
    for pair in weights:
        m = len(pair)
        useless = sum(a != 1 for a in pair)
        chances.append(1.0 - p**m - useless * p ** (m - 1) * (1.0 - p))
    return math.prod(chances)


@paper.formula
def pair_amplification(weights: Sequence[float]) -> float:
    """Largest ‖x‖² over two survivors of one pair's workers, x their decoding vector. Derived.

    Workers with a and b have the weights (b−1)/(b−a) and (1−a)/(b−a).

    >>> pair_amplification([0.0, 0.5, 2.0])
    5.0
    """
    _check([weights])
    return max(
        ((b - 1) ** 2 + (1 - a) ** 2) / (b - a) ** 2 for a, b in itertools.combinations(weights, 2)
    )


def _check(weights: Weights) -> None:
    for pair in weights:
        if len(pair) < 2 or len(set(pair)) < len(pair):
            raise FastgcError(
                f"weights: got {list(pair)}, but two or more unlike numbers are needed"
            )


def _code(weights: Weights) -> Table:
    """Table of the code: two rows a pair, a column a worker."""
    n = sum(map(len, weights))
    rows: list[list[float]] = []
    first = 0
    for pair in weights:
        ones, own = [0.0] * n, [0.0] * n
        ones[first : first + len(pair)] = [1.0] * len(pair)
        own[first : first + len(pair)] = pair
        rows += [ones, own]
        first += len(pair)
    return {"family": "matrix", "rows": rows}


#: Workers of one pair, two of whom differ by ε.
_CLOSE = tuple([[0.0, e, 1.0, 2.0, -1.0]] for e in (0.1, 0.01, 1e-4, 1e-8))
#: Pairs with two workers each, who differ by ε: both are needed, and the code is ill-conditioned.
_NARROW = (
    *([[1.0, 1.0 + e], [0.5, 0.5 + e]] for e in (1e-3, 1e-5, 1e-6)),
    [[0.5, 0.5 + 1e-10], [0.6, 0.6 + 1e-10]],
)
_P = 0.3


def _said(weights: Weights) -> Table:
    return {"weights": [list(pair) for pair in weights], "p": _P}


def _measured(quantity: str, weights: Weights, theory: float) -> Case:
    experiment = decoding(quantity, _code(weights), iid(_P))
    return Case(_said(weights), theory, experiment, quantity)


@paper.claim("real-weights.error.derived", "Section I, in closed form")
def _() -> Cases:
    """Two answers that differ by ever so little decode a pair of partitions exactly: the mean error
    is sum over pairs of 2 q^m + q^(m-1) (1-q) sum_j (1-a_j)^2/(1+a_j^2)."""
    for weights in (*_CLOSE, *_NARROW):
        yield _measured("error", weights, pairs_mean_error(weights, _P))
    for weights in (_CLOSE[2], _NARROW[0]):
        case = finite("mean_error", pairs_mean_error(weights, _P), code=_code(weights), p=_P)
        yield replace(case, point=_said(weights))


@paper.claim("real-weights.exact.derived", "Section I, in closed form")
def _() -> Cases:
    """They are exact with probability prod over pairs of 1 - q^m - u q^(m-1) (1-q), u the number of
    the workers with a_j not 1."""
    for weights in (*_CLOSE, _NARROW[0]):
        yield _measured("exact", weights, pairs_exact_probability(weights, _P))


@paper.claim("real-weights.amplification.derived", "Section I, in closed form")
def _() -> Cases:
    """But two answers that differ by e are scaled by 1/e: the noise in them is amplified by
    ((b-1)^2 + (1-a)^2)/(b-a)^2, for the worst two survivors with a and b."""
    for weights in _CLOSE:
        theory = pair_amplification(weights[0])
        given: Table = {"code": _code(weights), "stragglers": len(weights[0]) - 2}
        for case in both("largest_amplification", theory, **given):
            yield replace(case, point={"weights": [list(pair) for pair in weights]})
