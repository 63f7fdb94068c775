"""The 0/1 circulant with d = 2."""

from __future__ import annotations

from fastgc.theory.cases.tables import circulant, iid, uniform
from fastgc.theory.common.circulant import (
    circulant_error_variance,
    circulant_exact_probability,
    circulant_mean_error,
)
from fastgc.theory.literature.cases import sampled
from fastgc.theory.literature.paper import paper
from fastgc.theory.papers.paper import Cases

for _shared in (circulant_error_variance, circulant_exact_probability, circulant_mean_error):
    paper.formula(_shared)

_GAPS = "Derived from the gaps between stragglers"


@paper.claim("circulant.mean.derived", _GAPS)
def _() -> Cases:
    """The 0/1 circulant with d = 2 costs 1/v for each odd cyclic distance v between stragglers:
    mean sum_(v odd) n q^2 p^(v-1)/v + [n odd] q p^(n-1) for iid stragglers, (sum_(v odd) (n/v)
    C(n-v-1, r-v+1) + [n odd, r = n-1])/C(n,r) given r survivors."""
    for n, p in ((9, 0.3), (16, 0.25), (25, 0.4)):
        yield sampled(circulant(n, 2), iid(p), circulant_mean_error(n, 2, p=p))
    for n, s in ((9, 3), (16, 5), (25, 9), (7, 1)):
        yield sampled(circulant(n, 2), uniform(s), circulant_mean_error(n, 2, survivors=n - s))


@paper.claim("circulant.exact.derived", _GAPS)
def _() -> Cases:
    """The 0/1 circulant with d = 2 decodes exactly iff all distances between stragglers
    are even: probability 2 p^(n/2) - p^n for even n, p^n for odd n."""
    for n, q in ((8, 0.1), (12, 0.08), (9, 0.1)):
        yield sampled(circulant(n, 2), iid(q), circulant_exact_probability(n, p=q), "exact")
