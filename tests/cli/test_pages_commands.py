"""The commands that write pages and tables: report, reproduce, and show, validate, design."""

import json
import re
import shutil

import pytest

import fastgc
from fastgc.validation import reproduce

STUDY = {
    "experiment": [
        {
            "name": "frc",
            "code": {"family": "frc", "n": 4, "d": 2},
            "stragglers": {"model": "iid", "p": 0.1},
            "method": "both",
        }
    ]
}
DESIGN = """[design]
workers = 6
schemes = ["uncoded", "gradient-code"]
latency = { distribution = "exponential", mean = 1.0, shift = 1.0 }
"""


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    folder = tmp_path_factory.mktemp("made")
    fastgc.run(STUDY, out=folder / "run.h5", trials=1000)
    fastgc.validate("agc.lemma1.printed", out=folder / "claims.h5")
    (folder / "design.toml").write_text(DESIGN)
    return folder


@pytest.fixture
def files(made, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    shutil.copytree(made, tmp_path, dirs_exist_ok=True)
    return tmp_path


@pytest.mark.night
def test_report_writes_a_page_of_everything(command, files):
    code, out, err = command("report", "run.h5", "claims.h5", "design.toml", "-o", "page.html")
    assert (code, out, err) == (0, "", "wrote page.html\n")
    text = (files / "page.html").read_text()
    assert text.startswith("<!doctype html>") and text.count("<h2") == 3
    assert "agc.lemma1.printed" in text and "gradient-code n=6" in text


@pytest.mark.night
def test_report_keeps_pictures_beside_markdown(command, files):
    """Where no file is named it prints, and rankings of several files have their names."""
    for form, begins in (("--html", "<!doctype html>"), ("--markdown", "# "), ("--latex", "% ")):
        assert command("report", "run.h5", form)[1].startswith(begins)
    assert not list(files.glob("*.svg"))
    shutil.copy("design.toml", "other.toml")
    text = command("report", "design.toml", "other.toml", "--markdown")[1]
    assert text.count("Which system is best: ") == 2 and "is best: other.toml" in text
    code, _, err = command("report", "run.h5", "-o", "page.md")
    pictures = sorted(files.glob("page-*.svg"))
    assert code == 0 and pictures
    assert err == f"wrote page.md and {len(pictures)} pictures beside it\n"


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["report"], "Missing argument"),
        (["report", "none.h5"], "none.h5: there is no such file"),
        (["report", "run.h5", "-o", "page.doc"], "page.doc: a page's name must end in"),
        (["reproduce", "acg", "-o", "page.html"], "unknown paper 'acg'; did you mean 'agc'"),
        (["reproduce", "agc", "-o", "page.doc"], "page.doc: a page's name must end in"),
        (["show", "run.h5", "--follow"], "No such option"),
    ],
)
def test_mistakes(command, files, arguments, sentence):
    before = sorted(files.rglob("*"))
    code, out, err = command(*arguments)
    assert (code, out) == (2, "") and sentence in err and len(err.splitlines()) == 1
    assert sorted(files.rglob("*")) == before, "nothing was written"


@pytest.mark.night
def test_a_page_that_cannot_be_written(command, files):
    code, _, err = command("report", "run.h5", "-o", "nowhere/page.html")
    assert code == 74 and "nowhere/page.html: cannot be written" in err


@pytest.mark.night
def test_reproduce(command, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    few = ["hierarchical.mean", "hierarchical.decoding"]
    validate = fastgc.validate
    monkeypatch.setattr(reproduce, "validate", lambda paper, **more: validate(few, **more))
    arguments = ("reproduce", "hierarchical", "--trials", 100, "-o", "page.html")
    code, out, err = command(*arguments)
    assert code in (0, 1) and out == ""
    assert err == "wrote page.html; measurements kept in page\n"
    text = (tmp_path / "page.html").read_text()
    assert "fastgc reproduce hierarchical --trials 100 -o page.html" in text
    monkeypatch.setenv("FASTGC_LOG", "json")
    again, _, err = command(*arguments)
    events = [json.loads(line) for line in err.splitlines()]
    assert again == code and (tmp_path / "page.html").read_text() == text
    assert [each["subject"] for each in events if each["event"] == "started"] == [
        "hierarchical/factor",
        "hierarchical/fig1",
        "hierarchical/rules",
        "the claims of hierarchical",
    ]
    assert events[-1]["event"] == "finished" and events[-1]["page"] == "page.html"


@pytest.mark.night
def test_reproduce_a_study_in_brief(command, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    code, out, err = command("reproduce", "hierarchical/factor", "--trials", 100)
    assert code == 0 and err == "nothing is kept; -o or --keep keeps it\n"
    assert "The answer" in out and "Printed numbers beside the measured ones" in out
    assert "What was asked" not in out and list(tmp_path.iterdir()) == []
    code, _, err = command("reproduce", "hierarchical/factr")
    assert code == 2 and "did you mean 'hierarchical/factor'" in err


@pytest.mark.night
def test_tables_as_markdown_and_latex(command, files):
    for what in (["show", "run.h5"], ["show", "claims.h5"]):
        code, out, err = command(*what, "--markdown")
        rows = [re.sub(r"\\.", "", line) for line in out.splitlines() if line.startswith("| ")]
        assert (code, err) == (0, "") and len({row.count("|") for row in rows}) <= 2 and rows
        code, out, err = command(*what, "--latex")
        assert (code, err) == (0, "") and r"\num{" in out and out.startswith("% ")
    _, out, _ = command("validate", "agc.lemma1.printed", "--markdown")
    assert out == command("show", "claims.h5", "--markdown")[1]
    _, out, _ = command("show", "run.h5", "--markdown")
    estimate = fastgc.open("run.h5")["frc"]["error"].statistic("mean", "monte-carlo")
    assert fastgc.report.number(estimate.value, estimate.standard_error) in out
