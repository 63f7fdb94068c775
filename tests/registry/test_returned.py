"""What the methods of plug-ins return is looked at, and what fails in them names them."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import fastgc
from fastgc.codes import Family, code_of
from fastgc.decoding import DecodingRule
from fastgc.draws.streams import Trials
from fastgc.experiments.decoding import DecodingMeasure
from fastgc.latency import DrawnLaw, Law
from fastgc.stragglers import Patterns, Stragglers
from suite.checks import refusal
from suite.plug_ins import FRC, Half, Pairs, Sticky, UniformTime, completion, decoding, plug_in


def noise(shape: Any = None) -> Any:
    return np.random.default_rng().random(shape)


AGAIN = "different results for the same trial"
CODE = "must return a fastgc.codes.Code, which fastgc.codes.code_of(B)"
PATTERNS = "must return the fastgc.stragglers.Patterns of the n workers"
PAIRS = "must return a list of pairs of texts, (field, sentence)"
#: A base, one of its methods, another one in its place, and what is said of that.
CASES: list[tuple[type[Any], str, Callable[..., Any], str]] = [
    (Half, "term", lambda _: "w0", "must return a term of fastgc.systems.answers and at_least"),
    (Half, "term", lambda self: self.no, "failed (AttributeError: "),
    (Half, "structure", lambda _: 3, "must return a fastgc.systems.Structure (got a int)"),
    (DrawnLaw, "times", lambda _, u: u.mean(), "must return seconds, a float64 array of the shape"),
    (DrawnLaw, "times", lambda _, u: np.where(u > 0.5, np.nan, u), "and no NaN (got a float64"),
    (DrawnLaw, "times", lambda _, u: u - 0.5, "must return seconds of at least 0"),
    (DrawnLaw, "times", lambda _, u: u + noise(u.shape), AGAIN),
    (DrawnLaw, "times", lambda _, u: np.sort(u), AGAIN),
    (Family, "build", lambda _: [[1, 0]], CODE),
    (Family, "build", lambda _: np.eye(2), CODE),
    (Family, "build", lambda _: None, CODE),
    (Family, "build", lambda _: lambda: 3, CODE),
    (Family, "build", lambda _: code_of([[1, np.nan]]), "matrix: every entry must be finite (got"),
    (Family, "build", lambda _: code_of([1.0]), "matrix: must have two dimensions"),
    (Family, "build", lambda _: code_of([["a"]]), "matrix: must be a table of numbers"),
    (Family, "build", lambda _: code_of(np.eye(3)[5:7] @ np.eye(4)), "failed (ValueError: "),
    (Family, "build", lambda _: code_of(noise((3, 4))), "must return the same matrix whenever"),
    (Stragglers, "survivors", lambda _, u: (u > 0.5).astype(float), "(got a float64 array of"),
    (Stragglers, "survivors", lambda _, u: (u > 0.5).T, "booleans, trials × workers, of shape ("),
    (Stragglers, "survivors", lambda _, u: u[:, :3] > 0.5, ", 8) (got a bool array of shape ("),
    (Stragglers, "survivors", lambda _, u: (u > 0.5).tolist(), "(got a list)"),
    (Stragglers, "survivors", lambda _, u: None, "(got None)"),
    (Stragglers, "survivors", lambda _, u: u > np.median(u, axis=0), AGAIN),
    (Sticky, "histories", lambda _, u, h: u[:, 0] > 0.5, "trials × iterations × workers, of shape"),
    (Sticky, "histories", lambda _, u, h: np.roll(u > 0.5, 1, axis=0), AGAIN),
    (Stragglers, "draw", lambda _, n, b: np.ones((b.trials, n), bool), PATTERNS),
    (Stragglers, "draw", lambda _, n, b: Patterns(n, b, planes=np.ones((n, b.groups))), PATTERNS),
    (Stragglers, "draw", lambda _, n, b: Patterns(n, b, packed=words((b.trials, 2), 1)), PATTERNS),
    (Stragglers, "draw", lambda _, n, b: Patterns(n, FEW, planes=words((n, 1), 1)), PATTERNS),
    (Stragglers, "draw", lambda _, n, b: Patterns(n, b, packed=words((b.trials, 1), 1 << n)),
     PATTERNS),
    (Stragglers, "draw", lambda _, n, b: Patterns(n, b), PATTERNS),
    (Pairs, "distribution", lambda _, n: np.ones(1 << n), "must return the probability of every"),
    (Pairs, "complaints", lambda _, n: None, PAIRS),
    (Pairs, "complaints", lambda _, n: "no", PAIRS),
    (Pairs, "complaints", lambda _, n: ["no"], PAIRS),
    (Pairs, "complaints", lambda _, n: [("p", 3)], PAIRS),
    (DecodingRule, "vectors", lambda _, B, a: a, "must return weights, a float64 array of shape"),
    (DecodingRule, "vectors", lambda _, B, a: np.ones(a.shape), "must return weights that are 0"),
    (DecodingRule, "vectors", lambda _, B, a: a * np.nan, "must return finite weights"),
    (DecodingRule, "vectors", lambda _, B, a: a * noise(), AGAIN),
    (DecodingRule, "vectors", lambda _, B, a: a / a.mean().clip(0.1), AGAIN),
    (DecodingRule, "vectors", lambda _, B, a: a * a.mean(0) * np.arange(64)[:, None], AGAIN),
    (DecodingRule, "vectors", lambda _, B, a: a @ B @ np.ones((9, 2)), "failed (ValueError: "),
    (DecodingMeasure, "values", lambda _, o: o.errors[:, 0], "must return a float64 array of"),
    (DecodingMeasure, "values", lambda _, o: o.errors > 1, "(got a bool array of shape"),
    (DecodingMeasure, "values", lambda _, o: o.errors - 10, "must return finite numbers, 0 or"),
    (DecodingMeasure, "values", lambda _, o: o.errors * np.nan, "must return finite numbers, 0 or"),
    (DecodingMeasure, "values", lambda _, o: o.errors + noise(), AGAIN),
    (DecodingMeasure, "values", lambda _, o: o.error, "failed (AttributeError: "),
]  # fmt: skip
FEW = Trials(1, "x", 0, 1, 1)
STUDIES = {
    "system": completion(system={"family": "wrong", "n": 4}),
    "latency": completion(latency={"distribution": "wrong"}),
    "code": decoding(code={"family": "wrong"}),
    "stragglers": decoding(code=FRC, stragglers={"model": "wrong"}),
    "decoder": decoding(decoder="wrong"),
    "measure": decoding(measure=["wrong"]),
}
MORE = {"histories": {"iterations": 2}, "distribution": {"method": "exact"}}


def words(shape: tuple[int, ...], value: int) -> Any:
    return np.full(shape, value, np.uint64)


@pytest.mark.parametrize(("base", "method", "other", "says"), CASES)
def test_what_a_method_returns_is_looked_at(base: Any, method: str, other: Any, says: str) -> None:
    plug_in(base, "wrong", **{method: other})
    study = STUDIES[base.GROUP] | MORE.get(method, {})
    attempts = [lambda: fastgc.run(study)]
    if base.GROUP in ("latency", "code"):
        attempts.append(lambda: fastgc.runs.replay(study, trial=3))  # type: ignore[arg-type, return-value]
    for attempt in attempts:
        text = refusal(attempt)
        assert f"Wrong: {method}" in text and says in text


@pytest.mark.parametrize(("change", "says"), [
    (lambda t: np.full(np.shape(t), np.nan), "must return numbers of its argument's shape"),
    (lambda t: np.zeros(3), "must return numbers of its argument's shape"),
    (lambda t: t.no, "failed (AttributeError: "),
])  # fmt: skip
def test_what_a_time_of_ones_own_returns_is_looked_at(change: Any, says: str) -> None:
    class Wrong(UniformTime):
        def upper_quantile(self, v: Any) -> Any:
            return change(v)

    plug_in(Law, "wrong", rest=lambda self: Wrong())
    text = refusal(lambda: fastgc.run(STUDIES["latency"]))
    assert "Wrong: upper_quantile" in text and says in text
