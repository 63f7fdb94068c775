"""Layered products on real data: any k_j answers of a layer give back its tasks."""

from itertools import combinations

import numpy as np
import pytest

from fastgc.errors import FastgcError
from fastgc.systems import layered
from fastgc.systems.schemes import generator, recover


@pytest.mark.parametrize(("n", "k"), [(1, 1), (3, 2), (5, 1), (6, 3), (7, 5), (8, 4), (4, 4)])
def test_any_k_blocks_give_back_all(n, k):
    G = generator(n, k)
    blocks = np.random.default_rng(1).normal(size=(k, 4))
    for workers in combinations(range(n), k):
        assert np.allclose(recover(G, workers, G[list(workers)] @ blocks), blocks, atol=1e-9)
        assert np.allclose(recover(G, workers[::-1], G[list(workers[::-1])] @ blocks), blocks)


def test_codes_are_systematic_and_seeded():
    G = generator(9, 6)
    assert np.array_equal(G[:6], np.eye(6))
    assert not np.array_equal(G, generator(9, 6, seed=1))
    assert generator(4, 0).shape == (4, 0)


def test_large_codes_keep_their_digits():
    rng = np.random.default_rng(4)
    product = layered(n=200, k=(150,))
    A, x = rng.normal(size=(150, 30)), rng.normal(size=30)
    [coded] = product.encode(A)
    for _ in range(5):
        first = rng.permutation(200)[:150].tolist()
        y = product.decode(0, {worker: coded[worker] @ x for worker in first})
        assert np.abs(y.ravel() - A @ x).max() < 1e-8


@pytest.mark.parametrize("k", [(3, 2), (4, 4, 4), (9, 6, 4, 1), (2, 0, 5), (1,), (9, 7, 4, 0)])
def test_products_of_the_first_answers(k):
    rng = np.random.default_rng(7)
    product = layered(n=9, k=k)
    A, x = rng.normal(size=(47, 5)), rng.normal(size=(5, 2))
    parts = []
    for layer, (need, coded) in enumerate(zip(k, product.encode(A), strict=True)):
        first = rng.permutation(9)[:need].tolist()
        parts.append(product.decode(layer, {worker: coded[worker] @ x for worker in first}))
    found = np.concatenate([each.ravel() for each in parts]).reshape(-1, 2)
    assert np.allclose(found[:47], A @ x, atol=1e-9)
    assert np.allclose(found[47:], 0, atol=1e-9)  # rows that fill up the last task


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda p: p.encode([[1, 2], [3]]), "A: must be an array"),
        (lambda p: p.encode([1, 2]), "A: must be a table"),
        (lambda p: p.encode(np.ones((0, 2))), "A: must be a table"),
        (lambda p: p.encode(np.eye(2) * np.nan), "A: every entry"),
        (lambda p: p.decode(1, {0: [1.0]}), "layer 1 needs those of 2 workers"),
        (lambda p: p.decode(1, {0: [1.0], 4: [1.0]}), "from 0 to 3"),
        (lambda p: p.decode(1, {0: [1.0], 1: [1.0, 2.0]}), "answers: must be an array"),
    ],
)
def test_bad_calls_are_refused(call, message):
    with pytest.raises(FastgcError, match=message) as raised:
        call(layered(n=4, k=(3, 2)))
    assert "\n" not in str(raised.value)


@pytest.mark.parametrize(
    "parameters",
    [
        {"k": (4,)}, {"k": (0, 0)}, {"k": ()}, {"k": (2,), "seed": -1},
        {"k": (2,), "seed": 1.5},
    ],
)  # fmt: skip
def test_bad_layers_are_refused(parameters):
    with pytest.raises(FastgcError):
        layered(n=3, **parameters)
