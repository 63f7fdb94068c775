"""Members of one's own: a system's term, NumPy forms of a decoder, a measure; what is refused."""

from typing import Any, Literal

import numpy as np
import pydantic
import pytest

import fastgc
from fastgc.codes import Code, Family, code_of
from fastgc.experiments.decoding import DecodingMeasure, Outcome
from fastgc.registry import register
from fastgc.systems.timing.completing import complete
from suite.checks import agree, patterns, refusal
from suite.plug_ins import (
    CYCLIC,
    Half,
    Pseudo,
    Spent,
    Sticky,
    completion,
    decoding,
    plug_in,
    together,
)

HERE = __name__
LONG = {"family": "cyclic", "n": 18, "d": 3, "seed": 1}
HALF = {"family": "half", "n": 4}
#: A code that is drawn anew in every trial.
TOSSED = {"family": "bernoulli", "n": 5, "density": 0.5, "seed": "trial"}


# ---- systems


def test_a_system_of_ones_own_is_sampled_like_the_same_system_of_fastgc() -> None:
    plug_in(Half, "half", done=lambda self, times: 0.0)  # not looked at beside a term
    theirs = {"family": "k-of-n", "n": 6, "k": 3, "load": 1 / 3}
    found = together(completion, system={"mine": {"family": "half", "n": 6}, "theirs": theirs})
    mine, other = (found[name]["time"].mean for name in ("mine", "theirs"))
    assert (mine.value, mine.standard_error) == (other.value, other.standard_error)


def test_a_system_of_ones_own_is_complete_replayed_and_may_fail() -> None:
    register("system")(Half)
    assert complete(Half(n=4), [3.0, 1.0, 4.0, 2.0]).time == 2.0
    study = completion(system=HALF, measure=["time", "worker_seconds"])
    for trial in (0, 64, 2999):
        [found] = fastgc.runs.replay(study, trial=trial)["iterations"]
        assert found["time"] == sorted(found["workers"])[1]
    measure = ["decodable", "time", "load", "waiting"]
    study = completion(system=HALF, stragglers={"model": "iid", "p": 0.5}, measure=measure)
    found = fastgc.run(study)["experiment1"]["decodable"].mean
    assert abs(found.value - 11 / 16) < 5 * found.standard_error


# ---- stragglers with a memory


def test_histories_have_the_law_that_they_should_and_are_replayed() -> None:
    register("stragglers")(Sticky)
    alone = {"code": {"family": "uncoded", "n": 4}, "stragglers": {"model": "sticky"}}
    study = decoding(**alone, iterations=3, measure=["error_lag", "mean_error"])
    result = fastgc.run(study, trials=100_000)
    mean = next(row for row in result.rows() if row["quantity"] == "mean_error")
    lost = [4 * 0.5 * (1 - 0.7**t) for t in (1, 2, 3)]
    assert abs(mean["value"] - np.mean(lost)) < 5 * mean["standard_error"]
    for trial in (0, 65, 70_000):
        own = [set(e["stragglers"]) for e in fastgc.runs.replay(study, trial=trial)["iterations"]]
        assert own[0] <= own[1] <= own[2]


# ---- codes


def test_a_matrix_of_its_own_generator_is_refused() -> None:
    build = lambda self: code_of(np.random.default_rng(self.seed or None).random((3, 4)))  # noqa: E731
    plug_in(Family, "random", seed=int, build=build)
    for attempt in (fastgc.run, lambda study: fastgc.runs.replay(study, trial=3)):
        text = refusal(lambda: attempt(decoding(code={"family": "random", "seed": 0})))  # noqa: B023
        assert "Random: build must return the same matrix whenever it is called" in text
    assert fastgc.run(decoding(code={"family": "random", "seed": 1})).rows()


def test_a_validators_own_error_is_named() -> None:
    @register("code")
    class Fussy(Family):
        family: Literal["fussy"] = "fussy"
        teeth: int

        @pydantic.field_validator("teeth")
        @classmethod
        def _some(cls, teeth: int) -> int:
            return teeth // 0

        def build(self) -> Code:
            return code_of(np.eye(self.teeth))

    text = refusal(lambda: fastgc.run(decoding(code={"family": "fussy", "teeth": 3})))
    assert "Fussy: a validator failed (ZeroDivisionError: integer" in text
    assert text.startswith(HERE)


# ---- decoders


@pytest.mark.parametrize("code", [CYCLIC, LONG])
def test_least_squares_by_hand_agrees_with_the_optimal_decoder(code: dict[str, Any]) -> None:
    register("decoder")(Pseudo)
    names = {"a": "optimal", "b": "pseudo", "c": {"method": "pseudo", "ridge": 0.0}}
    asked = {"code": code, "quantiles": [0.9]}
    found = together(lambda **more: decoding(**asked, **more), 640, decoder=names)
    rows: dict[str, list[Any]] = {name: [] for name in names}
    for row in found.rows():
        rows[row["experiment"]].append(row["value"])
    assert rows["b"] == rows["c"]
    assert rows["b"] == pytest.approx(rows["a"], rel=1e-6, abs=1e-9)


@pytest.mark.night
def test_a_decoder_of_ones_own_everywhere() -> None:
    register("decoder")(Pseudo)
    rule = Pseudo(ridge=0.5)
    B = fastgc.codes.cyclic(n=7, d=3, seed=1).B
    found = fastgc.decode(B, [0, 1, 4, 5], decoder=rule)
    A = B[:, [0, 1, 4, 5]]
    x = np.linalg.solve(A.T @ A + 0.5 * np.eye(4), A.sum(axis=0))
    assert np.allclose(found.vector, x)
    assert found.error == pytest.approx(np.sum((A @ x - 1) ** 2))
    study = decoding(decoder={"method": "pseudo", "ridge": 0.5}, method="both")
    twin = sum(p * fastgc.decode(B, live, decoder=rule).error for p, live in patterns(7, 0.3))
    agree(fastgc.run(study).rows(), twin)


def test_complaints_of_decoders() -> None:
    register("decoder")(Pseudo)
    for known in ("'class' or 'pseudo'", "'class', 'other' or 'pseudo'"):  # alone, and beside one
        assert refusal(lambda: fastgc.run(decoding(decoder="pseud"))) == (
            f"study: decoder: must be 'optimal', 'one-step', 'fixed', {known} or a table "
            "(got 'pseud'); did you mean 'pseudo'?"
        )
        for key, value, says in (
            ("rigde", 1.0, "decoder.rigde: unknown key; did you mean 'ridge'?"),
            ("ridge", "x", "decoder.ridge: must be a number (got 'x')"),
        ):
            assert says in refusal(fastgc.run, decoding(decoder={"method": "pseudo", key: value}))
        plug_in(Pseudo, "other")
    text = refusal(fastgc.run, decoding(decoder="pseudo", rho=1.0))
    assert """rho: belongs to decoder "one-step" (got decoder {'method': 'pseudo'})""" in text
    text = refusal(fastgc.run, decoding(decoder="pseudo", code=TOSSED))
    assert "needs a matrix that stays" in text

    text = refusal(plug_in, Pseudo, "optimal")
    assert "the method 'optimal' is fastgc's own; choose another tag" in text


# ---- measures


@pytest.mark.parametrize("iterations", [1, 3])
def test_a_measure_of_ones_own_is_enumerated(iterations: int) -> None:
    register("measure")(Spent)
    own = {"measure": ["error", "spent"], "thresholds": [2.0], "iterations": iterations}
    rows = fastgc.run(decoding(method="auto", **own)).rows()
    assert {row["method"] for row in rows} == {"exact"}
    found = {row["statistic"]: row["value"] for row in rows if row["quantity"] == "spent"}
    B = fastgc.codes.cyclic(n=7, d=3, seed=1).B
    twin = [(p, np.abs(fastgc.decode(B, live).vector).sum()) for p, live in patterns(7, 0.3)]
    mean = sum(p * value for p, value in twin)
    assert found["mean"] == pytest.approx(mean, rel=1e-10)
    assert found["variance"] == pytest.approx(sum(p * (v - mean) ** 2 for p, v in twin), rel=1e-9)
    assert found["maximum"] == pytest.approx(max(v for _, v in twin), rel=1e-10)
    assert found["P(>2.0)"] == pytest.approx(sum(p for p, v in twin if v > 2.0), rel=1e-10)
    alone = fastgc.run(decoding(method="auto", **own | {"measure": ["error"]})).rows()
    assert [row for row in rows if row["quantity"] == "error"] == alone


def test_a_measure_that_looks_at_other_iterations_is_only_sampled() -> None:
    values = lambda _, outcome: np.maximum.accumulate(outcome.errors, axis=1)  # noqa: E731
    plug_in(DecodingMeasure, "worst", values=values)
    for iterations, methods in ((1, {"exact"}), (4, {"monte-carlo"})):
        own = decoding(method="auto", measure=["worst", "error"], iterations=iterations)
        rows = fastgc.run(own).rows()
        assert {row["method"] for row in rows if row["quantity"] == "worst"} == methods
        assert any(row["method"] == "exact" for row in rows if row["quantity"] == "error")
    [said] = [row for row in rows if "depends on more than the pattern" in row.get("note", "")]
    assert (said["quantity"], said["statistic"]) == ("worst", "mean")


def test_a_measure_is_not_asked_for_patterns_that_cannot_be() -> None:
    def values(_: Any, outcome: Outcome) -> Any:
        with np.errstate(divide="ignore"):
            return 1.0 / outcome.alive.sum(axis=2)

    plug_in(DecodingMeasure, "inverse", values=values)
    uniform = {"model": "uniform", "stragglers": 3}
    rows = fastgc.run(decoding(measure=["inverse"], method="exact", stragglers=uniform)).rows()
    assert {row["value"] for row in rows if row["statistic"] != "variance"} == {0.25}
    text = refusal(lambda: fastgc.run(decoding(measure=["inverse"], method="exact")))
    assert "must return finite numbers, 0 or more" in text


def test_an_outcome_has_what_it_says() -> None:
    seen: list[Outcome] = []
    values = lambda _, outcome: seen.append(outcome) or outcome.errors  # noqa: E731
    plug_in(DecodingMeasure, "look", values=values)
    study = decoding(measure=["look", "error"], iterations=3, shuffle="cyclic")
    rows = fastgc.run(study, trials=70).rows()
    means = [row["value"] for row in rows if row["statistic"] == "mean"]
    assert means[0] == means[1]
    outcome = seen[-1]
    assert outcome.alive.shape == outcome.vectors.shape == (70, 3, 7)
    assert outcome.code.n == 7
    for trial in (0, 65):
        for entry, alive in zip(
            fastgc.runs.replay(study, trial=trial)["iterations"], outcome.alive[trial], strict=True
        ):
            assert np.flatnonzero(alive).tolist() == entry["columns"]


def test_complaints_of_measures() -> None:
    register("measure")(Spent)
    text = refusal(fastgc.run, decoding(measure=["spend"]))
    assert text.endswith("(got 'spend'); did you mean 'spent'?")
    text = refusal(fastgc.run, decoding(measure=["spent"], code=TOSSED))
    assert "measure: spent needs a matrix that stays" in text

    plug_in(Spent, "fine")
    text = refusal(plug_in, Spent, "error")
    assert "the measure 'error' is fastgc's own; choose another tag" in text
