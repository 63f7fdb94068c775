"""Whether recorded times are those of workers, or those of rounds that end for all at once.

Behind a barrier, such as the all-reduce of synchronous training, every worker waits for the
slowest, so that all record the same time, and nothing says who was slow.
"""

from __future__ import annotations

import math

from fastgc.latency.time import Values

#: Spread of workers within a round over the spread of the rounds: at most so much behind a barrier.
#: The recordings tried have .05 and less behind one, .2 and more of workers' own times.
MOST = 0.1
OWN = 0.2
#: Probability of the normal law that own times of the least such spread are taken for a round's.
_RISK = 1e-3


def spread(rows: Values) -> float | None:
    """Return how much workers differ within a round, as a share of how much rounds differ.

    Each worker's own mean is taken off first, so that one that is always slow, or whose clock
    starts later, does not count. Both spreads are standard deviations.

    Parameters
    ----------
    rows : float64 array (rounds, n)

    Returns
    -------
    float or None
        Infinite where all rounds take the same time on average; None where there are fewer than two
        workers or rounds, or no time differs.

    Examples
    --------
    >>> import numpy as np
    >>> own = np.array([[1.0, 2.0], [4.0, 1.0], [1.0, 1.0], [2.0, 2.0], [1.0, 5.0]])
    >>> spread(own) > 1, spread(np.repeat(own.max(axis=1, keepdims=True), 2, axis=1))
    (True, 0.0)
    """
    rounds, n = rows.shape
    if rounds < 2 or n < 2:
        return None
    off = rows - rows.mean(axis=0)
    means = off.mean(axis=1)
    between = float((means**2).sum()) / (rounds - 1)
    within = float(((off - means[:, None]) ** 2).sum()) / ((rounds - 1) * (n - 1))
    # sums of equal times differ by rounding
    least = (1e-14 * float(abs(rows).max())) ** 2
    if between <= least:
        return None if within <= least else math.inf
    return math.sqrt(within / between)


def of_rounds(rows: Values) -> str | None:
    """Return what is wrong with times of rounds and what to do; None where workers' own are seen.

    Few rounds of few workers must be the more alike: own times that differ by ``OWN`` are taken for
    those of a round with probability .001 (F distribution).
    """
    from scipy import special  # its import takes longer than many a command

    found = spread(rows)
    if found is None:
        return None
    rounds, n = rows.shape
    chance = float(special.fdtri((rounds - 1) * (n - 1), rounds - 1, _RISK))
    if found > min(MOST, OWN * math.sqrt(chance)):
        return None
    return (
        "these are times of the round, not of workers: workers differ within a round "
        f"{found:.2g} times as much as rounds do (behind a barrier at most {MOST:g}, own times "
        f"{OWN:g} or more); time each worker's own work before it waits for the others "
        "(`fastgc help what-to-time`)"
    )
