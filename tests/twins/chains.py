"""Runs of stragglers one at a time: a chain a worker, and a recorded table read row by row."""

import itertools
import math

from twins import sampling


def chain(seed, stream, trial, iterations, after_ok, after_straggle):
    """Survivors of every iteration of a trial, one list an iteration; one chain a worker."""
    own = sampling.key(seed, stream, "straggle")
    straggled = None
    out = []
    for iteration in range(iterations):
        now = []
        for j, (a, b) in enumerate(zip(after_ok, after_straggle, strict=True)):
            p = a / ((1 - b) + a) if straggled is None else (a, b)[straggled[j]]
            now.append(sampling.straggles(own, trial, iteration, j, p))
        straggled = now
        out.append([not late for late in now])
    return out


def expectation(n, after_ok, after_straggle, first, second, lag):
    """E[first(P_0) second(P_lag)] over every path of every worker, 2^(n (lag + 1)) of them."""

    def probability(path, a, b):
        stationary = a / (1 - b + a)
        p = stationary if path[0] else 1 - stationary
        for was, now in itertools.pairwise(path):
            late = b if was else a
            p *= late if now else 1 - late
        return p

    total = []
    paths = list(itertools.product([False, True], repeat=lag + 1))
    for each in itertools.product(paths, repeat=n):
        weight = math.prod(
            probability(path, after_ok[j], after_straggle[j]) for j, path in enumerate(each)
        )
        start = sum(1 << j for j in range(n) if not each[j][0])
        end = sum(1 << j for j in range(n) if not each[j][-1])
        total.append(weight * first[start] * second[end])
    return math.fsum(total)


def recorded(order, late, seed, stream, trial, iterations):
    """Survivors of every iteration of a trial, from rows that say who was late."""
    out = []
    start, _ = sampling.bounded(sampling.key(seed, stream, "class"), trial, 0, 0, len(late))
    for iteration in range(iterations):
        row = (start + iteration) % len(late)
        if order == "rows":
            own = sampling.key(seed, stream, "straggle")
            row, _ = sampling.bounded(own, trial, iteration, 0, len(late))
        out.append([not x for x in late[row]])
    return out
