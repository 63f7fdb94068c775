"""Balanced incomplete block designs as codes: worker = point, partition = block.

k blocks, d of them on every point, two points share λ. The survivors' sums are then equally
correlated, so that the error depends on their number alone.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from fastgc.errors import FastgcError
from fastgc.theory.common.arguments import check_count, elementwise
from fastgc.theory.common.combinatorics import binomial_probabilities

#: name → workers (points), partitions (blocks), replication (blocks a point), λ, points a block
_DESIGNS = {
    "fano": (7, 7, 3, 1, 3),
    "pg(2,3)": (13, 13, 4, 1, 4),
    "ag(2,3)": (9, 12, 4, 1, 3),
    "paley-11": (11, 11, 5, 2, 5),
}


def parameters(name: str) -> dict[str, int]:
    """Workers n, partitions k, loads d, λ and holders of a partition of a named design.

    >>> parameters("fano")
    {'n': 7, 'k': 7, 'd': 3, 'common': 1, 'holders': 3}
    """
    if name not in _DESIGNS:
        raise FastgcError(f"name: got {name!r}, allowed are {', '.join(sorted(_DESIGNS))}")
    keys = ("n", "k", "d", "common", "holders")
    return dict(zip(keys, _DESIGNS[name], strict=True))


@elementwise
def bibd_error(k: int, d: int, common: int, survivors: int) -> float:
    """Error k − d² r/(d + λ(r−1)) of every pattern with r survivors.

    Kadhe, Koyluoglu, Ramchandran (arXiv:1904.13373): it depends on the number of survivors alone.

    >>> [round(bibd_error(k=7, d=3, common=1, survivors=r), 4) for r in (1, 2, 3, 6)]
    [4.0, 2.5, 1.6, 0.25]
    """
    check_count("k", k, 1)
    check_count("d", d, 1, k)
    check_count("common", common, 0, d)
    check_count("survivors", survivors, 0)
    if survivors == 0:
        return k
    return k - d * d * survivors / (d + common * (survivors - 1))


def bibd_mean_error(name: str, p: float) -> float:
    """Mean error of a named design for iid stragglers: the mixture over their number.

    >>> round(bibd_mean_error("fano", 0.2), 6)
    0.421875
    """
    errors, size = bibd_errors(name), parameters(name)["n"]
    return float(binomial_probabilities(size, 1.0 - p) @ errors)


def bibd_errors(name: str) -> NDArray[np.float64]:
    """Errors of a named design for r = 0 … n survivors.

    >>> bibd_errors("fano").round(4).tolist()
    [7.0, 4.0, 2.5, 1.6, 1.0, 0.5714, 0.25, 0.0]
    """
    known: dict[str, Any] = parameters(name)
    k, d, common = known["k"], known["d"], known["common"]
    return np.array([bibd_error(k, d, common, r) for r in range(known["n"] + 1)])
