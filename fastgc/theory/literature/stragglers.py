"""How many workers straggle, and which: by themselves, in runs, or by a deadline."""

import math
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Any

from fastgc.theory.cases.decoding import compared, decoding
from fastgc.theory.cases.statements import built
from fastgc.theory.cases.tables import Table, bibd, circulant, exponential, frc, iid, uniform
from fastgc.theory.common import check
from fastgc.theory.common.stragglers import (
    markov_frc_clusters_error,
    markov_frc_covariance,
    markov_frc_mean_error_variance,
    markov_stationary,
)
from fastgc.theory.literature import paper
from fastgc.theory.literature.cases import sampled
from fastgc.theory.literature.designs import bibd_mean_error
from fastgc.theory.papers.claim import Case, Cases

FELLER = "Feller, An Introduction to Probability Theory and Its Applications 1 (1968)"
BUYUKATES = "Buyukates, Ozfatura, Ulukus, Gunduz, Dynamic Clustering (arXiv:2011.01922)"
NORRIS = "Norris, Markov Chains (1997), Example 1.1.4"
#: Probability to straggle after an answer, and to answer after straggling.
_CHAINS = ((0.1, 0.4), (0.3, 0.2), (0.05, 0.15))


@paper.claim("stragglers.binomial.printed", f"{FELLER}, Chapters VI and IX")
def _() -> Cases:
    """Of n workers that straggle independently with probability p, n p straggle on average, with
    variance n p (1-p)."""
    # probabilities with 7, 8 and 10 binary digits, and one with 53
    for p in (3 / 128, 11 / 256, 77 / 1024, 0.2):
        yield sampled(frc(40, 1), iid(p), 40 * p)
        yield sampled(frc(40, 1), iid(p), 40 * p * (1 - p), statistic="variance")


@paper.claim("stragglers.hypergeometric.derived", f"Derived from {FELLER}, Section II.6")
def _() -> Cases:
    """If s of n workers straggle, all sets alike, d given ones all do with probability
    C(n-d, s-d)/C(n, s): frc loses n times that on average."""
    for n, d, s in ((40, 2, 10), (66, 2, 20), (66, 3, 30), (130, 2, 60)):
        theory = n * math.comb(n - d, s - d) / math.comb(n, s)
        yield sampled(frc(n, d), uniform(s), theory)


@paper.claim("stragglers.alike.derived", "Derived by symmetry")
def _() -> Cases:
    """If s of n workers straggle, all sets alike, each of them does with probability s/n, the first
    and the last no less than others."""
    for n, s, workers in ((40, 20, (0, 17, 38, 39)), (70, 35, (0, 69))):
        experiment = decoding("not_accessed", frc(n, 1), uniform(s))
        for worker in workers:
            note = {"worker": worker}
            yield compared(experiment, s / n, note=note, index=worker, tolerance=0.01)


@paper.elementwise
def circulant_worst_error(n: int, stragglers: int) -> float:
    """Largest error s − 1 + [n − s + 1 odd]/(n − s + 1) of the circulant with d = 2, s ≥ 1 of n.

    Stragglers beside each other cost 1 for each neighbour; then one gap is left. Derived.

    >>> circulant_worst_error(9, 3)
    2.142857142857143
    """
    check.count("n", n, 3)
    check.count("stragglers", stragglers, 1, n - 1)
    gap = n - stragglers + 1
    return stragglers - 1 + (1 / gap if gap % 2 else 0.0)


@paper.claim("circulant.worst-case.derived", "Derived: gaps of 1 cost most, and one is left")
def _() -> Cases:
    """The largest error of the circulant with d = 2 over all sets of s of n stragglers is s - 1,
    and 1/(n-s+1) more if that gap is odd."""
    for n, s in ((9, 3), (10, 4), (13, 12), (40, 11), (41, 20)):
        theory = circulant_worst_error(n, s)
        yield built("worst_error", theory, scale=n, code=circulant(n, 2), stragglers=s)


@paper.claim("circulant.single.derived", "Derived: one straggler leaves one gap of n")
def _() -> Cases:
    """A single straggler costs the circulant with d = 2 nothing if n is even and 1/n if it is
    odd, whichever it is; two cost it the mean over their distance."""
    for n in (9, 65, 101, 66):
        case = sampled(circulant(n, 2), uniform(1), 1 / n if n % 2 else 0.0)
        yield replace(case, tolerance=None if n < 64 else 0.02)
    for n in (65, 101):
        costs = (sum(1 / gap for gap in (v, n - v) if gap % 2) for v in range(1, n))
        case = sampled(circulant(n, 2), uniform(2), math.fsum(costs) / (n - 1))
        yield replace(case, tolerance=0.02)


# ---- workers that straggle in runs: two-state Markov chains, started from their stationary law


paper.share(markov_stationary, markov_frc_covariance, markov_frc_mean_error_variance)
paper.share(markov_frc_clusters_error)


def _chain(a: float, b: float) -> Table:
    return {"model": "markov", "p_straggle_after_ok": a, "p_straggle_after_straggle": 1.0 - b}


def _measured(
    measure: str, n: int, d: int, iterations: int, chain: tuple[float, float], theory: float,
    **more: Any,
) -> Case:  # fmt: skip
    experiment = decoding(measure, frc(n, d), _chain(*chain), iterations)
    note = {key: more[key] for key in ("index",) if key in more}
    scale = float(n * n if measure == "error_lag" or "statistic" in more else n)
    return compared(experiment, theory, note=note, scale=scale, **more)


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


# ---- workers that straggle by being late: a load, a law of its time, a deadline


@paper.elementwise
def late_exponential(
    deadline: float,
    load: float,
    mean: float = 1.0,
    shift: float = 0.0,
    scaling: str = "server-dependent",
) -> float:
    """P(a load takes longer than a deadline), a load of 1 taking shift + an exponential time.

    Server-dependent: load · (shift + X) > deadline. Data-dependent: load · shift + X > deadline.
    Additive: a sum of load independent times, an integer, Erlang's law.

    >>> round(late_exponential(2.0, 2.0), 6), late_exponential(1.0, 2.0, shift=0.5)
    (0.367879, 1.0)
    """
    check.positive(deadline=deadline, load=load, mean=mean)
    left = max(deadline - load * shift, 0.0) / mean
    if scaling == "server-dependent":
        return math.exp(-left / load)
    if scaling == "data-dependent":
        return math.exp(-left)
    return math.exp(-left) * math.fsum(left**i / math.factorial(i) for i in range(round(load)))


def _table(deadline: float, latency: Table | list[Table], work: float, scaling: str) -> Table:
    return {
        "model": "deadline",
        "deadline": deadline,
        "latency": latency,
        "work": work,
        "scaling": scaling,
    }


def _late(
    code: Table, share: float, error: Callable[[float], float], deadline: float, work: float,
    scaling: str = "server-dependent", shift: float = 0.0,
) -> Cases:  # fmt: skip
    """A code of which every worker holds this share of the data, its mean error known of p."""
    p = float(late_exponential(deadline, work * share, 1.0, shift, scaling))
    stragglers = _table(deadline, exponential(1.0, shift), work, scaling)
    yield sampled(code, stragglers, error(p))


@paper.claim("deadline.load.derived", "Derived: a worker that holds d of k partitions has load d/k")
def _() -> Cases:
    """Workers that hold d of k partitions each and must answer by a deadline straggle
    independently, with P(load * time > deadline) for a load of d/k of the work."""
    yield from _late(frc(8, 2), 2 / 8, lambda p: 8 * p**2, 1.0, 4.0)
    yield from _late(frc(12, 3), 3 / 12, lambda p: 12 * p**3, 2.0, 6.0, shift=0.5)
    for name, share in (("ag(2,3)", 4 / 12), ("fano", 3 / 7)):
        yield from _late(bibd(name), share, partial(bibd_mean_error, name), 1.0, 2.0)


@paper.claim("deadline.scaling.derived", "Derived from what each scaling of time with load says")
def _() -> Cases:
    """A load l is late with probability exp(-(t - l a)/l) if time is l (a + X), exp(-(t - l a)) if
    it is l a + X, and by Erlang's law of l stages if it is the sum of l times."""
    for scaling, shift in (("server-dependent", 0.2), ("data-dependent", 0.2), ("additive", 0.0)):
        yield from _late(frc(8, 2), 2 / 8, lambda p: 8 * p**2, 2.0, 12.0, scaling, shift)
    yield from _late(
        bibd("ag(2,3)"), 4 / 12, partial(bibd_mean_error, "ag(2,3)"), 3.0, 9.0, "additive"
    )


@paper.claim("deadline.unlike.derived", "Derived for workers that are not alike")
def _() -> Cases:
    """If worker j's time is exponential with mean m_j, uncoded work loses sum_j exp(-n t/(W m_j))
    partitions by a deadline t on average, W the work of all n."""
    for means, deadline in (((1.0, 2.0, 4.0), 1.0), ((0.5, 0.5, 3.0, 1.0), 0.5), ((2.0, 1.0), 2.0)):
        n = len(means)
        latency = [exponential(mean) for mean in means]
        theory = math.fsum(math.exp(-n * deadline / (2.0 * mean)) for mean in means)
        stragglers = _table(deadline, latency, 2.0, "server-dependent")
        yield sampled(frc(n, 1), stragglers, theory)


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
