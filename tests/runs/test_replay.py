"""One trial again: as it was sampled, and what cannot be replayed."""

import json

import numpy as np
import pytest

import fastgc
from fastgc import codes
from fastgc.errors import FastgcWarning
from suite.checks import refusal
from twins import sampling
from twins.decoders import error_of, optimal_vector

CLASSES = {"model": "two-class", "p_slow": 0.4, "p_straggle_slow": 0.8, "p_straggle_active": 0.1}
STUDY = {
    "seed": 9,
    "experiment": [
        {
            "name": "ring",
            "code": {"family": "circulant", "n": 6, "d": 2},
            "stragglers": CLASSES,
            "iterations": 4,
            "sweep": {"shuffle": ["none", "cyclic", "random"]},
        },
        {
            "name": "groups",
            "code": {"family": "frc", "n": 6, "d": 3},
            "stragglers": {"model": "iid", "p": 0.5},
        },
    ],
}


@pytest.mark.parametrize("shuffle", ["none", "cyclic", "random"])
@pytest.mark.parametrize("trial", [0, 63, 64, 12_345, 2**40 + 7])
def test_a_trial_is_what_its_addresses_say(trial, shuffle):
    found = fastgc.runs.replay(STUDY, trial=trial, experiment="ring", point={"shuffle": shuffle})
    assert (found["experiment"], found["point"]) == ("ring", {"shuffle": shuffle})
    assert (found["trial"], found["seed"], len(found["iterations"])) == (trial, 9, 4)
    study = fastgc.Study.parse(STUDY)
    [point] = [p for p in study.points() if p.sweep == {"shuffle": shuffle}]
    stream = study.canonical(point)
    B = codes.circulant(n=6, d=2).B
    for iteration, step in enumerate(found["iterations"]):
        own = sampling.survivors(CLASSES, 6, 9, stream, trial, iteration)
        assert step["stragglers"] == [j for j in range(6) if not own[j]]
        columns = np.array(sampling.columns(CLASSES, shuffle, 6, 9, stream, trial, iteration))
        assert step["columns"] == np.flatnonzero(columns).tolist()
        error = error_of(B, optimal_vector(B, columns))
        assert step["error"] == pytest.approx(error, abs=1e-12)
        assert step["exact"] == (error < 1e-9)
        assert step["not_accessed"] == np.flatnonzero(~B[:, columns].any(axis=1)).tolist()


def test_seed_and_overrides():
    def gone(**more):
        return fastgc.runs.replay(STUDY, trial=5, experiment="groups", **more)["iterations"]

    assert gone() == gone(seed=9)
    assert any(gone(seed=s)[0]["stragglers"] != gone()[0]["stragglers"] for s in (1, 2, 3))
    everyone = gone(overrides=["experiment.groups.stragglers.p=1.0"])
    assert everyone[0]["stragglers"] == [0, 1, 2, 3, 4, 5] and everyone[0]["error"] == 6


def test_beside_a_worst_case():
    """An experiment that cannot be replayed does not keep others from it."""
    stragglers = {"model": "adversarial", "stragglers": 2}
    worst = STUDY["experiment"][1] | {"name": "worst", "stragglers": stragglers}
    both = STUDY | {"experiment": [*STUDY["experiment"], worst]}
    alone = fastgc.runs.replay(STUDY, trial=3, experiment="groups")
    assert fastgc.runs.replay(both, trial=3, experiment="groups") == alone
    said = refusal(fastgc.runs.replay, both, trial=3, experiment="worst")
    assert "worst is a worst case, which draws no trials" in said


def test_a_new_matrix_in_every_trial():
    code = {"family": "bernoulli", "n": 5, "density": 0.5, "seed": "trial"}
    found = fastgc.runs.replay({"code": code, "stragglers": 5}, trial=7)
    [step] = found["iterations"]
    assert (step["error"], step["not_accessed"]) == (5.0, None)


INTEGER = "trial: must be an integer, at least 0 and below 10¹⁸ (got "
MANY = "experiment: 4 points fit; say which, like --experiment ring --point shuffle=none"


@pytest.mark.parametrize(("more", "says"), [
    *(({"trial": wrong}, f"{INTEGER}{wrong!r})") for wrong in (-1, 10**18, 1.5, "3", True)),
    ({"trial": 1}, MANY),
    ({"trial": 1, "experiment": "ring"}, "experiment: 3 points fit; say which, like "),
    ({"trial": 1, "experiment": "rings"}, "experiment: unknown experiment 'rings'; did you"),
    ({"trial": 1, "experiment": "ring", "point": {"shuffle": "x"}},
     "point: there is none at shuffle=x; give swept keys and values, like shuffle=none"),
    ({"trial": 1, "point": {"code.d": 2}}, "point: there is none at code.d=2; "),
])  # fmt: skip
def test_mistakes(more, says):
    assert refusal(fastgc.runs.replay, STUDY, **more).startswith(says)


def test_the_command(command):
    options = ("--replay", 12, "--experiment", "circulant")
    code, out, err = command("show", "agc/main", *options, "--json")
    assert (code, err) == (0, "")
    assert json.loads(out) == fastgc.runs.replay("agc/main", trial=12, experiment="circulant")
    code, out, _ = command("show", "agc/main", *options)
    assert code == 0 and "trial 12, seed 1" in out and len(out.splitlines()) == 3
    for wrong, says in (
        (("--replay", 12), "like --experiment frc\n"),
        (("--replay", 1, "--point", "nonsense"), ""),
        (("--replay", 1, "--point", "code.n="), ""),
    ):
        code, out, err = command("show", "agc/main", *wrong)
        assert (code, out) == (2, "") and len(err.splitlines()) == 1 and err.endswith(says), wrong


def test_the_last_trials_of_a_run_are_those_replayed_alone():
    """Errors of repetition are whole numbers: sums of two runs differ by the trials between."""
    study = {"seed": 9, "experiment": [STUDY["experiment"][1] | {"method": "monte-carlo"}]}

    def total(trials):
        mean = fastgc.run(study, trials=trials)["groups"]["error"].mean
        assert mean.trials == trials
        return round(mean.value * trials)

    for trials, more in ((128, 8), (65_536, 5), (66_000, 3)):
        last = (fastgc.runs.replay(study, trial=trials + i)["iterations"][0] for i in range(more))
        assert total(trials + more) - total(trials) == sum(round(each["error"]) for each in last)


def test_a_trial_that_a_file_does_not_hold_is_said_to_be_none_of_its(here):
    study = {"seed": 9, "experiment": [STUDY["experiment"][1] | {"method": "monte-carlo"}]}
    fastgc.run(study, trials=100, out="a.h5")
    assert fastgc.runs.replay("a.h5", trial=99) == fastgc.runs.replay(study, trial=99)
    with pytest.warns(FastgcWarning, match="a.h5: trial 100 is not among the 100 of this"):
        assert fastgc.runs.replay("a.h5", trial=100) == fastgc.runs.replay(study, trial=100)
