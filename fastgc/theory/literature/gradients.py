"""Errors of the gradient itself where partial gradients differ, and what descent makes of them.

Partial gradients g_i with inner products G, weights w of the answers, the residual r = Bw − t of a
target t: ‖ĝ − g‖² = rᵀGr, where ε = ‖r‖² is the decoding error. Optimal weights that do not know G
make r orthogonal to Bw, hence 1ᵀr = −ε where t = 1. ``p`` is the probability q to straggle.
"""

import math
from collections.abc import Sequence
from dataclasses import replace

from fastgc.theory.cases.statements import both
from fastgc.theory.cases.tables import Table, bibd, circulant, descent, frc, iid, matrix
from fastgc.theory.common import check
from fastgc.theory.common.circulant import circulant_error_variance, circulant_mean_error
from fastgc.theory.common.numerics import binomial_probabilities
from fastgc.theory.common.repetition import frc_error_variance, frc_mean_error
from fastgc.theory.literature import paper
from fastgc.theory.literature.cases import sampled
from fastgc.theory.literature.designs import bibd_errors
from fastgc.theory.papers.claim import LOOSE, Case, Cases

Rows = Sequence[Sequence[float]]
_Moments = tuple[float, float]
RAYLEIGH = "Derived: Rayleigh's quotient of the residual"
#: Lengths of eight partial gradients.
LENGTHS = (1.0, 2.0, 0.5, 1.0, 3.0, 0.1, 1.0, 2.0)


def _case(code: Table, p: float, theory: float, gram: Table | None, **more: object) -> Case:
    given = {} if gram is None else {"gram": gram}
    case = sampled(code, iid(p), theory, **given, **more)  # type: ignore[arg-type]
    keys = {key: more[key] for key in ("target", "measure") if key in more}
    return replace(case, point=dict(case.point) | {"p": p} | (gram or {}) | keys)


def _errors() -> list[tuple[Table, float, int, _Moments]]:
    """Codes, q, k, and the mean and variance of the decoding error."""
    fano, weights = bibd_errors("fano"), binomial_probabilities(7, 0.6)
    mean = float(weights @ fano)
    found = [(bibd("fano"), 0.4, 7, (mean, float(weights @ (fano - mean) ** 2)))]
    for n, d, p in ((8, 2, 0.3), (12, 3, 0.5)):
        own = frc_mean_error(n, d, p=p), frc_error_variance(n, d, p=p)
        found.append((frc(n, d), p, n, own))
    own = circulant_mean_error(9, 2, p=0.25), circulant_error_variance(9, 2, p=0.25)
    return [*found, (circulant(9, 2), 0.25, 9, own)]


# ---- one cosine between any two partial gradients


@paper.elementwise
def equal_gradient_error(
    error: float, correlation: float, k: int | None = None, known: bool = False
) -> float:
    """‖ĝ − g‖² of unit partial gradients with one cosine c, from the optimal decoding error ε.

    (1−c) ε + c ε² for weights that make ε least; where the master knows c, the least is
    (1−c) ε (1−c+ck)/(1−c+c(k−ε)), by shrinking or stretching these weights. Derived.

    >>> equal_gradient_error(2.0, 0.5), equal_gradient_error(2.0, 1.0, k=8, known=True)
    (3.0, 0.0)
    """
    c = correlation
    if not known:
        return (1.0 - c) * error + c * error * error
    check.count("k", 0 if k is None else k, 1)
    assert k is not None
    rest = 1.0 - c + c * (k - error)
    return (1.0 - c) * error * (1.0 - c + c * k) / rest if rest > 0 else c * error * error


@paper.claim("gradients.equal.derived", "Derived: the residual and what is decoded are orthogonal")
def _() -> Cases:
    """Where any two unit partial gradients have the cosine c, optimal decoding that does not know
    it has the mean squared error (1-c) E eps + c E eps^2 of the gradient."""
    for c in (0.3, 1.0, -0.1):
        for code, p, k, (mean, variance) in _errors():
            if c * (k - 1) >= -1.0:
                theory = (1.0 - c) * mean + c * (variance + mean * mean)
                yield _case(code, p, theory, {"correlation": c})


@paper.claim("gradients.homogeneous.derived", "Derived: equal partial gradients")
def _() -> Cases:
    """Of equal partial gradients the share ||g^ - g||^2/||g||^2 is the square of eps/k."""
    for code, p, k, (mean, variance) in _errors():
        theory = (variance + mean * mean) / (k * k)
        yield _case(code, p, theory, {"correlation": 1.0}, measure="gradient_error")


@paper.claim("gradients.equal.known.derived", "Derived: a quadratic in the length of the weights")
def _() -> Cases:
    """A master that knows the cosine c has the mean squared error
    E (1-c) eps (1-c+ck)/(1-c+c(k-eps)), of equal partial gradients 0 if anybody answers."""
    for c in (0.3, 0.9, -0.05):
        gram: Table = {"correlation": c, "known": True}
        errors, weights = bibd_errors("fano"), binomial_probabilities(7, 0.6)
        each = [equal_gradient_error(float(error), c, 7, True) for error in errors]
        yield _case(bibd("fano"), 0.4, math.fsum(map(float.__mul__, weights.tolist(), each)), gram)
        for n, d, p in ((8, 2, 0.3), (12, 3, 0.5)):
            weights = binomial_probabilities(n // d, p**d)
            each = [equal_gradient_error(float(d * lost), c, n, True) for lost in range(n // d + 1)]
            theory = math.fsum(map(float.__mul__, weights.tolist(), each))
            yield _case(frc(n, d), p, theory, gram)


# ---- any inner products: repetition, and weights that are fixed


@paper.formula
def frc_gradient_error(n: int, d: int, gram: Rows, p: float) -> float:
    """Mean ‖ĝ − g‖² of frc for iid stragglers, from the inner products of partial gradients.

    With S_uv those of the sums of groups u and v: q^d Σ_u S_uu + q^(2d) Σ_(u≠v) S_uv. Derived.

    >>> round(frc_gradient_error(2, 1, [[1.0, 1.0], [1.0, 1.0]], 0.5), 12)
    1.5
    """
    check.code(n, d)
    check.probabilities(p=p)
    groups = [range(u, u + d) for u in range(0, n, d)]
    total = 0.0
    for u, own in enumerate(groups):
        for v, other in enumerate(groups):
            share = p**d if u == v else p ** (2 * d)
            total += share * math.fsum(gram[i][j] for i in own for j in other)
    return total


def _products(lengths: Sequence[float], clusters: int = 1, c: float = 0.0, b: float = 0.0) -> Rows:
    """Inner products of partial gradients in clusters, with the cosines c in one and b between."""
    k = len(lengths)
    kind = [i * clusters // k for i in range(k)]
    return [
        [
            lengths[i] * lengths[j] * (1.0 if i == j else c if kind[i] == kind[j] else b)
            for j in range(k)
        ]
        for i in range(k)
    ]


@paper.claim("gradients.repetition.derived", "Derived: lost groups are independent")
def _() -> Cases:
    """Of frc the mean squared error of the gradient is q^d times the squared lengths of the groups'
    sums, and q^(2d) times the inner products of any two of them."""
    for d, p in ((2, 0.3), (4, 0.6), (1, 0.2)):
        rows = _products(LENGTHS)
        theory = frc_gradient_error(8, d, rows, p)
        yield _case(frc(8, d), p, theory, {"norms": list(LENGTHS)})
        for clusters, c, b in ((4, 0.9, 0.1), (2, 0.8, -0.3), (8, 0.0, 0.5)):
            gram: Table = {"clusters": clusters, "correlation": c, "between": b}
            theory = frc_gradient_error(8, d, _products([1.0] * 8, clusters, c, b), p)
            yield _case(frc(8, d), p, theory, gram)


@paper.formula
def fixed_gradient_error(rows: Rows, gram: Rows, rho: float, p: float) -> float:
    """Mean ‖ĝ − g‖² where every survivor's answer has the weight ρ, for iid stragglers.

    ρ² q(1−q) Σ_j b_jᵀGb_j + vᵀGv with the columns b_j of B and v = ρ(1−q)B1 − 1. Derived.

    >>> fixed_gradient_error([[1.0, 0.0], [0.0, 1.0]], [[1.0, 0.0], [0.0, 4.0]], 2.0, 0.5)
    5.0
    """
    check.probabilities(p=p)
    columns = list(zip(*rows, strict=True))
    mean = [rho * (1.0 - p) * math.fsum(row) - 1.0 for row in rows]

    def square(vector: Sequence[float]) -> float:
        return math.fsum(
            vector[i] * own[j] * vector[j] for i, own in enumerate(gram) for j in range(len(own))
        )

    spread = math.fsum(square(column) for column in columns)
    return rho * rho * p * (1.0 - p) * spread + square(mean)


@paper.claim("gradients.fixed.derived", "Derived: mean and variance of a sum of answers")
def _() -> Cases:
    """With one fixed weight rho on every answer the mean squared error of the gradient is
    rho^2 q(1-q) sum_j ||a_j||^2 for the answers a_j, and the squared bias, for any code."""
    B = [[1.0, 0.5, 0.0, 2.0], [0.0, 1.0, 1.0, -0.5], [1.0, 0.0, 3.0, 1.0]]
    G = [[2.0, 0.5, -1.0], [0.5, 1.0, 0.25], [-1.0, 0.25, 3.0]]
    for p, rho in ((0.2, 0.625), (0.5, 1.0), (0.1, 0.3)):
        theory = fixed_gradient_error(B, G, rho, p)
        case = _case(matrix(B), p, theory, {"rows": G}, decoder="one-step", rho=rho)
        yield replace(case, point={"B": B, "gram": G, "p": p, "rho": rho})
        ring = [[float((i - j) % 8 < 2) for j in range(8)] for i in range(8)]
        theory = fixed_gradient_error(ring, _products(LENGTHS, 2, 0.4, 0.1), rho, p)
        gram: Table = {"norms": list(LENGTHS), "clusters": 2, "correlation": 0.4, "between": 0.1}
        yield _case(circulant(8, 2), p, theory, gram, decoder="one-step", rho=rho)


# ---- bounds from the decoding error


def _extremes(k: int, c: float) -> tuple[float, float]:
    """The least and the largest eigenvalue of equally correlated unit gradients."""
    return min(1.0 - c, 1.0 - c + c * k), max(1.0 - c, 1.0 - c + c * k)


@paper.claim("gradients.eigenvalue.derived", RAYLEIGH, LOOSE, relation="<=")
def _() -> Cases:
    """The mean squared error of the gradient is at most the largest eigenvalue of the partial
    gradients' inner products times the mean decoding error."""
    for code, p, k, (mean, _) in _errors():
        for c in (0.3, 1.0):
            yield _case(code, p, _extremes(k, c)[1] * mean, {"correlation": c})
        lengths = [1.0 + (i % 3) for i in range(k)]
        yield _case(code, p, 9.0 * mean, {"norms": lengths})


@paper.claim("gradients.eigenvalue.least.derived", RAYLEIGH, relation=">=")
def _() -> Cases:
    """It is at least the least eigenvalue times the mean decoding error, whatever the master
    knows."""
    for code, p, k, (mean, _) in _errors():
        for known in (False, True):
            gram: Table = {"correlation": 0.3} | ({"known": True} if known else {})
            yield _case(code, p, _extremes(k, 0.3)[0] * mean, gram)
            gram = {"norms": [1.0 + (i % 3) for i in range(k)]}
            yield _case(code, p, mean, gram | ({"known": True} if known else {}))


@paper.claim("gradients.known.derived", "Derived: least of all weights", relation="<=")
def _() -> Cases:
    """A master that knows the inner products errs no more than one that decodes without."""
    for code, p, _, (mean, variance) in _errors():
        for c in (0.0, 0.3):
            theory = (1.0 - c) * mean + c * (variance + mean * mean)
            yield _case(code, p, theory, {"correlation": c, "known": True})


@paper.claim("gradients.lengths.derived", "Derived: the triangle inequality", relation="<=")
def _() -> Cases:
    """Of frc it is at most the mean square of the lengths that are lost, added up: what it is of
    parallel partial gradients."""
    for d, p in ((2, 0.3), (4, 0.6)):
        theory = frc_gradient_error(8, d, _products(LENGTHS, 1, 1.0), p)
        for c in (1.0, 0.5, 0.0):
            yield _case(frc(8, d), p, theory, {"norms": list(LENGTHS), "correlation": c})


# ---- a target other than the sum


@paper.formula
def frc_target_error(n: int, d: int, target: Sequence[float], p: float) -> float:
    """Mean ‖Bx − t‖² of frc for iid stragglers: a group's answer has one weight for all of it.

    Σ over groups of Σ(t_i − t̄)² + q^d d t̄², t̄ being the group's mean. Derived.

    >>> frc_target_error(2, 2, [1.0, 3.0], 0.5)
    4.0
    """
    check.code(n, d)
    check.probabilities(p=p)
    total = 0.0
    for u in range(0, n, d):
        own = [float(weight) for weight in target[u : u + d]]
        middle = math.fsum(own) / d
        total += math.fsum((weight - middle) ** 2 for weight in own) + p**d * d * middle**2
    return total


@paper.claim("gradients.target.derived", "Derived: groups are decoded one by one")
def _() -> Cases:
    """With frc a target costs its variance within groups even if all answer, and q^d d times the
    squared mean of each group's weights."""
    for d, p in ((2, 0.3), (4, 0.5)):
        for target in ([1.0, -1.0] * 4, list(LENGTHS), [0.0, 0.0, 0.0, 0.0, 2.0, 2.0, 2.0, 2.0]):
            theory = frc_target_error(8, d, target, p)
            yield _case(frc(8, d), p, theory, None, target=target)


# ---- what descent makes of it


@paper.formula
def biased_descent_bound(
    excess: float, shares: Sequence[float], ratio: float, rest: float = 0.0
) -> float:
    """Bound of the excess loss after descent with the step 1/L by gradients with errors.

    Where ‖ĝ − g‖² ≤ δ_l ‖g‖² + ζ² in iteration l, the loss is L-smooth, and ‖g‖² ≥ 2μ times its
    excess over the least one: each step multiplies the excess by 1 − (1−δ_l) μ/L and adds ζ²/(2L).
    ``shares`` are the δ_l, ``ratio`` is μ/L, ``rest`` is ζ²/L. By the descent lemma; derived.

    >>> biased_descent_bound(1.0, [0.5, 0.5], 1.0), biased_descent_bound(0.0, [0.5], 1.0, rest=0.5)
    (0.25, 0.25)
    """
    check.probabilities(ratio=ratio)
    for share in shares:
        excess = (1.0 - (1.0 - share) * ratio) * excess + 0.5 * rest
    return excess


@paper.claim("gradients.descent.derived", "Derived: the descent lemma", relation="<=")
def _() -> Cases:
    """If the gradient's squared error is at most the share delta of its square, a step 1/L
    multiplies the excess loss by at most 1 - (1-delta) mu/L: attained where mu = L."""
    patterns = [[0, 2], [0, 1, 2, 3], [1, 4, 5], [3], [2, 5]]
    for sides in ((1.0, 1.0), (1.0, 0.6)):  # features of a partition's two samples
        x = [[sides[0], 0.0], [0.0, sides[1]]] * 6
        curvature = [side * side / 2.0 for side in sides]
        best = [1.5, -2.0]
        y = [row[0] * best[0] + row[1] * best[1] for row in x]
        first = math.fsum(h * at * at for h, at in zip(curvature, best, strict=True)) / 2.0
        for many in (1, 3, 5):
            alive = patterns[:many]
            shares = [(1.0 - len({j // 2 for j in each}) / 3.0) ** 2 for each in alive]
            ratio = min(curvature) / max(curvature)
            run: Table = {"code": frc(6, 2), "survivors": alive, "data": {"x": x, "y": y}}
            theory = biased_descent_bound(first, shares, ratio)
            yield from both("coded_loss", theory, optimizer=descent(1.0 / max(curvature)), **run)


@paper.claim("gradients.descent.differ.derived", "Derived: the descent lemma", relation="<=")
def _() -> Cases:
    """Where data differ and one half of them never answers, descent ends at the other half's
    optimum: the excess loss stays within the bound with delta = 1/2 and a rest."""
    for a, b in ((1.0, 0.5), (3.0, 1.0)):
        x, y = [[1.0]] * 4, [a, a, -b, -b]
        least, rest = (a + b) ** 2 / 8.0, (a + b) ** 2 / 8.0
        first = (a - b) ** 2 / 8.0
        for many in (1, 2, 6, 12):
            run: Table = {"code": matrix([[1.0, 0.0], [0.0, 1.0]]), "data": {"x": x, "y": y}}
            theory = least + biased_descent_bound(first, [0.5] * many, 1.0, rest)
            alive = [[0]] * many
            yield from both("coded_loss", theory, optimizer=descent(1.0), survivors=alive, **run)
