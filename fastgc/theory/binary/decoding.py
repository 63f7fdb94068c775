"""How the binary code decodes (paper binary, Section IV): guarantees, probabilities, cost.

For k = n, or a multiple of n. The classes 0 … r−1 hold the data in ℓ+1 consecutive blocks, each
held by r workers; the classes r … s in ℓ blocks, each held by s+1−r workers. Inner boundaries of
the two divisions never coincide, so that least squares is exact iff one division has a survivor
in each of its blocks. Algorithm 3 wants more: a class all of whose workers survive.
"""

from __future__ import annotations

import math

import numpy as np

from fastgc.theory.binary.assignment import blocks_and_remainder
from fastgc.theory.common.arguments import check_count, check_probabilities, elementwise, one_of


@elementwise
def guaranteed_survivors(n: int, s: int) -> float:
    """ν = ℓr + (ℓ−1)(s+1−r) + 1 = n−s survivors that always include a complete class.

    binary, Theorem 1, proof. Exact, and no fewer do.

    >>> guaranteed_survivors(11, 3)
    8.0
    """
    blocks, r = blocks_and_remainder(n, s)
    return blocks * r + (blocks - 1) * (s + 1 - r) + 1


@elementwise
def decoding_weight(n: int, s: int, residue: int) -> float:
    """‖a_i‖₀ = ‖a_i‖²: ℓ+1 for the classes 0 … r−1, ℓ for the others (binary, Section IV).

    >>> decoding_weight(11, 3, 0), decoding_weight(11, 3, 3)
    (3.0, 2.0)
    """
    blocks, r = blocks_and_remainder(n, s)
    check_count("residue", residue, 0, s)
    return blocks + (residue < r)


@elementwise
def amplification(n: int, s: int) -> float:
    """Largest ‖a‖² of Algorithm 3's vector over all sets of s stragglers: ℓ+1, or ℓ if r = 0.

    Received sums with independent noise of variance σ² give a gradient with noise σ²‖a‖².

    >>> amplification(11, 3)
    3.0
    """
    blocks, r = blocks_and_remainder(n, s)
    return blocks + (r > 0)


@elementwise
def broken_shifts(n: int, s: int) -> float:
    """Number of i for which a_(i+1) is no cyclic shift of a_i: 1 (i = r−1) if r > 0, else 0.

    Correction of binary, Section IV, which says none.

    >>> broken_shifts(11, 3)
    1.0
    """
    return float(blocks_and_remainder(n, s)[1] > 0)


@elementwise
def look_ups_printed(n: int, s: int, early: bool = False) -> float:
    """Bound (ℓ+1)(s+1) of the workers that Algorithm 3 looks up (binary, Section IV).

    With ``early``, where the last class is taken without a look: (ℓ+1)s. Bounds.

    >>> look_ups_printed(11, 3), look_ups_printed(11, 3, early=True)
    (12.0, 9.0)
    """
    blocks, _ = blocks_and_remainder(n, s)
    return (blocks + 1) * (s if early else s + 1)


@elementwise
def exact_patterns(n: int, s: int, survivors: int) -> float:
    """Number of sets of so many survivors for which least squares is exact, k = n. Derived.

    >>> exact_patterns(11, 3, 3)
    36.0
    """
    return float(_exact(n, s, survivors))


@elementwise
def complete_patterns(n: int, s: int, survivors: int) -> float:
    """Number of sets of so many survivors for which Algorithm 3 finds a class. Derived.

    >>> complete_patterns(11, 3, 3)
    12.0
    """
    return float(_complete(n, s, survivors))


@elementwise
def exact_probability(
    n: int, s: int, survivors: int | None = None, p: float | None = None
) -> float:
    """Probability that the binary code decodes exactly, k = n. Derived.

    Stragglers iid with probability q: with a = 1−q^r and b = 1−q^(s+1−r),
    1 − (1−a^(ℓ+1))(1−b^ℓ) for r > 0 and (1−q^(s+1))^ℓ for r = 0; or all patterns with so many
    survivors alike.

    >>> round(exact_probability(11, 3, p=0.2), 6)
    0.991429
    """
    blocks, r = blocks_and_remainder(n, s)
    one_of(survivors, p)
    if p is None:
        assert survivors is not None
        return _exact(n, s, survivors) / math.comb(n, survivors)
    check_probabilities(p=p)
    if r == 0:
        return (1.0 - p ** (s + 1)) ** blocks
    first = (1.0 - p**r) ** (blocks + 1)
    second = (1.0 - p ** (s + 1 - r)) ** blocks
    return 1.0 - (1.0 - first) * (1.0 - second)


@elementwise
def class_probability(
    n: int, s: int, survivors: int | None = None, p: float | None = None
) -> float:
    """Probability that Algorithm 3 alone decodes: some class is complete. Derived.

    Stragglers iid with probability q: 1 − (1−(1−q)^(ℓ+1))^r (1−(1−q)^ℓ)^(s+1−r); or all patterns
    with so many survivors alike.

    >>> round(class_probability(11, 3, p=0.2), 6)
    0.958163
    """
    blocks, r = blocks_and_remainder(n, s)
    one_of(survivors, p)
    if p is None:
        assert survivors is not None
        return _complete(n, s, survivors) / math.comb(n, survivors)
    check_probabilities(p=p)
    alive = 1.0 - p
    return 1.0 - (1.0 - alive ** (blocks + 1)) ** r * (1.0 - alive**blocks) ** (s + 1 - r)


def _exact(n: int, s: int, survivors: int) -> int:
    """Patterns but for those in which either division lacks a block."""
    blocks, r = blocks_and_remainder(n, s)
    check_count("survivors", survivors, 0, n)
    lacking = [1]
    for holders, pieces in ((r, blocks + 1), (s + 1 - r, blocks)):
        if holders == 0:
            continue
        held = [math.comb(holders, i) for i in range(holders + 1)]
        covered = _power([0, *held[1:]], pieces)
        every = _power(held, pieces)
        lacking = _times(lacking, [a - b for a, b in zip(every, covered, strict=True)])
    return math.comb(n, survivors) - lacking[survivors]


def _complete(n: int, s: int, survivors: int) -> int:
    """Patterns but for those in which every class lacks a worker."""
    blocks, r = blocks_and_remainder(n, s)
    check_count("survivors", survivors, 0, n)
    lacking = [1]
    for size, classes in ((blocks + 1, r), (blocks, s + 1 - r)):
        broken = [math.comb(size, i) for i in range(size)] + [0]
        lacking = _times(lacking, _power(broken, classes))
    return math.comb(n, survivors) - lacking[survivors]


def _times(a: list[int], b: list[int]) -> list[int]:
    """Product of two polynomials with whole coefficients."""
    product = np.convolve(np.array(a, dtype=object), np.array(b, dtype=object))
    return [int(x) for x in product]


def _power(a: list[int], exponent: int) -> list[int]:
    product = [1]
    for _ in range(exponent):
        product = _times(product, a)
    return product
