"""Members that users write: what is asked of them, what is taken, and how they fail."""

from typing import Any, Literal

import numpy as np
import pytest

import fastgc
from fastgc import FastgcError
from fastgc.draws.all_patterns import independent_distribution
from fastgc.draws.streams import Trials
from fastgc.registry import register
from fastgc.stragglers import Patterns, Stragglers
from fastgc.systems import Candidates, Cluster, System
from fastgc.systems.timing.stars import Flat
from suite import plug_ins
from suite.checks import agree, every, refusal
from suite.plug_ins import FRC, Pairs, plug_in
from suite.studies import descent

HERE = __name__


def decoding(model: str, **more: Any) -> dict[str, Any]:
    own = {"code": FRC, "stragglers": {"model": model}, "stop": {"trials": 100_000}}
    return plug_ins.decoding(**own | more)


class Drawing(Stragglers):
    """Draws by a generator of its own, started anew in every batch."""

    model: Literal["drawing"] = "drawing"

    def draw(self, n: int, batch: Trials) -> Patterns:
        generator = np.random.default_rng([int(batch.key("straggle")), batch.first])
        shape = (n, batch.iterations * batch.groups)
        return Patterns(n, batch, planes=generator.integers(0, 2**64, shape, np.uint64))


# ---- survivors(uniforms)


def test_survivors_in_plain_numpy_are_a_model() -> None:
    register("stragglers")(Pairs)
    agree(fastgc.run(decoding("pairs", method="both", measure=["error"])).rows(), 8 * 0.3, 1e-12)
    # drawn by address
    whole = Pairs().draw(8, Trials(3, "s", 0, 4, 2)).planes.reshape(8, 2, 4)
    for group in range(4):
        alone = Pairs().draw(8, Trials(3, "s", 64 * group, 1, 2)).planes.reshape(8, 2, 1)
        assert np.array_equal(whole[:, :, [group]], alone)
    assert not np.array_equal(whole[:, 0], whole[:, 1])


def test_survivors_in_training_and_completion() -> None:
    register("stragglers")(Pairs)
    training = descent(8, 16, 2, 3) | {"stragglers": {"model": "pairs"}}
    for trial in (0, 70):
        found = fastgc.runs.replay(training, trial=trial)["iterations"]
        lost = [entry["stragglers"] for entry in found[:3]]
        assert every(worker ^ 1 in own for own in lost for worker in own)
    completion = {
        "kind": "completion",
        "system": {"family": "k-of-n", "n": 8, "k": 2},
        "latency": {"distribution": "exponential", "mean": 1.0},
        "stragglers": {"model": "pairs"},
    }
    own = fastgc.runs.replay(completion, trial=5)["iterations"][0]["stragglers"]
    assert every(worker ^ 1 in own for worker in own)


def test_no_exact_method_without_a_distribution() -> None:
    plug_in(Stragglers, "odd", survivors=lambda _, uniforms: uniforms > 0.5)
    for iterations in (1, 2):
        study = decoding("odd", iterations=iterations, method="auto")
        text = refusal(fastgc.run, study | {"method": "exact"})
        assert "stragglers 'odd' have no method distribution; use \"monte-carlo\"" in text
        first, *_ = fastgc.run(study, trials=100).rows()
        assert "no exact method: stragglers 'odd' have no method distribution" in first["note"]


def test_a_distribution_alone_gives_what_is_pooled_over_iterations() -> None:
    register("stragglers")(Pairs)
    asked = {"quantiles": [0.9], "thresholds": [2.0]}
    one = fastgc.run(decoding("pairs", measure=["error"], method="exact", **asked)).rows()
    study = decoding("pairs", iterations=3, measure=["error", "mean_error"], **asked)
    rows = fastgc.run(study | {"method": "exact"}).rows()
    found = {(row["quantity"], row["statistic"]): row for row in rows}
    assert {row["method"] for row in (*one, *rows)} == {"exact"}
    for row in one:
        assert found["error", row["statistic"]]["value"] == row["value"]
    assert found["mean_error", "mean"]["value"] == found["error", "mean"]["value"]
    missing = found["mean_error", "variance"]
    assert missing["value"] is None
    assert "have neither of the methods conditional_means and lagged" in missing["note"]
    for statistic in ("quantile(0.9)", "P(>2.0)"):
        missing = found["mean_error", statistic]
        assert missing["value"] is None and "average over several iterations" in missing["note"]


# ---- refused when registered


def test_methods_that_are_missing_are_named() -> None:
    assert refusal(plug_in, Stragglers, "nothing") == (
        "suite.plug_ins.Nothing: lacks survivors, which fastgc.stragglers.Stragglers asks of every "
        "member"
    )
    done = lambda self, times: 1 / 0  # noqa: E731
    text = refusal(plug_in, System, "half", workers=lambda self: 1, done=done)
    assert "Half: lacks default_share, term, which fastgc.systems.System asks" in text


# ---- refused when used


@pytest.mark.parametrize(("probabilities", "said"), [
        # worker 0 is up in half of the trials, worker 1 in nearly all; these have it backwards
        ([0.0, 0.5, 0.0, 0.5], "trials have a pattern of probability 0"),
        ([0.01, 0.49, 0.01, 0.49], "worker 0 survives with probability 0.98, but in 0.5"),
        ([0.01, 0.01, 0.49, 0.49], None),
        # both are up or down together, nearly always
        ([0.5 * 0.98, 0.01, 0.01, 0.5 * 0.98], "worker 1 survives with probability 0.5"),
])  # fmt: skip
def test_a_distribution_is_that_of_what_is_drawn(
    probabilities: list[float], said: str | None
) -> None:
    """An exact number from another law than the trials' would be wrong without a sign of it."""

    law = {"survivors": lambda _, uniforms: uniforms > np.array([0.5, 0.02])}
    plug_in(Stragglers, "backwards", distribution=lambda _, n: np.array(probabilities), **law)
    study = {"code": {"family": "uncoded", "n": 2}, "stragglers": {"model": "backwards"}}
    if said is None:
        [mean] = [r for r in fastgc.run(study).rows() if r["statistic"] == "mean"]
        assert mean["value"] == pytest.approx(0.52, rel=1e-12)
    else:
        text = refusal(fastgc.run, study)
        assert "Backwards: distribution must return the law of the patterns that are drawn" in text
        assert said in text


def test_a_distribution_has_the_dependence_of_what_is_drawn() -> None:
    plug_in(Pairs, "alone", distribution=lambda _, n: independent_distribution(np.full(n, 0.3)))
    text = refusal(fastgc.run, decoding("alone", method="exact"))
    assert "Alone: distribution must return the law" in text
    assert "workers straggle together in another way" in text


@pytest.mark.parametrize("method", ["survivors", "draw", "bind", "complaints"])
def test_a_plug_ins_own_error_is_named(method: str) -> None:
    def fails(self: Any, *given: Any) -> Any:
        raise ValueError("no racks here")

    plug_in(Pairs, "broken", **{method: fails})
    with pytest.raises(FastgcError) as caught:
        fastgc.run(decoding("broken"))
    assert f"Broken: {method} failed (ValueError: no racks here)" in str(caught.value)
    assert isinstance(caught.value.__cause__, ValueError)


# ---- one trial is the same in any block


def test_a_model_that_depends_on_the_batch_is_refused() -> None:
    register("stragglers")(Drawing)
    for attempt in (fastgc.run, lambda study: fastgc.runs.replay(study, trial=70_000)):
        text = refusal(attempt, decoding("drawing"))
        assert text.startswith(f"{HERE}.Drawing: draw gives a trial other survivors when other")
        assert "a function of (seed, stream, trial, iteration, worker) alone" in text


# ---- systems that design chooses from


class Spare(System):
    """Some workers do all the work; the others are spare and the first answers count."""

    family: Literal["extra"] = "extra"
    n: int
    need: int

    def workers(self) -> int:
        return self.n

    def structure(self) -> Flat:
        return Flat(self.n, self.need)

    def default_share(self) -> float:
        return 0.01

    @classmethod
    def candidates(cls, cluster: Cluster) -> list[Candidates]:
        if cluster.workers % 2:
            raise FastgcError(f"spare needs an even number of workers (got {cluster.workers})")
        return [Candidates(tuple(cls(n=cluster.workers, need=k) for k in (1, 2)))]


def design(**more: Any) -> dict[str, Any]:
    return {"workers": 6, "latency": {"distribution": "exponential", "mean": 1.0}} | more


@pytest.mark.night
def test_design_sees_a_system_by_plug_in_and_says_why_it_does_not_fit() -> None:
    register("system")(Spare)
    assert fastgc.design(design())[0].system == {"family": "extra", "n": 6, "need": 1}
    named = fastgc.design(design(schemes=["uncoded", "extra"]))
    assert {choice.system["family"] for choice in named} == {"uncoded", "extra"}
    reason = "spare needs an even number of workers (got 7)"
    text = refusal(fastgc.design, design(workers=7, schemes=["extra"]))
    assert text.endswith(f'schemes: {reason}; leave "extra" out')

    plug_in(Spare, "plain", candidates=classmethod(lambda cls, cluster: []))
    found = fastgc.design(design())
    assert "plain" not in {choice.system["family"] for choice in found}
    text = refusal(fastgc.design, design(schemes=["plain"]))
    assert "plain offers no system for 6 workers" in text


@pytest.mark.parametrize("offered", [None, [3], [Candidates(())]])
def test_what_candidates_returns_is_looked_at(offered: Any) -> None:
    wrong = lambda cls, cluster: offered  # noqa: E731
    wrong.__name__ = "candidates"
    plug_in(Spare, "wrong", candidates=classmethod(wrong))
    text = refusal(fastgc.design, design(schemes=["wrong"]))
    assert "Wrong: candidates must return a list of fastgc.systems.Candidates" in text
