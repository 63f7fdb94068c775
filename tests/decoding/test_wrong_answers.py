"""Wrong answers: votes in groups, half of a distance, and what cannot be told."""

import itertools

import numpy as np
import pytest

from fastgc import codes, report
from fastgc.decoding.inspection import inspect
from fastgc.decoding.wrong_answers import correct
from fastgc.errors import FastgcError
from fastgc.systems import layered
from fastgc.theory import literature as theory

RNG = np.random.default_rng(8)


def sent(code, size=4):
    """Answers of all workers, and the gradient."""
    m = code.pieces
    parts = RNG.normal(size=(code.k, size))
    answers = code.B.T @ parts.reshape(code.k * m, size // m)
    return dict(enumerate(answers)), parts.sum(axis=0)


CASES = [
    (codes.frc(n=6, d=3), 2),
    (codes.cyclic(n=7, d=5, seed=3), 4),
    (codes.cyclic_mds(n=7, d=5), 4),
    (codes.cyclic_mds(n=6, d=3, field="complex"), 2),
    (codes.ye_abbe(n=7, s=2, m=2), 2),
]


@pytest.mark.parametrize(("code", "s"), CASES, ids=[code.name for code, _ in CASES])
def test_half_of_what_may_be_missing_may_be_wrong(code, s):
    right, gradient = sent(code)
    for t in range(s + 1):
        a = (s - t) // 2
        for missing in itertools.islice(itertools.combinations(range(code.n), t), 12):
            here = [j for j in range(code.n) if j not in missing]
            for wrong in itertools.islice(itertools.combinations(here, a), 12):
                answers = {
                    j: right[j] + (RNG.normal(size=4 // code.pieces) if j in wrong else 0)
                    for j in here
                }
                found = correct(code, answers)
                assert found.left_out == wrong
                assert found.gradient == pytest.approx(gradient, abs=1e-9)


@pytest.mark.parametrize(("code", "s"), CASES[:3], ids=[code.name for code, _ in CASES[:3]])
def test_the_datasheet_says_how_many_and_no_more_can_be(code, s):
    sheet = inspect(code)
    most = sheet.wrong_answers
    assert most == s // 2
    assert f"up to {most} corrected; a of them beside t stragglers if 2a + t ≤ {s}" in (
        report.datasheet(sheet.as_dict())
    )
    # one more: answers that two gradients explain, each with so many wrong ones
    rest = [j for j in range(code.n) if j not in sheet.breaking]
    several = [*sheet.breaking, *rest][: 2 * (most + 1)]
    others = np.setdiff1d(np.arange(code.n), several)
    x = np.ones(code.k) - code.B[:, others] @ np.linalg.lstsq(code.B[:, others], np.ones(code.k))[0]
    assert abs(x.sum()) > 1e-6 and code.B[:, others].T @ x == pytest.approx(0, abs=1e-9)
    answers = code.B.T @ x
    answers[several[: most + 1]] = 0.0
    wrong = [int((abs(answers - code.B.T @ each) > 1e-9).sum()) for each in (x, 0 * x)]
    assert max(wrong) <= most + 1


def test_the_datasheet_claims_none_where_none_is_certain():
    def said(code):
        return report.datasheet(inspect(code).as_dict())

    assert inspect(codes.frc(n=6, d=2)).wrong_answers == 0
    assert "none corrected" in said(codes.frc(n=6, d=2))
    sheet = inspect(codes.cyclic(n=5, d=3)).as_dict() | {"wrong_answers": None}
    assert "unknown, as the tolerance is not certain" in report.datasheet(sheet)


def test_loads_of_robust_and_private_codes():
    assert theory.robust_load(8, 1, 1) == 4 / 8
    with pytest.raises(FastgcError, match=r"s \+ 2 wrong"):
        theory.robust_load(4, 1, 2)
    # any n - s - 2a points decide a polynomial of degree (k + z - 1) g, and one share more does not
    for n, s, a, z, g in ((12, 2, 1, 1, 2), (9, 0, 1, 2, 1), (20, 3, 2, 1, 3)):
        k = round(1 / theory.private_load(n, s, a, z, g))
        assert (k + z - 1) * g + 1 <= n - s - 2 * a < (k + z) * g + 1


def test_votes_of_a_group_are_its_majority():
    code = codes.frc(n=5, d=5)
    votes = {0: [1.0], 1: [7.0], 2: [1.0], 3: [7.0], 4: [1.0]}
    found = correct(code, votes)
    assert (found.gradient.tolist(), found.left_out) == (pytest.approx([1.0]), (1, 3))


def test_more_lies_that_agree_are_believed():
    code = codes.frc(n=3, d=3)
    assert correct(code, {0: [1.0], 1: [7.0], 2: [7.0]}).gradient.tolist() == pytest.approx([7.0])


def test_who_agrees_but_for_rounding_is_not_left_out():
    right, gradient = sent(codes.cyclic(n=7, d=5, seed=3))
    noisy = {j: own * (1 + 1e-12) for j, own in right.items()}
    found = correct(codes.cyclic(n=7, d=5, seed=3), noisy)
    assert found.left_out == () and found.gradient == pytest.approx(gradient, abs=1e-9)


@pytest.mark.parametrize(
    ("changes", "most", "said"),
    [
        ({0: np.ones(4), 1: np.zeros(4)}, None, "no 5 agree that hold the gradient"),
        ({0: np.full(4, np.nan)}, None, "must be finite numbers"),
        ({9: np.ones(4)}, None, r"every worker must be from 0 to 5 \(got 9\)"),
        ({0: np.ones(3)}, None, "vectors of one length"),
    ],
)
def test_mistakes_are_said(changes, most, said):
    code = codes.frc(n=6, d=3)
    right, _ = sent(code)
    with pytest.raises(FastgcError, match=said):
        correct(code, right | changes, most)


def test_tolerance_must_be_known_and_sets_few():
    rows = np.ones((1, 3))
    with pytest.raises(FastgcError, match="most: must be given"):
        correct(rows, {0: [1.0]})
    assert correct(rows, {0: [1.0], 1: [2.0], 2: [1.0]}, most=1).left_out == (1,)
    many = codes.frc(n=60, d=30)
    answers, _ = sent(many)
    with pytest.raises(FastgcError, match="more than are tried"):
        correct(many, answers)


@pytest.mark.parametrize(("n", "k"), [(5, 1), (7, 3), (8, 4)])
def test_products_are_right_though_half_of_the_spare_answers_lie(n, k):
    product = layered(n=n, k=(k,))
    A, x = RNG.normal(size=(3 * k, 2)), RNG.normal(size=2)
    right = dict(enumerate(block @ x for block in product.encode(A)[0]))
    for r in range(k, n + 1):
        here = RNG.permutation(n)[:r].tolist()
        wrong = tuple(sorted(here[: (r - k) // 2]))
        answers = {w: right[w] + (w in wrong) * RNG.normal(size=3) for w in here}
        tasks, left_out = product.correct(0, answers)
        assert left_out == wrong
        assert tasks.ravel() == pytest.approx(A @ x, abs=1e-9)
    with pytest.raises(FastgcError, match="contradict the others"):
        product.correct(0, {w: own + RNG.normal(size=3) for w, own in right.items()})
    with pytest.raises(FastgcError, match="needs those of"):
        product.correct(0, dict(list(right.items())[: k - 1]))
