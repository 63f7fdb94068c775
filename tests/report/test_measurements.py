"""The text and the page of a measurement."""

import tomllib

import numpy as np
import pytest

import fastgc
from fastgc import report
from fastgc.measuring.faults import Faults
from fastgc.report.html import as_html
from fastgc.validation.reports import page
from twins.virtual import Virtual

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
    fastgc.measure(STUDY, carrier=Virtual, faults=faults, out=out)
    return out


@pytest.mark.night
def test_what_held_and_who_was_lost(path):
    text = " ".join(report.measurement(fastgc.open(path)).split())
    assert "gradient-code n=4 s=1 on 4 workers (virtual)" in text
    assert "Structure held" in text and "Learning held" in text
    assert "round 20: worker 1 was lost (killed)" in text
    assert "3 of 25 rounds got too few answers" in text
    made = page([path])
    titles = ["What held, and what did not", "Who straggled", "The numbers", "The study"]
    assert [section.title for section in made.sections] == titles
    assert "rounds, measured" in str(made)
    shown = fastgc.open(path)._repr_html_()
    assert "<table" in shown and "rounds, predicted" in shown


def test_other_commands_say_what_it_is(path, command):
    for words in ("audit", path), ("design", path):
        code, _, err = command(*words)
        assert code == 2 and "is a measurement, which `fastgc show` and `report` read" in err


def measured(**changes):
    return fastgc.measure(STUDY | changes, carrier=Virtual)


def slow(**changes):
    own = {"own": lambda worker, number: 9.0}
    return fastgc.measure(STUDY | changes, carrier=lambda *parts: Virtual(*parts, **own))


def test_what_comes_next(path):
    text = " ".join(report.measurement(fastgc.open(path)).split())
    assert "Next: rounds went as simulated, with these workers and this load; latency = { " in text
    assert 'file = "m.h5"' in text
    few = measured(measure=STUDY["measure"] | {"rounds": 3})
    assert "Next: measure more rounds" in report.measurement(few)
    assert "Next: simulate what was measured" in report.measurement(slow())


@pytest.mark.parametrize(
    ("system", "load"),
    [
        ({"family": "gradient-code", "n": 4, "s": 1}, 0.5),
        ({"family": "hierarchical", "n": 4, "k": [2, 3]}, 1),
        ({"family": "balanced", "n": 4}, 0.25),
    ],
)
def test_the_study_that_comes_next_has_the_seconds_that_were_measured(tmp_path, system, load):
    study = STUDY | {"system": system, "latency": {"distribution": "deterministic", "value": 6.0}}
    found = fastgc.measure(study, carrier=Virtual, out=tmp_path / "m.h5")
    assert found.arrays["own"] == pytest.approx(6.0 * load)
    text = " ".join(report.measurement(found).split())
    keys = text[text.index("latency = {") : text.index(" simulate what")].split(" and ")
    own = tomllib.loads("\n".join(keys))
    own["latency"]["file"] = str(tmp_path / own["latency"]["file"])
    again = fastgc.measure(STUDY | {"system": system} | own, rounds=12, carrier=Virtual)
    assert again.arrays["own"] == pytest.approx(6.0 * load)


@pytest.mark.night
def test_what_does_not_come_next():
    """What no study can take, and more rounds where they mend nothing."""
    system = {"family": "local-sgd", "n": 4, "period": 3}
    assert "empirical" not in report.measurement(measured(system=system))
    assert 'Next: measure "uncoded" with' in report.measurement(slow(system=system))
    balanced = measured(system={"family": "balanced", "n": 4})
    assert balanced.verdicts[1]["verdict"] == "open"
    assert "Next: rounds went as simulated" in report.measurement(balanced)


def test_who_straggled(path):
    laws = [{"distribution": "deterministic", "value": 2 * seconds} for seconds in (1, 1, 1, 9)]
    text = " ".join(report.measurement(measured(latency=laws)).split())
    assert "virtual3 in 100 %, virtual0 in 0 %, virtual1 in 0 %, virtual2 in 0 %" in text
    assert (
        "Best model by AIC: Markov, p_straggle_after_ok = 0, p_straggle_after_straggle = 1 (fits, "
        "p = 1), then two classes (fits, p = "
    ) in text
    assert "iid (does not fit, p = 0.01; AIC + " in text


@pytest.mark.night
def test_rounds_that_are_not_decoded_and_several_answers_a_worker():
    text = report.measurement(measured(system={"family": "bounded-wait", "n": 4, "k": 3}))
    assert "Decoding error: 1 partitions a round on average, by the law alone 1" in text
    found = measured(system={"family": "hierarchical", "n": 3, "k": [2, 1]})
    said = f"workers' own seconds  {np.nanmean(found.arrays['own']):.4g}"
    assert said in report.measurement(found) and "hierarchical" in report.measurement(found)


TRAINING = """
title = "Two of them"
[defaults]
kind = "training"
problem = { model = "linear", samples = 24, features = 2 }
optimizer = { method = "gradient-descent", step = 0.1 }
iterations = 30
system = { family = "bounded-wait", n = 4, k = 3, load = 0.5 }
latency = { distribution = "exponential", mean = 1.0 }
[measure]
rounds = 30
[[experiment]]
name = "groups"
code = { family = "frc", n = 4, d = 2 }
[[experiment]]
name = "ring"
code = { family = "circulant", n = 4, d = 2 }
"""


@pytest.fixture(scope="module")
def two(tmp_path_factory):
    folder = tmp_path_factory.mktemp("two")
    (folder / "s.toml").write_text(TRAINING)
    out = [folder / "groups.h5", folder / "ring.h5"]
    for place, path in enumerate(out, 1):
        fastgc.measure(folder / "s.toml", place=place, carrier=Virtual, out=path)
    return out


@pytest.mark.night
def test_several_systems_stand_side_by_side_on_one_page(two, path):
    made = page(two)
    assert made.title == "Against the clock"
    names = ["All systems", "Against the clock: groups", "Against the clock: ring"]
    assert [section.title for section in made.sections] == names
    verdicts, numbers = made.sections[0].blocks
    assert [row[0] for row in verdicts.rows] == [row[0] for row in numbers.rows]
    assert verdicts.rows[0] == ("groups", "held", "held", "held")
    for file, row in zip(two, numbers.rows, strict=True):
        found = fastgc.open(file)
        own = [1e3 * found.measured.mean(), found.arrays["decoding_error"].mean()]
        own.append(found.arrays["loss"][-1])
        assert [row[i].value for i in (2, 4, 6)] == pytest.approx(own, rel=1e-2, abs=0)
        law = found.facts["curves"]
        assert row[3].value == pytest.approx(law["error"], rel=1e-2, abs=0)
        assert float(row[5].split(" … ")[0]) == pytest.approx(law["low"][-1], rel=1e-3, abs=0)
    html = as_html(made)
    assert html.count("title = &#34;Two of them&#34;") == 2
    other = page([*two, path])
    assert other.sections[0].title == "All systems"
    assert as_html(other).count("title = &#34;Two of them&#34;") == 2
    text = report.measurements([fastgc.open(each) for each in two])
    rows = [line.split() for line in text[text.index("What held:") :].splitlines()[2:5]]
    assert rows[0] == ["system", "structure", "law", "learning"]
    assert rows[1:] == [[name, "held", "held", "held"] for name in ("groups", "ring")]
