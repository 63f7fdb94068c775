"""Finite statements by brute force and on what fastgc builds: values, verdicts, broken ones."""

import dataclasses

import numpy as np
import pytest

from fastgc import codes, theory
from fastgc.codes.code import code_of
from fastgc.engine.executors.local import in_threads
from fastgc.errors import FastgcError
from fastgc.results.verdict_data import CONFIRMED, UNDECIDED
from fastgc.theory.papers.claim import AS_N_GROWS, EVERYWHERE
from fastgc.training.data import Data
from fastgc.validation.finite import measure, product
from fastgc.validation.finite.brute_force import binary_code, training
from fastgc.validation.finite.brute_force import brute_codes as algorithms
from fastgc.validation.finite.brute_force.brute_codes import matrix
from fastgc.validation.measuring import Options
from fastgc.validation.measuring import measure as measured_by
from fastgc.validation.multiple_testing import PendingVerdicts
from suite.checks import close
from twins import selection as twin

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


def test_differences_from_claimed_errors_are_seen():
    finite = {"finite": "largest_difference", "code": {"family": "bibd", "name": "fano"}}
    right = [7, 4, 2.5, 1.6, 1, 4 / 7, 1 / 4, 0]
    assert measure(finite | {"errors": right}) == 0.0
    assert measure(finite | {"errors": [*right[:-2], 0.3, 0]}) == pytest.approx(0.05)


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
    assert len(finite) >= 3
    with in_threads(1) as pool:
        for claim in finite:
            [verdict] = PendingVerdicts([claim], 0.01).finish(measured_by([claim], pool, Options()))
            if claim.holds == AS_N_GROWS and verdict.verdict == UNDECIDED:
                continue  # a slow shape fits the ratio, too
            assert verdict.verdict == claim.expected, (claim.id, verdict.findings)


# ---- paper binary: codes and decoders that are broken


EXAMPLE = {"family": "binary", "n": 11, "s": 3}


def rows(B):
    return {"family": "matrix", "rows": np.asarray(B, float).tolist()}


def a_hole(B):
    """No code any more: worker 0 does not hold the first partition."""
    B[0, 0] = 0.0
    return B


def with_a_hole(n, s):
    return a_hole(algorithms.encoding(n, s).T.astype(float))


@pytest.mark.parametrize(("name", "more", "right"), [
    ("total_load", {}, 44), ("unequal_holders", {"s": 3}, 0), ("smallest_load", {}, 3),
    ("load_difference", {}, 3), ("load_difference_within", {"s": 3}, 1),
    ("unevenness", {"s": 3}, 6), ("wrong_vectors", {"s": 3}, 0),
    ("largest_error", {"survivors": 8}, 0), ("vector_weight", {"s": 3, "residue": 0}, 3),
    ("wrong_class_vectors", {"modulus": 4}, 0),
], ids=str)  # fmt: skip
def test_a_hole_in_a_code_is_seen(name, more, right):
    assert measured(name, code=rows(algorithms.encoding(11, 3).T), **more) == right
    broken = with_a_hole(11, 3)
    if name in ("smallest_load", "load_difference", "load_difference_within"):
        broken[:, 10] = 0.0
    assert measured(name, code=rows(broken), **more) != right


def test_every_slip_leaves_defects_that_the_corrected_algorithm_does_not():
    for algorithm, version, n, s in ((1, "lambda", 10, 6), (2, "loop", 10, 6), (2, "ends", 11, 3)):
        assert binary_code.coverage_defects(algorithm, version, n, s) > 0
        assert binary_code.coverage_defects(algorithm, "corrected", n, s) == 0


@pytest.mark.parametrize(("name", "given", "right"), [
    ("wrong_vectors", (EXAMPLE, "class"), 0), ("failing_sets", (EXAMPLE, 3, "optimal"), 0),
    ("unevenness", (EXAMPLE, 3), 6),
    ("vector_weight", (EXAMPLE, 3, 0, "optimal"), 3), ("undecodable_sets", (6, "optimal"), 0),
], ids=str)  # fmt: skip
def test_a_hole_in_what_fastgc_builds_is_seen(monkeypatch, name, given, right):
    on_product = getattr(product, name)
    assert on_product(*given) == pytest.approx(right, abs=1e-9)

    def other(n, s):
        code = codes.binary(n=n, s=s)
        return code_of(a_hole(code.B.copy()), tolerance=code.tolerance, classes=code.classes)

    monkeypatch.setattr(product, "code_of", lambda table: other(table["n"], table["s"]))
    monkeypatch.setattr(product, "matrix_of", lambda n, s: other(n, s).B)
    assert abs(on_product(*given) - right) > 1e-3


# ---- training, against other code


DATA = {"samples": 13, "features": 3, "seed": 4}
SELECTIONS = (
    {"method": "all", "workers": 4},
    {"method": "all", "workers": 4, "batch": 2},
    {"method": "cada", "workers": 4, "c": 0.8, "window": 3, "refresh": "at"},
    {"method": "g-cada", "workers": 6, "groups": 3, "c": [1.5, 0.4], "window": 2, "batch": 3,
     "refresh": "after", "smoothness": [0.9, 1.5, 2.0]},
    {"method": "cada", "workers": 3, "c": 0.5, "window": 3, "refresh": "at", "smoothness": 1.2},
)  # fmt: skip
AMSGRAD = {"method": "amsgrad", "step": 0.1}
TRAINED = {"data": DATA, "optimizer": AMSGRAD, "selection": SELECTIONS[3], "iterations": 20}


@pytest.mark.parametrize(
    "optimizer", [AMSGRAD, AMSGRAD | {"beta1": 0.8, "beta2": 0.7, "epsilon": 1e-3}], ids=str
)
@pytest.mark.parametrize("selection", SELECTIONS, ids=str)
def test_runs_are_the_twin_step_by_step(selection, optimizer):
    record = training.train(DATA, optimizer, selection, 25)
    X, y = training.samples(DATA)
    times = np.ones((25, selection["workers"]))
    rest = Data(X, y), np.zeros(3), optimizer, selection, times, 25
    losses, costs = twin.train("linear", *rest)
    assert record.losses == pytest.approx(losses.tolist(), rel=1e-10)
    for name in ("downloads", "uploads", "gradients"):
        assert getattr(record, name) == costs[name].tolist()


def test_excess_losses_are_the_worst_of_all_runs():
    def excess(**runs):
        return measure({"finite": "excess_loss", "runs": runs})

    everybody = TRAINED | {"selection": SELECTIONS[0]}
    each = excess(a=TRAINED), excess(b=everybody)
    assert excess(a=TRAINED, b=everybody) == max(each) > min(each) > 0
    assert excess(b=everybody | {"iterations": 200}) < each[1]


@pytest.mark.night
def test_runs_violate_the_wrong_bound_and_not_the_right_one():
    for heaviest, violations in (("infinity", 0), ("zero", 10)):
        found = training.selection_bound_violations(heaviest, "after", runs=10, seed=5)
        assert found == violations
