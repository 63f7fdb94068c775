"""Up to what cost of load codes pay: the largest rate at which one is the fastest system."""

from typing import Any

import numpy as np

from fastgc.arrays import Values

#: Shares of the highest rate at which systems are timed whose times do not rise straight with it.
KNOTS = np.linspace(0.0, 1.0, 9)
#: Shares of the highest rate that are looked at first, small ones close to each other.
LOOKED_AT = np.linspace(0.0, 1.0, 65) ** 2
_HALVINGS = 40


def fastest(means: Values, is_code: Any, at: Values) -> tuple[Values, Values]:
    """Return the times of the best code and of the best of the others, (B,) each.

    ``means`` are as for `crossing`, ``at`` (B,) shares of the highest rate.
    """
    start, end, knots = np.split(means, [len(is_code), 2 * len(is_code)], axis=1)
    now = start + (end - start) * at[:, np.newaxis]
    other = now[:, ~is_code].min(axis=1)
    if knots.shape[1]:
        place = np.arange(len(means))
        left = np.minimum((at * (len(KNOTS) - 1)).astype(int), len(KNOTS) - 2)
        part = at * (len(KNOTS) - 1) - left
        other = np.minimum(other, (1 - part) * knots[place, left] + part * knots[place, left + 1])
    return now[:, is_code].min(axis=1), other


def crossing(means: Values, is_code: Any) -> Values:
    """Return the largest share of the highest rate at which a code is the fastest, (B,).

    ``means`` (B, columns) are those of all systems at rate 0 and at the highest, and perhaps of
    balanced work at all knots. 0 where no code is the fastest at any rate.
    """
    size = len(means)

    def behind(at: Values) -> Values:
        """How much longer the best code takes than the best of the others."""
        code, other = fastest(means, is_code, at)
        return np.asarray(code - other)

    ahead = np.stack([behind(np.full(size, at)) < 0 for at in LOOKED_AT], axis=1)
    last = ahead.shape[1] - 1 - ahead[:, ::-1].argmax(axis=1)
    low = LOOKED_AT[last]
    high = LOOKED_AT[np.minimum(last + 1, LOOKED_AT.size - 1)]
    for _ in range(_HALVINGS):
        middle = (low + high) / 2
        pays = behind(middle) < 0
        low, high = np.where(pays, middle, low), np.where(pays, high, middle)
    return np.where(ahead.any(axis=1), low, 0.0)
