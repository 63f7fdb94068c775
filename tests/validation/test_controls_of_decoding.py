"""Enumerations of codes and of descent fed with what is broken: they give another number."""

import numpy as np
import pytest

from fastgc.validation.finite import measure
from fastgc.validation.finite.brute_force.codes import matrix
from fastgc.validation.finite.product import codes
from suite.checks import close

FRC = {"family": "frc", "n": 6, "d": 2}
CRC = {"family": "circulant", "n": 6, "d": 2}
PAIR = {"p_straggle_slow": 0.8, "p_straggle_active": 0.1}


def broken(code, partition=0, worker=0, entry=0.0):
    """The code with one entry changed."""
    B = matrix(code)
    B[partition, worker] = entry
    return {"family": "matrix", "rows": B.tolist()}


def measured(name, **arguments):
    return measure({"finite": name, **arguments})


@pytest.mark.parametrize(("name", "code", "arguments"), [
    ("cycle_class_spread", CRC, {}),
    ("largest_error", FRC, {"survivors": 5}),
    ("mean_error", CRC, {"p": 0.3}),
    ("mean_norm", CRC, {"p": 0.3}),
    ("mean_weight", FRC, {"slow": [0], **PAIR, "partition": 0}),
    ("mean_weight", FRC, {"slow": 2, **PAIR, "partition": 0}),
    ("mean_gradient_difference", FRC, {"p": 0.3, "share": 1 - 0.3**2, "seed": 1}),
])  # fmt: skip
def test_a_code_with_a_wrong_entry_gives_another_number(name, code, arguments):
    right = measured(name, code=code, **arguments)
    wrong = measured(name, code=broken(code), **arguments)
    assert abs(wrong - right) > 1e-3
    # what a worker sends may be any multiple
    scaled = {"family": "matrix", "rows": (2.5 * matrix(code)).tolist()}
    assert measured(name, code=scaled, **arguments) == pytest.approx(right, abs=1e-10)


def test_losses_with_a_wrong_entry():
    run = {"step": 0.5, "iterations": 3, "law": (0.3, 0.8, 0.01), "noise": 1.0, "seed": 1}
    codes = {"codes": [FRC, FRC], "shuffles": ["random", "random"]}
    assert measured("mean_loss_difference", **codes, **run) == 0.0
    codes["codes"] = [broken(FRC), FRC]
    assert abs(measured("mean_loss_difference", **codes, **run)) > 1e-4
    # who is slow for good matters, and so does by how much
    codes = {"codes": [FRC, FRC], "shuffles": ["random", "none"]}
    some = measured("mean_loss_difference", **codes, **run)
    more = measured("mean_loss_difference", **codes, **run | {"law": (0.3, 0.99, 0.01)})
    assert some < 0.0 and more < 2 * some


def test_gradients_of_known_slow_workers_are_no_share():
    p = [0.8, 0.8, 0.1, 0.1, 0.1, 0.1]
    lost = np.repeat([0.8**2, 0.1**2, 0.1**2], 2)
    found = measured(
        "mean_gradient_difference", code=FRC, p=p, share=1 - float(lost.mean()), seed=1
    )
    gradients = np.random.default_rng(1).standard_normal((6, 3))
    off = (lost.mean() - lost) @ gradients
    assert found == pytest.approx(np.linalg.norm(off) / np.linalg.norm(gradients.sum(axis=0)))


def test_words_are_counted_by_their_classes():
    given = {"n": 12, "weight": 6}
    counts = [measured("cycle_classes", order=order, **given) for order in (2, 4, 6, 12)]
    # of 6, not of 3 + 1: without the Moebius function classes of order 2 would count again
    assert counts == [1.0, 1.0, 3.0, 75.0]
    law = {"n": 6, "slow": 2, "survivors": 4}
    right = measured("survivor_probability", **law, **PAIR)
    assert measured("survivor_probability", **law | {"slow": 3}, **PAIR) != pytest.approx(right)


@pytest.mark.parametrize("family", [
    {"family": "frc", "n": 8, "d": 2}, {"family": "circulant", "n": 7, "d": 3},
    {"family": "cyclic-mds", "n": 6, "d": 4},
], ids=str)  # fmt: skip
def test_what_fastgc_builds_is_measured(family, monkeypatch):
    finite = {"code": family, "p": 0.3}
    right = measure({"finite": "mean_error", **finite})
    assert measure({"built": "mean_error", **finite}) == pytest.approx(right)
    code = codes.code_of(family)
    wrong = code.B.copy()
    wrong[0, 0] = 0.0
    monkeypatch.setattr(codes, "code_of", lambda table: type("Broken", (), {"B": wrong}))
    assert measure({"built": "mean_error", **finite}) != pytest.approx(right, abs=1e-3)
    run = {"step": 0.5, "iterations": 3, "law": (0.3, 0.8, 0.01), "noise": 1.0, "seed": 1}
    both = {"codes": [family, family], "shuffles": ["random", "none"], **run}
    right = measure({"finite": "mean_loss_difference", **both})
    assert measure({"built": "mean_loss_difference", **both}) != close(right)
