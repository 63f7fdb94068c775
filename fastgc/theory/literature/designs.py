"""Balanced incomplete block designs as codes: worker = point, partition = block.

k blocks, d of them on every point, two points share λ. The survivors' sums are then equally
correlated, so that the error depends on their number alone.
"""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from fastgc.theory.cases.tables import bibd, finite, iid, uniform
from fastgc.theory.common.arguments import check_count
from fastgc.theory.common.codes import parameters
from fastgc.theory.common.numerics import binomial_probabilities
from fastgc.theory.literature import paper
from fastgc.theory.literature.cases import KADHE, sampled
from fastgc.theory.papers.claim import Cases


@paper.elementwise
def bibd_error(k: int, d: int, common: int, survivors: int) -> float:
    """Error k − d² r/(d + λ(r−1)) of every pattern with r survivors.

    Kadhe, Koyluoglu, Ramchandran (arXiv:1904.13373) show that it depends on the number of
    survivors alone; its value by the symmetric solution x = ρ·1.

    >>> [round(bibd_error(k=7, d=3, common=1, survivors=r), 4) for r in (1, 2, 3, 6)]
    [4.0, 2.5, 1.6, 0.25]
    """
    check_count("k", k, 1)
    check_count("d", d, 1, k)
    check_count("common", common, 0, d)
    check_count("survivors", survivors, 0)
    if survivors == 0:
        return k
    return k - d * d * survivors / (d + common * (survivors - 1))


@paper.formula
def bibd_errors(name: str) -> NDArray[np.float64]:
    """Errors of a named design for r = 0 … n survivors.

    >>> bibd_errors("fano").round(4).tolist()
    [7.0, 4.0, 2.5, 1.6, 1.0, 0.5714, 0.25, 0.0]
    """
    known = parameters(name)
    k, d, common = known["k"], known["d"], known["common"]
    return np.array([bibd_error(k, d, common, r) for r in range(known["n"] + 1)])


@paper.claim("bibd.error.derived", f"Derived: the value of what {KADHE} shows to be one number")
def _() -> Cases:
    """With workers = points and partitions = blocks, every pattern with r survivors has
    error k - d^2 r/(d + lambda(r-1)): Fano plane 4, 2.5, 1.6, 1, 4/7, 1/4, 0."""
    for name in ("fano", "ag(2,3)", "paley-11"):
        errors = bibd_errors(name).tolist()
        case = finite("largest_difference", 0, scale=errors[0], code=bibd(name), errors=errors)
        yield replace(case, point={"name": name})
    for r in range(1, 8):
        yield sampled(bibd("fano"), uniform(7 - r), bibd_error(7, 3, 1, r))
    yield sampled(bibd("pg(2,3)"), uniform(5), bibd_error(13, 4, 1, 8))
    yield sampled(bibd("ag(2,3)"), uniform(3), bibd_error(12, 4, 1, 6))


@paper.claim("bibd.number.printed", KADHE)
def _() -> Cases:
    """The error of a code from a balanced incomplete block design depends on the number of
    stragglers alone: given that number it does not vary."""
    for name, s in (("fano", 3), ("pg(2,3)", 5), ("ag(2,3)", 4), ("paley-11", 6)):
        yield sampled(bibd(name), uniform(s), 0, statistic="variance")


@paper.formula
def bibd_mean_error(name: str, p: float) -> float:
    """Mean error of a named design for iid stragglers: the mixture over their number.

    >>> round(bibd_mean_error("fano", 0.2), 6)
    0.421875
    """
    errors, size = bibd_errors(name), parameters(name)["n"]
    return float(binomial_probabilities(size, 1.0 - p) @ errors)


@paper.claim("bibd.distribution.derived", "Derived: which numbers of survivors cost more")
def _() -> Cases:
    """The error of a design exceeds one of its values with the chance that fewer workers survive
    than that value needs, a binomial probability."""
    for name, p, survivors in (("fano", 0.3, 3), ("fano", 0.4, 5), ("ag(2,3)", 0.3, 6)):
        size, value = parameters(name)["n"], bibd_errors(name)[survivors]
        theory = math.fsum(binomial_probabilities(size, 1.0 - p)[:survivors].tolist())
        threshold = float(value)
        statistic = f"P(>{threshold!r})"
        yield sampled(bibd(name), iid(p), theory, statistic=statistic, thresholds=[threshold])


@paper.claim("bibd.mean.derived", "Derived: a mixture over the number of survivors")
def _() -> Cases:
    """For iid stragglers a design's mean error is the mixture of its errors over the
    binomial number of survivors."""
    for name, p in (("fano", 0.2), ("ag(2,3)", 0.4), ("paley-11", 0.5)):
        yield sampled(bibd(name), iid(p), bibd_mean_error(name, p))
