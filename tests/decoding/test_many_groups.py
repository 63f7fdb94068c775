"""Lost groups of many workers: the same errors and counts as of few."""

import numpy as np
import pytest

import fastgc
from fastgc.codes import Groups
from fastgc.experiments.decoding import lost_groups
from fastgc_kernels.decode import groups as kernel
from fastgc_kernels.draw import patterns as draw


def slow(alive: np.ndarray, groups: Groups) -> tuple[np.ndarray, np.ndarray]:
    """Errors and numbers of lost groups, group by group."""
    errors = np.full(len(alive), groups.uncovered)
    lost = np.zeros(len(alive), np.int64)
    for group, weight in enumerate(groups.weights):
        gone = ~alive[:, groups.labels == group].any(axis=1)
        errors = errors + weight * gone
        lost += gone
    return errors, lost


@pytest.mark.parametrize(("n", "most"), [(1, 1), (70, 9), (700, 300), (9000, 9000)])
@pytest.mark.parametrize("words", [1, 2])
def test_errors_and_counts(n: int, most: int, words: int) -> None:
    """Also more groups than a counter counts, workers without a group, groups anyhow mixed."""
    rng = np.random.default_rng(n)
    labels = rng.integers(-1, most, n)
    known = np.unique(labels[labels >= 0])
    labels = np.where(labels < 0, -1, np.searchsorted(known, labels))
    groups = Groups(labels, rng.integers(1, 5, len(known)), 2)
    planes = rng.integers(0, 2**64, (n, words), np.uint64)
    if n == 9000:
        planes &= rng.integers(0, 2**64, (n, words), np.uint64)
        planes[:, 0] &= ~np.uint64(1)  # a pattern of stragglers alone
    packed = np.empty((64 * words, -(-n // 64)), np.uint64)
    draw.pack(planes, packed)
    bits = np.unpackbits(packed.view(np.uint8), axis=1, bitorder="little")[:, :n].astype(bool)
    errors, lost = slow(bits, groups)
    offsets, order = groups.members
    found = np.empty(len(packed))
    kernel.errors_of_many(packed, order, offsets, groups.weights, groups.uncovered, found)
    assert found.tolist() == errors.tolist()
    counts = np.empty(len(packed), np.int64)
    kernel.lost_groups_of_many(planes, order, offsets, counts)
    assert counts.tolist() == lost.tolist()


@pytest.mark.night
def test_a_study_has_the_same_rows_by_either_way(monkeypatch: pytest.MonkeyPatch) -> None:
    study = {
        "kind": "decoding",
        "code": {"family": "frc", "n": 2400, "d": 2},
        "stragglers": {"model": "iid", "p": 0.3},
        "measure": ["error", "exact"],
        "thresholds": [200.0, 216.0],
        "method": "monte-carlo",
    }
    many = fastgc.run({"experiment": [study]}, trials=3000).rows()
    monkeypatch.setattr(lost_groups, "_FEW_GROUPS", 10**6)
    assert fastgc.run({"experiment": [study]}, trials=3000).rows() == many
    decoded = {**study, "measure": ["error", "norm"]}  # errors of patterns one by one
    rows = fastgc.run({"experiment": [decoded]}, trials=3000).rows()
    assert [row for row in rows if row["quantity"] == "error"] == [
        row for row in many if row["quantity"] == "error"
    ]
