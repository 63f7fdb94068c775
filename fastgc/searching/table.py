"""The best codes that are known, for n ≤ 20 workers and loads d ≤ 5: data of the package.

The file has the ``parts`` that codes are made of, by name, and ``cells``: the best code for n
workers and partitions, load d, and p or s stragglers, with the best family and a lower bound.
"""

import json
from collections.abc import Mapping
from functools import cache
from importlib import resources
from typing import Any

import numpy as np
from numpy.typing import NDArray

Cell = Mapping[str, Any]

#: A known code is better if its error is less by more than this share.
_BETTER = 1e-3


@cache
def _codes() -> dict[str, Any]:
    file = resources.files("fastgc.searching") / "known" / "codes.json"
    codes: dict[str, Any] = json.loads(file.read_text("utf-8"))
    return codes


def cells(n: int, d: int) -> list[Cell]:
    """Return what is known for n workers of load d: mean errors by p, then worst errors by s.

    Each says ``value``, ``bound``, ``family`` and ``family_name``, and ``p`` or ``s``.
    """
    found = [cell for cell in _codes()["cells"] if (cell["n"], cell["d"]) == (n, d)]
    return sorted(found, key=lambda cell: ("s" in cell, cell.get("p", 0), cell.get("s", 0)))


def matrix(cell: Cell) -> NDArray[np.float64]:
    """Return the encoding matrix of a cell: its parts side by side, with nothing in common."""
    blocks = [np.array(_codes()["parts"][name], np.float64) for name in cell["parts"]]
    B, i, j = np.zeros((sum(map(len, blocks)), cell["n"])), 0, 0
    for block in blocks:
        k, n = block.shape
        B[i : i + k, j : j + n] = block
        i, j = i + k, j + n
    return B


def hint(n: int, d: int, p: float, error: float | None) -> str | None:
    """Return a sentence if a code with n partitions, this load and less mean error is known."""
    for cell in cells(n, d):
        if error is not None and cell.get("p") == p and cell["value"] < (1 - _BETTER) * error:
            less = 100 * (1 - cell["value"] / error)
            command = f"`fastgc search --show {n},{d}`"
            return f"a code with {less:.3g} % less error at this load is known: {command}"
    return None
