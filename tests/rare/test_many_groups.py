"""Groups of more workers than laws of the number of stragglers are made for."""

import itertools

import numpy as np
import pytest

import fastgc
from fastgc import codes
from fastgc.codes.given import code_given
from fastgc.errors import FastgcError
from fastgc.experiments.decoding import number_law
from fastgc.experiments.decoding.number_law import by_products, is_convolved
from fastgc.study.study import Study

N = 6000


def table(p, family="frc", **more):
    keys = {"d": 4} if family == "frc" else {"d": 3}
    return {
        "kind": "decoding",
        "code": {"family": family, "n": N} | keys,
        "stragglers": {"model": "iid", "p": p},
        "measure": ["exact"],
    } | more


def unequal(n=N):
    return [0.01 + 0.04 * (j % 7) / 7 for j in range(n)]


def by_all_sets(structure, straggle, limit):
    lost = [np.prod(straggle[structure.labels == g]) for g in range(len(structure.weights))]
    total = 0.0
    for gone in itertools.product([False, True], repeat=len(lost)):
        if structure.weights[list(gone)].sum() + structure.uncovered > limit:
            total += np.prod([p if g else 1 - p for p, g in zip(lost, gone, strict=True)])
    return total


@pytest.mark.parametrize("limit", [0.0, 1.0, 2.5, 3.0, 4.0, 7.0, 9.0, 12.0, 50.0])
def test_products_are_those_of_all_sets_of_groups(limit, monkeypatch):
    # groups of unlike weight and size, and partitions that nobody holds
    B = np.zeros((13, 8))
    for rows, workers in ((range(1), (0, 1)), (range(1, 4), (2,)), (range(4, 6), (3, 4, 5))):
        B[np.ix_(list(rows), list(workers))] = 1
    B[6:11, 6:8] = 1
    structure = code_given(B).structure
    assert structure.uncovered == 2
    straggle = np.linspace(0.1, 0.9, 8)
    expected = by_all_sets(structure, straggle, limit)
    assert by_products(structure, straggle, limit) == pytest.approx(expected, rel=1e-12, abs=0)
    monkeypatch.setattr(number_law, "MOST_WORKERS", 7)
    assert by_products(structure, straggle, limit) == pytest.approx(expected, rel=1e-12, abs=0)


@pytest.mark.parametrize("method", ["auto", "rare"])
def test_unequal_probabilities_are_multiplied(method):
    rows = fastgc.run({"experiment": [table(unequal(), thresholds=[0.0], method=method)]}).rows()
    [row] = [row for row in rows if row["method"] == "exact"]
    lost = np.array(unequal()).reshape(-1, 4).prod(axis=1)
    assert 1 - row["value"] == pytest.approx(-np.expm1(np.log1p(-lost).sum()), rel=1e-9, abs=0)
    assert row["trials"] is None and row["standard_error"] == 0


@pytest.mark.night
def test_low_thresholds_alone():
    structure = codes.frc(n=200_000, d=2).structure
    assert is_convolved(structure, 100.0) and not is_convolved(structure, 90_000.0)
    thresholds = {"measure": ["error"], "thresholds": [90_000.0], "method": "rare"}
    study = {"experiment": [table([0.1, 0.2] * 100_000) | thresholds]}
    study["experiment"][0]["code"] = {"family": "frc", "n": 200_000, "d": 2}
    with pytest.raises(FastgcError, match=r"at most 4096 workers .or groups of workers"):
        fastgc.run(study)


@pytest.mark.parametrize("changed", [
    table(unequal(), "circulant"), table(unequal(), shuffle="random"),
    table(0.1) | {"stragglers": {"model": "uniform", "stragglers": 9}},
])  # fmt: skip
def test_what_has_no_products_is_left_to_trials(changed):
    [point] = Study.parse({"experiment": [changed]}).points()
    assert point.compiled.rare_method is None
