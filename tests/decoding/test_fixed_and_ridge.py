"""Decoders with fixed weights and with a price on weights, against their formulas."""

import itertools
from typing import Any

import numpy as np
import pytest

import fastgc
from fastgc import FastgcError
from suite.checks import close

RNG = np.random.default_rng(3)
B = (RNG.random((9, 8)) < 0.5).astype(float)
MASKS = np.array(list(itertools.product((False, True), repeat=8)))
LATE = 8 - MASKS.sum(axis=1)


def mean(errors: Any, p: float) -> float:
    return float(np.sum(errors * p**LATE * (1 - p) ** (8 - LATE)))


def test_fixed_weights_do_not_depend_on_who_answers() -> None:
    p, d = 0.2, B.sum() / 9
    weight = 1 / (d * (1 - p))
    errors = np.square(weight * MASKS.astype(float) @ B.T - 1).sum(axis=1)
    assert fastgc.error(B, p=p, decoder="fixed").value == close(mean(errors, p), rel=1e-9)
    few = float(np.mean(np.square(MASKS[LATE == 2] / (d * 0.75) @ B.T - 1).sum(axis=1)))
    assert fastgc.error(B, stragglers=2, decoder="fixed").value == close(few, rel=1e-9)
    found = fastgc.decode(B, MASKS, decoder="fixed", rho=weight)
    assert found.errors == pytest.approx(errors, abs=1e-9)
    each = [0.1] * 4 + [0.3] * 4
    assert fastgc.error(B, p=each, decoder="fixed").value is not None
    sampled = fastgc.error(B, p=p, decoder="fixed", method="monte-carlo", trials=20_000)
    assert sampled.low is not None and sampled.high is not None
    assert sampled.low - 0.05 < mean(errors, p) < sampled.high + 0.05
    with pytest.raises(FastgcError, match="rho: missing"):
        fastgc.decode(B, MASKS, decoder="fixed")
    with pytest.raises(FastgcError, match="rho: missing"):
        fastgc.error(B, stragglers=8, decoder="fixed")


@pytest.mark.parametrize("strength", [0.1, 3.0])
def test_ridge_weights_solve_their_equations(strength: float) -> None:
    found = fastgc.decode(B, MASKS, decoder=fastgc_ridge(strength))
    for mask, vector, error in zip(MASKS, found.vectors, found.errors, strict=True):
        A = B[:, mask]
        x = np.linalg.solve(A.T @ A + strength * np.eye(mask.sum()), A.sum(axis=0))
        assert vector[mask] == pytest.approx(x, abs=1e-9) and not vector[~mask].any()
        assert error == pytest.approx(np.square(A @ x - 1).sum(), abs=1e-9)
    optimal = fastgc.decode(B, MASKS)
    assert (found.errors >= optimal.errors - 1e-9).all()
    squares = np.square(found.vectors).sum(axis=1)
    assert (squares <= np.square(optimal.vectors).sum(axis=1) + 1e-9).all()
    table = {"method": "ridge", "strength": strength}
    assert fastgc.error(B, p=0.2, decoder=table).value == close(mean(found.errors, 0.2), rel=1e-9)


def fastgc_ridge(strength: float) -> Any:
    from fastgc.decoding import Ridge

    return Ridge(strength=strength)


@pytest.mark.parametrize("method", ["ridge", "optimal", "one-step", "fixed"])
def test_a_decoder_is_a_name_or_a_table(method: str) -> None:
    rho = 0.5 if method == "fixed" else None
    named = fastgc.decode(B, [0, 1, 2], decoder=method, rho=rho)
    for tag in ("method", "type"):
        assert named.error == fastgc.decode(B, [0, 1, 2], decoder={tag: method}, rho=rho).error
    found = fastgc.error(B, p=0.1, decoder={"method": method})
    assert found == fastgc.error(B, p=0.1, decoder=method)


@pytest.mark.parametrize(
    ("table", "said"),
    [
        ({"method": "ridge", "weight": 1}, "decoder.*weight: unknown key"),
        ({"method": "fixed", "p": 0.1}, 'decoder: "fixed" has no keys of its own; rho stands'),
        ({"method": "rigde"}, "decoder.*must be"),
    ],
)
def test_a_table_that_is_no_decoder(table: dict[str, Any], said: str) -> None:
    with pytest.raises(FastgcError, match=said):
        fastgc.decode(B, [0, 1], decoder=table)
    with pytest.raises(FastgcError, match=said):
        fastgc.error(B, p=0.1, decoder=table)


def test_ridge_has_a_default_strength() -> None:
    named = fastgc.decode(B, [0, 1, 2], decoder="ridge")
    assert named.error == fastgc.decode(B, [0, 1, 2], decoder=fastgc_ridge(0.1)).error


def test_fixed_weights_are_those_of_training_too() -> None:
    study = {
        "kind": "training",
        "problem": {"model": "linear", "data": "synthetic", "samples": 24, "features": 2},
        "code": {"family": "frc", "n": 6, "d": 2},
        "stragglers": 0,
        "optimizer": {"method": "gradient-descent", "step": 0.1},
        "iterations": 3,
        "measure": ["loss"],
        "decoder": "fixed",
        "stop": {"trials": 5},
    }
    fixed, best = (
        [row["value"] for row in fastgc.run(study | {"decoder": decoder}).rows()]
        for decoder in ("fixed", "optimal")  # of all workers both have the whole gradient
    )
    assert fixed == close(best, rel=1e-9)
    fastgc.run(study | {"stragglers": {"model": "iid", "p": [0.1] * 5 + [0.4]}})


@pytest.mark.parametrize("late", [{"p": 1}, {"stragglers": 8}])
def test_fixed_weights_need_workers_that_answer(late: Any) -> None:
    with pytest.raises(FastgcError, match=r"rho: missing; .* p < 1"):
        fastgc.error(B, decoder="fixed", **late)
