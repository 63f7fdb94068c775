"""The text, the page and the pictures of a measurement."""

import pytest

import fastgc
from fastgc import report
from fastgc.measuring.faults import Faults
from fastgc.report import pictures
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
    kinds = ["panels", "rounds", "losses", "clock", "trace"]
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
