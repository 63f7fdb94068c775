"""The binary code: who holds which partitions, which survivors it decodes from, at what cost.

What takes a ``code`` measures any matrix; what goes through many codes takes how to ``build`` one,
by default by the paper's algorithms.
"""

import itertools
import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fastgc.arrays import Values
from fastgc.validation.finite.brute_force.brute_codes import (
    algorithm3,
    assignment,
    balanced,
    binary,
    encoding,
    matrix,
    patterns,
)
from fastgc.validation.finite.brute_force.counting import echelon, partitions, rank, words

Code = Mapping[str, Any]
#: n, s → encoding matrix, partitions × workers.
Build = Callable[[int, int], NDArray[np.float64]]

#: First and last partition of each worker in the matrix that the paper prints, n = 11 and s = 3.
_EXAMPLE = (
    (1, 4), (1, 4), (1, 4), (1, 6), (5, 8), (5, 8), (5, 8), (7, 11), (9, 11), (9, 11), (9, 11),
)  # fmt: skip
_PARTS = {"B": (0, 1, 2, 3), "B_C1": (0, 1, 2), "B_C2": (3,)}


def _pairs(most: int, least: int = 1) -> Iterator[tuple[int, int]]:
    return ((n, s) for n in range(least, most + 1) for s in range(n))


def coverage_defects(algorithm: int, version: str, n: int, s: int) -> int:
    """Count (class, partition) pairs that an algorithm does not assign exactly once.

    Algorithm 1 is for the classes 0 … r−1, Algorithm 2 for r … s.
    """
    assigned, r = assignment(algorithm, version, n, s), n % (s + 1)
    classes = range(r) if algorithm == 1 else range(r, s + 1)
    return sum(int(np.sum(assigned[i :: s + 1].sum(axis=0) != 1)) for i in classes)


def shown_coverage_defects(algorithm: int, version: str, n: int, s: int) -> str:
    """Show how often the first class that does it wrongly assigns each partition."""
    assigned, r = assignment(algorithm, version, n, s), n % (s + 1)
    classes = range(r) if algorithm == 1 else range(r, s + 1)
    copies = ((i, assigned[i :: s + 1].sum(axis=0).tolist()) for i in classes)
    wrong, often = next((i, own) for i, own in copies if set(own) != {1})
    return f"n={n}, s={s}: class {wrong} assigns the partitions 1 to {n} this often: {often}"


def coverage_failures(algorithm: int, version: str, most: int) -> int:
    """Count the parameters n ≤ most, s < n for which an algorithm leaves a defect."""
    return sum(coverage_defects(algorithm, version, n, s) > 0 for n, s in _pairs(most))


def example_differences(code: Code, part: str) -> int:
    """Count the entries by which a code differs from a matrix that the paper prints.

    ``part`` is "B", or "B_C1" or "B_C2": the workers of the classes 0 … r−1 or of the others.
    """
    printed = np.array([[first <= i <= last for i in range(1, 12)] for first, last in _EXAMPLE])
    workers = [j for j in range(11) if j % 4 in _PARTS[part]]
    return int(np.sum(matrix(code).T[workers] != printed[workers]))


def encoding_differences(least: int, most: int, build: Build = balanced) -> int:
    """Count entries by which the corrected algorithms differ from codes built in another way.

    By default from codes whose classes share out the partitions as evenly as can be.
    """
    differ = (build(n, s) != encoding(n, s).T for n, s in _pairs(most, least))
    return sum(int(np.sum(each)) for each in differ)


def _loads(code: Code) -> Values:
    return np.asarray(np.count_nonzero(matrix(code), axis=0))


def _spread(B: NDArray[np.float64]) -> int:
    return int(np.ptp(np.count_nonzero(B, axis=0)))


def _load_statement(number: Callable[..., Any]) -> Callable[..., float]:
    def measured(code: Code, **given: int) -> float:
        return float(number(_loads(code), **given))

    return measured


#: The partitions of a worker; the least of a worker, all together, the most less the least.
load = _load_statement(lambda loads, worker: loads[worker])
smallest_load, total_load = _load_statement(min), _load_statement(sum)
load_difference = _load_statement(np.ptp)
#: t, read off the load s + t + 1 of the last worker of class s.
excess_blocks = _load_statement(lambda loads, s: loads[s :: s + 1][-1] - (s + 1))


def unequal_holders(code: Code, s: int) -> int:
    """Count the partitions that are not held by exactly s + 1 workers."""
    return int(np.sum((matrix(code) != 0).sum(axis=1) != s + 1))


def load_difference_within(code: Code, s: int) -> int:
    """Take the largest difference of loads inside the classes 0 … r−1, or inside r … s."""
    loads = _loads(code)
    first = np.arange(len(loads)) % (s + 1) < len(loads) % (s + 1)
    return max(int(np.ptp(part)) for part in (loads[first], loads[~first]) if part.size)


def largest_load_difference(most: int, build: Build = binary) -> int:
    """Take the maximum over s² ≤ n ≤ most with ℓ + r > s."""
    known = ((n, s) for n, s in _pairs(most) if n >= s * s and n // (s + 1) + n % (s + 1) > s)
    return max(_spread(build(n, s)) for n, s in known)


def unevenness(code: Code, s: int) -> float:
    """Add up the distances of the loads from k(s+1)/n."""
    k, n = matrix(code).shape
    return float(sum(abs(load - k * (s + 1) / n) for load in _loads(code).tolist()))


def even_share(n: int, least: int, most: int, of: int, build: Build = binary) -> float:
    """Count the s from least to most whose code gives all workers equal loads, out of so many."""
    return sum(_spread(build(n, s)) == 0 for s in range(least, most + 1)) / of


def identity_exceptions(identity: str, most: int) -> int:
    """Count the pairs s < n ≤ most for which something said of the divisions does not hold."""
    said = _IDENTITIES[identity]
    divisions = ((n, s, *divmod(n, s + 1)) for n, s in _pairs(most))
    return sum(not said(n, s, b, r, *divmod(r, b)) for n, s, b, r in divisions)


def lemma4_exceptions(least: int, most: int, exactly: bool = True) -> int:
    """Count the pairs (s, n) that contradict Lemma 4, least ≤ s ≤ most and s² ≤ n ≤ s² + 6s.

    With ``exactly`` t must be 1 at the three places, else it may be anything there.
    """
    wrong = 0
    for s, a, r, blocks in _regime(least, most):
        is_named, t = a in (s - 2, s - 1, 2 * s), divmod(r, blocks)[0]
        wrong += (exactly or not is_named) and t != is_named
    return wrong


def workers_with_excess(s: int) -> int:
    """Count the n from s² to s² + 6s with t = 1."""
    return sum(divmod(r, blocks)[0] == 1 for _, _, r, blocks in _regime(s, s))


def remainder_differences(least: int, most: int) -> int:
    """Count the n = s² + 2s + γ, 1 ≤ γ ≤ 4(s+1), whose r, q, ℓ or t is not what the proof gives."""
    wrong = 0
    for s in range(least, most + 1):
        for gamma in range(1, 4 * (s + 1) + 1):
            n = s * s + 2 * s + gamma
            said = (gamma - 1) % (s + 1)
            blocks, r = divmod(n, s + 1)
            t, q = divmod(r, blocks)
            wrong += (r, q, blocks * (s + 1), t) != (said, said, n - said, 0)
    return wrong


def _regime(least: int, most: int) -> Iterator[tuple[int, int, int, int]]:
    """Go through s, a, and r and ℓ of n = s² + a > s, for least ≤ s ≤ most and a ≤ 6s."""
    for s in range(least, most + 1):
        for a in range(0 if s > 1 else 2 - s, 6 * s + 1):
            blocks, r = divmod(s * s + a, s + 1)
            yield s, a, r, blocks


#: What is said of n = ℓ (s + 1) + r and r = ℓ t + q, b being ℓ: that q is 0 or less than r, that
#: some blocks hold s + 1 if and only if …, where r > 0.
_IDENTITIES: dict[str, Callable[..., bool]] = {
    "0 < q < r": lambda n, s, b, r, t, q: q == 0 or q < r,
    "l > s-r": lambda n, s, b, r, t, q: r == 0 or (b + r - s >= 1) == (b > s - r),
    "l > r-s": lambda n, s, b, r, t, q: r == 0 or (b + r - s >= 1) == (b > r - s),
}


def least_unevenness_of_classes(n: int, s: int) -> int:
    """Minimise d_s over all ways in which s + 1 classes of workers each share out n partitions."""
    return _best_shares(n, s)[0]


def least_uneven_loads(n: int, s: int, apart: int | None = None) -> int:
    """Count the multisets of loads that attain that minimum, loads of a class at most ``apart``."""
    return len(_best_shares(n, s, apart)[1])


def shown_least_uneven_loads(n: int, s: int, apart: int | None = None) -> str:
    """Show two ways to load the workers, class by class, of the least d_s."""
    best = [sorted(_best_splits(n, len(range(i, n, s + 1)), s, apart)[1]) for i in range(s + 1)]
    several = next((i for i, splits in enumerate(best) if len(splits) > 1), None)
    ways = [[own[way * (i == several)] for i, own in enumerate(best)] for way in (0, 1)]
    first, second = (" | ".join(" ".join(map(str, own)) for own in way) for way in ways)
    least = sum(abs(load - s - 1) for load in itertools.chain(*ways[0]))
    return f"k=n={n}, s={s}: loads of {first} and of {second}, class by class, have d_s = {least}"


def equal_time_load(
    workers: Sequence[int], times: Sequence[float], s: int, k: int, group: int
) -> float:
    """Solve t_1 J_1 = t_i J_i, Σ τ_i J_i = (s+1) k in rational numbers for the loads J."""
    return float(echelon(_load_equations(workers, times, s, k))[group][-1])


def rank_of_equations(
    workers: Sequence[int], ratios: Sequence[str], times: Sequence[float], s: int, k: int
) -> int:
    """Rank of (i), (ii) and (iii), right sides included, in the loads of the groups.

    (iii) is of the numbers of workers alone, which are as the ratios say, or contradict them.
    """
    rows = _load_equations(workers, times, s, k)
    for i, ratio in enumerate(ratios, 1):
        rows.append([*[Fraction(0)] * len(workers), workers[0] - Fraction(ratio) * workers[i]])
    return rank(rows)


def _load_equations(
    workers: Sequence[int], times: Sequence[float], s: int, k: int
) -> list[list[Fraction]]:
    t = [Fraction(str(time)) for time in times]
    rows = [[*map(Fraction, workers), Fraction((s + 1) * k)]]
    for i in range(1, len(workers)):
        rows.append([t[0], *[Fraction(0)] * len(workers)])
        rows[-1][i] = -t[i]
    return rows


def class_times_apart(workers: Sequence[int], times: Sequence[float], s: int) -> float:
    """Slowest over fastest class, of each of which all workers take the same time for the data."""
    speeds = [
        math.fsum(1 / times[group] for group in _groups_of_class(workers, s, residue))
        for residue in range(s + 1)
    ]
    return max(speeds) / min(speeds)


def workers_in_class(workers: Sequence[int], s: int, group: int) -> int:
    """Count the workers of a group in the first class, groups numbered one after another."""
    return _groups_of_class(workers, s, 0).count(group)


def _groups_of_class(workers: Sequence[int], s: int, residue: int) -> list[int]:
    groups = [group for group, size in enumerate(workers) for _ in range(size)]
    return groups[residue :: s + 1]


def _best_splits(n: int, size: int, s: int, apart: int | None) -> tuple[int, set[tuple[int, ...]]]:
    """Least Σ|load − (s+1)| of a class of so many workers, and the loads that attain it."""
    splits = (x for x in partitions(n, size, n) if apart is None or x[0] - x[-1] <= apart)
    cost = {split: sum(abs(x - (s + 1)) for x in split) for split in splits}
    least = min(cost.values())
    return least, {split for split in cost if cost[split] == least}


def _best_shares(n: int, s: int, apart: int | None = None) -> tuple[int, set[tuple[int, ...]]]:
    """Least Σ|load − (s+1)| over class sizes and loads, and the sorted loads that attain it."""
    by_size = {size: _best_splits(n, size, s, apart) for size in range(1, n + 1)}
    every = [sizes for sizes in partitions(n, s + 1, n) if min(sizes)]
    costs = [sum(by_size[size][0] for size in sizes) for sizes in every]
    found = set[tuple[int, ...]]()
    for sizes, most in zip(every, costs, strict=True):
        if most == min(costs):
            loads: set[tuple[int, ...]] = {()}
            for size in sizes:
                loads = {tuple(sorted(own + more)) for own in loads for more in by_size[size][1]}
            found |= loads
    return min(costs), found


# ---- which survivors it decodes from, with what vector and at what cost


def guaranteed_survivors(n: int, s: int) -> int:
    """Find the smallest f such that every f survivors include a complete residue class."""
    classes = _classes(n, s)
    without = (p for p in range(2**n) if not any(p & members == members for members in classes))
    return 1 + max((pattern.bit_count() for pattern in without), default=0)


def wrong_vectors(code: Code, s: int) -> int:
    """Count the patterns, out of all 2ⁿ, for which Algorithm 3 returns a vector that is wrong."""
    B = matrix(code)
    n, wrong = B.shape[1], 0
    for pattern in range(2**n):
        found = algorithm3(n, s, pattern)[0]
        if found is not None:
            used = found >> np.arange(n) & 1
            wrong += bool(np.any(B @ used != 1.0)) or found & ~pattern != 0
    return wrong


def unused_vectors(n: int, s: int) -> int:
    """Count the sets of s stragglers for which Algorithm 3 returns nothing."""
    return sum(algorithm3(n, s, pattern)[0] is None for pattern in words(n, n - s))


def wrong_class_vectors(code: Code, modulus: int) -> int:
    """Count the classes modulo ``modulus`` of which the workers' sum is not the gradient."""
    sums = (matrix(code)[:, residue::modulus].sum(axis=1) for residue in range(modulus))
    return sum(bool(np.any(each != 1.0)) for each in sums)


def broken_shifts(n: int, s: int, within: bool) -> int:
    """Count the i for which a_(i+1) is no cyclic shift of a_i.

    With ``within`` only where both belong to the first r classes, or both to the others.
    """
    found = [algorithm3(n, s, members)[0] or 0 for members in _classes(n, s)]
    vectors = [[float(vector >> j & 1) for j in range(n)] for vector in found]
    return count_broken_shifts(vectors, n % (s + 1) if within else 0)


def count_broken_shifts(vectors: list[list[float]], left_out: int) -> int:
    """Count the steps that are no cyclic shift, but for the step to vector ``left_out`` > 0."""
    return sum(
        not any(first[turn:] + first[:turn] == second for turn in range(len(first)))
        for i, (first, second) in enumerate(itertools.pairwise(vectors), 1)
        if i != (left_out or None)
    )


def vector_weight(code: Code, s: int, residue: int) -> int:
    """Count the answers that are added up when only the workers of one class are there."""
    A = matrix(code)[:, residue :: s + 1]
    x = np.linalg.lstsq(A, np.ones(len(A)), rcond=None)[0]
    return int(np.sum(np.abs(x) > 1e-9)) if np.allclose(A @ x, 1.0) else 0


def early_failures(n: int, s: int) -> int:
    """Count the sets of s stragglers for which the class taken without a look lacks a worker."""
    return sum(
        (algorithm3(n, s, pattern, early=True)[0] or 0) & ~pattern != 0
        for pattern in words(n, n - s)
    )


def worst_look_ups(n: int, s: int, early: bool = False) -> int:
    """Count the workers that Algorithm 3 looks up where the last worker of s classes straggles.

    These are the first s classes that it looks through; no other set costs more.
    """
    r = 0 if early else n % (s + 1)
    order = [*range(r, s + 1), *range(r)]
    lost = [range(residue, n, s + 1)[-1] for residue in order[:s]]
    return algorithm3(n, s, 2**n - 1 - sum(1 << j for j in lost), early)[1]


def look_ups_saved(n: int, s: int) -> float:
    """Mean number of look-ups that beginning with class r saves, over all sets of s stragglers."""
    saved = [
        algorithm3(n, s, pattern, first=0)[1] - algorithm3(n, s, pattern)[1]
        for pattern in words(n, n - s)
    ]
    return sum(saved) / len(saved)


def exact_covers(code: Code) -> int:
    """Count the sets of workers that together hold every partition exactly once."""
    return int(np.sum(np.all(_copies(code) == 1, axis=1)))


def fewest_disjoint(code: Code, survivors: int) -> int:
    """Fewest workers without common partitions to be found among so many survivors."""
    copies = _copies(code)
    disjoint = np.flatnonzero(np.all(copies <= 1, axis=1)).tolist()
    return min(
        max(chosen.bit_count() for chosen in disjoint if chosen & ~pattern == 0)
        for pattern in words(len(copies).bit_length() - 1, survivors)
    )


def _copies(code: Code) -> Values:
    # how many workers of each set hold each partition
    held = matrix(code) != 0
    return np.asarray(patterns(held.shape[1]) @ held.T)


def look_ups_per_row(n: int, s: int) -> float:
    """Divide the workers that Algorithm 3 looks up at worst by the rows of the table.

    Each set of s stragglers needs a row.
    """
    return worst_look_ups(n, s) / math.comb(n, s)


def _classes(n: int, s: int) -> list[int]:
    return [sum(1 << j for j in range(i, n, s + 1)) for i in range(s + 1)]
