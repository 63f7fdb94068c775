"""The text and the page of a measurement."""

import tomllib
from functools import partial

import numpy as np
import pytest

import fastgc
from fastgc import report
from fastgc.measuring.faults import Faults
from fastgc.validation.reports import page
from twins.virtual import Virtual, measured

STUDY = {
    "kind": "completion",
    "system": {"family": "gradient-code", "n": 4, "s": 1},
    "latency": {"distribution": "exponential", "mean": 1.0},
    "measure": {"problem": {"model": "linear", "samples": 24, "features": 2}, "rounds": 25},
}


@pytest.fixture(scope="module")
def path(tmp_path_factory):
    out = tmp_path_factory.mktemp("measured") / "m.h5"
    faults = Faults(kill=[(1, 20), (3, 22)])
    measured(STUDY, faults=faults, out=out)
    return out


@pytest.mark.night
def test_what_held_and_who_was_lost(path):
    text = " ".join(report.measurement(fastgc.open(path)).split())
    assert "gradient-code n=4 s=1 on 4 workers (virtual)" in text
    assert "Structure held" in text and "Learning held" in text
    assert "round 20: worker 1 was lost (killed)" in text
    assert "3 of 25 rounds got too few answers" in text
    made = page([path])
    titles = ["What held, and what did not", "The numbers", "The study"]
    assert [section.title for section in made.sections] == titles
    assert "rounds, measured" in str(made)
    shown = fastgc.open(path)._repr_html_()
    assert "<table" in shown and "rounds, predicted" in shown


def test_other_commands_say_what_it_is(path, command):
    for words in ("show", path, "--audit"), ("design", path):
        code, _, err = command(*words)
        assert code == 2 and "is a measurement, which `fastgc show` reads" in err


def run(**changes):
    return measured(STUDY | changes)


def slow(**changes):
    return measured(STUDY | changes, partial(Virtual, own=lambda worker, number: 9.0))


def test_what_comes_next(path):
    text = " ".join(report.measurement(fastgc.open(path)).split())
    assert 'Next: latency = { distribution = "empirical", file = "m.h5", order = "rows" }' in text
    assert "-o OUT.h5 keeps it" in report.measurement(slow())
    late = {"measure": STUDY["measure"] | {"between_rounds": "cancel"}}
    own = {"system": {"family": "bounded-wait", "n": 4, "k": 3}}
    assert "Next" not in report.measurement(run(**own, **late))  # no round has all times


@pytest.mark.parametrize(("system", "load"), [
    ({"family": "gradient-code", "n": 4, "s": 1}, 0.5), ({"family": "balanced", "n": 4}, 0.25),
    ({"family": "hierarchical", "n": 4, "k": [2, 3]}, 1),
])  # fmt: skip
def test_the_study_that_comes_next_has_the_seconds_that_were_measured(tmp_path, system, load):
    study = STUDY | {"system": system, "latency": {"distribution": "deterministic", "value": 6.0}}
    found = measured(study, out=tmp_path / "m.h5")
    assert found.arrays["own"] == pytest.approx(6.0 * load)
    text = " ".join(report.measurement(found).split())
    keys = text[text.index("latency = {") : text.index(" simulate what")].split(" and ")
    own = tomllib.loads("\n".join(keys))
    own["latency"]["file"] = str(tmp_path / own["latency"]["file"])
    again = measured(STUDY | {"system": system} | own, rounds=12)
    assert again.arrays["own"] == pytest.approx(6.0 * load)


@pytest.mark.night
def test_rounds_that_are_not_decoded_and_several_answers_a_worker():
    text = report.measurement(run(system={"family": "bounded-wait", "n": 4, "k": 3}))
    assert "Decoding error: 1 partitions a round on average" in text
    found = run(system={"family": "hierarchical", "n": 3, "k": [2, 1]})
    said = f"workers' own seconds  {np.nanmean(found.arrays['own']):.4g}"
    assert said in report.measurement(found) and "hierarchical" in report.measurement(found)
