"""The text, the page and the pictures of a measurement."""

import numpy as np
import pytest

import fastgc
from fastgc import report
from fastgc.measuring.faults import Faults
from fastgc.report import forms, pictures
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


def test_the_text_says_what_held_and_who_was_lost(path):
    text = " ".join(report.measurement(fastgc.open(path)).split())
    assert "gradient-code n=4 s=1 on 4 workers (virtual)" in text
    assert "Structure held" in text and "Learning held" in text
    assert "round 20: worker 1 was lost (killed)" in text
    assert "3 of 25 rounds got too few answers" in text


def test_the_text_of_several_answers_a_worker():
    layers = STUDY | {"system": {"family": "hierarchical", "n": 3, "k": [2, 1]}}
    found = fastgc.measure(layers, carrier=Virtual)
    mean = np.nanmean(found.arrays["own"])
    assert f"workers' own seconds  {mean:.4g}" in report.measurement(found)


def test_the_page_has_the_comparisons_the_pictures_and_the_numbers(path):
    made = page([path])
    assert [section.title for section in made.sections] == [
        "What held, and what did not",
        "Predicted and measured",
        "Who straggled",
        "The numbers",
        "The study",
    ]
    assert "rounds, measured" in str(made)


def test_pictures(path, command, tmp_path):
    found = fastgc.open(path)
    kinds = ["panels", "rounds", "quantiles", "losses", "clock", "trace"]
    assert [each.kind for each in pictures.of(found)] == kinds
    code, text, _ = command("plot", path, "-o", tmp_path / "p.svg", "--kind", "losses")
    assert code == 0 and (tmp_path / "p.svg").read_text().startswith("<?xml")
    assert "Mean loss after each round" in text


def test_a_notebook_shows_it(path):
    shown = fastgc.open(path)._repr_html_()
    assert "<table" in shown and "structure held" in shown


def test_other_commands_say_what_it_is(path, command):
    code, _, err = command("audit", path)
    assert code == 2 and "is a measurement" in err


def test_panels_stand_side_by_side_on_one_figure(path):
    made = pictures.figure(pictures.of(fastgc.open(path))[0])
    titles = [axes.get_title(loc="left") for axes in made.axes if axes.axison]
    assert titles == [
        "structure held: time of a round",
        "law held: a worker's own seconds",
        "learning held: loss by round",
        "loss by the clock",
    ]
    places = [axes.get_position().x0 for axes in made.axes if axes.axison]
    assert places[0] < places[1] < places[2] == pytest.approx(places[3], abs=0.05)


def test_losses_are_drawn_beside_those_of_the_simulation(path):
    found = fastgc.open(path)
    [losses, clock] = [p for p in pictures.of(found) if p.kind in ("losses", "clock")]
    [axes] = pictures.figure(losses).axes
    measured, same = axes.lines
    assert measured.get_ydata().tolist() == found.arrays["loss"].tolist()
    assert same.get_ydata() == pytest.approx(found.arrays["loss"], rel=1e-9)
    assert axes.collections, "the band of the law"
    [axes] = pictures.figure(clock).axes
    ends = [line.get_xdata()[-1] for line in axes.lines]
    assert ends == pytest.approx([found.measured.sum(), found.predicted.sum()])


def test_the_page_shows_its_images(path):
    html = forms.printed(page([path]), "html")
    assert "<image" in html and "img-src data:" in html


def measured(**changes):
    return fastgc.measure(STUDY | changes, carrier=Virtual)


def test_what_comes_next(path):
    text = " ".join(report.measurement(fastgc.open(path)).split())
    assert "Next: rounds went as simulated, with these workers and this load; latency = { " in text
    assert 'file = "m.h5"' in text
    few = measured(measure=STUDY["measure"] | {"rounds": 3})
    assert "Next: measure more rounds" in report.measurement(few)
    slow = fastgc.measure(STUDY, carrier=lambda *parts: Virtual(*parts, own=lambda j, r: 9.0))
    assert "Next: simulate with what was measured" in report.measurement(slow)


def test_who_straggled(path):
    laws = [{"distribution": "deterministic", "value": 2 * seconds} for seconds in (1, 1, 1, 9)]
    text = " ".join(report.measurement(measured(latency=laws)).split())
    assert "virtual3 in 100 %, virtual0 in 0 %, virtual1 in 0 %, virtual2 in 0 %" in text
    assert (
        "Best model by AIC: Markov, p_straggle_after_ok = 0, p_straggle_after_straggle = 1" in text
    )


def test_rounds_that_are_not_decoded_say_how_far_off():
    system = {"family": "bounded-wait", "n": 4, "k": 3}
    text = report.measurement(measured(system=system))
    assert "Decoding error: 1 partitions a round on average, by the law alone 1" in text
