"""A paper's studies and claims, measured and put on one page."""

import pytest

from fastgc import FastgcError
from fastgc.report import forms
from fastgc.results.verdicts import UNDECIDED
from fastgc.study.study import Study
from fastgc.training import scikit
from fastgc.validation import reproduce as reproducing
from fastgc.validation.reproduce import Watching, reproduce
from fastgc.validation.validate import validate

pytestmark = pytest.mark.night

PAPER = "hierarchical"
TRIALS = 100


@pytest.fixture(scope="module", autouse=True)
def few_claims():
    """Judge some of the paper's claims, all kinds of verdicts it has: all of them take seconds."""
    own = ["hierarchical.mean", "hierarchical.factor.printed", "hierarchical.decoding"]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(reproducing, "validate", lambda paper, **more: validate(own, **more))
        yield


@pytest.fixture(scope="module")
def kept(tmp_path_factory):
    """A folder with the measurements of a paper, and what came of them."""
    folder, begun = tmp_path_factory.mktemp("reproduce") / "kept", []
    watching = Watching(begun=lambda name, file: begun.append((name, file.name)))
    found = reproduce(PAPER, folder, trials=TRIALS, watching=watching, command="fastgc x y")
    return folder, found, begun


def test_the_page_has_studies_and_claims_and_its_commands_measure_the_same(kept):
    folder, found, begun = kept
    parts = ("factor", "fig1", "rules")
    assert begun == [
        *((f"hierarchical/{part}", f"hierarchical-{part}.h5") for part in parts),
        ("the claims of hierarchical", "hierarchical-claims.h5"),
    ]
    assert sorted(file.name for file in folder.iterdir()) == sorted(name for _, name in begun)
    sections = {section.name: section for section in found.document.sections}
    names = list(sections)
    assert names[:2] == ["asked", "answer"] and names[-2:] == ["method", "repeat"]
    order = ["confirmed", "not-reproducible", "added", "study1", "method"]
    assert [name for name in names if name in order] == order
    if any(verdict.verdict == UNDECIDED for verdict in found.verdicts):
        assert names[-3] == "undecided"
    # how many printed numbers are met comes first
    answer = sections["answer"].blocks[0]
    assert answer.head == "Printed numbers"
    assert answer.text.startswith("1 printed number rests on what is not printed")
    text = forms.printed(found.document, "markdown")
    assert f"# {found.document.title}" in text and "Ferdinand, Draper" in found.document.title
    assert "hierarchical/rules: how the tasks are shared out" in text
    assert found.stopped_by is None and found.disagreements == []
    most = min(TRIALS, Study.read("hierarchical/rules").stop.trials)
    assert sections["repeat"].blocks[-1].text.splitlines() == [
        "fastgc x y",
        *(
            f"fastgc run hierarchical/{part} --trials {most} -o {folder}/hierarchical-{part}.h5"
            for part in parts
        ),
        f"fastgc validate --paper hierarchical --trials {TRIALS} "
        f"-o {folder}/hierarchical-claims.h5",
    ]


def test_a_single_study(tmp_path):
    begun = []
    watching = Watching(begun=lambda name, file: begun.append(file.name))
    found = reproduce("hierarchical/factor", tmp_path, trials=TRIALS, watching=watching)
    assert begun == ["hierarchical-factor.h5"] and found.verdicts == []
    text = forms.printed(found.document, "markdown")
    assert "Printed numbers beside the measured ones" in text


def test_again_measures_nothing_twice(kept):
    folder, found, _ = kept
    before = {file: file.stat().st_mtime_ns for file in folder.iterdir()}
    again = reproduce(PAPER, folder, trials=TRIALS, command="fastgc x y")
    assert {file: file.stat().st_mtime_ns for file in folder.iterdir()} == before
    assert forms.printed(again.document, "markdown") == forms.printed(found.document, "markdown")


def test_a_page_that_was_stopped_has_what_there_is(kept, tmp_path):
    _, found, _ = kept
    left = iter([None] * 6)
    watching = Watching(interrupted=lambda: next(left, "SIGTERM"))
    early = reproduce(PAPER, tmp_path / "k", trials=TRIALS, watching=watching)
    assert early.stopped_by == "SIGTERM"
    assert len(early.verdicts) < len(found.verdicts)
    text = forms.printed(early.document, "markdown")
    assert "stopped early by SIGTERM" in text and "is not all there" in text
    whole = reproduce(PAPER, tmp_path / "k", trials=TRIALS)
    assert [v.value for v in whole.verdicts] == [v.value for v in found.verdicts]


def test_what_was_stopped_before_it_began_is_named(tmp_path):
    early = reproduce(PAPER, tmp_path, trials=1, watching=Watching(interrupted=lambda: "SIGINT"))
    text = forms.printed(early.document, "markdown")
    assert "They were not judged: stopped early by SIGINT." in text
    assert early.verdicts == []


def test_a_study_that_needs_what_is_missing_is_left_out_with_the_remedy(tmp_path, monkeypatch):
    monkeypatch.setattr(scikit, "installed", lambda: False)
    part = reproducing._Work(tmp_path, 10, None, None, Watching()).study("agc/fig2b")
    assert part.measured is None and "pip install 'fastgc-sim[data]'" in part.reason


def test_mistakes(tmp_path):
    (tmp_path / "file").write_text("")
    for paper, folder, trials, said in (
        ("hierarchic", tmp_path, 1, r"unknown paper 'hierarchic'; did you mean 'hierarch"),
        (PAPER, tmp_path, 0, "trials: must be at least 1"),
        (PAPER, tmp_path / "file", 1, "file: cannot be made"),
        ("no/such.toml", tmp_path, 1, r"no/such\.toml: no such file"),
    ):
        with pytest.raises(FastgcError, match=said):
            reproduce(paper, folder, trials=trials)
    assert list(tmp_path.iterdir()) == [tmp_path / "file"]
