"""The exact probability that a system completes at all when workers straggle."""

from collections.abc import Sequence
from fractions import Fraction
from math import comb
from typing import Any

import numpy as np

from fastgc.errors import FastgcError
from fastgc.systems.timing.laws.evaluation import gates_of
from fastgc.systems.timing.structure import Structure

#: Beyond this the integers grow too long.
_MOST_WORKERS = 2000


def decodable(structure: Structure, stragglers: Any) -> float:
    """Return the probability that a system completes when stragglers never answer.

    A straggling inner node of a tree takes its subtree with it. Known are ``iid``, ``uniform``,
    ``markov``, and ``two-class`` but for a random set of given size, one iteration of each; of
    other models, and of such as do not fit the workers, a FastgcError says so.
    """
    if structure.ends_by is not None:
        return 1.0
    structure = structure.end
    n = structure.workers
    if structure.OPAQUE:
        raise FastgcError("a system that says itself when it is done tells only by its times")
    for field, sentence in stragglers.complaints(n):
        raise FastgcError(f"stragglers.{field}: {sentence}")
    if stragglers.model == "uniform" and structure.GATES:
        return float(decodable_sets(structure, stragglers.stragglers))
    p = stragglers.independent(n) if hasattr(stragglers, "independent") else None
    if p is None:
        raise FastgcError(
            f"stragglers: whether a system completes is not known exactly for the model "
            f"{stragglers.model!r}"
        )
    return structure.decodes(np.broadcast_to(p, (n,)).tolist())


def decodable_sets(structure: Structure, stragglers: int) -> Fraction:
    """Return the share of all sets of so many stragglers with which a system completes.

    Sets are counted by polynomials in integers: the coefficient of xˢ of a gate is the number of
    sets of s stragglers below it with which it answers. A polynomial is held as one integer, its
    value at a power of two above all coefficients.
    """
    structure = structure.end
    n = structure.workers
    if not 0 <= stragglers <= n:
        raise FastgcError(f"stragglers: must be from 0 to n={n} (got {stragglers})")
    if structure.ANY:
        return Fraction(int(n - stragglers >= structure.needed))
    if n > _MOST_WORKERS:
        raise FastgcError(
            f"stragglers: sets of exactly {stragglers} of {n} workers are too large to be counted "
            f"(at most {_MOST_WORKERS} workers)"
        )
    bits = n + 1
    sizes: list[int] = []
    answering: list[int] = []
    missing: list[int] = []
    for gate in gates_of(structure, [0] * n):
        size = int(gate.own is not None) + sum(count * sizes[c] for c, count in gate.children)
        # ways[i]: sets with which i of the children, or at least ``need`` of them, answer
        ways = [1] + [0] * gate.need
        for child, count in gate.children:
            ways = _join(ways, _powers(answering[child], missing[child], count, gate.need))
        whole = ((1 << bits) + 1) ** size
        sizes.append(size)
        answering.append(ways[gate.need])
        missing.append(whole - ways[gate.need])
    # workers that are not waited for may straggle or not
    answering[-1] *= ((1 << bits) + 1) ** (n - sizes[-1])
    sets = answering[-1] >> (bits * stragglers) & ((1 << bits) - 1)
    return Fraction(sets, comb(n, stragglers))


def _powers(answers: int, missing: int, count: int, need: int) -> list[int]:
    """Return the sets with which i of ``count`` equal children answer; the last is for ≥ need."""
    ways = [0] * (need + 1)
    absent = [1]
    for _ in range(count):
        absent.append(absent[-1] * missing)
    present = 1
    for i in range(count + 1):
        ways[min(i, need)] += comb(count, i) * present * absent[count - i]
        present *= answers
    return ways


def _join(first: Sequence[int], second: Sequence[int]) -> list[int]:
    need = len(first) - 1
    ways = [0] * (need + 1)
    for i, left in enumerate(first):
        for j, right in enumerate(second):
            if left and right:
                ways[min(i + j, need)] += left * right
    return ways
