"""Workers that straggle in runs: two-state Markov chains, started from their stationary law."""

from __future__ import annotations

from typing import Any

from fastgc.theory.cases.tables import Table, decoding, frc, point_of
from fastgc.theory.common.stragglers import (
    markov_frc_covariance,
    markov_frc_mean_error_variance,
    markov_stationary,
)
from fastgc.theory.literature import paper
from fastgc.theory.papers.claim import Case, Cases

NORRIS = "Norris, Markov Chains (1997), Example 1.1.4"

#: Probability to straggle after an answer, and to answer after straggling.
_CHAINS = ((0.1, 0.4), (0.3, 0.2), (0.05, 0.15))


for _shared in (markov_stationary, markov_frc_covariance, markov_frc_mean_error_variance):
    paper.formula(_shared)


def _chain(a: float, b: float) -> Table:
    return {"model": "markov", "p_straggle_after_ok": a, "p_straggle_after_straggle": 1.0 - b}


def _measured(
    measure: str, n: int, d: int, iterations: int, chain: tuple[float, float], theory: float,
    **more: Any,
) -> Case:  # fmt: skip
    experiment = decoding(measure, frc(n, d), _chain(*chain), iterations)
    point = point_of(experiment) | {key: more[key] for key in ("index",) if key in more}
    scale = float(n * n if measure == "error_lag" or "statistic" in more else n)
    return Case(point, theory, experiment, measure, scale=scale, **more)


@paper.claim("markov.stationary.printed", NORRIS)
def _() -> Cases:
    """A worker that begins to straggle with probability a and stops with probability b straggles
    in a share a/(a+b) of the iterations of its stationary chain, and so do n of them."""
    for chain in _CHAINS:
        yield _measured("error", 1, 1, 3, chain, markov_stationary(*chain))
    a, b = _CHAINS[0]
    yield _measured("error", 40, 1, 3, (a, b), 40 * markov_stationary(a, b))


@paper.claim("markov.correlation.derived", f"Derived from {NORRIS}")
def _() -> Cases:
    """What a two-state chain does h iterations apart has correlation (1-a-b)^h: covariance
    a b (1-a-b)^h/(a+b)^2."""
    for a, b in _CHAINS:
        for lag in (1, 2, 4):
            theory = a * b * (1.0 - a - b) ** lag / (a + b) ** 2
            yield _measured("error_lag", 1, 1, 5, (a, b), theory, index=lag)


@paper.claim("markov.frc.mean.derived", "Derived: one iteration knows nothing of the others")
def _() -> Cases:
    """frc's mean error under Markov stragglers is that under independent ones with the stationary
    probability: n (a/(a+b))^d."""
    for (n, d), chain in zip(((6, 2), (9, 3), (8, 1)), _CHAINS, strict=True):
        yield _measured("error", n, d, 4, chain, n * markov_stationary(*chain) ** d)


@paper.claim("markov.frc.lag.derived", "Derived from the two-state chain")
def _() -> Cases:
    """The errors of frc h iterations apart have covariance n d ((pi^2 + pi (1-pi) (1-a-b)^h)^d -
    pi^(2d)), pi = a/(a+b)."""
    for (n, d), chain, lag in zip(((6, 2), (6, 3), (8, 4)), _CHAINS, (1, 2, 3), strict=True):
        theory = markov_frc_covariance(n, d, lag, *chain)
        yield _measured("error_lag", n, d, 4, chain, theory, index=lag)


@paper.claim("markov.frc.variance.derived", "Derived from the two-state chain")
def _() -> Cases:
    """frc's error averaged over L iterations has the variance of a mean of L terms of that
    covariance: persistence makes it larger."""
    for (n, d), chain in zip(((6, 2), (6, 3), (4, 1)), _CHAINS, strict=True):
        theory = markov_frc_mean_error_variance(n, d, 4, *chain)
        yield _measured("mean_error", n, d, 4, chain, theory, statistic="variance")
