"""Files, axes of one's own, the command, and what is said where nothing can be drawn."""

import sys

import matplotlib.figure
import pytest
from matplotlib import pyplot

import fastgc
from fastgc.errors import FastgcError, StorageError
from fastgc.report import pictures
from fastgc.results.rows import Result
from suite.checks import refusal

STUDY = {
    "code": {"family": "frc", "n": 8, "d": 2},
    "stragglers": 0.1,
    "measure": ["error", "exact"],
    "sweep": {"stragglers.p": [0.1, 0.2, 0.3]},
}


@pytest.fixture(scope="module")
def result():
    return fastgc.run(STUDY)


@pytest.mark.night
@pytest.mark.parametrize(
    ("form", "begins"), [("svg", b"<?x"), ("png", b"\x89PNG"), ("pdf", b"%PDF")]
)
def test_a_file_has_the_same_bytes_each_time(result, tmp_path, form, begins):
    picture = pictures.of(result)[0]
    one, two = (pictures.save(picture, tmp_path / f"{i}.{form}").read_bytes() for i in (1, 2))
    assert one == two and one.startswith(begins)


def test_a_result_draws_itself_on_axes_of_ones_own(result):
    own = matplotlib.figure.Figure().add_subplot()
    assert result.plot(ax=own, quantity="exact") is own
    assert own.get_ylabel() == "P(exact)"
    own.set_title("a title")
    own.figure.draw_without_rendering()
    assert own.get_legend().get_window_extent().y1 <= own.title.get_window_extent().y0


def test_without_axes_there_is_a_new_figure(result, tmp_path):
    file = tmp_path / "a.svg"
    with pytest.raises(StorageError, match="cannot be written"):
        fastgc.plot(result, out=tmp_path / "no" / "a.svg")
    axes = fastgc.plot(result, out=file)
    assert axes.figure is pyplot.gcf() and file.exists()
    assert axes.lines[0].get_color() == "#0072B2"
    pyplot.close("all")


@pytest.mark.parametrize(("asked", "said"), [
    ({"kind": "pie"}, "unknown picture 'pie'; allowed: sweep"),
    ({"experiment": "other"}, "unknown experiment 'other'; allowed: experiment1"),
    ({"quantity": "eror"}, "'eror' was not measured; did you mean 'error'"),
    ({"quantity": "variance"}, "'variance' was not measured; write error.variance"),
    ({"quantity": "error P(>9.0)"}, "error has no P(>9.0); there is mean, variance"),
    ({"out": "a.jpg"}, "must end in .svg, .png or .pdf"),
])  # fmt: skip
def test_a_mistake_is_a_sentence(result, asked, said):
    assert said in refusal(fastgc.plot, result, **asked)


def test_what_cannot_be_drawn_is_refused():
    verdicts = Result([], verdicts=fastgc.validate(["agc.lemma1"], method="exact"))
    for thing in ([1, 2], verdicts):
        with pytest.raises(FastgcError, match="made of the result of a study"):
            pictures.of(thing)
    with pytest.raises(FastgcError, match="no numbers to be drawn"):
        pictures.of(Result([]))


def test_without_matplotlib_the_extra_is_named(result, monkeypatch):
    for name in ("matplotlib", "matplotlib.pyplot", "matplotlib.style"):
        monkeypatch.setitem(sys.modules, name, None)
    assert pictures.of(result)[0].kind == "sweep"  # what is seen can be said all the same
    with pytest.raises(FastgcError, match=r"pip install 'fastgc-sim\[plot\]'"):
        result.plot()


@pytest.mark.night
def test_the_command_draws_a_file_and_says_what_is_seen(command, here):
    fastgc.run(STUDY, out="made.h5")
    code, out, _ = command("plot", "made.h5")
    assert code == 0
    assert "Mean error against straggler probability p" in out and "Closed forms are" in out
    assert (here / "made.svg").read_text().startswith("<?xml")
    words = ["--quantity", "exact", "--kind", "sweep"]
    code, out, _ = command("plot", "made.h5", "-o", "b.png", *words)
    assert code == 0 and "P(exact)" in out
    code, _, err = command("plot", "made.h5", "-o", "b.gif")
    assert code == 2 and "b.gif" in err and not (here / "b.gif").exists()
    (here / "s.toml").write_text('[[experiment]]\ncode = { family = "uncoded", n = 2 }\n')
    code, _, err = command("plot", "s.toml")
    assert code == 2 and "fastgc run s.toml" in err, "it was not run"
