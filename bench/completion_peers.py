"""What fastgc is measured against: completion times by NumPy alone.

Workers' times are ``SHIFT`` plus an exponential time of mean 1. Functions of given times take
(T, n) and return (T,), those that end in ``_once`` take (n,); ``draw_`` functions make their own
times, those of the layout or the theory that suits NumPy best.
"""

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

Values = NDArray[np.float64]

SHIFT = 0.1


def times(rng: np.random.Generator, trials: int, n: int) -> Values:
    drawn = rng.standard_exponential((trials, n))
    drawn += SHIFT
    return drawn


def one_by_one(
    once: Callable[[Values], float], rng: np.random.Generator, n: int, trials: int
) -> Values:
    """The loop a researcher writes: one draw of all workers, one completion, again and again."""
    return np.array([once(SHIFT + rng.exponential(1.0, n)) for _ in range(trials)])


def order_once(k: int, given: Values) -> float:
    """The k-th smallest."""
    return float(np.sort(given)[k - 1])


def order(k: int, given: Values) -> Values:
    """The k-th smallest."""
    found: Values = np.partition(given, k - 1, axis=1)[:, k - 1]
    return found


def layers_once(k: Sequence[int], given: Values) -> float:
    """The last layer's completion: layer j is complete at j times the k_j-th smallest."""
    ordered = np.sort(given)
    return float(max(j * ordered[need - 1] for j, need in enumerate(k, 1)))


def layers(k: Sequence[int], given: Values) -> Values:
    """The last layer's completion, by sorting."""
    ordered = np.sort(given, axis=1)[:, np.array(k) - 1]
    found: Values = (ordered * np.arange(1, len(k) + 1)).max(axis=1)
    return found


def tree_once(n: int, need: int, receive: float, given: Values) -> float:
    """When the master of a tree of two layers has received ``need`` of n answers.

    A port receives one message after the other; children of worker i are workers n + n i on.
    """
    answers = []
    for i in range(n):
        own = 0.0
        for arrival in np.sort(given[n + n * i : 2 * n + n * i])[:need]:
            own = max(own, arrival) + receive
        answers.append(max(own, given[i]))
    done = 0.0
    for arrival in sorted(answers)[:need]:
        done = max(done, arrival) + receive
    return float(done)


def tree(n: int, need: int, receive: float, given: Values) -> Values:
    """The same for many trials, by sorting."""
    leaves = np.sort(given[:, n:].reshape(-1, n), axis=1)[:, :need]
    inner = np.maximum(
        _served(np.ascontiguousarray(leaves.T), receive).reshape(-1, n), given[:, :n]
    )
    inner.sort(axis=1)
    return _served(np.ascontiguousarray(inner[:, :need].T), receive)


def _served(arrivals: Values, receive: float) -> Values:
    """When a port has received all of (messages, T) that arrive in order."""
    done: Values = arrivals[0] + receive
    for arrival in arrivals[1:]:
        np.maximum(done, arrival, out=done)
        done += receive
    return done
