"""Weights for a structure: descent along the derivative of the error, then over a grid.

The derivative of the least error ‖Bx − 1‖² by B is that at the optimal x, which stays as it is (the
envelope theorem): 2 (Bx − 1) xᵀ. Only its signs are used (Riedmiller and Braun, ICNN 1993), so that
the last bits of sums decide nothing. In the end entries are multiples of 1/64, whose errors are
known as fractions.
"""

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from fastgc.codes.code import code_of
from fastgc.decoding.decoder import Decoder
from fastgc.draws.streams import uniforms
from fastgc.searching.judge import Judge
from fastgc_kernels.decode import pattern_tree

Matrix = NDArray[np.float64]

#: Entries end as multiples of 1 / GRID.
GRID = 64
#: Patterns that the derivative is taken over, at most.
_PATTERNS = 2_048
#: Of a search for the least worst error: the power of errors whose mean is descended.
_POWER = 8
#: First and largest change of an entry, and what it is multiplied by.
_FIRST, _LARGEST, _MORE, _LESS = 0.05, 0.25, 1.2, 0.5
_LARGEST_ENTRY = 8.0


def refine(
    B: Matrix, judge: Judge, steps: int, name: str, stop: Callable[[], bool] = lambda: False
) -> Matrix:
    """Return better weights for a matrix, after trying about ``steps`` changes.

    Workers that hold fewer partitions than they may are given more, at first with weight 0.
    """
    problem = judge.problem
    numbers = uniforms(problem.seed, f"search/weights/{name}", 2 * B.size).reshape(2, *B.shape)
    free = _support(B, numbers[0], judge)
    start = np.where(B != 0, B * (0.75 + 0.5 * numbers[1]), 0.0)
    best, cost = B, judge.quick(B)
    for first in (B, start):
        for changed in (first, _descended(first, free, judge, steps // 40, stop)):
            rounded = np.round(changed * GRID) / GRID
            found = judge.quick(rounded)
            if found.beats(cost):
                best, cost = rounded, found
    return _on_grid(best, free, judge, steps, stop)


def _support(B: Matrix, numbers: Matrix, judge: Judge) -> NDArray[np.bool_]:
    """Return which entries may be other than 0: those that are, and more up to the loads."""
    problem = judge.problem
    free: NDArray[np.bool_] = B != 0
    room = problem.most_entries - int(np.count_nonzero(free))
    for j in range(B.shape[1]):
        more = min(problem.most_load - int(free[:, j].sum()), room)
        if more > 0:
            order = np.argsort(numbers[:, j] + 2.0 * free[:, j], kind="stable")
            free[order[:more], j] = True
            room -= more
    return free


def _descended(
    B: Matrix, free: NDArray[np.bool_], judge: Judge, rounds: int, stop: Callable[[], bool]
) -> Matrix:
    """Return the best of the matrices that the signs of the derivative lead to."""
    size = np.where(free, _FIRST, 0.0)
    before = np.zeros(B.shape)
    now, best, cost = B, B, judge.quick(B)
    patterns, weights = _patterns(judge)
    for _ in range(rounds):
        if stop():
            break
        slope = _slope(now, judge, patterns, weights)
        same = slope * before
        size = np.clip(
            np.where(same > 0, _MORE * size, np.where(same < 0, _LESS * size, size)), 0, _LARGEST
        )
        before = np.where(same < 0, 0.0, slope)
        now = np.clip(now - np.sign(before) * size, -_LARGEST_ENTRY, _LARGEST_ENTRY)
        found = judge.quick(now)
        if found.beats(cost):
            best, cost = now, found
    return best


def _patterns(judge: Judge) -> tuple[NDArray[np.uint64], Matrix]:
    """Return the patterns that matter most, and their probabilities, up to a factor."""
    problem = judge.problem
    if not problem.is_enumerated:
        drawn = judge.drawn("slope", _PATTERNS)
        return drawn, np.ones(len(drawn))
    return judge.heaviest(_PATTERNS)


def _slope(B: Matrix, judge: Judge, patterns: NDArray[np.uint64], weights: Matrix) -> Matrix:
    decoder = Decoder(code_of(B), use_structure=False, use_lookup=False)
    if judge.problem.goal == "worst":
        errors = np.maximum(decoder.errors(patterns), 0.0)
        share = errors / max(float(errors.max()), 1e-300)
        weights = weights * _power(share, _POWER - 1)
    out = np.empty(B.shape[::-1])
    columns = np.ascontiguousarray(B.T)
    pattern_tree.slopes(columns, decoder.vectors(patterns), weights, out)
    scale = float(np.abs(out).max())
    slope = np.where(np.abs(out) > 1e-9 * scale, out, 0.0).T
    return np.ascontiguousarray(slope)


def _power(values: Matrix, power: int) -> Matrix:
    found = np.ones_like(values)
    for _ in range(power):
        found = found * values
    return found


def _on_grid(
    B: Matrix, free: NDArray[np.bool_], judge: Judge, steps: int, stop: Callable[[], bool]
) -> Matrix:
    """Change entries one by one, by ever smaller multiples of the grid, while that is better."""
    entries = np.argwhere(free).tolist()
    best, cost = B, judge.quick(B)
    tried = 0
    for change in (0.5, 0.25, 0.125, 0.0625, 0.03125, 1.0 / GRID):
        improved = True
        while improved:
            improved = False
            for i, j in entries:
                for by in (change, -change):
                    if tried >= steps or stop():
                        return best
                    tried += 1
                    new = best.copy()
                    new[i, j] += by
                    found = judge.quick(new)
                    if found.beats(cost):
                        best, cost, improved = new, found, True
    return best
