"""Review sheets of the five papers' statements."""

import pytest

from fastgc import report, theory
from fastgc.study.claims import papers
from fastgc.theory.papers import review
from suite.checks import every

CLAIMS = {claim.id: claim for name in theory.CORE for claim in theory.paper(name).claims}


def sheet(id):
    claim = CLAIMS[id]
    return review.sheet(claim, theory.paper(claim.paper).claims)


@pytest.mark.parametrize("name", theory.CORE)
def test_each_statement_has_six_answers(name):
    claims = theory.paper(name).claims
    for claim in claims:
        answers = review.sheet(claim, claims)
        assert tuple(answers) == review.QUESTIONS and every(answers.values())


def test_remarks_are_of_statements_and_questions():
    noted = review._noted()
    assert set(noted["own"]) | set(noted["remarks"]) <= set(theory.CORE)
    for name, of_paper in noted["remarks"].items():
        for stem, said in of_paper.items():
            assert CLAIMS[f"{name}.{stem}"].id.endswith(".printed")
            assert set(said) <= set(review.QUESTIONS)


def test_quantifiers_and_strictness():
    assert sheet("agc.theorem1.printed")["quantifiers"] == "at 7 points, on average or in law"
    assert sheet("binary.replication.printed")["quantifiers"] == "at 11 points, over all patterns"
    assert sheet("binary.theorem1.printed")["quantifiers"].startswith("at 10 points, over all")
    assert sheet("codedreduce.remark2.seven.printed")["quantifiers"].startswith("in the limit")
    assert sheet("agc.circulant-better-than-frc.printed")["strictness"].startswith("strict")
    assert sheet("codedreduce.scattered.printed")["strictness"].startswith("not strict; cannot")


def test_domain_and_direction():
    assert "survivors from" in sheet("agc.theorem6.printed")["domain"]
    assert sheet("agc.frc-1.976.printed")["direction"] == "error measured = what is stated"


def test_variants_are_corrections_and_kinder_readings():
    said = sheet("agc.theorem1.survivors.printed")["variants"]
    assert "agc.theorem1.survivors.corrected" in said
    assert "agc.theorem1.survivors.printed" in sheet("agc.theorem1.survivors.corrected")["variants"]


def test_the_papers_own_point():
    assert sheet("binary.example.printed")["own point"] == "first: n=11, s=3"
    assert sheet("agc.frc-1.976.printed")["own point"] == "first: the printed numbers"
    assert sheet("codedreduce.theorem1.load.printed")["own point"].startswith("not first")
    assert sheet("hierarchical.example.printed")["own point"].startswith("the paper has none")


def test_sheets_are_printed_and_are_in_the_list(command):
    code, out, _ = command("validate", "--why", "agc.lemma1.printed")
    assert code == 0 and "    review strictness: an equality\n" in out
    rows = report.claim_rows([CLAIMS["agc.lemma1.printed"], papers.field()["tandon"].claims[0]])
    assert tuple(rows[0]["review"]) == review.QUESTIONS and rows[1]["review"] is None
