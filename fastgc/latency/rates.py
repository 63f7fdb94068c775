"""What a unit of load costs in seconds: fitted to recordings at several loads."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import NormalDist

import numpy as np

from fastgc.arrays import Values
from fastgc.errors import FastgcError
from fastgc.statistics.resampling import error_of_mean

#: Probability that a straight line is called curved.
CURVED = 0.01
_CONFIDENCE = 0.95


@dataclass(frozen=True)
class Rate:
    """Seconds for a unit of load, the ``error`` of that, and whether time is straight in the load.

    * ``own``: by how much the rate grows with the mean of the recording that it extends; 0 where
      the rate was given.
    * ``rest``: standard error that is left where that mean is known.
    * ``recordings``: how many it was fitted to; 0 where it was given.
    * ``off`` (tuple of (float, float)): the load at which the mean lies the furthest off the
      straight line, in standard errors, and how many seconds it lies above it.
    * ``p_value``: probability that means of a straight line lie as far off it by what their rows
      say; None below three loads.
    """

    value: float
    error: float
    own: float = 0.0
    rest: float = 0.0
    recordings: int = 0
    off: tuple[float, float] = (0.0, 0.0)
    p_value: float | None = None

    @property
    def curved(self) -> bool:
        """Whether the recordings contradict a straight line."""
        return self.p_value is not None and self.p_value < CURVED

    def at_no_load(self, mean: float, load: float) -> tuple[float, float]:
        """Return the time at no load, and its standard error.

        ``mean`` is that of the recording that the rate extends, which had this load.
        """
        of_mean = math.sqrt(max(0.0, self.error**2 - self.rest**2)) / abs(self.own or 1.0)
        error = math.hypot((1 - load * self.own) * of_mean, load * self.rest)
        return mean - self.value * load, error

    @property
    def straight(self) -> str:
        """A sentence on whether time grows straight with the load; empty where it was given."""
        if not self.recordings:
            return ""
        if self.p_value is None:
            return (
                "the rate is that of two loads, which do not say whether time grows straight with "
                "the load, nor how much recordings differ: record a third"
            )
        load, seconds = self.off
        if self.curved:
            where = f"{abs(seconds):.3g} {'above' if seconds > 0 else 'below'} it at load {load:g}"
            return (
                f"the mean times of {self.recordings} recordings do not lie on a straight line "
                f"(p {self.p_value:.1g}; {where}): time is curved in the load, or recordings "
                "differ by more than their rows show; the error of the rate counts that, for loads "
                "between those recorded"
            )
        return (
            f"The mean times of {self.recordings} recordings do not contradict a straight line "
            f"(p {self.p_value:.2g})"
        )


def fitted(recordings: Sequence[tuple[float, Values]]) -> Rate:
    """Fit a straight line to the mean times of recordings, by least squares.

    Each is a load and its times (rows, n); the first is the one that is extended. The standard
    error is that of the means, whose rows may depend on each other. Of three or more recordings it
    is at least that of their distances from the line, which count that recordings differ, times
    Student's quantile over the normal one: so few distances do not tell their own size well. Fewer
    than two different loads, and recordings with a single row, are refused.

    >>> slow = np.array([[3.0], [3.2], [2.8], [3.0]])
    >>> rate = fitted([(1.0, slow), (0.0, slow - 2.0)])
    >>> round(rate.value, 12), round(rate.own, 12), 0 < rate.rest < rate.error
    (2.0, 1.0, True)
    """
    loads = np.array([load for load, _ in recordings])
    if np.unique(loads).size < 2:
        raise FastgcError(f"a rate needs recordings at two loads or more (got {loads[0]:g} only)")
    if min(len(rows) for _, rows in recordings) < 2:
        raise FastgcError("a rate needs recordings of two rows or more, for its standard error")
    rounds = [rows.mean(axis=1) for _, rows in recordings]
    means = np.array([each.mean() for each in rounds])
    errors = np.array([error_of_mean(each) for each in rounds])
    off = loads - loads.mean()
    weights = off / (off @ off)
    rate = float(weights @ means)
    distances = means - means.mean() - rate * off
    moved = weights * errors
    error = max(math.sqrt(float(moved @ moved)), _differing(distances, weights))
    far = np.abs(distances) / np.where(errors > 0, errors, 1.0)
    place = int(far.argmax())
    return Rate(
        value=rate,
        error=error,
        own=float(weights[0]),
        rest=math.sqrt(max(0.0, error**2 - float(moved[0]) ** 2)),
        recordings=len(recordings),
        off=(float(loads[place]), float(distances[place])),
        p_value=_p_value(distances, errors, min(map(len, rounds))) if _several(loads) else None,
    )


def _differing(distances: Values, weights: Values) -> float:
    """Standard error of a slope from the distances that means have from the line."""
    from scipy import special  # its import takes longer than many a command

    freedom = distances.size - 2
    if freedom < 1:
        return 0.0
    student = float(special.stdtrit(freedom, (1 + _CONFIDENCE) / 2))
    factor = student / NormalDist().inv_cdf((1 + _CONFIDENCE) / 2)
    return factor * math.sqrt(float(distances @ distances) / freedom * float(weights @ weights))


def _several(loads: Values) -> bool:
    """Whether there are loads enough to see that a line is not straight."""
    return np.unique(loads).size >= 3


def _p_value(distances: Values, errors: Values, rows: int) -> float:
    """Probability of distances as large; F's, since errors are known from so many rows alone."""
    from scipy import special

    if not (errors > 0).all():
        return float(np.allclose(distances, 0.0, atol=1e-12))
    freedom = distances.size - 2
    ratio = float(((distances / errors) ** 2).sum()) / freedom
    return float(special.fdtrc(freedom, rows - 1, ratio))
