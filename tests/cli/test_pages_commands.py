"""The commands that write pages and tables: show, errata, validate, design."""

import shutil

import pytest

import fastgc
from fastgc.validation import reports
from suite.studies import groups

STUDY = {"experiment": [groups(4, 0.1, method="both")]}
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
def test_show_writes_a_page_of_everything(command, files):
    shutil.copy("design.toml", "other.toml")
    all_of = ("run.h5", "claims.h5", "design.toml", "other.toml")
    code, out, err = command("show", *all_of, "--html", "-o", "page.html")
    assert (code, out, err) == (0, "", "wrote page.html\n")
    text = (files / "page.html").read_text()
    assert text.startswith("<!doctype html>") and text.count("<h2") == 4
    assert "agc.lemma1.printed" in text and "gradient-code n=6" in text
    assert text.count("Which system is best: ") == 4 and "is best: other.toml" in text
    assert command("show", "run.h5", "--html")[1].startswith("<!doctype")


@pytest.mark.parametrize(("arguments", "sentence"), [
    (["show"], "Missing argument"),
    (["show", "run.h5", "--html", "-o", "page.doc"], "page.doc: a page's name must end in"),
    (["show", "run.h5", "-o", "page.html"], "belongs to --html"),
    (["show", "run.h5", "run.h5"], "give one FILE"),
    (["errata", "acg", "-o", "page.html"], "unknown paper 'acg'; did you mean 'agc'"),
    (["errata", "charalambides", "-o", "page.html"], "did you mean 'binary'"),
    (["errata", "agc", "-o", "page.doc"], "page.doc: a page's name must end in"),
    (["errata", "agc", "-o", "page.html", "--json"], "is an HTML page; leave out --json"),
    (["errata", "--json"], "name a PAPER"),
    (["show", "run.h5", "--follow"], "No such option"),
])  # fmt: skip
def test_mistakes(command, files, arguments, sentence):
    before = sorted(files.rglob("*"))
    code, out, err = command(*arguments)
    assert (code, out) == (2, "") and sentence in err and len(err.splitlines()) == 1
    assert sorted(files.rglob("*")) == before, "nothing was written"


@pytest.mark.night
def test_the_page_of_a_paper(command, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    few = ["hierarchical.mean", "hierarchical.decoding"]
    validate = fastgc.validate
    monkeypatch.setattr(reports, "validate", lambda paper, **more: validate(few, **more))
    arguments = ("errata", "hierarchical", "--trials", 100, "-o", "page.html")
    code, out, err = command(*arguments)
    assert code in (0, 1) and out == ""
    assert err == "wrote page.html; measurements kept in page\n"
    text = (tmp_path / "page.html").read_text()
    assert "fastgc errata hierarchical --trials 100 -o page.html" in text
    assert command(*arguments)[0] == code
    out = command("errata")[1]
    assert "printed results" in out and "hierarchical" in out
