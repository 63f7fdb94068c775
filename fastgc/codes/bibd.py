"""Codes from balanced incomplete block designs: points are workers, blocks are partitions."""

import functools
from itertools import product
from typing import Literal

import numpy as np

from fastgc.codes.code import Code, code_of
from fastgc.codes.family import Family
from fastgc.registry import register
from fastgc.registry.makers import maker

_Name = Literal["fano", "pg(2,3)", "ag(2,3)", "paley-11"]
Blocks = list[frozenset[int]]


@register("code")
class BIBD(Family):
    """The code of a block design (Kadhe, Koyluoglu and Ramchandran, 1904.13373).

    Points are workers, blocks are partitions. Any two workers share the same number of partitions,
    so that all patterns of a size cost the same: with r survivors the error is k − d² r/(d + λ(r −
    1)), d the blocks that hold a point and λ those that hold two. Exact only without stragglers.

    * ``name`` ({"fano", "pg(2,3)", "ag(2,3)", "paley-11"}): The projective planes of order 2 and 3,
      (7, 3, 1) and (13, 4, 1); the affine plane of order 3, (9, 3, 1), whose 12 blocks are lines;
      the biplane (11, 5, 2) of the squares modulo 11.

    Raises FastgcError if there is no such design.

    >>> bibd("fano")
    Code(bibd(fano), k=7, n=7, tolerance=0)
    """

    family: Literal["bibd"] = "bibd"
    name: _Name

    @property
    def n(self) -> int:
        """Number of workers, one for each point of the design."""
        return _DESIGNS[self.name][0]

    def build(self) -> Code:
        return _build(self.name)


bibd = maker(BIBD, build=True)


@functools.cache
def _build(name: str) -> Code:
    points, size, shared, make, order = _DESIGNS[name]
    blocks = make(order)
    B = np.array([[point in block for point in range(points)] for block in blocks], dtype=float)
    replication = shared * (points - 1) // (size - 1)
    wanted = (replication - shared) * np.eye(points) + shared
    if not (np.all(B.sum(axis=1) == size) and np.array_equal(B.T @ B, wanted)):
        raise AssertionError(f"{name} is no ({points}, {size}, {shared}) design")
    return code_of(B, f"bibd({name})", tolerance=0)


def _projective_plane(q: int) -> Blocks:
    """Lines of the projective plane over the field of q elements, q a prime."""
    # One vector of each line through the origin: its first entry that is not 0 is 1.
    vectors = [
        vector
        for vector in product(range(q), repeat=3)
        if any(vector) and next(entry for entry in vector if entry) == 1
    ]
    return [
        frozenset(
            point
            for point, vector in enumerate(vectors)
            if sum(a * b for a, b in zip(line, vector, strict=True)) % q == 0
        )
        for line in vectors
    ]


def _affine_plane(q: int) -> Blocks:
    """Lines of the affine plane over the field of q elements, q a prime; point (x, y) is qx + y."""
    sloped = [
        frozenset(q * x + (slope * x + height) % q for x in range(q))
        for slope in range(q)
        for height in range(q)
    ]
    return sloped + [frozenset(q * x + y for y in range(q)) for x in range(q)]


def _squares(p: int) -> Blocks:
    """The non-zero squares modulo p and their translates, p a prime that is 3 modulo 4."""
    squares = {x * x % p for x in range(1, p)}
    return [frozenset((square + shift) % p for square in squares) for shift in range(p)]


#: name → points, points in a block, blocks that hold any two points, and what makes the blocks
_DESIGNS = {
    "fano": (7, 3, 1, _projective_plane, 2),
    "pg(2,3)": (13, 4, 1, _projective_plane, 3),
    "ag(2,3)": (9, 3, 1, _affine_plane, 3),
    "paley-11": (11, 5, 2, _squares, 11),
}
