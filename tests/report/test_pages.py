"""Pages on runs, validations and rankings: what stands on them, and in which order."""

import sys

import pytest

import fastgc
from fastgc import FastgcError
from fastgc.report.document import Figure, Section, Table
from fastgc.report.html import as_html
from fastgc.report.text import as_text
from fastgc.validation.reports import page
from report.reading import Html
from suite.checks import every
from suite.studies import groups, ring
from suite.waiting import after

BOTH = {"method": "both", "measure": ["error", "survivors"], "sweep": {"stragglers.p": [0.1, 0.2]}}
STUDY = {
    "title": "Two <codes> at two rates",
    "experiment": [groups(4, 0.1, name="frc", **BOTH), ring(4, 0.1, name="circulant", **BOTH)],
}


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    folder = tmp_path_factory.mktemp("pages")
    fastgc.run(STUDY, out=folder / "run.h5", trials=4000)
    claims = ["agc.frc-1.976", "agc.lemma1.printed", "binary.example.printed"]
    fastgc.validate(claims, out=folder / "claims.h5", trials=2000)
    return folder


def blocks(section):
    for block in section.blocks:
        yield block
        if isinstance(block, Section):
            yield from blocks(block)


@pytest.mark.parametrize(("rule", "said"), [
    ({"trials": 4000}, "the same numbers, bit for bit"),
    ({"trials": 70_000, "relative_error": 0.5, "events": 1}, "may stop after other trials"),
])  # fmt: skip
def test_bits_are_promised_of_as_many_trials_alone(tmp_path, rule, said):
    study = {"experiment": [groups(4, 0.1, method="monte-carlo")], "stop": rule}
    fastgc.run(study, out=tmp_path / "run.h5")
    assert said in " ".join(as_text(page([tmp_path / "run.h5"])).split())


def titles(document):
    return [section.title for section in document.sections]


@pytest.mark.night
def test_a_run_and_its_study_repeats_it(files, tmp_path):
    found = page([files / "run.h5"])
    assert found.title == STUDY["title"]
    first = ["The answer", "Pictures"]
    assert titles(found) == [*first, "The numbers", "How it was measured", "Repeat it"]
    said = {section.title: list(blocks(section)) for section in found.sections}
    assert any(isinstance(block, Figure) for block in said["Pictures"])
    tables = [block for block in said["The numbers"] if isinstance(block, Table)]
    first = tables[0]
    assert first.columns == ["stragglers.p", "error", "survivors[4]"]
    estimate = fastgc.open(files / "run.h5")["frc", {"stragglers.p": 0.2}]["error"]
    row = next(row for row in first.rows if row[0].value == 0.2)
    assert row[1].value == estimate.mean.value, "exact before sampled"
    assert every(len(row) == len(each.columns) for each in tables for row in each.rows)
    assert "8 000 trials" not in found.lead[0] and "16 000 trials" in found.lead[0]
    how = said["How it was measured"]
    [versions] = [each for each in how if getattr(each, "caption", "") == "Versions"]
    assert ("fastgc", fastgc.__version__) in [tuple(row) for row in versions.rows]
    *_, study, _, commands = blocks(found.sections[-1])
    assert commands.text.splitlines() == [
        "fastgc run study.toml -o result.h5",
        "fastgc show result.h5 --html -o page.html",
    ]
    (tmp_path / "study.toml").write_text(study.text)
    assert fastgc.run(tmp_path / "study.toml").rows() == fastgc.open(files / "run.h5").rows()


def test_a_validation(files):
    found = page([files / "claims.h5"])
    assert found.title == "What measurement says of claims"
    assert titles(found)[0] == "The answer"
    [paper] = [section for section in found.sections if section.name == "agc"]
    inside = [block.title for block in paper.blocks if isinstance(block, Section)]
    assert inside == ["Confirmed", "Errata", "Not judged", "Formulas"]
    assert "(agc.lemma1.printed)" in paper.blocks[1].blocks[0].text
    name = "agc.frc-1.976.printed"
    [erratum] = [block for block in blocks(paper) if getattr(block, "name", "") == name]
    printed, said = erratum.blocks[:2]
    assert printed.head == "As printed" and "E_err(FRC, n, s) = 1.976" in printed.text
    assert said.head == "Statement" and "1.976" in said.text
    assert found.contents and f'<li><a href="#{name}">' in as_html(found)


def test_a_ranking(tmp_path):
    law = 'latency = { distribution = "exponential", mean = 1.0, shift = 1.0 }'
    text = f'title = "six"\n[design]\nworkers = 6\nschemes = ["uncoded", "gradient-code"]\n{law}\n'
    (tmp_path / "six.toml").write_text(text)
    found = page([tmp_path / "six.toml"])
    best = fastgc.design(tmp_path / "six.toml")[0]
    assert found.title == "six"
    assert [section.name for section in found.sections] == ["answer", "numbers", "repeat"]
    ranked = next(b for s in found.sections for b in blocks(s) if isinstance(b, Table))
    assert ranked.rows[0][1] == best.name and ranked.rows[0][2].value == pytest.approx(best.value)
    said = as_text(found)
    assert "workers = 6" in said
    assert "means over some trials" in " ".join(said.split()) and "messages  time from" in said


@pytest.mark.night
def test_several_files_make_one_page_with_its_contents(files):
    found = page([files / "run.h5", files / "claims.h5"])
    assert len(found.sections) == 2 and found.contents

    reader = Html(as_html(found))
    ids, links = reader.values("id"), reader.values("href")
    assert len(ids) == len(set(ids)) and len(links) > 3
    assert {link.removeprefix("#") for link in links} <= set(ids)


def test_an_unfinished_run_says_so(tmp_path):
    fastgc.run(STUDY, out=tmp_path / "r.h5", batch=fastgc.runs.Batch(interrupted=after(3)))
    text = as_text(page([tmp_path / "r.h5"]))
    assert "The run is not complete: what stands here is what it has so far." in text


def test_without_matplotlib_it_says_so(files, monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    text = as_html(page([files / "run.h5"]))
    assert "matplotlib is not installed" in text and "<svg" not in text
    assert "0.04" in text


def test_what_is_no_result(tmp_path, files):
    (tmp_path / "s.toml").write_text('[[experiment]]\ncode = { family = "frc", n = 4, d = 2 }\n')
    with pytest.raises(FastgcError, match="is a study that was not run"):
        page([tmp_path / "s.toml"])
    with pytest.raises(FastgcError, match="there is no such file"):
        page([tmp_path / "nothing.h5"])
    with pytest.raises(FastgcError, match="is not a file of fastgc results"):
        (tmp_path / "x.h5").write_text("x" * 1000)
        page([tmp_path / "x.h5"])
