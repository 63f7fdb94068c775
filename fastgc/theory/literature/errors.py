"""What codes lose to stragglers: repetition, other codes, bounds of any code's error."""

from collections.abc import Sequence
from dataclasses import replace

from fastgc.theory.cases.experiments import compared, decoding, sampled
from fastgc.theory.cases.statements import both, built, finite
from fastgc.theory.cases.tables import Table, cyclic, cyclic_mds, frc, matrix, uniform
from fastgc.theory.common import check, codes
from fastgc.theory.common import stragglers as models
from fastgc.theory.literature import RAVIV, SOURCES, TANDON, YE_ABBE, paper
from fastgc.theory.literature.designs import Edges, edges_of
from fastgc.theory.papers.claim import LOOSE, Case, Cases

paper.share(
    models.frc_autocovariance,
    models.frc_error_variance,
    models.frc_exact_probability,
    models.frc_mean_error,
    models.frc_uncovered_probability,
    codes.circulant_error_variance,
    codes.circulant_exact_probability,
    codes.circulant_mean_error,
)

_GROUPS = f"Derived for fractional repetition of {TANDON}: groups without a survivor"


@paper.elementwise
def frc_largest_error(n: int, d: int, stragglers: int) -> float:
    """Largest error d⌊s/d⌋ of frc over all sets of s stragglers.

    A group costs its d partitions, and only once all of its d workers straggle.
    """
    check.groups(n, d)
    check.count("stragglers", stragglers, 0, n)
    return d * (stragglers // d)


@paper.claim("frc.worst-case.derived", _GROUPS)
def _() -> Cases:
    """frc's largest error over all sets of s stragglers is d floor(s/d)."""
    for n, d, s in ((8, 2, 3), (9, 3, 2), (9, 3, 5), (12, 4, 9)):
        theory = frc_largest_error(n, d, s)
        yield finite("largest_error", theory, scale=n, code=frc(n, d), survivors=n - s)
        yield built("worst_error", theory, scale=n, code=frc(n, d), stragglers=s)
    for n, d, s in ((40, 4, 14), (60, 3, 11)):
        yield built("worst_error", frc_largest_error(n, d, s), code=frc(n, d), stragglers=s)


# ---- workers that straggle in runs: two-state Markov chains, from their stationary law


BUYUKATES = SOURCES["2011.01922"]

paper.share(
    models.markov_stationary,
    models.markov_frc_covariance,
    models.markov_frc_mean_error_variance,
    models.markov_frc_clusters_error,
)


def _chain(a: float, b: float) -> Table:
    return {"model": "markov", "p_straggle_after_ok": a, "p_straggle_after_straggle": 1.0 - b}


_CLUSTERS = ((12, 3, 0.05, 0.1), (20, 4, 0.1, 0.2), (6, 2, 0.3, 0.2))


@paper.claim("stragglers.clusters.derived", f"Derived for the clusters of {BUYUKATES}")
def _() -> Cases:
    """If in each iteration frc's groups are made anew, so that the last one's stragglers are spread
    evenly, a group that has j of them is lost with probability (1-b)^j a^(d-j); the mean error
    follows from their binomial number, the first iteration having no past."""
    for n, d, a, b in _CLUSTERS:
        experiment = decoding("error", frc(n, d), _chain(a, b), 4, "clusters")
        theory = models.markov_frc_clusters_error(n, d, 4, a, b)
        yield compared(experiment, theory, scale=float(n), tolerance=0.02)


@paper.claim(
    "stragglers.clusters-help.derived", f"Derived for the clusters of {BUYUKATES}", relation="<"
)
def _() -> Cases:
    """Such groups lose less than fixed ones if workers that straggle are likelier than others to
    straggle again (ratio of mean errors)."""
    for n, d, a, b in _CLUSTERS:
        first = decoding("error", frc(n, d), _chain(a, b), 4, "clusters")
        second = decoding("error", frc(n, d), _chain(a, b), 4)
        yield compared(first, 1.0, against=second, how="ratio", tolerance=0.05)


# ---- nothing is lost: by real, complex or pieced answers


#: n, s, m
_SIZES = ((4, 1, 2), (6, 2, 2), (7, 1, 3), (8, 2, 4))


def _no_error(codes: list[Table]) -> Cases:
    for code in codes:
        n, d = code["n"], code["d"]
        yield from both("largest_error", 0, scale=n, code=code, survivors=n - d + 1)
    for code in codes:
        yield sampled(code, uniform(code["d"] - 1), 0)


@paper.claim("cyclic.tolerance.printed", TANDON)
def _() -> Cases:
    """With probability 1 over its random numbers, Tandon's cyclic code decodes exactly whatever
    d-1 workers straggle."""
    return _no_error([cyclic(6, 2, 1), cyclic(8, 3, 1), cyclic(9, 3, 1)])


@paper.claim("cyclic-mds.tolerance.printed", RAVIV)
def _() -> Cases:
    """The cyclic MDS code over the reals, where n and d-1 are not both even or both odd, decodes
    exactly whatever d-1 workers straggle."""
    return _no_error([cyclic_mds(6, 4), cyclic_mds(9, 3), cyclic_mds(10, 4)])


@paper.claim("cyclic-mds.complex.tolerance.printed", RAVIV)
def _() -> Cases:
    """The cyclic MDS code over the complex numbers, which is there for all n and d, decodes exactly
    whatever d-1 workers straggle."""
    sizes = ((6, 3), (9, 4), (10, 3))
    family = {"family": "cyclic-mds", "field": "complex"}
    return _no_error([{**family, "n": n, "d": d} for n, d in sizes])


# ---- codes whose workers send an m-th of what the gradient is long


@paper.formula
def least_load(s: int, m: int) -> int:
    """Partitions that a worker must hold to survive s stragglers with answers of 1/m.

    s + m: of the d workers that hold a partition s may straggle, and the others' answers must tell
    its m pieces apart. Ye and Abbe, arXiv:1802.03475, Theorem 1.
    """
    return s + m


@paper.claim("ye-abbe.tolerance.printed", YE_ABBE)
def _() -> Cases:
    """With s + m partitions a worker, and answers 1/m as long as the gradient, the gradient is
    decoded exactly whatever s workers straggle."""
    for n, s, m in _SIZES:
        yield from both("largest_error_of_pieces", 0, scale=n, n=n, s=s, m=m)
    for n, s, m in (*_SIZES, (24, 4, 3)):
        yield sampled({"family": "ye-abbe", "n": n, "s": s, "m": m}, uniform(s), 0)


@paper.claim(
    "ye-abbe.converse.derived",
    f"Derived, for {YE_ABBE}: the rank of what is left",
    LOOSE,
    relation=">=",
)
def _() -> Cases:
    """With one partition less than s + m, whatever the code, some s stragglers leave an error of at
    least 1/m: of some partition's m pieces only m - 1 answers are left."""
    for n, s, m in _SIZES:
        yield finite("largest_error_of_less", 1.0 / m, scale=n, n=n, s=s, m=m)


# ---- bounds of the error: from below for any code, from above by expansion


paper.share(codes.error_lower_bound)


@paper.elementwise
def expander_bound(n: int, d: int, eigenvalue: float, stragglers: int) -> float:
    """Bound (λ/d)² n s/(n−s) of the error, every set of s stragglers.

    For B the adjacency matrix of a d-regular graph on n vertices (or any normal B with d ones in
    every row and column), λ its second largest singular value. Raviv, Tamo, Tandon, Dimakis
    (arXiv:1707.03858), for the weight n/(n−s) on every answer; optimal decoding is at
    least as good.
    """
    check.count("n", n, 1)
    check.count("d", d, 1, n)
    check.count("stragglers", stragglers, 0, n - 1)
    return (eigenvalue / d) ** 2 * n * stragglers / (n - stragglers)


def _expander(name: str, edges: Edges, d: int, eigenvalue: float, s: int) -> Case:
    vertices = 1 + max(map(max, edges))
    both = {*edges, *((v, u) for u, v in edges)}
    rows = [[float((u, v) in both) for v in range(vertices)] for u in range(vertices)]
    bound = expander_bound(vertices, d, eigenvalue, s)
    case = finite("largest_error", bound, scale=vertices, code=matrix(rows), survivors=vertices - s)
    return replace(case, point={"graph": name, "stragglers": s})


@paper.claim("expander.printed", RAVIV, relation="<=")
def _() -> Cases:
    """If B is the adjacency matrix of a d-regular graph on n vertices whose other eigenvalues are
    at most lambda in size, no set of s stragglers costs more than (lambda/d)^2 n s/(n-s)."""
    for s in (1, 3, 5):
        yield _expander("petersen", edges_of("petersen"), 3, 2.0, s)
    for s in (1, 3):
        yield _expander("complete 6", edges_of("complete", 6), 5, 1.0, s)


# ---- what descent makes of gradients with errors


@paper.formula
def biased_descent_bound(
    excess: float, shares: Sequence[float], ratio: float, rest: float = 0.0
) -> float:
    """Bound of the excess loss after descent with the step 1/L by gradients with errors.

    Where ‖ĝ − g‖² ≤ δ_l ‖g‖² + ζ² in iteration l, the loss is L-smooth, and ‖g‖² ≥ 2μ times its
    excess over the least one: each step multiplies the excess by 1 − (1−δ_l) μ/L and adds ζ²/(2L).
    ``shares`` are the δ_l, ``ratio`` is μ/L, ``rest`` is ζ²/L. By the descent lemma; derived.
    """
    check.probabilities(ratio=ratio)
    for share in shares:
        excess = (1.0 - (1.0 - share) * ratio) * excess + 0.5 * rest
    return excess
