"""The most data that a tree of any shape can work on if no worker is given more than 1.

Paper `codedreduce`, Appendix C: data that a node keeps is held by it alone; data that it passes on
must be in s + 1 of its children's subtrees. In a regular tree the result is 1/r_CR of (5).
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction


def capacities(parents: Sequence[int], s: int) -> list[Fraction]:
    """Return how much data the subtree of every node can be given, the master's first.

    A leaf takes 1, any other node 1 + m: m is the most data of which every point can be in the
    subtrees of s + 1 children, none of them given more than it can take (see `passed_on`). The
    master keeps nothing: its capacity is m, and the smallest load of the tree 1/m.

    Parameters
    ----------
    parents : sequence of int (N,)
        Node i + 1 is child of node ``parents[i]`` ≤ i; node 0 is the master.
    s : int
        Stragglers per parent; every parent has more than s children.

    Returns
    -------
    list of Fraction (N + 1,)

    Examples
    --------
    >>> capacities([0, 0, 0], s=1)
    [Fraction(3, 2), Fraction(1, 1), Fraction(1, 1), Fraction(1, 1)]
    >>> capacities([0, 0, 1, 1], s=1)  # the second child of the master must hold everything
    [Fraction(1, 1), Fraction(2, 1), Fraction(1, 1), Fraction(1, 1), Fraction(1, 1)]
    """
    below: list[list[Fraction]] = [[] for _ in range(len(parents) + 1)]
    found = [Fraction(1)] * (len(parents) + 1)
    for v in reversed(range(len(parents) + 1)):
        own = Fraction(1 if v else 0)
        found[v] = own + passed_on(below[v], s) if below[v] else own
        if v:
            below[parents[v - 1]].append(found[v])
    return found


def passed_on(capacities: Sequence[Fraction], s: int) -> Fraction:
    """Return the largest m with Σ_c min(capacity of c, m) = (s + 1) m.

    That much data fits on the children, every point in s + 1 different ones. Where no child can
    take more than m, m = Σ capacity/(s + 1); a child that could takes all of it, m.
    """
    largest_first = sorted(capacities, reverse=True)
    rest = sum(largest_first, Fraction(0))
    for full, capacity in enumerate(largest_first):
        m = rest / (s + 1 - full)
        if full == s or capacity <= m:
            return m
        rest -= capacity
    raise AssertionError("a parent has more than s children")
