"""Named block designs: how many points and blocks there are, and how they meet."""

from __future__ import annotations

from fastgc.errors import FastgcError

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
