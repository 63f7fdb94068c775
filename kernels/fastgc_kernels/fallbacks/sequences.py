"""The fallback for rounds with memory."""

from fastgc_kernels._arrays import Floats, Integers
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
    """The kernel's own lines, as Python."""
    if times.size > MOST:
        return NotImplemented
    sequences.play(times, code, factor, then, seconds, state, done)
    return None
