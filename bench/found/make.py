"""Make the table: parts with the least errors are searched for and put side by side.

Partitions of different parts have no worker in common, so errors of parts add up: the mean error of
a code is the sum over its parts, and its worst error the largest sum over all ways to share out the
stragglers. A cell's code is one search's result, or the best of all such sums; what the
table holds already stays where nothing better was found. All codes and families are real.
"""

import contextlib
import itertools
import json
import math
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bench.found import check, mean, worst
from fastgc.codes.given import code_given
from fastgc.errors import FastgcError
from fastgc.results.ranking import written
from fastgc.searching import bounds, candidates, table
from fastgc.searching.candidates import Candidate
from fastgc.searching.judge import spectrum
from fastgc.searching.problem import Problem

Matrix = NDArray[np.float64]

LARGEST, MOST_LOAD, MOST_STRAGGLERS = 20, 5, 5
#: Singular values that count for the largest weight, by the largest: all that the decoder uses.
_RANK = 1e-12
#: Errors closer than this share are equal.
EQUAL = 1e-9
#: A part of the table is replaced by one with less error by more than this share.
_WORTH = check.LESS
#: With d = n − 1 so little is free that some seed of a random family comes near any code: so many
#: are tried.
_SEEDS = 10_000


def known(n: int, d: int) -> tuple[list[Candidate], list[Candidate]]:
    """Return the families that fit, and other constructions.

    Families have all 0/1 circulants and, repetition in groups of any sizes
    that hold as many partitions as workers.
    """
    problem = Problem(n=n, d=d, s=1)
    families = [c for c in candidates.families(problem) if not np.iscomplexobj(c.B)]
    others = list(candidates.others(problem))
    circulants = [each for each in others if each.name.startswith(f"Z{n} ")]
    families += [Candidate(f"circulant {each.name}", each.B, True) for each in circulants]
    for sizes in _blocks(n, d):
        name = f"groups n={n} sizes={json.dumps(sizes, separators=(',', ':'))}"
        families.append(Candidate(name, side_by_side([np.ones((w, w)) for w in sizes]), True))
    return families, [each for each in others if not each.name.startswith(f"Z{n} ")]


def _blocks(n: int, largest: int) -> Iterator[list[int]]:
    """Yield the ways to write n as a sum of sizes that fall."""
    if n == 0:
        yield []
    for size in range(min(n, largest), 0, -1):
        yield from ([size, *rest] for rest in _blocks(n - size, size))


# ---- The mean error


def mean_cells(folder: Path) -> list[dict[str, Any]]:
    """Return the cells of the mean error."""
    sizes = [(n, d) for d, sizes in mean.SIZES.items() for n in sizes]
    parts = dict(zip(sizes, _kept(folder, "mean", _mean_part, sizes), strict=True))
    cells = []
    for d in range(1, MOST_LOAD + 1):
        for p in sorted(mean.PROBABILITIES):
            own: dict[int, tuple[float, Matrix]] = {}
            for size in range(1, d + 1):
                own[size] = size * p**size, np.ones((size, size))
            for (size, load), found in parts.items():
                for B in (*_kept_part(size, load, p), np.array(found[str(p)])):
                    value = mean.judged(B, p)
                    if load <= d and value < own.get(size, (math.inf,))[0] * (1 - _WORTH):
                        own[size] = value, B
            best: list[tuple[float, list[Matrix]]] = [(0.0, [])]
            for n in range(1, LARGEST + 1):
                value, last = min(
                    (best[n - size][0] + own[size][0], size) for size in own if size <= n
                )
                best.append((value, [*best[n - last][1], own[last][1]]))
                if d <= n:
                    cell = {"n": n, "d": d, "p": p, "value": value, "parts": best[n][1]}
                    cells.append(cell | {"weight": max(map(largest_weight, best[n][1]))})
    rivals = dict(zip(_pairs(), _kept(folder, "rivals", _mean_rivals, _pairs()), strict=True))
    for cell in cells:
        cell |= rivals[cell["n"], cell["d"]][str(cell["p"])]
        bound = bounds.mean_error(cell["n"], cell["d"], cell["p"])
        cell["bound"] = float(bound)
    return cells


def _kept_part(size: int, load: int, p: float) -> list[Matrix]:
    """Return the part of so many workers that the table holds, if it does."""
    cells = (cell for cell in table.cells(size, load) if cell.get("p") == p)
    return [B for cell in cells for B in table.parts(cell) if len(B) == size]


def _mean_part(size: tuple[int, int]) -> dict[str, Any]:
    return {str(p): B.tolist() for p, B in mean.part(*size).items()}


def _pairs() -> list[tuple[int, int]]:
    return [(n, d) for n in range(1, LARGEST + 1) for d in range(1, min(n, MOST_LOAD) + 1)]


def _mean_rivals(size: tuple[int, int]) -> dict[str, Any]:
    """The best family, and the best of other constructions, for each probability."""
    n, d = size
    found: dict[str, Any] = {str(p): {} for p in mean.PROBABILITIES}
    for kind, rivals in zip(("family", "construction"), known(n, d), strict=True):
        sums = [(spectrum(each.B).sums, each.name) for each in rivals]
        for p in mean.PROBABILITIES:
            weights = [p**s * (1 - p) ** (n - s) for s in range(n + 1)]
            values = [(math.fsum((own * weights).tolist()), name) for own, name in sums]
            if kind == "construction":
                values.append(_uneven(n, d, p))
            elif d == n - 1:
                values += [(mean.judged(each.B, p), each.name) for each in _of_seeds(n, d)]
            value, name = min(values)
            found[str(p)] |= {kind: value, f"{kind}_name": name}
    return found


@cache
def _of_seeds(n: int, d: int) -> list[Candidate]:
    """Return random families of many seeds."""
    found = []
    tables = {"family": "cyclic", "d": d}, {"family": "ye-abbe", "s": d - 1, "m": 1}
    for seed, own in itertools.product(range(1, _SEEDS + 1), tables):
        with contextlib.suppress(FastgcError):  # some seeds are refused
            code = code_given(own | {"n": n, "seed": seed})
            found.append(Candidate(written(code.as_table()), np.array(code.B), True))
    return found


def _uneven(n: int, d: int, p: float) -> tuple[float, str]:
    """The best repetition in groups of any sizes: w workers that all hold the same m partitions."""
    best = {(0, 0): (0.0, ())}
    for workers, parts in itertools.product(range(n + 1), repeat=2):
        ways = [
            (before[0] + m * p**w, (*before[1], (w, m)))
            for m in range(1, min(d, parts) + 1)
            for w in range(workers + 1)
            if (before := best.get((workers - w, parts - m))) is not None
        ]
        if ways:
            best[workers, parts] = min(ways)
    value, groups = best[n, n]
    return value, "groups of " + ", ".join(f"{w}×{m}" for w, m in groups)


def largest_weight(B: Matrix) -> float:
    """Return the largest weight that the decoder gives an answer, of all patterns."""
    n = B.shape[1]
    largest = 1.0
    for m in range(1, n + 1):
        for own in itertools.combinations(range(n), m):
            x = np.linalg.lstsq(B[:, own], np.ones(len(B)), rcond=_RANK)[0]
            largest = max(largest, float(np.abs(x).max()))
    return float(f"{largest:.3g}")


# ---- The worst error


def worst_cells(folder: Path) -> list[dict[str, Any]]:
    """Return the cells of the worst error of s ≥ d stragglers; fewer leave none."""
    loads = range(1, MOST_LOAD + 1)
    found = _kept(folder, "worst", _worst_of_load, list(loads))
    return [_or_kept(cell) for cells in found for cell in cells]


def _or_kept(cell: dict[str, Any]) -> dict[str, Any]:
    """Return a cell with the code of the table where that is as good."""
    for own in table.cells(cell["n"], cell["d"]):
        if own.get("s") == cell["s"]:
            value = float(_profile(table.matrix(own))[cell["s"]])
            if value <= cell["value"] * (1 + EQUAL):
                return cell | {"value": value, "parts": table.parts(own)}
    return cell


def _worst_of_load(d: int) -> list[dict[str, Any]]:
    cells: list[dict[str, Any]] = []
    stock: dict[int, list[tuple[Matrix, list[Matrix]]]] = {}  # errors by s, and parts
    for n in range(d, LARGEST + 1):
        families, others = known(n, d)
        few = [s for s in range(d, MOST_STRAGGLERS + 1) if s < n]
        rows = [(_profile(each.B), each) for each in families]
        more = [(_profile(each.B), each) for each in others]
        sums = list(_sums(n, stock))
        pool = [(profile, [each.B]) for profile, each in [*rows, *more]] + sums
        kept: list[tuple[Matrix, list[Matrix]]] = []
        for s in few:
            start = min(pool, key=lambda one, s=s: (round(one[0][s], 9), one[0].sum()))
            value = start[0][s]
            bound = bounds.worst_error(n, d, s)
            whole = side_by_side(start[1])
            if value > bound * (1 + EQUAL):
                tried = [(v, mean.rounded(B)) for v, B in worst.searched(n, d, s, whole)]
                new = [(_profile(B), [B]) for _, B in tried]
                best = min(new, key=lambda one, s=s: one[0][s])
                pool += new
                if best[0][s] < value * (1 - EQUAL):
                    value, start = best[0][s], best
            kept.append(start)
            cell: dict[str, Any] = {
                "n": n,
                "d": d,
                "s": s,
                "value": float(value),
                "parts": start[1],
            }
            for kind, rivals in (("family", rows), ("construction", more)):
                best_rival = min(
                    ((float(o[s]), c.name) for o, c in rivals), default=(float(n), "none")
                )
                cell |= {kind: best_rival[0], f"{kind}_name": best_rival[1]}
            cells.append(cell | {"bound": float(bound)})
        # what is good for some number of stragglers, and what costs least in all
        pool.sort(key=lambda one: float(one[0].sum()))
        stock[n] = _thinned([*kept, *pool[:6]])
    for cell in cells:
        cell["parts"] = [np.asarray(B).tolist() for B in cell["parts"]]
    return cells


def _profile(B: Matrix) -> Matrix:
    """Worst errors of 0 … 5 stragglers."""
    n = B.shape[1]
    found = np.full(MOST_STRAGGLERS + 1, float(len(B)))
    most = min(n, MOST_STRAGGLERS)
    found[: most + 1] = spectrum(B, most).worst[: most + 1]
    return found


def _sums(n: int, stock: dict[int, Any]) -> Iterator[tuple[Matrix, list[Matrix]]]:
    """Yield codes of n workers of two codes side by side."""
    for size in range(1, n // 2 + 1):
        for (a, own), (b, other) in itertools.product(stock.get(size, []), stock.get(n - size, [])):
            yield (
                np.array(
                    [
                        max(
                            a[j] + b[s - j] for j in range(s + 1) if j <= size and s - j <= n - size
                        )
                        if s <= n
                        else n
                        for s in range(MOST_STRAGGLERS + 1)
                    ]
                ),
                own + other,
            )


def _thinned(codes: list[tuple[Matrix, list[Matrix]]]) -> list[tuple[Matrix, list[Matrix]]]:
    seen: dict[bytes, tuple[Matrix, list[Matrix]]] = {}
    for each in codes:
        seen.setdefault(np.round(each[0], 9).tobytes(), each)
    return list(seen.values())


def side_by_side(parts: list[Matrix]) -> Matrix:
    """Return the matrix of parts that have no partition in common."""
    n = sum(len(part) for part in parts)
    B, at = np.zeros((n, n)), 0
    for part in parts:
        B[at : at + len(part), at : at + len(part)] = part
        at += len(part)
    return B


# ---- The file


def _kept(folder: Path, kind: str, make: Any, units: list[Any]) -> list[Any]:
    """Return what was made of every unit, by two processes; what a file keeps is not made again."""
    folder.mkdir(parents=True, exist_ok=True)
    files = [folder / f"{kind}-{json.dumps(unit).replace(' ', '')}.json" for unit in units]
    missing = [(file, unit) for file, unit in zip(files, units, strict=True) if not file.exists()]
    with ProcessPoolExecutor(2) as pool:
        wait = [(file, pool.submit(make, unit)) for file, unit in missing[::-1]]  # the long first
        for file, future in wait:
            file.write_text(json.dumps(future.result()), "utf-8")
    return [json.loads(file.read_text("utf-8")) for file in files]


def make(folder: Path) -> dict[str, Any]:
    """Return the table as plain data: each part once, and cells that name their parts."""
    parts: dict[str, str] = {}
    cells = []
    for cell in [*mean_cells(folder), *worst_cells(folder)]:
        named = []
        for part in cell["parts"]:
            rows = [
                [int(v) if v == int(v) else v for v in row] for row in np.asarray(part).tolist()
            ]
            named.append(parts.setdefault(json.dumps(rows), f"{len(rows)}-{len(parts)}"))
        cells.append(cell | {"parts": named})
    return {"parts": {name: json.loads(rows) for rows, name in parts.items()}, "cells": cells}
