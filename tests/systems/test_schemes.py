"""Schemes on real data: allocations, exact results, and what is refused."""

from fractions import Fraction
from itertools import combinations

import numpy as np
import pytest

from fastgc.codes import binary, code_of, cyclic, cyclic_mds, frc
from fastgc.errors import FastgcError
from fastgc.systems import CodedReduce, coded_reduce, layered
from fastgc.systems.coded_reduce import capacities
from fastgc.systems.schemes import generator, recover

# Example 2 of paper `codedreduce`, (4): workers × partitions there
EXAMPLE = np.array([[0.5, 1, 0], [0, 1, -1], [0.5, 0, 1]]).T


def integers(samples, features=3, seed=0):
    """Gradients whose sum is exact."""
    return np.random.default_rng(seed).integers(-99, 100, (samples, features)).astype(float)


def gradient(tree, gradients, stragglers=()):
    """The sum as the tree computes it, each worker from its own samples alone."""
    answers = np.full((tree.workers, *gradients.shape[1:]), np.nan)
    for worker, share in enumerate(tree.allocate(len(gradients))):
        if worker not in stragglers:
            answers[worker] = np.tensordot(share.coefficients, gradients[share.samples], 1)
    return tree.reduce(answers, stragglers)


def families(tree):
    """The children of every parent."""
    parents = np.array(tree.structure().parents)
    return [np.flatnonzero(parents == parent).tolist() for parent in np.unique(parents)]


# Example 2


def test_example_2_loads_and_allocation():
    tree = coded_reduce(n=3, layers=2, s=1, code=code_of(EXAMPLE, tolerance=1))
    assert (tree.workers, tree.structure().regular, tree.s) == (12, (3, 2, 2), 1)
    assert tree.load == 4 / 15
    assert tree.multiple == 15
    allocation = tree.allocate(15)
    found = [
        dict(zip(share.samples.tolist(), share.coefficients.tolist(), strict=True))
        for share in allocation
    ]
    # D^T(1,1) = ½ D_1 ∪ D_2, of which node (1,1) keeps the first two fifths
    assert found[0] == {0: 0.5, 1: 0.5, 2: 0.5, 3: 0.5}
    # D(2,1) = ½ D_3 ∪ D_4, D(2,2) = D_4 ∪ (−1) D_5, D(2,3) = ½ D_3 ∪ D_5 of D^T(1,1)
    assert found[3] == {4: 0.25, 5: 0.5, 6: 1, 7: 1}
    assert found[4] == {6: 1, 7: 1, 8: -1, 9: -1}
    assert found[5] == {4: 0.25, 5: 0.5, 8: 1, 9: 1}


# regular trees


@pytest.mark.parametrize(("n", "layers", "s", "code"), [
    (2, 3, 1, None), (3, 3, 0, None), (4, 2, 1, frc(4, 2)), (5, 2, 2, cyclic_mds(5, 3)),
    (4, 3, 1, None), (12, 2, 5, None), (12, 2, 5, frc(12, 6)), (1, 4, 0, None), (4, 2, 3, None),
])  # fmt: skip
def test_gradients_are_exact(n, layers, s, code):
    tree = coded_reduce(n, layers, s, code=code)
    assert tree.load == float(
        1 / sum(Fraction(n, s + 1) ** layer for layer in range(1, layers + 1))
    )
    assert tree.load == pytest.approx(tree.system.share(), rel=1e-15)
    gradients = integers(tree.multiple * 2)
    allocation = tree.allocate(len(gradients))
    assert {len(samples) for samples in allocation} == {round(tree.load * len(gradients))}
    rng = np.random.default_rng(5)
    for _ in range(10):
        gone = [rng.choice(each, tree.s, replace=False) for each in families(tree)]
        found = gradient(tree, gradients, np.concatenate(gone))
        # codes of ones lose no bit
        assert np.abs(found - gradients.sum(axis=0)).max() < (
            1e-11 if code is not None and code.name.startswith("frc") else 1e-7
        )


def test_gradients_keep_their_shape():
    tree = coded_reduce(n=2, layers=2, s=1)
    gradients = integers(2 * tree.multiple, 6)
    found = gradient(tree, gradients.reshape(-1, 2, 3), [0, 5])
    assert np.allclose(found, gradients.sum(axis=0).reshape(2, 3))
    total = gradient(tree, gradients[:, 0])
    assert total.shape == ()
    assert total == pytest.approx(gradients[:, 0].sum())


def test_a_code_with_more_than_it_needs():
    tree = coded_reduce(n=4, layers=2, s=1, code=cyclic(4, 3, seed=1))
    assert tree.load == pytest.approx(1 / (4 / 3 + 16 / 9))
    gradients = integers(tree.multiple)
    found = gradient(tree, gradients, [0, 5, 10])
    assert np.abs(found - gradients.sum(axis=0)).max() < 1e-8


def least_load(parents, s):
    """Smallest load of any placement: a linear programme over the sets of holders of a point."""
    from scipy.optimize import linprog

    workers = len(parents)
    children = [[i for i, p in enumerate(parents) if p == node] for node in range(workers + 1)]

    def robust(node, holders):
        enough = sum(robust(child + 1, holders) for child in children[node]) > s
        return enough or (node > 0 and node - 1 in holders)

    sets = [
        holders
        for size in range(workers + 1)
        for holders in combinations(range(workers), size)
        if robust(0, holders)
    ]
    uses = np.array([[worker in holders for holders in sets] for worker in range(workers)], float)
    found = linprog(
        [*[0] * len(sets), 1],
        A_ub=np.hstack([uses, -np.ones((workers, 1))]),
        b_ub=np.zeros(workers),
        A_eq=[[*[1] * len(sets), 0]],
        b_eq=[1],
    )
    return found.fun


@pytest.mark.parametrize(("parents", "s"), [
    ([0, 0, 0, 1, 1], 1),
    ([0, 0, 1, 1], 1),  # one child must hold what the other could do alone
    ([0, 0, 0, 1, 1, 1, 1, 1], 1),
    ([0, 0, 1, 1, 3, 3, 3], 1),
    ([0, 1, 1, 2], 0),
    ([0, 0, 0, 1, 1, 1], 2),
    ([0, 0, 1, 1, 2, 2], 1),
])  # fmt: skip
def test_the_load_is_the_least_possible(parents, s):
    assert float(1 / capacities(parents, s)[0]) == pytest.approx(least_load(parents, s), rel=1e-9)
    assert CodedReduce(parents=tuple(parents), s=s).share() == float(1 / capacities(parents, s)[0])


# stragglers


def test_what_is_below_a_straggler_or_a_stuck_worker_is_lost_with_it():
    tree, gradients = coded_reduce(n=3, layers=2, s=1), integers(15)
    for stragglers in ([0, 3, 4, 5], [3, 4]):
        assert np.allclose(gradient(tree, gradients, stragglers), gradients.sum(axis=0))
    for stragglers in ([1, 3, 4], [0, 2]):
        with pytest.raises(FastgcError, match="the master can do without at most s=1 of its 3"):
            gradient(tree, gradients, stragglers)


# ---- products in layers


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


# ---- mistakes

TREE, PRODUCT = coded_reduce(n=3, layers=2, s=1), layered(n=4, k=(3, 2))
LOSSY = code_of(np.diag([1.0, 1e-3, 1.0]), tolerance=1)  # claims what it does not do


def made(code, n=3, layers=2, s=1):
    return coded_reduce(n, layers, s, code=code)


@pytest.mark.parametrize(("call", "message"), [
    (lambda: TREE.allocate(16), r"samples: must be a multiple of 15, .*16; 30 would do"),
    (lambda: TREE.reduce(np.ones((12, 2)), [12]), r"from 0 to 11 \(got 12\)"),
    (lambda: TREE.reduce(np.ones((11, 2))), r"answers: .* 12 workers \(got 11\)"),
    (lambda: TREE.reduce(np.full((12, 2), np.inf)), "answers: every entry"),
    (lambda: coded_reduce(n=3, layers=2, s=3), "s must be less than n"),
    (lambda: made(np.eye(4)), r"n=3 workers, .*: 4 workers"),
    (lambda: made(np.eye(3)), "survive any s=1"),
    (lambda: made(binary(11, 3), 11, s=3), r"loads 3 to 6"),
    (lambda: made(np.ones((1, 40)), 40, 1, 20), "must say that it survives"),
    (lambda: made(LOSSY, layers=1).reduce(np.ones(3), [1]), "loses too many digits"),
    (lambda: PRODUCT.encode([1, 2]), "A: must be a table"),
    (lambda: PRODUCT.decode(1, {0: [1.0]}), "layer 1 needs those of 2 workers"),
    (lambda: PRODUCT.decode(1, {0: [1.0], 4: [1.0]}), "from 0 to 3"),
    (lambda: layered(n=3, k=(2,), seed=1.5), "seed"),
    (lambda: layered(n=3, k=(4,)), "k"),
])  # fmt: skip
def test_mistakes_are_said(call, message):
    with pytest.raises(FastgcError, match=message) as raised:
        call()
    assert "\n" not in str(raised.value)
