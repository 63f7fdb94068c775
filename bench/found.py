"""Judge the table's codes once more, with NumPy alone: ``python -m bench.found``.

Least squares, pattern by pattern: nothing of fastgc is imported. A code's parts are found as the
connected parts of its matrix, whose errors add up; the mean error takes all patterns of a part, the
worst error all sets of at most s stragglers of each.
"""

import json
import sys
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

Matrix = NDArray[np.float64]

FILE = Path(__file__).parents[1] / "fastgc" / "searching" / "known" / "codes.json"
#: Singular values that count, by the largest. The table counts on fewer: its mean errors may be
#: larger by ``_SLACK``.
_RANK, _SLACK = 1e-7, 5e-3
#: An improvement has less error than the best family by more than this share.
LESS = 1e-3


def matrix(data: dict[str, Any], cell: dict[str, Any]) -> Matrix:
    """Return the matrix of a cell."""
    parts = [np.array(data["parts"][name], float) for name in cell["parts"]]
    B, at = np.zeros((cell["n"], cell["n"])), 0
    for part in parts:
        B[at : at + len(part), at : at + len(part)] = part
        at += len(part)
    return B


def connected(B: Matrix) -> list[Matrix]:
    """Return the parts of a matrix that have no partition in common."""
    left, parts = set(range(B.shape[1])), []
    while left:
        workers, rows = {left.pop()}, set()
        while True:
            rows = {i for j in workers for i in np.flatnonzero(B[:, j])}
            more = {j for i in rows for j in np.flatnonzero(B[i])} | workers
            if more == workers:
                break
            workers = more
        left -= workers
        parts.append(B[np.ix_(sorted(rows), sorted(workers))])
    lost = int((~B.any(axis=1)).sum())
    return [*parts, np.zeros((lost, 0))] if lost else parts


def error(B: Matrix) -> float:
    """Return the least ‖Bx − 1‖²."""
    if not B.size:
        return float(len(B))
    x = np.linalg.lstsq(B, np.ones(len(B)), rcond=_RANK)[0]
    return float((np.abs(B @ x - 1) ** 2).sum())


def mean_error(B: Matrix, p: float) -> float:
    """Return the mean error with independent stragglers."""
    total = 0.0
    for part in connected(B):
        n = part.shape[1]
        for m in range(n + 1):
            weight = (1 - p) ** m * p ** (n - m)
            total += weight * sum(error(part[:, list(own)]) for own in combinations(range(n), m))
    return total


def worst_error(B: Matrix, s: int) -> float:
    """Return the largest error of s stragglers."""
    best = [0.0] + [-np.inf] * s
    for part in connected(B):
        n = part.shape[1]
        own = [
            max(error(np.delete(part, lost, axis=1)) for lost in combinations(range(n), t))
            for t in range(min(n, s) + 1)
        ]
        best = [
            max(best[r - t] + own[t] for t in range(min(r, len(own) - 1) + 1)) for r in range(s + 1)
        ]
    return best[s]


def bound(cell: dict[str, Any]) -> float:
    """Return the lower bound of the mean error; of the worst, what a code without overlap loses."""
    if cell.get("p") is not None:
        return float(cell["n"] * cell["p"] ** cell["d"])
    return float(cell["s"] // cell["d"])


def wrong(data: dict[str, Any], cell: dict[str, Any]) -> str | None:
    """Return what is wrong with a cell in a sentence, None if nothing is."""
    B = matrix(data, cell)
    place = f"n={cell['n']} d={cell['d']} " + (
        f"p={cell['p']}" if "p" in cell else f"s={cell['s']}"
    )
    if np.count_nonzero(B, axis=0).max() > cell["d"]:
        return f"{place}: a worker holds more than d partitions"
    found = mean_error(B, cell["p"]) if "p" in cell else worst_error(B, cell["s"])
    least = found * (1 - 1e-6)
    if not least <= cell["value"] <= found * (1 + (_SLACK if "p" in cell else 1e-6)):
        return f"{place}: the error is {found!r}, the table says {cell['value']!r}"
    if cell["value"] < max(bound(cell), cell["bound"]) * (1 - 1e-9):
        return f"{place}: {cell['value']!r} is below the lower bound"
    return None


def main() -> int:
    data = json.loads(FILE.read_text("utf-8"))
    better = [c for c in data["cells"] if c["value"] < c["family"] * (1 - LESS)]
    said = [each for c in better if (each := wrong(data, c)) is not None]
    print(*said, f"{len(better) - len(said)} of {len(better)} improvements stand", sep="\n")
    return 1 if said else 0


if __name__ == "__main__":
    sys.exit(main())
