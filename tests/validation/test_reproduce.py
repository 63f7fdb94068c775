"""A paper's claims and studies, measured and put on one page."""

import pytest

from fastgc.errors import FastgcError, StoppedError
from fastgc.registry.activity import Batch
from fastgc.report.text import as_text
from fastgc.study.study import Study
from fastgc.training import scikit
from fastgc.validation import reports
from fastgc.validation.reports import reproduce
from fastgc.validation.validate import validate

pytestmark = pytest.mark.night

PAPER = "hierarchical"
TRIALS = 100


@pytest.fixture(scope="module", autouse=True)
def few_claims():
    """Judge some of the paper's claims, all kinds of verdicts it has: all of them take seconds."""
    own = ["hierarchical.mean", "hierarchical.factor.printed", "hierarchical.decoding"]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(reports, "validate", lambda paper, **more: validate(own, **more))
        yield


@pytest.fixture(scope="module")
def kept(tmp_path_factory):
    """A folder with the measurements of a paper, and what came of them."""
    folder = tmp_path_factory.mktemp("reproduce") / "kept"
    return folder, reproduce(PAPER, folder, trials=TRIALS, command="fastgc x y")


def test_the_page_has_studies_and_claims_and_its_commands_measure_the_same(kept):
    folder, (document, judged) = kept
    parts = ("factor", "fig1", "rules")
    files = [f"hierarchical-{part}.h5" for part in ("claims", *parts)]
    assert sorted(file.name for file in folder.iterdir()) == files
    sections = {section.name: section for section in document.sections}
    names = list(sections)
    assert names[0] == "answer" and names[-2:] == ["method", "repeat"]
    order = ["confirmed", "not-reproducible", "added", "study1", "method"]
    assert [name for name in names if name in order] == order
    # how many printed numbers are met comes first
    answer = sections["answer"].blocks[0]
    assert answer.head == "Printed numbers"
    assert answer.text.startswith("1 in a setting of fastgc's own")
    text = as_text(document)
    assert "Ferdinand, Draper" in document.title
    assert "Printed numbers beside the measured ones" in text
    assert "hierarchical/rules: how the tasks are shared out" in text
    assert reports.contradictions(judged) == []
    most = min(TRIALS, Study.parse("hierarchical/rules").stop.trials)
    run = "fastgc run hierarchical/{0} --trials {1} -o {2}/hierarchical-{0}.h5"
    assert sections["repeat"].blocks[-1].text.splitlines() == [
        "fastgc x y",
        *(run.format(part, most, folder) for part in parts),
        f"fastgc validate --paper hierarchical --trials {TRIALS} --seed 1 "
        f"-o {folder}/hierarchical-claims.h5",
    ]


def test_what_was_stopped_goes_on_from_what_is_kept(kept, tmp_path):
    """Here between the claims and the first study."""
    _, (_, judged) = kept
    claims = tmp_path / "k" / f"{PAPER}-claims.h5"
    stopping = Batch(interrupted=lambda: "SIGTERM" if claims.exists() else None)
    with pytest.raises(StoppedError, match="stopped early by SIGTERM: kept in"):
        reproduce(PAPER, tmp_path / "k", trials=TRIALS, batch=stopping)
    before = claims.stat().st_mtime_ns
    _, whole = reproduce(PAPER, tmp_path / "k", trials=TRIALS)
    assert [v.value for v in whole] == [v.value for v in judged]
    assert claims.stat().st_mtime_ns == before


def test_a_study_that_needs_what_is_missing_is_left_out_with_the_remedy(tmp_path, monkeypatch):
    monkeypatch.setattr(scikit, "installed", lambda: False)
    part = reports._studied("agc/fig2b", tmp_path, 10, None, None)
    assert part.measured is None and "pip install 'fastgc-sim[data]'" in part.reason


def test_mistakes(tmp_path):
    (tmp_path / "file").write_text("")
    for paper, folder, trials, said in (
        ("hierarchic", tmp_path, 1, r"unknown paper 'hierarchic'; did you mean 'hierarch"),
        (PAPER, tmp_path, 0, "trials: must be at least 1"),
        (PAPER, tmp_path / "file", 1, "file: cannot be made"),
    ):
        with pytest.raises(FastgcError, match=said):
            reproduce(paper, folder, trials=trials)
    assert list(tmp_path.iterdir()) == [tmp_path / "file"]
