"""How classes of workers can share out the data: as evenly as can be, or by speed."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from fractions import Fraction


def least_unevenness_of_classes(n: int, s: int) -> int:
    """Minimise d_s over all ways in which s + 1 classes of workers each share out n partitions."""
    return _best_shares(n, s)[0]


def least_uneven_loads(n: int, s: int, apart: int | None = None) -> int:
    """Count the multisets of loads that attain that minimum, loads of a class at most ``apart``."""
    return len(_best_shares(n, s, apart)[1])


def equal_time_load(
    workers: Sequence[int], times: Sequence[float], s: int, k: int, group: int
) -> float:
    """Solve t_1 J_1 = t_i J_i, Σ τ_i J_i = (s+1) k in rational numbers for the loads J."""
    m = len(workers)
    t = [Fraction(str(time)) for time in times]
    rows = [[Fraction(0)] * (m + 1) for _ in range(m)]
    for i in range(1, m):
        rows[i][0], rows[i][i] = t[0], -t[i]
    rows[0] = [*map(Fraction, workers), Fraction((s + 1) * k)]
    for i in range(m):
        pivot = next(row for row in rows[i:] if row[i])
        place = rows.index(pivot)
        rows[i], rows[place] = rows[place], rows[i]
        rows[i] = [x / rows[i][i] for x in rows[i]]
        for other in range(m):
            if other != i:
                factor = rows[other][i]
                rows[other] = [x - factor * y for x, y in zip(rows[other], rows[i], strict=True)]
    return float(rows[group][m])


def rounded_class_sum(
    workers: Sequence[int], times: Sequence[float], s: int, k: int, residue: int = 0
) -> int:
    """Partitions that a class is assigned when each J_i is rounded by itself."""
    loads = [round(equal_time_load(workers, times, s, k, group)) for group in range(len(workers))]
    return sum(loads[group] for group in _groups_of_class(workers, s, residue))


def workers_in_class(workers: Sequence[int], s: int, group: int, residue: int = 0) -> int:
    """Count the workers of a group in a residue class, groups numbered one after another."""
    return _groups_of_class(workers, s, residue).count(group)


def _groups_of_class(workers: Sequence[int], s: int, residue: int) -> list[int]:
    groups = [group for group, size in enumerate(workers) for _ in range(size)]
    return groups[residue :: s + 1]


def _best_shares(n: int, s: int, apart: int | None = None) -> tuple[int, set[tuple[int, ...]]]:
    """Least Σ|load − (s+1)| over class sizes and loads, and the sorted loads that attain it.

    With ``apart`` only of loads no further apart than that inside a class.
    """
    by_size: dict[int, tuple[int, set[tuple[int, ...]]]] = {}
    for size in range(1, n + 1):
        shares = {x for x in _partitions(n, size) if apart is None or x[0] - x[-1] <= apart}
        cost = {share: sum(abs(x - (s + 1)) for x in share) for share in shares}
        least = min(cost.values())
        by_size[size] = least, {share for share in shares if cost[share] == least}
    best: tuple[int, set[tuple[int, ...]]] | None = None
    for sizes in _partitions(n, s + 1):
        if min(sizes) == 0:
            continue
        total = sum(by_size[size][0] for size in sizes)
        if best is not None and total > best[0]:
            continue
        loads = {
            tuple(sorted(itertools.chain.from_iterable(choice)))
            for choice in itertools.product(*(by_size[size][1] for size in sizes))
        }
        best = (total, loads | best[1]) if best and best[0] == total else (total, loads)
    assert best is not None
    return best


def _partitions(total: int, parts: int, most: int | None = None) -> list[tuple[int, ...]]:
    """All ways to write a total as so many whole numbers ≥ 0, the largest first."""
    if parts == 0:
        return [()] if total == 0 else []
    top = total if most is None else min(most, total)
    return [
        (first, *rest)
        for first in range(top, -1, -1)
        for rest in _partitions(total - first, parts - 1, first)
    ]
