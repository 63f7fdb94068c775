"""Probability that enough of n independent times lie below each of several thresholds.

`cross` is the programme of Noé (1972) for one-sided boundaries: states count the times below the
current threshold, class by class, and those that are too few are taken out at once. Counts move by
Poisson steps, and the sizes of the classes are put in at the end: independent Poisson numbers of
mean size · mass, given that they add up to the size, are multinomial. All terms are positive, so
both tails keep their digits. `count` is the one-threshold case for any number of unlike times.
`cross_unlike` takes each of few times for a class of its own: a state is the set of times up to the
current threshold, and a step moves every other time in, or leaves it out, by its probability given
that it is above the threshold before. Dynamic programming over subsets (Held and Karp, 1962).
"""

import numpy as np

from fastgc_kernels._arrays import Floats, Integers
from fastgc_kernels._jit import jit

#: Probabilities below this are taken as 0, far above where doubles lose digits.
_NOTHING = 1e-290


@jit
def _poisson(mean: float, size: int, weights: Floats) -> int:
    # P(Poisson(mean) = m) up to m = size; returns the largest m that is not negligible; from the
    # mode outwards, divided by the sum: no exponential is needed, none can overflow
    weights[: size + 1] = 0.0
    if mean <= 0.0:
        weights[0] = 1.0
        return 0
    mode = int(mean)
    total = 0.0
    value = 1.0
    reach = mode
    m = mode
    while value > _NOTHING and (m <= size or value > 1e-20):
        if m <= size:
            weights[m] = value
            reach = m
        total += value
        m += 1
        value *= mean / m
    value = 1.0
    m = mode
    while m > 0:
        value *= m / mean
        m -= 1
        if value <= _NOTHING:
            break
        if m <= size:
            weights[m] = value
        total += value
    reach = min(reach, size)
    for m in range(reach + 1):
        weights[m] /= total
    return reach


@jit
def _spread(state: Floats, weights: Floats, reach: int, size: int, stride: int) -> None:
    # adds an independent number with these probabilities to one class's count, in place
    block = stride * (size + 1)
    for start in range(0, state.size, block):
        for have in range(size, -1, -1):
            most = min(reach, size - have)
            if stride == 1:
                probability = state[start + have]
                if probability <= _NOTHING:
                    state[start + have] = 0.0
                    continue
                target = state[start + have + 1 : start + have + 1 + most]
                added = weights[1 : 1 + most]
                for m in range(most):
                    target[m] += added[m] * probability
                state[start + have] = weights[0] * probability
            else:
                here = start + have * stride
                source = state[here : here + stride]
                if not np.any(source > _NOTHING):
                    source[:] = 0.0
                    continue
                for m in range(1, most + 1):
                    there = state[here + m * stride : here + (m + 1) * stride]
                    weight = weights[m]
                    for q in range(stride):
                        there[q] += weight * source[q]
                for q in range(stride):
                    source[q] *= weights[0]


@jit
def cross(
    masses: Floats,
    late: Floats,
    never: Floats,
    sizes: Integers,
    required: Integers,
    complete: int,
    done: Floats,
    after: Floats,
) -> None:
    """Fill the probability that all requirements are met, and that they are only in the end.

    Of class a there are ``sizes[a]`` workers. ``masses[t, a, i]`` is the probability of a time
    between thresholds i − 1 and i, ``late[t, a, i]`` that of a later one, ``never[a]`` of none.
    Requirement i: at least ``required[i]`` times up to threshold i. ``done[t]``: all are met;
    ``after[t]``: one is not, but at least ``complete`` workers have a finite time.
    """
    classes = sizes.size
    steps = required.size
    stride = np.ones(classes, np.int64)
    for a in range(classes - 2, -1, -1):
        stride[a] = stride[a + 1] * (sizes[a + 1] + 1)
    states = stride[0] * (sizes[0] + 1)
    counted = np.zeros(states, np.int64)
    for state in range(states):
        for a in range(classes):
            counted[state] += state // stride[a] % (sizes[a] + 1)
    largest = np.max(sizes)
    weights = np.empty(largest + 1)
    rest = np.empty((classes, largest + 1))
    defective = np.any(never > 0.0)
    whole = 1.0
    for a in range(classes):
        _poisson(float(sizes[a]), sizes[a], weights)
        whole *= weights[sizes[a]]
    alive = np.empty(states)
    dead = np.empty(states)
    for t in range(masses.shape[0]):
        alive[:] = 0.0
        alive[0] = 1.0
        dead[:] = 0.0
        lost = 0.0
        for i in range(steps):
            for a in range(classes):
                reach = _poisson(sizes[a] * masses[t, a, i], sizes[a], weights)
                _spread(alive, weights, reach, sizes[a], stride[a])
                if defective and i > 0:
                    _spread(dead, weights, reach, sizes[a], stride[a])
            if not defective:
                for a in range(classes):
                    _poisson(sizes[a] * late[t, a, i], sizes[a], rest[a])
            for state in range(states):
                if counted[state] >= required[i] or alive[state] == 0.0:
                    continue
                if defective:
                    dead[state] += alive[state]
                else:
                    probability = alive[state]
                    for a in range(classes):
                        probability *= rest[a, sizes[a] - state // stride[a] % (sizes[a] + 1)]
                    lost += probability
                alive[state] = 0.0
        for a in range(classes):
            beyond = late[t, a, steps - 1]
            _poisson(sizes[a] * (beyond + never[a]), sizes[a], rest[a])
            if defective:
                reach = _poisson(sizes[a] * beyond, sizes[a], weights)
                _spread(dead, weights, reach, sizes[a], stride[a])
        met = 0.0
        for state in range(states):
            if alive[state] == 0.0:
                continue
            probability = alive[state]
            for a in range(classes):
                probability *= rest[a, sizes[a] - state // stride[a] % (sizes[a] + 1)]
            met += probability
        if defective:
            for a in range(classes):
                _poisson(sizes[a] * never[a], sizes[a], rest[a])
            for state in range(states):
                if counted[state] < complete or dead[state] == 0.0:
                    continue
                probability = dead[state]
                for a in range(classes):
                    probability *= rest[a, sizes[a] - state // stride[a] % (sizes[a] + 1)]
                lost += probability
        done[t] = met / whole
        after[t] = lost / whole


@jit
def count(
    arrived: Floats,
    late: Floats,
    never: Floats,
    sizes: Integers,
    need: int,
    done: Floats,
    after: Floats,
) -> None:
    """Fill the probability that ``need`` workers have arrived, and that they will but have not yet.

    Of class a there are ``sizes[a]`` workers, each arrived with probability ``arrived[t, a]``, late
    with ``late[t, a]``, absent with ``never[a]``.
    """
    defective = np.any(never > 0.0)
    columns = need + 1 if defective else 1
    # probability[c, m]: c < need have arrived, m (≤ need) have or will; one column if all will
    probability = np.empty((need, columns))
    for t in range(arrived.shape[0]):
        probability[:] = 0.0
        probability[0, 0] = 1.0
        enough = 0.0
        seen = 0
        for a in range(sizes.size):
            here = arrived[t, a]
            later = late[t, a]
            absent = never[a]
            for _ in range(sizes[a]):
                enough += here * np.sum(probability[need - 1])
                seen = min(seen + 1, need - 1)
                for c in range(seen, -1, -1):
                    if not defective:
                        value = later * probability[c, 0]
                        if c > 0:
                            value += here * probability[c - 1, 0]
                        probability[c, 0] = value if value > _NOTHING else 0.0
                        continue
                    for m in range(need, -1, -1):
                        value = absent * probability[c, m]
                        if m > 0:
                            value += later * probability[c, m - 1]
                        if m == need:
                            value += later * probability[c, m]
                        if c > 0:
                            if m > 0:
                                value += here * probability[c - 1, m - 1]
                            if m == need:
                                value += here * probability[c - 1, m]
                        probability[c, m] = value if value > _NOTHING else 0.0
        done[t] = enough
        total = 0.0
        for c in range(need):
            total += probability[c, columns - 1]
        after[t] = total


@jit
def cross_unlike(
    masses: Floats, late: Floats, required: Integers, done: Floats, after: Floats
) -> None:
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
