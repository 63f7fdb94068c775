"""
A theorem of one's own, refuted and mended
==========================================

Fractional repetition puts n workers into groups of d that hold the same data. With s stragglers,
all sets of them alike, how likely is it that every group keeps a survivor? A group loses all its
workers with probability C(n−d, s−d)/C(n, s). A first draft takes one minus that to the power n/d,
as if groups were lost independently.

fastgc refutes it at ``8 of 9 points``. The first can be checked by hand: of 4 workers in two
pairs, 2 straggle; there are 6 such sets, and 2 of them are a pair. So the share ``0.666667``
decodes, and the draft says ``0.694444``. Inclusion and exclusion mends it: confirmed at
``9 of 9 points``, against probabilities that are exact. That is no proof: it says that none of
these points refutes it.
"""

from math import comb

from matplotlib import pyplot

import fastgc

asked = {
    "quantity": "exact",
    "experiment": {"code": {"family": "frc", "n": 4, "d": 2}, "stragglers": 2},
    "sweep": {"code.n": [4, 8, 12], "stragglers.stragglers": [2, 3, 4]},
}


@fastgc.claim(id="mine.draft", **asked)
def draft(n, d, stragglers):
    """Every group has a survivor with probability (1 − C(n−d, s−d)/C(n, s))^(n/d)."""
    return (1 - comb(n - d, stragglers - d) / comb(n, stragglers)) ** (n // d)


@fastgc.claim(id="mine.mended", **asked)
def mended(n, d, stragglers):
    """It is Σ_j (−1)^j C(n/d, j) C(n−jd, s−jd)/C(n, s), by inclusion and exclusion."""
    terms = range(stragglers // d + 1)
    sets = [comb(n // d, j) * comb(n - j * d, stragglers - j * d) for j in terms]
    return sum((-1) ** j * each for j, each in enumerate(sets)) / comb(n, stragglers)


figure, axes = pyplot.subplots(figsize=(4.5, 3.4), layout="constrained")
for verdict, look in zip(fastgc.validate([draft, mended]), ("rx", "k+"), strict=True):
    shares = [each.estimate.value for each in verdict.findings]
    above = [each.case.theory - each.estimate.value for each in verdict.findings]
    axes.plot(shares, above, look, markersize=9, label=f"{verdict.claim}: {verdict.verdict}")
    print(verdict)
    print(f"  {verdict.point}: {verdict.value:.6f} ({verdict.method}), theory {verdict.theory:.6f}")
axes.set(xlabel="exact probability that the gradient is recovered", ylabel="theory minus exact")
axes.legend()
pyplot.show()
