"""Fallbacks for rounds with memory: the kernels' own lines, as Python."""

from fastgc_kernels._arrays import Booleans, Floats, Integers
from fastgc_kernels.complete import sequences

MOST = 1 << 14  # times of workers, where the kernel runs as it is written


def play(
    times: Floats,
    code: Integers,
    factor: float,
    then: int,
    seconds: Floats,
    state: Integers,
    done: Integers,
) -> object:
    """Play all rounds."""
    if times.size > MOST:
        return NotImplemented
    sequences.play(times, code, factor, then, seconds, state, done)
    return None


def memory(n: int, code: Integers) -> object:
    """Return what is kept before the first round."""
    return sequences.memory(n, code)


def begin(r: int, code: Integers, kept: sequences.Memory) -> object:
    """Begin a round of few workers."""
    return sequences.begin(r, code, kept)


def last(
    own: Floats, again: int, code: Integers, factor: float, then: int, kept: sequences.Memory
) -> object:
    """Return how long one lasts."""
    return sequences.last(own, again, code, factor, then, kept)


def end(
    r: int, again: int, late: Booleans, code: Integers, kept: sequences.Memory, done: Integers
) -> None:
    """End it."""
    sequences.end(r, again, late, code, kept, done)
