"""Fractional repetition and the circulant with d = 2: their errors, and groups made anew."""

from fastgc.theory.cases.decoding import compared, decoding
from fastgc.theory.cases.statements import built, finite
from fastgc.theory.cases.tables import Table, frc
from fastgc.theory.common import check
from fastgc.theory.common import repetition as common
from fastgc.theory.common.circulant import (
    circulant_error_variance,
    circulant_exact_probability,
    circulant_mean_error,
)
from fastgc.theory.common.stragglers import (
    markov_frc_clusters_error,
    markov_frc_covariance,
    markov_frc_mean_error_variance,
    markov_stationary,
)
from fastgc.theory.literature import SOURCES, TANDON, paper
from fastgc.theory.papers.claim import Cases

paper.share(
    common.frc_autocovariance,
    common.frc_error_variance,
    common.frc_exact_probability,
    common.frc_mean_error,
    common.frc_uncovered_probability,
    circulant_error_variance,
    circulant_exact_probability,
    circulant_mean_error,
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
    markov_stationary,
    markov_frc_covariance,
    markov_frc_mean_error_variance,
    markov_frc_clusters_error,
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
        theory = markov_frc_clusters_error(n, d, 4, a, b)
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
