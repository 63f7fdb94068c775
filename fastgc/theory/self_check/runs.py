"""Random numbers and seeds; runs that are whole, continued or in parts, and when they may stop."""

import math
from statistics import NormalDist

from fastgc.theory.cases.statements import built
from fastgc.theory.common.repetition import frc_error_variance, frc_mean_error
from fastgc.theory.papers.claim import LOOSE, Cases
from fastgc.theory.self_check import paper

SALMON = "Salmon, Moraes, Dror, Shaw, Parallel Random Numbers: As Easy as 1, 2, 3 (SC 2011)"
DEVROYE = "Devroye, Non-Uniform Random Variate Generation (1986)"

_ONES = 0xFFFFFFFF
#: Counter, key and answer of Philox4x32-10, as the authors' library Random123 publishes them.
_ANSWERS: tuple[tuple[tuple[int, ...], tuple[int, int], tuple[int, ...]], ...] = (
    ((0, 0, 0, 0), (0, 0), (0x6627E8D5, 0xE169C58D, 0xBC57AC4C, 0x9B00DBD8)),
    ((_ONES,) * 4, (_ONES, _ONES), (0x408F276D, 0x41C83B0E, 0xA20BC7C6, 0x6D5451FD)),
    (
        (0x243F6A88, 0x85A308D3, 0x13198A2E, 0x03707344),
        (0xA4093822, 0x299F31D0),
        (0xD16CFE09, 0x94FDCCEB, 0x5001E420, 0x24126EA1),
    ),
)
_ADDRESS = "Derived: what a trial draws depends on the seed and its number alone"
#: Numbers of trials with and without a partial block, which has fewer than 65 536.
_SIZES = ((1_000, 70_001), (70_001, 140_000), (65_536, 200_003))


@paper.claim("philox.answers.printed", f"{SALMON}, known answers of Random123")
def _() -> Cases:
    """Philox4x32-10 turns counter 0 under key 0 into the words 6627e8d5, e169c58d, bc57ac4c and
    9b00dbd8; likewise all ones, and the digits of pi."""
    for counter, key, answer in _ANSWERS:
        for place, word in enumerate(answer):
            yield built("philox_word", word, counter=list(counter), key=list(key), place=place)


@paper.claim(
    "exponential.inversion.derived", f"Derived from {DEVROYE}, Section II.2", LOOSE, relation="<="
)
def _() -> Cases:
    """An exponential number is -log U of a uniform one: to within four units of the last place,
    however large it is (largest relative difference of so many)."""
    for seed in (1, 2, 3):
        yield built(
            "exponential_difference", 4 * 2.0**-52, scale=2.0**-52, seed=seed, numbers=1 << 20
        )


@paper.claim("exponential.largest.derived", f"Derived from {DEVROYE}, Section II.2", relation=">=")
def _() -> Cases:
    """Except with probability 1e-9 the largest of N exponential numbers is at least
    log N - log log 1e9."""
    for seed in (1, 2, 3):
        numbers = 1 << 23
        least = -math.log(-math.expm1(-9.0 * math.log(10.0) / numbers))
        yield built("largest_exponential", least, seed=seed, numbers=numbers)


@paper.claim("seeds.distinct.derived", "Derived: seeds have 64 bits")
def _() -> Cases:
    """Runs with different seeds from 0 to 2^64 - 1 have different draws, in whichever bit the seeds
    differ: of 4096 numbers none is the same."""
    for bit in (0, 1, 31, 32, 40, 63):
        yield built("equal_draws", 0, first=1 << 20, second=(1 << 20) ^ (1 << bit), numbers=4096)


@paper.claim("seeds.same.derived", "Derived: draws depend on seed and address alone")
def _() -> Cases:
    """Runs with the same seed have the same draws, all of them."""
    for seed in (0, 7, 2**64 - 1):
        yield built("equal_draws", 4096, first=seed, second=seed, numbers=4096)


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
