"""Random classes, random entries, and the numbers that agc prints (Remark 2, Section V)."""

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike

from fastgc.errors import FastgcError
from fastgc.theory.agc import paper
from fastgc.theory.agc.decoding_errors import (
    LAW,
    error,
    theorem1,
    theorem2_circulant,
    theorem2_unsquared,
)
from fastgc.theory.cases.experiment_tables import compared, decoding
from fastgc.theory.cases.statements import finite
from fastgc.theory.cases.studies import Table, circulant, cyclic, cyclic_mds, frc, matrix, two_class
from fastgc.theory.common import check
from fastgc.theory.common import straggler_laws as models
from fastgc.theory.common.code_means import circulant_mean_error, error_lower_bound
from fastgc.theory.common.numerics import binomial_probabilities
from fastgc.theory.papers.claim import Cases

paper.share(models.straggle_probability)

#: n, d, p_slow, p_straggle_slow, p_straggle_active.
REMARK2 = ((8, 2, *LAW), (6, 3, 0.5, 0.8, 0.2), (4, 2, 0.6, 0.7, 0.1))
#: Vectors h with Σ h = 0; the first gives the 0/1 circulant up to the size of its columns.
VECTORS = (
    (1.0, -1.0, 1.0, -1.0, 1.0, -1.0, 1.0, -1.0),
    (1.0, -2.0, 0.5, 3.0, -1.5, 1.0, 2.0, -4.0),
    (3.0, 1.0, -2.0, 4.0, -6.0),
)
#: n, d, p_slow, p_straggle_slow, p_straggle_active; first the paper's own.
POINTS = ((8, 2, *LAW), (6, 2, 0.4, 0.7, 0.1), (6, 3, 0.5, 0.8, 0.2))
#: What the paper's cyclic repetition code may be: the 0/1 circulant, which is the cyclic MDS code
#: there, or random codes as its reference [2] draws them.
CYCLIC = (circulant(8, 2), *(cyclic(8, 2, seed) for seed in (1, 2, 3, 4)))


@paper.elementwise
def remark2_printed(error_given_slow: float, n: int, slow: int, p_slow: float) -> float:
    """agc, Remark 2, as printed: E_err(n, m) P_m for one m instead of the sum over m. Wrong."""
    return error_given_slow * float(binomial_probabilities(n, p_slow)[slow])


@paper.elementwise
def remark2_frc(
    n: int, d: int, p_slow: float, p_straggle_slow: float, p_straggle_active: float
) -> float:
    """Mean error n q^d of frc, averaged over the classes (agc, Remark 2, summed over m)."""
    law = p_slow, p_straggle_slow, p_straggle_active
    return float(models.frc_mean_error(n, d, p=models.straggle_probability(*law)))


@paper.elementwise
def remark2_circulant(
    n: int, d: int, p_slow: float, p_straggle_slow: float, p_straggle_active: float
) -> float:
    """Mean error of the 0/1 circulant, averaged over the classes (agc, Remark 2, summed over m)."""
    q = models.straggle_probability(p_slow, p_straggle_slow, p_straggle_active)
    return float(circulant_mean_error(n, d, p=q))


@paper.claim("remark2.printed", "Remark 2", "misprint", of=(False,))
@paper.claim(
    "remark2.corrected",
    "Remark 2, as its words say it: by conditioning over m",
    of=(True,),
    reads="remark2.printed",
)
def _(is_right: bool) -> Cases:
    """Where each worker is slow with p_slow, the mean error is sum_m E_err(n, m) P_m, m = 0 ... n:
    that of iid stragglers with q = p_slow p_straggle_slow + (1-p_slow) p_straggle_active, n q^d for
    frc, and for the circulant that of Theorem 2 with binomial P_r.
    Proof. By total probability the mean is sum_m E_err(n, m) P_m. In one iteration workers are
    independent and straggle with q each, so this is the mean for iid stragglers.

    remark2.printed: If each worker is slow with probability p_slow, the mean error is E_err(n, m)
    P_m with P_m = C(n,m) p_slow^m (1-p_slow)^(n-m), without a sum over the number m of slow workers
    (tested with the m of the largest product).
    Printed: E_err(CRC, n, s) = E_err(CRC, n, m, s) P_m. Similarly for FRC scheme"""

    def of_circulant(n: int, d: int, slow: int, *pair: float) -> float:
        return theorem2_circulant(n, d, models.survivors_given_slow(n, slow, *pair))

    for code, given_slow in ((frc, theorem1), (circulant, of_circulant)):
        for n, d, p_slow, *pair in REMARK2[:2] if is_right else REMARK2:
            each = [remark2_printed(given_slow(n, d, m, *pair), n, m, p_slow) for m in range(n + 1)]
            m = max(range(n + 1), key=each.__getitem__)
            theory, note = (math.fsum(each), {"sum": "m"}) if is_right else (each[m], {"m": m})
            yield error(code(n, d), (p_slow, *pair), theory, note=note)
    for code, mean in ((frc, remark2_frc), (circulant, remark2_circulant)) if is_right else ():
        for n, d, *law in REMARK2:
            yield error(code(n, d), law, mean(n, d, *law))


@paper.formula
def cyclic_mean_error(null: ArrayLike, p: float) -> float:
    """Mean error of a cyclic code with d = 2 whose columns are orthogonal to h, Σ h = 0.

    Worker j holds partitions j and j+1 with weights h_(j+1) and −h_j, as in Tandon's random code,
    where h is random. Between two neighbouring stragglers at distance v lie v partitions S that
    the v−1 survivors combine to all that is orthogonal to h on S: the error there is
    (Σ_S h)²/Σ_S h². Iid stragglers: Σ_S p² (1−p)^(v−1) (Σ_S h)²/Σ_S h² over all S of v = 1 … n−1
    neighbours. Derived; not in the paper.

    ``null``: the vector h, one entry a partition, none of them 0; ``p``: probability to straggle.

    Raises
    ------
    FastgcError
        If the entries do not add up to 0, or one of them is 0.
    """
    h = np.asarray(null, dtype=np.float64)
    check.probabilities(p=p)
    if h.ndim != 1 or h.size < 3 or not h.all():
        raise FastgcError("null: needs at least three entries in one row, none of them 0")
    if abs(h.sum()) > 1e-12 * np.abs(h).sum():
        raise FastgcError(f"null: entries must add up to 0 (got {h.sum():g})")
    n = h.size
    turned = np.array([np.roll(h, -j) for j in range(n)])
    sums = np.cumsum(turned, axis=1) ** 2 / np.cumsum(turned**2, axis=1)
    lengths = np.arange(1, n)
    return math.fsum(p * p * (1.0 - p) ** (lengths - 1) * sums[:, :-1].sum(axis=0))


@paper.claim(
    "theorem2.random.corrected",
    "Theorem 2, for the code of its reference [2] with one tolerated straggler",
    corrects="theorem2.cycle-classes.random.printed",
)
def _() -> Cases:
    """If a cyclic code with d=2 has columns orthogonal to a vector h, sum h = 0, its error is
    the sum of (sum_S h)^2 / sum_S h^2 over the runs S of partitions between neighbouring
    stragglers, and differs inside a cycle class; its mean error is the sum over all runs S of
    v = 1 ... n-1 neighbours of q^2 (1-q)^(v-1) (sum_S h)^2 / sum_S h^2.
    Proof. On the partitions S between two neighbouring stragglers, the survivors span the
    orthogonal complement of h, so the residual of the all-ones vector is its projection on h, with
    the squared norm (sum_S h)^2 / sum_S h^2."""
    q = models.straggle_probability(*LAW)
    for null in VECTORS:
        theory = cyclic_mean_error(null, q)
        yield error(orthogonal(null), LAW, theory, note={"h": [*null]})
    for null in VECTORS[1:]:
        yield finite("mean_error", cyclic_mean_error(null, 0.4), code=orthogonal(null), p=0.4)


def orthogonal(null: tuple[float, ...]) -> Table:
    """Table of the cyclic code with d = 2 whose columns are orthogonal to a vector."""
    n = len(null)
    rows = [[0.0] * n for _ in range(n)]
    for j in range(n):
        rows[j][j], rows[(j + 1) % n][j] = null[(j + 1) % n], -null[j]
    return matrix(rows)


paper.share(error_lower_bound)


#: Of Section V, whose two numbers are two errata.
_PRINTED = (
    "for the chosen parameters we have E_err(CRC, n, s) = 0.5173 and E_err(FRC, n, s) = 1.976"
)


@paper.claim("circulant-0.5173.printed", "Section V", "wrong number", "number", printed=_PRINTED)
def _() -> Cases:
    """At n=8, d=2 and the paper's probabilities, the mean error of the cyclic repetition code is
    0.5173 (as a circulant, or drawn at random as in reference [2])."""
    for code in CYCLIC:
        yield error(code, LAW, 0.5173, digits=4)


@paper.claim("circulant-0.5173.corrected", "Section V, corrected")
def _() -> Cases:
    """At n=8, d=2 and the paper's probabilities, the mean error of the circulant is
    0.624412321666962.
    Proof. Theorem 2 squares the norm, as the definition (2) of the error does. With binomial P_r it
    gives 0.624412 for the circulant that survives one straggler."""
    theory = remark2_circulant(8, 2, *LAW)
    for code in (circulant(8, 2), cyclic_mds(8, 2)):
        yield error(code, LAW, theory)
        yield finite("mean_error", theory, code=code, p=models.straggle_probability(*LAW))


@paper.claim("circulant-0.5173.unsquared.derived", "Section V, how its number comes about")
def _() -> Cases:
    """What the paper prints as 0.5173 is the mean of the norm of the circulant's residual, not
    squared: 0.5173777 at n=8, d=2 and its probabilities, truncated to four decimals (rounding gives
    0.5174)."""
    for n, d, *law in POINTS:
        q = models.straggle_probability(*law)
        theory = theorem2_unsquared(n, d, binomial_probabilities(n, 1.0 - q))
        code = circulant(n, d)
        yield compared(decoding("norm", code, two_class(law)), theory)
        yield finite("mean_norm", theory, code=code, p=q)


@paper.claim("frc-1.976.printed", "Section V", "wrong number", "number", printed=_PRINTED)
def _() -> Cases:
    """At n=8, d=2 and the paper's probabilities, frc's mean error is 1.976."""
    yield error(frc(8, 2), LAW, 1.976, digits=3)


@paper.claim("frc-1.976.corrected", "Section V, corrected")
def _() -> Cases:
    """At n=8, d=2 and the paper's probabilities, frc's mean error is n q^d = 0.488072.
    Proof. A partition is lost if its d holders straggle, with probability q^d, and adds 1 to the
    error: n q^d."""
    for n, d, *law in POINTS:
        yield error(frc(n, d), law, remark2_frc(n, d, *law))


@paper.claim(
    "circulant-better-than-frc.corrected",
    "Section V, reversed",
    ">",
    of=tuple((circulant(n, d), frc(n, d), law, "error") for n, d, *law in POINTS),
)
@paper.claim(
    "circulant-better-than-frc.printed",
    "Section V",
    "<",
    "false",
    "number",
    of=tuple((code, frc(8, 2), LAW, of) for of in ("error", "norm") for code in CYCLIC),
    printed=f"the loss for CRC-shuffling is less than FRC-shuffling. This is because, {_PRINTED}",
)
def _(*pairs: tuple[Table, Table, Sequence[float], str]) -> Cases:
    """At n=8, d=2 and the paper's probabilities, the mean error of the cyclic repetition code (as a
    circulant, or drawn at random as in reference [2]) is below frc's: their difference; and that of
    the unsquared norm.

    circulant-better-than-frc.corrected: The circulant's mean error is above frc's, at the paper's
    point and at others: their difference.
    Proof. A partition that no survivor holds adds at least 1 to the error, so no code with d
    holders of each partition has a mean error below n q^d, that of frc. The circulant's is above
    it, because some sets of survivors hold every partition but do not decode exactly: for d = 2 and
    even n, all workers but two whose distances in both directions are odd and above 1; for n = 6, d
    = 3, every second worker."""
    for code, other, law, of in pairs:
        first, second = (decoding(of, each, two_class(law)) for each in (code, other))
        shown: Table = {"family": True, "note": {"against": other["family"]}}
        yield compared(first, 0.0, against=second, scale=code["n"], **shown)
