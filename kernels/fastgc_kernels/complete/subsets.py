"""Probability that enough of n unlike times lie below several thresholds: one state a subset.

As `fastgc_kernels.complete.crossing.cross`, for so few times that each can be a class of its own: a
state is the set of times up to the current threshold, and a step moves every other time in, or
leaves it out, by its probability given that it is above the threshold before. Dynamic programming
over subsets (Held and Karp, 1962).
"""

import numpy as np

from fastgc_kernels._arrays import Floats, Integers
from fastgc_kernels._jit import jit

#: Probabilities below this are taken as 0, far above where doubles lose digits.
_NOTHING = 1e-290


@jit
def cross(masses: Floats, late: Floats, required: Integers, done: Floats, after: Floats) -> None:
    """Fill the probability that all requirements are met, and that they are not.

    ``masses[t, j, i]`` is the probability of time j between thresholds i − 1 and i,
    ``late[t, j, i]`` that of a later one; requirement i: at least ``required[i]`` times up to
    threshold i.
    """
    n = masses.shape[1]
    subsets = 1 << n
    members = np.zeros(subsets, np.uint8)
    for subset in range(1, subsets):
        members[subset] = members[subset >> 1] + (subset & 1)
    probability = np.empty(subsets)
    for t in range(masses.shape[0]):
        probability[:] = 0.0
        probability[0] = 1.0
        lost = 0.0
        for i in range(required.size):
            for j in range(n):
                left = late[t, j, i - 1] if i > 0 else 1.0
                come = 1.0
                stay = 0.0
                if left > 0.0:
                    come = min(masses[t, j, i] / left, 1.0)
                    stay = late[t, j, i] / left
                if come == 0.0:
                    continue
                width = 1 << j
                for start in range(0, subsets, 2 * width):
                    without = probability[start : start + width]
                    joined = probability[start + width : start + 2 * width]
                    for s in range(width):
                        joined[s] += without[s] * come
                        without[s] *= stay
            few = required[i]
            for subset in range(subsets):
                if members[subset] < few:
                    lost += probability[subset]
                    probability[subset] = 0.0
                elif probability[subset] < _NOTHING:
                    probability[subset] = 0.0
        met = 0.0
        for subset in range(subsets):
            met += probability[subset]
        done[t] = met
        after[t] = lost
