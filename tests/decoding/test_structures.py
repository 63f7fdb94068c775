"""Errors of codes whose structure makes them cheap, against least squares pattern by pattern."""

import numpy as np
import pytest

from fastgc.codes.structure import CycleGaps, Groups, structure_of
from fastgc.draws.streams import WORD
from fastgc_kernels.decode import cycle_gaps, groups
from fastgc_kernels.draw import patterns
from twins.least_squares import lstsq_errors, pack

RANDOM = np.random.default_rng(2026)

#: B with groups of unlike sizes and weights, partitions that no worker holds, idle workers.
GROUPED = {
    "frc": np.kron(np.eye(3), np.ones((2, 2))),
    "uncoded": np.eye(5),
    "one worker": np.ones((3, 1)),
    "one group": np.ones((1, 4)),
    "unequal weights": np.repeat(np.eye(3), [1, 3, 2], axis=0)[:, [0, 1, 1, 2, 2, 2]],
    "uncovered": np.vstack([np.zeros((2, 4)), np.kron(np.eye(2), np.ones((1, 2)))]),
    "idle workers": np.hstack([np.zeros((3, 1)), np.eye(3), np.zeros((3, 2))]),
    "mixed order": np.eye(3)[:, [2, 0, 2, 1, 0]],
    "no worker holds anything": np.zeros((2, 3)),
}


def every_pattern(n):
    return (np.arange(2**n)[:, np.newaxis] >> np.arange(n) & 1).astype(bool)


def some_patterns(n, count, seed):
    """Random ones of every density, with none and all among them."""
    random = np.random.default_rng(seed)
    rows = random.random((count, n)) < random.random((count, 1))
    rows[0], rows[1] = False, True
    return rows


def group_errors(B, rows):
    structure = structure_of(B)
    assert isinstance(structure, Groups)
    out = np.full(len(rows), np.nan)
    groups.errors(pack(rows), structure.labels, structure.weights, structure.uncovered, out)
    return out


@pytest.mark.parametrize("name", GROUPED)
def test_groups_on_every_pattern(name):
    B = GROUPED[name]
    rows = every_pattern(B.shape[1])
    expected = lstsq_errors(B, rows)
    np.testing.assert_allclose(group_errors(B, rows), expected, rtol=0, atol=1e-12 * len(B))


@pytest.mark.parametrize("n", [64, 65, 130, 200])
def test_groups_of_many_workers(n):
    labels = RANDOM.integers(-1, 9, n)  # −1: holds nothing
    weights = RANDOM.integers(1, 4, 9)
    B = np.zeros((weights.sum() + 2, n))
    stop = np.cumsum(weights)
    for j, label in enumerate(labels):
        if label >= 0:
            B[stop[label] - weights[label] : stop[label], j] = 1
    rows = some_patterns(n, 60, seed=n)
    expected = lstsq_errors(B, rows)
    np.testing.assert_allclose(group_errors(B, rows), expected, rtol=0, atol=1e-11 * len(B))
    assert len(set(np.round(expected, 6))) > 3, "the patterns tell nothing apart"


def lost_groups(labels, rows, trials):
    """Counts by the kernel that never expands a pattern."""
    n = rows.shape[1]
    packed = pack(rows)
    planes = np.empty((n, len(rows) // WORD), np.uint64)
    patterns.unpack(packed, planes)
    order = np.argsort(labels, kind="stable")[np.count_nonzero(labels < 0) :]
    sizes = np.bincount(labels[labels >= 0])
    offsets = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)
    counts = np.zeros(sizes.size + 1, np.int64)
    counts[0] = 5  # what is there already stays
    groups.lost_groups(planes, order.astype(np.int64), offsets, trials, counts)
    counts[0] -= 5
    return counts


@pytest.mark.parametrize("n", [1, 2, 7, 64, 130])
@pytest.mark.parametrize("trials", [1, 63, 64, 65, 2048, 2049, 64 * 40])
def test_lost_groups(n, trials):
    random = np.random.default_rng(1000 * n + trials)
    number = max(1, n // 3)
    labels = random.permutation(np.arange(n) % number)
    if n > 3:
        labels[random.integers(n // 4)] = -1
        labels = np.unique(labels, return_inverse=True)[1] - 1  # every group has a worker
    rows = some_patterns(n, 64 * 40, seed=n)
    lost = np.zeros(len(rows), int)
    for label in range(labels.max() + 1):
        lost += ~rows[:, labels == label].any(axis=1)
    expected = np.bincount(lost[:trials], minlength=labels.max() + 2)
    assert lost_groups(labels, rows, trials).tolist() == expected.tolist()


def circulant(n):
    return np.eye(n) + np.roll(np.eye(n), 1, axis=0)


def cycle_errors(n, rows):
    assert isinstance(structure_of(circulant(n)), CycleGaps)
    out = np.full(len(rows), np.nan)
    cycle_gaps.errors(pack(rows), n, out)
    return out


@pytest.mark.parametrize("n", [3, 4, 5, 8, 9])
def test_cycle_gaps_on_every_pattern(n):
    rows = every_pattern(n)
    expected = lstsq_errors(circulant(n), rows)
    np.testing.assert_allclose(cycle_errors(n, rows), expected, rtol=0, atol=1e-12 * n)


@pytest.mark.parametrize("n", [63, 64, 65, 128, 130])
def test_cycle_gaps_of_many_workers(n):
    rows = some_patterns(n, 40, seed=n)
    # one straggler at either end of a word, and all but one
    edges = [{0}, {63 % n}, {n - 1}, {0, n - 1}, set(range(1, n)), set(range(n - 1))]
    rows = np.vstack([rows, [[j not in edge for j in range(n)] for edge in edges]])
    expected = lstsq_errors(circulant(n), rows)
    np.testing.assert_allclose(cycle_errors(n, rows), expected, rtol=0, atol=1e-10 * n)


@pytest.mark.parametrize("n", [7, 64, 65])
def test_the_bits_of_an_error_do_not_depend_on_the_batch(n):
    rows = some_patterns(n, 100, seed=1)
    together = cycle_errors(n, rows)
    order = np.random.default_rng(2).permutation(100)
    assert (cycle_errors(n, rows[order]) == together[order]).all()
    assert [cycle_errors(n, rows[i : i + 1])[0] for i in range(100)] == together.tolist()


def test_paths_of_the_cycle_by_hand():
    # 8 partitions in a ring; worker j joins partitions j and j + 1
    def cost(*stragglers):
        return cycle_errors(8, np.array([[j not in stragglers for j in range(8)]]))[0]

    assert cost() == 0
    assert cost(0) == 0  # one path of 8
    assert cost(0, 3) == pytest.approx(1 / 3 + 1 / 5)
    assert cost(0, 4) == 0
    assert cost(0, 1) == pytest.approx(1 + 1 / 7)
    assert cost(*range(8)) == 8
