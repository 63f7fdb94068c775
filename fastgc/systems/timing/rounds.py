"""Who answers in a round: with late workers who finish what they do, and in trees."""

from collections.abc import Callable
from typing import TYPE_CHECKING, Literal

import numpy as np

from fastgc.arrays import Mask, Values

if TYPE_CHECKING:
    from fastgc.systems.timing.structure import Tree

Times = Values

BetweenRounds = Literal["cancel", "finish"]

#: Times closer than this part of a round are the same: sums of equal times differ by rounding.
_SAME = 1e-9


def carried(done: Callable[[Times], Times], times: Times) -> tuple[Times, Times]:
    """Return when workers answer who finish what they do before they take up a round.

    All are free when the first round begins; each other one begins when the one before is done. A
    worker that is busy then takes up, once its late answer is out, the round that is on by then;
    rounds that are over are skipped. It takes its time of the round that it takes up. Who is free
    in the last 1e-9 of a round takes up the next one, so that rounding decides no tie.

    * ``done``: when a round is over, (T,), in which workers answer after seconds (n, T); no earlier
      where one of them answers later.
    * ``times`` (float64 array (L, n, T)): seconds that workers take in each round.

    Returns ``answers`` (float64 array (L, n, T)): seconds from the beginning of a round to a
        worker's answer in it, if it takes it up: more than the round takes if it does not.
    Returns ``late`` (float64 array (L, T)): answers of rounds before that come while a round is on.

    >>> times = np.array([[[1.0], [5.0]], [[2.0], [2.0]], [[9.0], [3.0]]])
    >>> answers, late = carried(lambda each: each.min(axis=0), times)
    >>> answers[..., 0].tolist(), late[:, 0].tolist()
    ([[1.0, 5.0], [2.0, 6.0], [9.0, 5.0]], [0.0, 0.0, 1.0])
    """
    answers, late = np.empty_like(times), np.empty((len(times), times.shape[2]))
    busy = np.zeros(times.shape[1:])
    for own, answered, came in zip(times, answers, late, strict=True):
        np.add(busy, own, out=answered)
        end = done(answered)
        begun = (busy < end * (1 - _SAME)) | (busy == 0)
        last = end * (1 + _SAME)
        came[:] = ((busy > 0) & (busy <= last) & (busy < np.inf)).sum(axis=0)
        busy = np.where(begun, answered, busy)
        with np.errstate(invalid="ignore"):  # a round that is never done has none after it
            left = np.where(busy <= last, 0.0, busy - end)
            busy = np.where(end < np.inf, left, np.inf)
    return answers, late


def in_trees(tree: "Tree", times: Values, receive: float = 0.0, after_own: bool = False) -> Mask:
    """Return whose answers reach the master, (N, T), by their parents and those of these.

    Every parent takes the first answers of its children, as many as it needs; of some that come at
    once, those of the children with smaller numbers. ``times`` (N, T), the port and when it opens
    are as for `fastgc.systems.timing.evaluator.Evaluator`.

    >>> from fastgc.systems.timing.structure import Tree
    >>> tree = Tree(parents=(0, 0, 1, 1), need=(1, 1, 0, 0, 0))
    >>> in_trees(tree, np.array([[1.0], [9.0], [5.0], [2.0]])).ravel().tolist()
    [True, False, False, True]
    """
    offsets, nodes = tree.children
    sent = np.concatenate([np.zeros((1, times.shape[1])), times])
    taken = np.ones(sent.shape, np.bool_)
    for v in reversed(np.flatnonzero(tree.need).tolist()):
        below = nodes[offsets[v] : offsets[v + 1]]
        order = np.argsort(sent[below], axis=0, kind="stable")[: tree.need[v]]
        first = np.zeros((below.size, times.shape[1]), np.bool_)
        np.put_along_axis(first, order, True, axis=0)
        taken[below] = first
        clock = sent[v].copy() if after_own else np.zeros(times.shape[1])
        for arrival in np.take_along_axis(sent[below], order, axis=0):
            clock = np.maximum(clock, arrival) + receive
        sent[v] = np.maximum(sent[v], clock)
    taken &= np.isfinite(sent) | (np.arange(len(sent)) == 0)[:, np.newaxis]
    for node, parent in enumerate(tree.parents, 1):  # parents come before their children
        taken[node] &= taken[parent]
    return taken[1:]
