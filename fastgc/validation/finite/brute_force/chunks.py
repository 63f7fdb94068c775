"""Chunks that workers finish in an order: how many finished ones may lack a copy of some chunk."""

import itertools
from collections import Counter
from collections.abc import Sequence


def worst_chunks(orders: Sequence[Sequence[int]], copies: int) -> int:
    """Walk through all numbers of chunks that workers may have finished."""
    chunks = {chunk for own in orders for chunk in own}
    most = 0
    for counts in itertools.product(*(range(len(own) + 1) for own in orders)):
        if sum(counts) > most:
            held = Counter(c for own, j in zip(orders, counts, strict=True) for c in own[:j])
            if any(held[chunk] < copies for chunk in chunks):
                most = sum(counts)
    return most + 1


def fewest_worst_chunks(n: int, d: int) -> int:
    """Try all orders of worker w's chunks w, …, w + d − 1 modulo n."""
    held = [list(itertools.permutations((w + j) % n for j in range(d))) for w in range(n)]
    return min(worst_chunks(orders, 1) for orders in itertools.product(*held))
