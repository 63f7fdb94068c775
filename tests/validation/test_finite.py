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
from fastgc.validation.finite import measure, product
from fastgc.validation.finite.brute_force import brute_codes as algorithms
from fastgc.validation.finite.brute_force.brute_codes import matrix
from fastgc.validation.measuring import Options
from fastgc.validation.measuring import measure as measured_by
from fastgc.validation.multiple_testing import PendingVerdicts
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
