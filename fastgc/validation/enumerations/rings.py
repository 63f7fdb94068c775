"""Rings and trees of ports, message by message: rounds, and how many messages travel at once."""

from __future__ import annotations

from fastgc.validation.enumerations.trees import children_of


def rounds_to_reduce(n: int) -> int:
    """Count the rounds of a ring until each worker has a segment of the whole gradient."""
    return _ring(n)[0]


def rounds_of_ring(n: int) -> int:
    """Count the rounds of a ring until every worker has the whole gradient."""
    return _ring(n)[1]


def ring_messages_at_once(n: int) -> int:
    """Return the largest number of messages in one round of a ring."""
    return _ring(n)[2]


def messages_at_once(n: int, layers: int, s: int) -> int:
    """Return the largest number of ports of a regular tree that receive at the same time.

    All workers take the same time for their own work; a port receives one message after the other,
    and a node sends its own once n − s of its children's have come.
    """
    children = children_of(n=n, layers=layers)
    sends = [0] * len(children)
    changes: dict[int, int] = {}
    for node in reversed(range(len(children))):
        free = 0
        for arrival in sorted(sends[child] for child in children[node])[: n - s]:
            start = max(free, arrival)
            free = start + 1
            changes[start] = changes.get(start, 0) + 1
            changes[free] = changes.get(free, 0) - 1
        sends[node] = free
    most = busy = 0
    for moment in sorted(changes):
        busy += changes[moment]
        most = max(most, busy)
    return most


def _ring(n: int) -> tuple[int, int, int]:
    """Rounds until all have a whole segment, until all have all, and most messages in a round.

    A segment is the set of workers whose gradients it adds up, bit by bit. First every worker
    passes on the segment that it received last, added to its own; then those that are whole.
    """
    everybody = (1 << n) - 1
    held = [[1 << worker] * n for worker in range(n)]
    reduced = rounds = most = 0
    while any(segment != everybody for own in held for segment in own):
        gathering = all(everybody in own for own in held)
        if gathering and not reduced:
            reduced = rounds
        sent = []
        for worker, own in enumerate(held):
            segment = (worker - rounds) % n
            if own[segment] == everybody or not gathering:
                sent.append(((worker + 1) % n, segment, own[segment]))
        for receiver, segment, content in sent:
            if gathering:
                held[receiver][segment] = content
            else:
                # adding the same gradient twice would be no sum
                held[receiver][segment] ^= content
        most = max(most, len(sent))
        rounds += 1
    return reduced, rounds, most
