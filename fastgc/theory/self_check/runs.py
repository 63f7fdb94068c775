"""Runs: the same trials whether whole, continued or in parts, and when a run may stop."""

from __future__ import annotations

import math
from statistics import NormalDist

from fastgc.theory.cases.statements import built
from fastgc.theory.common.repetition import frc_error_variance, frc_mean_error
from fastgc.theory.papers.claim import Cases
from fastgc.theory.self_check import paper

_ADDRESS = "Derived: what a trial draws depends on the seed and its number alone"

#: Numbers of trials with and without a partial block, which has fewer than 65 536.
_SIZES = ((1_000, 70_001), (70_001, 140_000), (65_536, 200_003))


@paper.claim("run.continued.derived", _ADDRESS)
def _() -> Cases:
    """A run that is continued from a file has the trials that it is asked for, and the same mean
    and variance as one that was never interrupted."""
    for first, trials in _SIZES:
        yield built("trials_of_continued", trials, first=first, trials=trials)
        for name in ("mean", "variance"):
            yield built("continued_difference", 0, first=first, trials=trials, statistic=name)


@paper.claim("run.reopened.derived", "Derived: a file holds every trial")
def _() -> Cases:
    """A file of results that is read again has all trials that it was written with, also those of a
    last, partial block."""
    for trials in (1_000, 65_536, 70_001):
        yield built("trials_of_reopened", trials, trials=trials)


@paper.claim("run.shards.derived", _ADDRESS)
def _() -> Cases:
    """N shards of a run have together the trials of the whole, and its mean."""
    for trials, shards in ((300_000, 2), (400_001, 3), (262_144, 4)):
        yield built("trials_of_shards", trials, trials=trials, shards=shards)
        yield built("shards_difference", 0, trials=trials, shards=shards)


@paper.claim("run.replayed.derived", _ADDRESS)
def _() -> Cases:
    """A trial that is replayed alone is the one that was sampled: the last trials of a run have the
    errors by which its sum exceeds that of a shorter one."""
    for trials, more in ((128, 8), (65_536, 5), (66_000, 3)):
        yield built("replayed_difference", 0, trials=trials, more=more)


@paper.claim("stop.precision.derived", "Derived from what relative_error is", relation="<=")
def _() -> Cases:
    """A run that stops by relative_error has a 95 % interval of the mean whose half-width is at
    most that share of the value."""
    for share in (0.0064, 0.0032, 0.0016):
        yield built("relative_half_width", share, relative_error=share)


@paper.claim("stop.trials.derived", "Derived: precision is looked at after 1, 2, 4, ... blocks")
def _() -> Cases:
    """It has a power of two of blocks of 65 536 trials: the first T with 1.96 s/sqrt(T) at most
    that share of the mean."""
    mean = float(frc_mean_error(8, 2, p=0.3))
    spread = NormalDist().inv_cdf(0.975) * math.sqrt(float(frc_error_variance(8, 2, p=0.3)))
    for share in (0.008, 0.004, 0.002):
        trials = 65_536
        while spread / math.sqrt(trials) > share * mean:
            trials *= 2
        yield built("trials_of_precise", trials, relative_error=share)
