"""The law of how many workers survive: sums of independent indicators."""

import numpy as np

from fastgc.arrays import Values

#: Workers of so many kinds have no law here: it would take too long.
MOST_KINDS = 4096
#: What is less likely counts as impossible: far less than any trial sees.
_NEVER = 1e-40


def independent(p: Values) -> Values | None:
    """Return the probability of every number of survivors, (n + 1,).

    ``p``, float64 array (n,): probability of each worker to straggle, independently of others.
    Returns float64 array (n + 1,) or None: to full precision but where it is below 1e-40; None for
    more than 4096 kinds of workers.

    >>> independent(np.array([0.5, 0.5])).tolist()
    [0.25, 0.5, 0.25]
    """
    values, counts = np.unique(1.0 - p, return_counts=True)
    if values.size > MOST_KINDS:
        return None
    parts = [_binomial(int(m), float(q)) for q, m in zip(values, counts, strict=True)]
    parts = parts or [(0, np.ones(1))]
    while len(parts) > 1:  # two by two, so that the shorter one of a pair is short
        ends = parts[len(parts) // 2 * 2 :]
        pairs = zip(parts[::2], parts[1::2], strict=False)
        parts = [(one[0] + two[0], convolved(one[1], two[1])) for one, two in pairs] + ends
    first, probabilities = parts[0]
    found = np.zeros(p.size + 1)
    found[first : first + probabilities.size] = probabilities
    return np.asarray(found / found.sum())


def together(one: Values | None, other: Values | None) -> Values | None:
    """Return the law of the sum of two independent numbers; None where one is not known."""
    if one is None or other is None:
        return None
    return convolved(one, other)


def convolved(one: Values, other: Values) -> Values:
    """Return the law of the sum of two independent numbers, added row by row: no BLAS, same bits.

    >>> convolved(np.array([0.5, 0.5]), np.array([0.25, 0.75])).tolist()
    [0.125, 0.5, 0.375]
    """
    short, long = sorted((one, other), key=len)
    found = np.zeros(short.size + long.size - 1)
    for place, probability in enumerate(short.tolist()):
        found[place : place + long.size] += probability * long
    return found


def _binomial(n: int, q: float) -> tuple[int, Values]:
    """Probabilities of the numbers of survivors from the first that is likely enough on."""
    mode = min(n, int((n + 1) * q))
    odds = q / (1.0 - q) if q < 1.0 else np.inf
    if q in (0.0, 1.0):
        return mode, np.ones(1)
    above = np.arange(mode + 1, n + 1, dtype=float)
    up = np.cumprod((n + 1 - above) / above * odds)
    below = np.arange(mode, 0, -1, dtype=float)
    down = np.cumprod(below / (n + 1 - below) / odds)
    kept, lost = up[up > _NEVER], down[down > _NEVER]
    found = np.concatenate([lost[::-1], [1.0], kept])
    return mode - lost.size, found / found.sum()
