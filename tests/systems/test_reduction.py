"""CodedReduce on real data: allocations, exact gradients, and what is refused."""

from fractions import Fraction
from itertools import combinations, product

import numpy as np
import pytest

from fastgc.codes import binary, code_of, cyclic, cyclic_mds, frc
from fastgc.errors import FastgcError
from fastgc.systems import CodedReduce, coded_reduce
from fastgc.systems.coded_reduce import capacities

# Example 2 of paper `codedreduce`, (4): workers × partitions there
EXAMPLE = np.array([[0.5, 1, 0], [0, 1, -1], [0.5, 0, 1]]).T


def integers(samples, features=3, seed=0):
    """Gradients whose sum is exact."""
    return np.random.default_rng(seed).integers(-99, 100, (samples, features)).astype(float)


def gradient(tree, gradients, stragglers=()):
    """The sum as the tree computes it, each worker from its own samples alone."""
    answers = np.full((tree.workers, *gradients.shape[1:]), np.nan)
    lost = np.zeros(tree.workers, bool)
    lost[np.asarray(stragglers, bool if np.asarray(stragglers).dtype == bool else int)] = True
    for worker, share in enumerate(tree.allocate(len(gradients))):
        if not lost[worker]:
            answers[worker] = np.tensordot(share.coefficients, gradients[share.samples], 1)
    return tree.reduce(answers, stragglers)


def allowed_patterns(tree):
    """All patterns of at most s stragglers among the children of every parent."""
    families = {}
    for worker, parent in enumerate(tree.structure().parents):
        families.setdefault(parent, []).append(worker)
    choices = [
        [gone for size in range(tree.s + 1) for gone in combinations(children, size)]
        for children in families.values()
    ]
    return [sum(parts, ()) for parts in product(*choices)]


def random_pattern(tree, rng):
    """A pattern of exactly s stragglers among the children of every parent."""
    parents = np.array(tree.structure().parents)
    families = [np.flatnonzero(parents == parent) for parent in np.unique(parents)]
    return np.concatenate([rng.choice(family, tree.s, replace=False) for family in families])


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


@pytest.mark.parametrize("samples", [15, 60])
def test_example_2_survives_all_256_patterns(samples):
    tree = coded_reduce(n=3, layers=2, s=1, code=EXAMPLE)
    patterns = allowed_patterns(tree)
    assert len(patterns) == 256
    gradients = integers(samples)
    for stragglers in patterns:
        found = gradient(tree, gradients, stragglers)
        assert np.abs(found - gradients.sum(axis=0)).max() < 1e-9
        assert np.abs(tree.gradient(gradients, stragglers) - found).max() < 1e-9


# regular trees


@pytest.mark.parametrize(
    ("n", "layers", "s", "code"),
    [
        (2, 3, 1, None), (3, 3, 0, None), (4, 2, 1, frc(4, 2)), (5, 2, 2, cyclic_mds(5, 3)),
        (4, 3, 1, None), (12, 2, 5, None), (12, 2, 5, frc(12, 6)), (1, 4, 0, None), (4, 2, 3, None),
    ],
)  # fmt: skip
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
        found = gradient(tree, gradients, random_pattern(tree, rng))
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


def test_seeds_make_other_codes():
    first, second = (coded_reduce(4, 1, 2, seed=seed).code.B for seed in (0, 1))
    assert np.array_equal(first, cyclic(4, 3, seed=0).B)
    assert not np.array_equal(first, second)


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


@pytest.mark.parametrize(
    ("parents", "s"),
    [
        ([0, 0, 0, 1, 1], 1),
        ([0, 0, 1, 1], 1),  # one child must hold what the other could do alone
        ([0, 0, 0, 1, 1, 1, 1, 1], 1),
        ([0, 0, 1, 1, 3, 3, 3], 1),
        ([0, 1, 1, 2], 0),
        ([0, 0, 0, 1, 1, 1], 2),
        ([0, 0, 1, 1, 2, 2], 1),
    ],
)
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


# mistakes


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda tree: tree.allocate(16), r"samples: must be a multiple of 15, .*16; 30 would do"),
        (lambda tree: tree.allocate(0), r"got 0; 15 would do"),
        (lambda tree: tree.reduce([[1], [2, 3]]), "answers: must be an array"),
        (lambda tree: tree.reduce(np.ones((12, 2)), [12]), r"from 0 to 11 \(got 12\)"),
        (lambda tree: tree.reduce(np.ones((12, 2)), [True, False]), "12 booleans"),
        (lambda tree: tree.reduce(np.ones((11, 2))), r"answers: .* 12 workers \(got 11\)"),
        (lambda tree: tree.reduce(np.full((12, 2), np.inf)), "answers: every entry"),
    ],
)
def test_bad_calls_are_refused(call, message):
    with pytest.raises(FastgcError, match=message) as raised:
        call(coded_reduce(n=3, layers=2, s=1))
    assert "\n" not in str(raised.value)


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"n": 3, "layers": 2, "s": 3}, "s must be less than n"),
        ({"n": 3, "layers": 2, "s": 1, "code": np.eye(4)}, r"n=3 workers, .*: 4 workers"),
        ({"n": 3, "layers": 2, "s": 1, "code": np.eye(3)}, "survive any s=1"),
        ({"n": 6, "layers": 2, "s": 3, "code": frc(6, 3)}, "tolerance 2"),
        ({"n": 11, "layers": 2, "s": 3, "code": binary(11, 3)}, r"loads 3 to 6"),
        ({"n": 40, "layers": 1, "s": 20, "code": np.ones((1, 40))}, "must say that it survives"),
        ({"n": 3, "layers": 2, "s": 1, "seed": -1}, "seed"),
    ],
)
def test_bad_trees_are_refused(parameters, message):
    with pytest.raises(FastgcError, match=message) as raised:
        coded_reduce(**parameters)
    assert "\n" not in str(raised.value)


def test_a_code_that_cannot_be_decoded_says_so():
    bad = code_of(np.diag([1.0, 1e-3, 1.0]), tolerance=1)  # claims what it does not do
    tree = coded_reduce(n=3, layers=1, s=1, code=bad)
    with pytest.raises(FastgcError, match="loses too many digits"):
        tree.reduce(np.ones(3), [1])
