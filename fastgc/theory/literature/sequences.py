"""Codes over several rounds: what they load, which stragglers they survive, how long they take.

Krishnan, Ebrahimi, Khisti, Sequential Gradient Coding for Straggler Mitigation (ICLR 2023,
arXiv:2211.13802), of which the abstract and the authors' program were read.
"""

import math

from fastgc.theory.cases.statements import both, built, finite, not_reproducible
from fastgc.theory.cases.tables import maker as table
from fastgc.theory.common import check
from fastgc.theory.literature import paper
from fastgc.theory.literature.sources import SOURCES
from fastgc.theory.papers.claim import Cases

KRISHNAN = SOURCES["2211.13802"]
_m_sgc = table("family", "m-sgc", "n", "burst", "window", "distinct")
_sr_sgc = table("family", "sr-sgc", "n", "burst", "window", "distinct")
_POINTS = ((256, 1, 2, 27), (256, 2, 3, 23), (16, 2, 5, 15), (12, 3, 4, 12), (9, 1, 3, 0))


# ---- loads


@paper.elementwise
def sequential_load(n: int, burst: int, window: int, distinct: int) -> float:
    """Share of a job's data that a worker of M-SGC computes with in a round.

    It does window − 1 + burst mini-tasks. Of a job each worker has window − 1 chunks alone, and
    ``burst`` groups are coded for ``distinct`` stragglers, distinct + 1 times as much data each.

    >>> round(sequential_load(256, 1, 2, 27), 7)
    0.0075431
    """
    _check(n, burst, window, distinct)
    tasks, own = window - 1 + burst, window - 1
    if distinct == n:
        return tasks / (n * own)
    return tasks * (distinct + 1) / (n * (burst + own * (distinct + 1)))


@paper.elementwise
def sequential_least_load(n: int, burst: int, window: int, distinct: int) -> float:
    """Lower bound on that share for any code that survives such bursts, whatever the delay.

    In each period of window − 1 + burst rounds ``distinct`` workers may straggle for ``burst`` of
    them, and what the rest compute must make up for all jobs. Derived by counting.

    >>> round(sequential_least_load(256, 1, 2, 27), 7)
    0.0041237
    """
    _check(n, burst, window, distinct)
    return (window - 1 + burst) / (n * (window - 1) + burst * (n - distinct))


@paper.elementwise
def repeating_load(n: int, burst: int, window: int, distinct: int) -> float:
    """The same of SR-SGC: (s + 1)/n with s = ⌈burst·distinct/(window − 1 + burst)⌉.

    >>> repeating_load(256, 2, 3, 23)
    0.05078125
    """
    check.count("window - 1", window - 1, burst)
    return (-(-burst * distinct // (window - 1 + burst)) + 1) / n


def _check(n: int, burst: int, window: int, distinct: int) -> None:
    check.count("distinct", distinct, 0, n)
    check.count("burst", burst, 1, window - 1)


@paper.claim("sequences.load.derived", f"Derived from the definitions of {KRISHNAN}")
def _() -> Cases:
    """M-SGC loads a worker with (c+1)(W-1+B)/(n(B+(W-1)(c+1))) of a job's data a round, c distinct
    stragglers in W rounds and bursts of B, and with (W-1+B)/(n(W-1)) for c = n: .0075 for n = 256,
    B = 1, W = 2, c = 27; SR-SGC with (s+1)/n: .051 for B = 2, W = 3, c = 23."""
    for n, burst, window, distinct in _POINTS:
        load = sequential_load(n, burst, window, distinct)
        yield built("load_of", load, system=_m_sgc(n, burst, window, distinct))
    for own in ((256, 2, 3, 23), (16, 1, 5, 9), (12, 2, 5, 4)):
        yield built("load_of", repeating_load(*own), system=_sr_sgc(*own))


@paper.claim("sequences.least-load.derived", f"Derived by counting, for {KRISHNAN}", relation=">=")
def _() -> Cases:
    """No code for these bursts loads workers with less than (W-1+B)/(n(W-1)+B(n-c)); M-SGC and
    SR-SGC load them with more, or with as much."""
    for own in _POINTS:
        yield built("load_of", sequential_least_load(*own), system=_m_sgc(*own))
    for own in ((256, 2, 3, 23), (16, 1, 5, 9)):
        yield built("load_of", sequential_least_load(*own), system=_sr_sgc(*own))


@paper.claim("sequences.attained.derived", f"Derived from the two loads, for {KRISHNAN}")
def _() -> Cases:
    """M-SGC loads workers with no more than that where all, all but one, or none may straggle
    in a window."""
    for n, burst, window in ((6, 1, 2), (12, 2, 4), (256, 3, 7)):
        for distinct in (n, n - 1, 0):
            least = sequential_least_load(n, burst, window, distinct)
            yield built("load_of", least, system=_m_sgc(n, burst, window, distinct))


# ---- which stragglers are survived


@paper.claim("sequences.bursty.derived", f"Derived for M-SGC of {KRISHNAN}, by enumeration")
def _() -> Cases:
    """M-SGC decodes every job in time if the stragglers are bursty as it is made for: no pattern
    is lost."""
    for n, jobs, *own in ((2, 3, 1, 2, 1), (3, 3, 1, 2, 2), (3, 2, 1, 3, 2), (3, 1, 2, 3, 2)):
        yield from both("lost_patterns", 0, system=_m_sgc(n, *own), jobs=jobs, model="bursty")


@paper.claim("sequences.mixed.derived", f"Derived for SR-SGC of {KRISHNAN}, by enumeration")
def _() -> Cases:
    """SR-SGC decodes every job in time if in each window of W rounds the stragglers are bursty, or
    no round has more than s of them."""
    for n, jobs, *own in ((3, 3, 1, 2, 2), (4, 2, 1, 3, 3), (3, 2, 2, 3, 2)):
        yield finite("lost_patterns", 0, system=_sr_sgc(n, *own), jobs=jobs, model="mixed")


# ---- how long they take


@paper.elementwise
def round_of_code(n: int, s: int, p: float, ok: float, slow: float, factor: float) -> float:
    """Mean seconds of a round of a gradient code whose master waits ``factor`` times the fastest.

    It goes on then if at most s of n workers are slow, each with probability p, and else waits for
    all. ok < factor·ok < slow. Derived.

    >>> round(round_of_code(3, 1, 0.1, 1.0, 5.0, 2.0), 6)
    1.355
    """
    check.count("s", s, 0, n - 1)
    found = 0.0
    for w in range(int(n) + 1):
        seconds = ok if w == 0 else factor * ok if w <= s else slow
        found += math.comb(int(n), w) * p**w * (1 - p) ** (n - w) * seconds
    return found


@paper.elementwise
def multiplexed_seconds(
    n: int, distinct: int, jobs: int, p: float, ok: float, slow: float, factor: float
) -> float:
    """Mean seconds of all rounds of M-SGC with burst 1, window 2, under independent slow workers.

    A chain on the stragglers k of the last round: j ≤ distinct − k others are slow and none of the
    k is, in factor·ok (ok for j = 0); or the master waits for all, and the round has none. Derived.

    >>> round(multiplexed_seconds(3, 2, 3, 0.1, 1.0, 5.0, 2.0), 6)
    5.370986
    """
    check.count("distinct", distinct, 0, n)
    n, distinct = int(n), int(distinct)
    found, law = 0.0, [1.0] + [0.0] * distinct
    for _ in range(int(jobs) + 1):
        after = [0.0] * (distinct + 1)
        for k, weight in enumerate(law):
            left = weight
            for j in range(min(distinct - k, n - k) + 1):
                if j == n:
                    continue  # all are slow: nobody straggles, and it takes as long as a wait
                chance = weight * math.comb(n - k, j) * p**j * (1 - p) ** (n - j)
                after[j] += chance
                found += chance * (factor * ok if j else ok)
                left -= chance
            after[0] += left
            found += left * slow
        law = after
    return found


@paper.claim(
    "sequences.runtime.printed",
    f"{KRISHNAN}, abstract",
    category="number",
    missing="the recording of the workers' times is not published under a licence",
)
def _() -> Cases:
    """Training several networks at once on 256 workers of AWS Lambda, M-SGC takes 16 % less time
    than a gradient code."""
    yield not_reproducible("seconds", 0.84, 2, n=256)
