"""What stragglers cost a recording's rounds, and which workers cause it.

The numbers are those of a what-if analysis (Lin et al., *Understanding Stragglers in Large Model
Training Using What-if Analysis*, OSDI 2025) for rounds in which all workers wait for the slowest:
times are replaced, and the rounds are timed again. All are smooth functions of means over rounds,
so that each one's error is that of the mean of its influence, a series of which whole blocks of
rounds are drawn again.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from fastgc.arrays import Values
from fastgc.draws.streams import uniforms
from fastgc.errors import FastgcError
from fastgc.statistics.resampling import Resampling, block_length, error_of_mean, shortened

#: Workers whose removal M_W tells of, as a share of all.
SLOWEST = 0.03
#: An excess S − 1 below which there is nothing to explain but rounding.
_LEAST = 1e-9
_CONFIDENCE = 0.95
#: Standard errors by which workers that are slow together stand apart from the others.
_APART = 5.0
#: Workers are always slow if they are, at most, such a share of all, and slow in so many rounds.
_FEW, _NEARLY_ALL = 1 / 3, 0.9
_RESAMPLES = 2000


@dataclass(frozen=True)
class IntervalValue:
    """A number of a recording, and its interval.

    * ``low``, ``high``: ends of the 95 % interval, of rounds drawn again in blocks; infinite where
      so few rounds do not bound it.
    """

    value: float
    low: float
    high: float

    def as_dict(self) -> dict[str, float | None]:
        """Return plain data; an infinite end is None."""
        low, high = (end if math.isfinite(end) else None for end in (self.low, self.high))
        return {"value": self.value, "low": low, "high": high}


@dataclass(frozen=True)
class Slowdown:
    """What waiting for the slowest worker costs, and how much of it some workers explain.

    * ``S``: mean of the rounds' slowest times over the mean of all times: 1 without stragglers.
    * ``S_w`` (tuple of Figure (n,)): S with the times of worker w replaced by the mean of the
      others in the same round.
    * ``M_W``: (S − S with the slowest ⌈3 %⌉ workers so replaced) / (S − 1): 1 if they cause all of
      it. None where all workers always take the same time.
    * ``balanced``: the share of S − 1 that is left if the work is shared out so that all workers
      take the same time on average: what cannot be cured by balance.
    * ``slowest``: the workers of M_W, the slowest on average first.
    * ``blocks``: independent blocks of rounds that the intervals count.
    * ``slow``: the workers that take longer than the mean of all, the slowest first.
    * ``together``: two or more of them, at most half of all, who are slower on average than all
      others by more than chance; ``M_together``: the share of S − 1 that they explain. By itself
      each may explain nothing, as rounds still wait for the others.
    * ``always``: the few workers of whom each takes longer, in nine of ten rounds or more, than any
      other usually does; ``M_always``: the share of S − 1 that goes if times of each are divided
      by how much longer its median is than the others'.
    """

    KEYS: ClassVar[tuple[str, ...]] = ("S", "M_W", "balanced")
    WHO: ClassVar[tuple[str, ...]] = ("slowest", "slow", "together", "always")
    OF_SOME: ClassVar[tuple[str, ...]] = ("M_together", "M_always")

    S: IntervalValue
    S_w: tuple[IntervalValue, ...]
    M_W: IntervalValue | None
    balanced: IntervalValue | None
    slowest: tuple[int, ...]
    blocks: int
    slow: tuple[int, ...] = ()
    together: tuple[int, ...] = ()
    M_together: IntervalValue | None = None
    always: tuple[int, ...] = ()
    M_always: IntervalValue | None = None

    @property
    def ranked(self) -> tuple[int, ...]:
        """Workers in the order of what their replacement would save, most first."""
        return tuple(sorted(range(len(self.S_w)), key=lambda w: self.S_w[w].value))

    def as_dict(self, workers: tuple[str, ...]) -> dict[str, Any]:
        """Return plain data, for which workers have names."""
        numbers = {key: getattr(self, key) for key in self.KEYS}
        return {
            **{key: found and found.as_dict() for key, found in numbers.items()},
            "S_w": [{"worker": workers[w], **self.S_w[w].as_dict()} for w in self.ranked],
            **{key: [workers[w] for w in getattr(self, key)] for key in self.WHO},
            **{key: own.as_dict() for key in self.OF_SOME if (own := getattr(self, key))},
            "blocks": self.blocks,
        }


def slowdown(times: Values, seed: int = 1) -> Slowdown:
    """Return what stragglers cost rounds that wait for all workers, and who causes it.

    ``times`` (rounds, n): each worker's own seconds; ``seed``: of the rounds that are drawn again.
    Raises FastgcError if there are fewer than two rounds or workers, or no time is more than 0.
    """
    rounds, n = times.shape
    if rounds < 2 or n < 2 or not times.any():
        raise FastgcError("a slowdown takes at least 2 rounds of 2 workers, with times above 0")
    means = times.mean(axis=0)
    order = np.argsort(-means, kind="stable")
    slowest = order[: math.ceil(SLOWEST * n)].tolist()
    together, (always, factors) = list[int](), _always(times)
    whole = _ratio(times.max(axis=1), times.mean(axis=1))
    series = [_kept(whole), *(_kept(_without(times, [w])) for w in range(n))]
    excess = float(whole.mean()) - 1
    explained = excess > _LEAST
    if explained:
        rest = _without(times, slowest)
        balanced = _balanced(times, means)
        series += [_kept(_ratio(whole - rest, whole - 1)), _kept(_ratio(balanced - 1, whole - 1))]
        # the slowest up to the largest gap of means, if they stand apart
        most, ordered = n // 2, means[order]
        if most >= 2 and ordered[most] > 0:
            many = 1 + int(np.argmax(ordered[:most] / ordered[1 : most + 1]))
            gap = times[:, order[many - 1]] - times[:, order[many]]
            if many > 1 and float(gap.mean()) > _APART * error_of_mean(gap):
                together = order[:many].tolist()
        if together:
            series.append(_kept(_ratio(whole - _without(times, together), whole - 1)))
        if always:
            scaled = times / factors
            rest = _ratio(scaled.max(axis=1), scaled.mean(axis=1))
            series.append(_kept(_ratio(whole - rest, whole - 1)))
    columns = np.stack(series, axis=1)
    rows, length = len(columns), block_length(columns[:, 0])
    drawn = uniforms(seed, "slowdown", Resampling.blocks_of(rows, length) * _RESAMPLES)
    resampled = Resampling(rows, length, drawn).means(columns)
    # a round never takes less than its slowest worker, who takes the mean or more, up to n times it
    ends = [(1.0, n)] * (n + 1) + [(-math.inf, 1.0), (0.0, math.inf), *[(-math.inf, 1.0)] * 2]
    found = []
    for j, (value, (least, most)) in enumerate(zip(resampled.value, ends, strict=False)):
        low, high = resampled.interval(j, _CONFIDENCE)
        found.append(IntervalValue(float(value), max(least, low), min(most, high)))
    return Slowdown(
        S=found[0],
        S_w=tuple(found[1 : n + 1]),
        M_W=found[n + 1] if explained else None,
        balanced=found[n + 2] if explained else None,
        slowest=tuple(slowest),
        blocks=rows // length,
        slow=tuple(order[means[order] > means.mean() * (1 + _LEAST)].tolist()),
        together=tuple(together),
        M_together=found[n + 3] if together else None,
        always=tuple(always),
        M_always=found[-1] if always and explained else None,
    )


def _always(times: Values) -> tuple[list[int], Values]:
    """Return the few workers who are slow in nearly all rounds, the slowest first, and factors.

    These, (n,), are by how much medians of the slow are above the others'.
    """
    usual, most = np.median(times, axis=1, keepdims=True), int(_FEW * times.shape[1])
    # what is long for all does not count, nor do single slow moments
    own = times / np.where(usual > 0, usual, 1.0)
    medians = np.median(own, axis=0)
    order = np.argsort(-medians, kind="stable")
    ordered = medians[order]
    if not most or not (usual > 0).all() or not ordered[most] > 0:
        return [], np.ones(medians.size)
    many = 1 + int(np.argmax(ordered[:most] / ordered[1 : most + 1]))
    is_slow = own[:, order[:many]] > ordered[many] * (1 + _LEAST)
    if (is_slow.mean(axis=0) < _NEARLY_ALL).any():
        many = 0
    factors = medians / np.median(ordered[many:])
    factors[order[many:]] = 1.0
    return order[:many].tolist(), factors


def _without(times: Values, workers: Sequence[int]) -> Values:
    """The ratio of rounds' times to workers' mean ones, with the others' mean for some."""
    others = np.delete(times, workers, axis=1)
    return _ratio(others.max(axis=1), others.mean(axis=1))


# Each series below is (rounds,): its mean is the number, its scatter that of the number's error.


def _ratio(above: Values, below: Values) -> Values:
    """Return the influence of each round on a ratio of means."""
    base = float(below.mean())
    ratio = float(above.mean()) / base
    return np.asarray(ratio + (above - ratio * below) / base)


def _balanced(times: Values, means: Values) -> Values:
    """Return the influence on rounds' times where every worker's mean is brought to that of all.

    Σ_j of what scaled times are of the rounds moves with workers' means, which are estimated, too.
    """
    scaled = times / np.where(means > 0, means, 1.0)
    done = scaled.max(axis=1)
    is_last = np.asarray(np.arange(scaled.shape[1]) == scaled.argmax(axis=1)[:, np.newaxis], float)
    lost = np.einsum("ij,ij->j", is_last, scaled) / len(scaled)
    scaled -= scaled.mean(axis=0)
    return np.asarray(done - scaled @ lost, np.float64)


def _kept(series: Values) -> Values:
    """Return a series as it is drawn again, with the mean of the whole."""
    kept = shortened(series)
    return np.asarray(kept + (series.mean() - kept.mean()))
