"""Workers that straggle in runs: two-state Markov chains, started from their stationary law."""

from fastgc.theory.cases.decoding import compared, decoding
from fastgc.theory.cases.tables import Table, frc
from fastgc.theory.common.stragglers import (
    markov_frc_clusters_error,
    markov_frc_covariance,
    markov_frc_mean_error_variance,
    markov_stationary,
)
from fastgc.theory.literature import paper
from fastgc.theory.literature.sources import SOURCES
from fastgc.theory.papers.claim import Cases

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
