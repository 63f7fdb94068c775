"""Times of coded trees with ports, on random paths that are followed message by message."""

from __future__ import annotations

import random


def least_time(
    n: int, layers: int, s: int, receive: float, shift: float, paths: int, seed: int
) -> float:
    """Return the shortest time of so many paths."""
    draw = random.Random(seed)
    return min(_tree_time(n, layers, s, receive, shift, draw) for _ in range(paths))


def longest_delay(
    n: int, layers: int, s: int, receive: float, shift: float, paths: int, seed: int
) -> float:
    """Return by how much ports delay a tree most, on so many paths."""
    draw = random.Random(seed)
    most = 0.0
    for _ in range(paths):
        state = draw.getstate()
        with_port = _tree_time(n, layers, s, receive, shift, draw)
        draw.setstate(state)
        most = max(most, with_port - _tree_time(n, layers, s, 0.0, shift, draw))
    return most


def _tree_time(
    n: int, layers: int, s: int, receive: float, shift: float, draw: random.Random
) -> float:
    """When the master has n − s messages; one message at a time, in order of arrival."""
    arrivals = []
    for _ in range(n):
        own = shift + draw.expovariate(1.0)
        below = _tree_time(n, layers - 1, s, receive, shift, draw) if layers > 1 else 0.0
        arrivals.append(max(own, below))
    free = 0.0
    for arrival in sorted(arrivals)[: n - s]:
        free = max(free, arrival) + receive
    return free
