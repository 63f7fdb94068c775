"""What fastgc's coded trees allocate and decode, set of stragglers by set of stragglers.

A tree is regular (n, layers) or given by its parents.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Sequence

import numpy as np

from fastgc.errors import FastgcError
from fastgc.systems import coded_reduce
from fastgc.systems.schemes.reduction import CodedReduceTree

Parents = Sequence[int] | None
Rows = Sequence[Sequence[float]]

_FEATURES = 2


def largest_share(
    s: int,
    n: int | None = None,
    layers: int | None = None,
    parents: Parents = None,
    code: str | None = None,
) -> float:
    """Return the largest share of the samples that a worker is allocated."""
    tree = coded_reduce(n, layers, s, parents=parents, code=code)
    held = [len(set(own.tolist())) for own in tree.allocate(tree.multiple)]
    return max(held) / tree.multiple


def samples_held(n: int, layers: int, s: int, samples: int, code: str | None = None) -> int:
    """Add up the samples that the workers are allocated."""
    return sum(map(len, coded_reduce(n, layers, s, code=code).allocate(samples)))


def whole_samples(n: int, layers: int, s: int, code: str) -> int:
    """Return the number of samples of which a tree needs a multiple."""
    return coded_reduce(n, layers, s, code=code).multiple


def workers(n: int, layers: int) -> int:
    """Count the workers that are allocated samples."""
    tree = coded_reduce(n, layers, 0, code="frc")
    return len(tree.allocate(tree.multiple))


def undecoded_patterns(
    s: int,
    n: int | None = None,
    layers: int | None = None,
    parents: Parents = None,
    rows: Rows | None = None,
) -> int:
    """Count the patterns of at most s stragglers per parent that do not give the exact sum.

    With ``rows``, the rows of an encoding matrix, instead of fastgc's own code.
    """
    code = None if rows is None else np.array(rows).T
    tree = coded_reduce(n, layers, s, parents=parents, code=code)
    below: dict[int, list[int]] = {}
    for worker, parent in enumerate(tree.structure().parents):
        below.setdefault(parent, []).append(worker)
    choices = [
        [lost for size in range(s + 1) for lost in itertools.combinations(own, size)]
        for own in below.values()
    ]
    patterns = [list(itertools.chain.from_iterable(lost)) for lost in itertools.product(*choices)]
    return len(patterns) - _decoded(tree, patterns)


def decoded_sets(
    s: int,
    stragglers: int,
    n: int | None = None,
    layers: int | None = None,
    parents: Parents = None,
) -> int:
    """Count the sets of so many stragglers of which a tree still makes the exact sum."""
    tree = coded_reduce(n, layers, s, parents=parents)
    return _decoded(tree, map(list, itertools.combinations(range(tree.workers), stragglers)))


def fewest_that_break(
    s: int, n: int | None = None, layers: int | None = None, parents: Parents = None
) -> int:
    """Try all sets of stragglers, small ones first, until a tree does not make the exact sum."""
    tree = coded_reduce(n, layers, s, parents=parents)
    everybody = range(tree.workers)
    return next(
        size
        for size in range(tree.workers + 1)
        if any(
            _decoded(tree, [list(lost)]) == 0 for lost in itertools.combinations(everybody, size)
        )
    )


def _decoded(tree: CodedReduceTree, patterns: Iterable[list[int]]) -> int:
    """Count the sets of stragglers of which the exact sum of random gradients is made."""
    gradients = np.random.default_rng(1).standard_normal((tree.multiple, _FEATURES))
    whole = gradients.sum(axis=0)
    own = np.array(
        [
            share.coefficients @ gradients[share.samples]
            for share in tree.allocate(len(gradients)).shares
        ]
    )
    count = 0
    for lost in patterns:
        answers = own.copy()
        answers[lost] = np.nan  # whatever a straggler has must not be used
        try:
            found = tree.reduce(answers, lost, stuck="lost")
        except FastgcError:
            continue
        count += bool(np.abs(found - whole).max() < 1e-6 * np.abs(whole).max())
    return count
