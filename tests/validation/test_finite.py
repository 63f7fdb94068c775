"""Finite statements by brute force and on what fastgc builds: values, verdicts, broken ones."""

import dataclasses
import itertools
import math
from fractions import Fraction

import numpy as np
import pytest

import fastgc
from fastgc import codes, theory
from fastgc.codes.code import code_of
from fastgc.errors import FastgcError
from fastgc.results.verdict_data import CONFIRMED, UNDECIDED
from fastgc.systems import schemes
from fastgc.systems.schemes import Share
from fastgc.theory.papers.claim import AS_N_GROWS, EVERYWHERE
from fastgc.validation.finite import measure, product, shown
from fastgc.validation.finite.brute_force import brute_trees, counting
from fastgc.validation.finite.brute_force.brute_codes import matrix
from suite.checks import close

FRC = {"family": "frc", "n": 6, "d": 2}
CRC = {"family": "circulant", "n": 6, "d": 2}
RUN = {"step": 0.5, "iterations": 3, "law": (0.3, 0.8, 0.01), "noise": 1.0, "seed": 1}


@pytest.mark.parametrize(("call", "said"), [
    (lambda: measure({"finite": "cycle_clases"}), "cycle_classes"),
    (lambda: matrix({"family": "fcr", "n": 4, "d": 2}), "circulant"),
    (lambda: matrix({"family": "cyclic-mds", "n": 8, "d": 3}), "n \\+ d must be even"),
])  # fmt: skip
def test_mistakes(call, said):
    with pytest.raises(FastgcError, match=said):
        call()


def test_an_object_that_a_hand_can_check_stands_beside_a_count():
    said = shown({"finite": "least_uneven_loads", "n": 7, "s": 2})
    assert "3 2 2 | 4 3 | 4 3 and of 3 3 1 | 4 3 | 4 3" in said and said.endswith("d_s = 4")
    said = shown({"built": "largest_error", "code": FRC})
    assert said.startswith("Code frc n=6 d=2, partitions of the workers 0, 1, ...: 1 2; 1 2; 3 4")
    objects = 0
    for claim in theory.claims():  # the site shows that of the first point and measures nothing
        case = claim.cases[0] if claim.expected == "refuted" else None
        if case is not None and case.is_finite and shown(case.experiment):
            value, objects = measure(case.experiment), objects + 1
            holds = {"=": abs(value - case.theory) < 1e-9, ">": value > case.theory}
            assert not holds.get(claim.relation, value >= case.theory - 1e-9), claim.id
    assert objects > 10


def broken(code, partition=0, worker=0, entry=0.0):
    """The code with one entry changed."""
    B = matrix(code)
    B[partition, worker] = entry
    return {"family": "matrix", "rows": B.tolist()}


def measured(name, **arguments):
    return measure({"finite": name, **arguments})


@pytest.mark.parametrize(("name", "code", "arguments"), [
    ("cycle_class_spread", CRC, {}), ("largest_error", FRC, {"survivors": 5}),
    ("mean_error", CRC, {"p": 0.3}), ("mean_norm", CRC, {"p": 0.3}),
])  # fmt: skip
def test_a_code_with_a_wrong_entry_gives_another_number(name, code, arguments):
    right = measured(name, code=code, **arguments)
    wrong = measured(name, code=broken(code), **arguments)
    assert abs(wrong - right) > 1e-3
    # what a worker sends may be any multiple
    scaled = {"family": "matrix", "rows": (2.5 * matrix(code)).tolist()}
    assert measured(name, code=scaled, **arguments) == pytest.approx(right, abs=1e-10)


@pytest.mark.parametrize("family", [
    {"family": "frc", "n": 8, "d": 2}, {"family": "circulant", "n": 7, "d": 3},
    {"family": "cyclic-mds", "n": 6, "d": 4},
], ids=str)  # fmt: skip
def test_what_fastgc_builds_is_measured(family, monkeypatch):
    finite = {"code": family, "p": 0.3}
    right = measure({"finite": "mean_error", **finite})
    assert measure({"built": "mean_error", **finite}) == pytest.approx(right)
    wrong = product.code_of(family).B.copy()
    wrong[0, 0] = 0.0
    monkeypatch.setattr(product, "code_of", lambda table: type("Broken", (), {"B": wrong}))
    assert measure({"built": "mean_error", **finite}) != pytest.approx(right, abs=1e-3)
    both = {"codes": [family, family], "shuffles": ["random", "none"], **RUN}
    right = measure({"finite": "mean_loss_difference", **both})
    assert measure({"built": "mean_loss_difference", **both}) != close(right)


def finite_part(claim):
    """The claim at those of its points that need no sampling, where they decide it."""
    cases = [case for case in claim.cases if case.is_finite]
    if len(cases) < len(claim.cases) and (claim.expected != CONFIRMED or claim.holds != EVERYWHERE):
        return None
    return dataclasses.replace(claim, make=lambda: cases) if cases else None


@pytest.mark.night
@pytest.mark.parametrize("group", theory.paper_names())
def test_finite_statements_get_their_verdict(group):
    """One test a group: which claims are finite is not computed where tests are only collected."""
    claims = [claim for claim in theory.claims() if claim.paper == group]
    finite = [part for part in map(finite_part, claims) if part is not None]
    assert len(finite) >= 2
    for claim in finite:
        [verdict] = fastgc.validate(claim)
        if claim.holds == AS_N_GROWS and verdict.verdict == UNDECIDED:
            continue  # a slow shape fits the ratio, too
        assert verdict.verdict == claim.expected, (claim.id, verdict.findings)


# ---- paper binary: codes and decoders that are broken


EXAMPLE = {"family": "binary", "n": 11, "s": 3}


@pytest.mark.parametrize(("name", "more", "right"), [
    ("total_load", {}, 44), ("unequal_holders", {"s": 3}, 0), ("smallest_load", {}, 3),
    ("load_difference", {}, 3), ("load_difference_within", {"s": 3}, 1),
    ("unevenness", {"s": 3}, 6), ("wrong_vectors", {"s": 3}, 0),
    ("largest_error", {"survivors": 8}, 0), ("vector_weight", {"s": 3, "residue": 0}, 3),
    ("wrong_class_vectors", {"modulus": 4}, 0),
], ids=str)  # fmt: skip
def test_a_hole_in_a_code_is_seen(name, more, right):
    """Worker 0 does not hold the first partition, or the last worker none at all."""
    assert measured(name, code=EXAMPLE, **more) == right
    whole = slice(None) if "load" in name else 0
    assert measured(name, code=broken(EXAMPLE, whole, 10 if "load" in name else 0), **more) != right


@pytest.mark.parametrize(("name", "given", "right"), [
    ("wrong_vectors", (EXAMPLE, "class"), 0), ("failing_sets", (EXAMPLE, 3, "optimal"), 0),
    ("unevenness", (EXAMPLE, 3), 6),
    ("vector_weight", (EXAMPLE, 3, 0, "optimal"), 3), ("undecodable_sets", (6, "optimal"), 0),
], ids=str)  # fmt: skip
def test_a_hole_in_what_fastgc_builds_is_seen(monkeypatch, name, given, right):
    on_product = getattr(product, name)
    assert on_product(*given) == pytest.approx(right, abs=1e-9)

    def other(table):
        code = codes.binary(n=table["n"], s=table["s"])
        B = np.array(broken(table)["rows"])  # its first worker does not hold the first partition
        return code_of(B, tolerance=code.tolerance, classes=code.classes)

    monkeypatch.setattr(product, "code_of", other)
    assert abs(on_product(*given) - right) > 1e-3


# ---- trees and layers


TREE = {"n": 3, "layers": 2, "s": 1}


def test_sizes_and_loads(monkeypatch):
    assert brute_trees.tree_size(12, 2) == 156 and brute_trees.tree_size(4, 3) == 84
    assert brute_trees.children_of(2, 2) == [[1, 2], [3, 4], [5, 6], [], [], [], []]
    assert brute_trees.allocated_load(3, 2, 1) == Fraction(4, 15)
    assert brute_trees.allocated_load(12, 2, 5) == Fraction(1, 6)
    assert brute_trees.gradients_computed(12, 2, 5, 6) == 156
    assert brute_trees.star_to_tree_load(3, 1, 0) == 1
    for n, s in ((3, 0), (3, 1), (5, 2)):
        assert brute_trees.least_load(n, 1, s) == Fraction(s + 1, n)
    for n, load, share in ((10, 0.2, 0.4), (4, 0.01, 0), (4, 1.0, 0.75)):
        assert measured("largest_resilience", n=n, layers=2, load=load) == share
    for wrong in (Fraction(1, 6), Fraction(1, 3)):
        monkeypatch.setattr(brute_trees, "balanced_load", lambda n, layers, s, wrong=wrong: wrong)
        assert brute_trees.allocated_load(3, 2, 1) > Fraction(4, 15), "a load that does not balance"


def test_spread_stragglers_and_a_layer_of_them(monkeypatch):
    assert brute_trees.spread_patterns_survived(3, 2, 1) == 3**4
    assert brute_trees.spread_patterns_survived(2, 2, 1) == 2**3
    assert brute_trees.survives_first_layer(3, 2, 1, 1)
    assert not brute_trees.survives_first_layer(3, 2, 1, 2)
    answers = brute_trees.answers
    wrong = lambda children, lost, s, node=0: answers(children, lost, s - 1, node)  # noqa: E731
    monkeypatch.setattr(brute_trees, "answers", wrong)
    assert brute_trees.spread_patterns_survived(3, 2, 1) == 0, "a parent that waits for more"


@pytest.mark.parametrize(("name", "right", "wrong"), [
    ("undecoded_patterns", 0, lambda first, *rest: (
        Share((first.samples + 1) % 15, first.coefficients), *rest)),
    ("undecoded_patterns", 0, lambda first, *rest: (
        dataclasses.replace(first, coefficients=2 * first.coefficients), *rest)),
    ("undecoded_patterns", 0, lambda first, *rest: (first.part(0, len(first) - 1), *rest)),
    ("largest_share", 4 / 15, lambda *all_: (*all_, Share(np.arange(15), np.ones(15)))),
    ("workers", 12, lambda *all_: (*all_, all_[-1])),
    ("fewest_below", 2, lambda *all_: (*all_[:-1], all_[-1].part(0, 0))),
], ids=["samples", "coefficients", "less", "full", "more", "no copies"])  # fmt: skip
def test_a_wrong_allocation_is_seen(monkeypatch, name, right, wrong):
    on_product, allocate = getattr(product, name), schemes.CodedReduceTree.allocate
    given = {"n": 3, "layers": 2} if name == "workers" else TREE
    assert on_product(**given) == right

    def broken(tree, samples):
        return list(wrong(*allocate(tree, samples)))

    monkeypatch.setattr(schemes.CodedReduceTree, "allocate", broken)
    assert on_product(**given) != right


# ---- where data may be placed on trees, set by set, against sets that are written down


#: The tree of three children with three each: the master's are 1, 2, 3, those of 1 are 4, 5, 6.
CHILDREN = brute_trees.children_of(3, 2)


def reaches(workers, lost):
    """Whether one of the workers is no straggler, nor below one."""
    return any(w not in lost and (w < 4 or 1 + (w - 4) // 3 not in lost) for w in workers)


def test_surviving_sets_are_those_of_all_patterns():
    patterns = list(itertools.product((1, 2, 3), (4, 5, 6), (7, 8, 9), (10, 11, 12)))
    some = [{1, 2}, {1}, {1, 7}, {1, 7, 8}, {4, 5, 7, 8}, {4, 7, 8, 10, 11}, {1, 2, 12}]
    found = set(brute_trees.surviving_sets(CHILDREN, 1).tolist())
    smallest = set(brute_trees.surviving_sets(CHILDREN, 1, needless=False).tolist())
    survive = [all(reaches(each, set(lost)) for lost in patterns) for each in some]
    assert survive == [True, False, False, True, True, True, True]
    bits = [sum(1 << worker - 1 for worker in each) for each in some]
    assert [each in found for each in bits] == survive
    # workers 4 and 12 can be left out of the last two
    assert [each in smallest for each in bits] == [*survive[:-2], False, False]


def test_shares_and_subtrees_of_the_example():
    shares = [brute_trees.share_of_subtree(3, 2, 1, layer) for layer in (1, 2)]
    assert shares == [Fraction(2, 3), Fraction(4, 15)]
    assert brute_trees.fewest_subtrees(3, 2, 1) == 2
    assert brute_trees.fewest_below(3, 2, 1, needless=False) == 2
    assert brute_trees.fewest_below(3, 2, 1, needless=True) == 1  # {1, 2, 12}
    assert brute_trees.largest_subtree(3, 2, 1, 4 / 15, 1) == pytest.approx(2 / 3, rel=1e-9)
    # any load above allows more, up to all of the data
    assert brute_trees.largest_subtree(3, 2, 1, 1.0, 1) == pytest.approx(1.0, rel=1e-9)


def test_any_k_answers_decode_and_fewer_do_not(monkeypatch):
    for n, k in ((3, 2), (6, 4), (7, 1)):
        for need, failures in ((k, 0), (k - 1, math.comb(n, k - 1))):
            assert counting.undecodable_answers(n, k, need) == failures
            assert product.undecodable_answers(n, [k], 1, need) == failures
    # a code that is not MDS is seen
    repeated = lambda n, k, seed=0: np.vstack([np.eye(k), np.tile(np.eye(k)[0], (n - k, 1))])  # noqa: E731
    monkeypatch.setattr(schemes, "generator", repeated)
    monkeypatch.setattr(schemes, "recover", lambda G, who, x: np.linalg.pinv(G[list(who)]) @ x)
    assert product.undecodable_answers(6, [3, 2], 1, 3) > 0
