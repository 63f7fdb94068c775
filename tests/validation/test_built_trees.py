"""Statements about trees and ports measured on what fastgc builds; what is built wrongly shows."""

import dataclasses
import math

import numpy as np
import pytest

from fastgc.systems.schemes import reduction
from fastgc.systems.schemes.allocation import Allocation, Share
from fastgc.validation.finite import measure
from fastgc.validation.finite.product import systems

EXAMPLE = {"n": 3, "layers": 2, "s": 1}
STAR = {"family": "gradient-code", "n": 12, "s": 5}


def measured(name, **arguments):
    return measure({"built": name, **arguments})


def test_what_trees_hold():
    assert measured("largest_share", **EXAMPLE) == 4 / 15
    assert measured("largest_share", n=4, layers=1, s=1, code="frc") == 0.5
    assert measured("largest_share", s=1, parents=[0, 0, 0, 1, 1]) == 0.5
    assert measured("samples_held", **EXAMPLE, samples=30) == 12 * 8
    assert measured("whole_samples", n=12, layers=2, s=3, code="cyclic") == 48
    assert measured("workers", n=4, layers=3) == 84


def test_what_trees_decode():
    assert measured("undecoded_patterns", **EXAMPLE) == 0
    assert measured("decoded_sets", **EXAMPLE, stragglers=2) == math.comb(12, 2) - 3
    assert measured("fewest_that_break", **EXAMPLE) == 2
    rows = [[0.5, 1, 0], [0, 1, -1], [0.5, 0, 1]]
    assert measured("undecoded_patterns", **EXAMPLE, rows=rows) == 0


def shifted(share):
    return Share((share.samples + 1) % 15, share.coefficients)


@pytest.mark.parametrize(
    "wrong",
    [
        shifted,
        lambda share: dataclasses.replace(share, coefficients=2 * share.coefficients),
        lambda share: share.part(0, len(share) - 1),
    ],
    ids=["other samples", "other coefficients", "one sample less"],
)
def test_a_wrong_allocation_is_seen(monkeypatch, wrong):
    allocate = reduction.CodedReduceTree.allocate

    def broken(tree, samples):
        first, *others = allocate(tree, samples).shares
        return Allocation((wrong(first), *others))

    monkeypatch.setattr(reduction.CodedReduceTree, "allocate", broken)
    assert measured("undecoded_patterns", **EXAMPLE) > 0
    assert measured("decoded_sets", **EXAMPLE, stragglers=2) < math.comb(12, 2) - 3


def test_an_allocation_that_gives_one_worker_more_is_seen(monkeypatch):
    allocate = reduction.CodedReduceTree.allocate

    def broken(tree, samples):
        *others, last = allocate(tree, samples).shares
        return Allocation((*others, Share(np.arange(samples), np.ones(samples)), last))

    monkeypatch.setattr(reduction.CodedReduceTree, "allocate", broken)
    assert measured("largest_share", **EXAMPLE) == 1.0
    assert measured("samples_held", **EXAMPLE, samples=15) > 12 * 4
    assert measured("workers", n=3, layers=2) == 13


def test_a_tree_that_uses_stragglers_is_seen(monkeypatch):
    lost = reduction.CodedReduceTree._stragglers

    def forgets(tree, stragglers):
        return np.zeros_like(lost(tree, stragglers))

    monkeypatch.setattr(reduction.CodedReduceTree, "_stragglers", forgets)
    assert measured("undecoded_patterns", **EXAMPLE) == 256 - 1


def test_times():
    assert measured("mean_time", system=STAR) == pytest.approx(1 + sum(1 / i for i in range(6, 13)))
    assert 0 < measured("port_delay", system=STAR, receive=0.5) <= 7 * 0.5
    shape = {"n": 4, "layers": 2, "s": 1, "shift": 1.0, "paths": 300, "seed": 3}
    assert measured("least_path", **shape, receive=0.2) >= 1.0 + 2 * 3 * 0.2
    assert 0 < measured("longest_path_delay", **shape, receive=0.2) <= 2 * 3 * 0.2


@pytest.mark.parametrize("receive", [0.0, 0.5])
@pytest.mark.parametrize(("answering", "received"), [(12, 7), (7, 7), (6, 6), (0, 0)])
def test_messages(answering, received, receive):
    found = measured("messages_received", system=STAR, answering=answering, receive=receive, seed=1)
    assert found == received


def test_a_port_that_takes_no_time_is_seen(monkeypatch):
    complete = systems.complete
    monkeypatch.setattr(systems, "complete", lambda tree, times, _=0.0: complete(tree, times))
    shape = {"n": 4, "layers": 2, "s": 1, "shift": 1.0, "paths": 300, "seed": 3}
    assert measured("least_path", **shape, receive=0.2) < 1.0 + 2 * 3 * 0.2
    assert measured("longest_path_delay", **shape, receive=0.2) == 0
