"""The 0/1 circulant with d = 2."""

from __future__ import annotations

from fastgc.theory.cases.tables import circulant, decoding, iid, point_of, two_class, uniform
from fastgc.theory.common.circulant import (
    circulant_error_variance,
    circulant_exact_probability,
    circulant_mean_error,
    circulant_mean_error_variance,
)
from fastgc.theory.literature import paper
from fastgc.theory.literature.cases import sampled
from fastgc.theory.papers.claim import Case, Cases

for _shared in (circulant_error_variance, circulant_exact_probability, circulant_mean_error):
    paper.formula(_shared)

_GAPS = "Derived from the gaps between stragglers"


@paper.claim("circulant.mean.derived", _GAPS)
def _() -> Cases:
    """The 0/1 circulant with d = 2 costs 1/v for each odd cyclic distance v between stragglers:
    mean sum_(v odd) n q^2 p^(v-1)/v + [n odd] q p^(n-1) for iid stragglers, (sum_(v odd) (n/v)
    C(n-v-1, r-v+1) + [n odd, r = n-1])/C(n,r) given r survivors."""
    for n, p in ((9, 0.3), (16, 0.25), (17, 0.4)):
        yield sampled(circulant(n, 2), iid(p), circulant_mean_error(n, 2, p=p))
    for n, s in ((9, 3), (16, 5), (17, 7), (7, 1)):
        yield sampled(circulant(n, 2), uniform(s), circulant_mean_error(n, 2, survivors=n - s))


@paper.claim("circulant.exact.derived", _GAPS)
def _() -> Cases:
    """The 0/1 circulant with d = 2 decodes exactly iff all distances between stragglers
    are even: probability 2 p^(n/2) - p^n for even n, p^n for odd n."""
    for n, q in ((8, 0.1), (12, 0.08), (9, 0.1)):
        yield sampled(circulant(n, 2), iid(q), circulant_exact_probability(n, p=q), "exact")


@paper.claim("circulant.shuffling.derived", "Derived from the two-class model of paper agc")
def _() -> Cases:
    """With two-class stragglers the error of the circulant with d = 2, averaged over L iterations,
    has the variance of its conditional means given the classes, and the L-th part of the rest: with
    cyclic shuffling of those of its turns, with random shuffling given the number of slow
    workers."""
    straggle = (0.8, 0.1)
    stragglers = two_class(straggle, p_slow=0.4)
    for shuffle in ("none", "cyclic", "random"):
        for n, iterations in ((5, 3), (6, 2)):
            experiment = decoding("mean_error", circulant(n, 2), stragglers, iterations, shuffle)
            theory = circulant_mean_error_variance(n, 2, iterations, 0.4, *straggle, shuffle)
            point = point_of(experiment) | {"shuffle": shuffle}
            yield Case(point, theory, experiment, "mean_error", "variance", scale=n * n)
