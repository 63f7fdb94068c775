"""Statements of paper binary measured by brute force, and on codes and decoders that are broken."""

import numpy as np
import pytest

from fastgc import codes
from fastgc.codes.code import code_of
from fastgc.validation.finite import measure, product
from fastgc.validation.finite.brute_force import binary_code
from fastgc.validation.finite.brute_force import codes as algorithms

EXAMPLE = {"family": "binary", "n": 11, "s": 3}


def measured(name, **arguments):
    return measure({"finite": name, **arguments})


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
