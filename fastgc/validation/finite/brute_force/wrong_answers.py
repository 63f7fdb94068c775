"""How many wrong answers cannot change the gradient, by looking at two explanations at a time."""

import itertools
from collections.abc import Mapping
from typing import Any

import numpy as np

from fastgc.validation.finite.brute_force.codes import matrix


def corrected_answers(code: Mapping[str, Any], stragglers: int) -> int:
    """Find the most wrong answers a that no two gradients can share, whoever straggles.

    Two lists of partial gradients give the same answers but for a wrong ones each if their
    difference is seen by 2a workers at most; then its sum must be 0.
    """
    B = matrix(code)
    n = B.shape[1]
    most = -1
    for a in range((n - stragglers) // 2 + 1):
        for unseen in itertools.combinations(range(n), n - stragglers - 2 * a):
            seen = B[:, list(unseen)].T  # what is 0 for a difference that they do not see
            with_sum = np.vstack([seen, np.ones(len(B))])
            if np.linalg.matrix_rank(with_sum) > np.linalg.matrix_rank(seen):
                return most
        most = a
    return most
