"""Claims of all papers as data, and what all papers offer."""

import math
import re

import pytest

from fastgc import theory
from fastgc.report import latex
from fastgc.theory import agc, binary, literature
from fastgc.theory.papers.claim import CATEGORIES, KINDS, NOT_REFUTED, Case
from suite.checks import every

CLAIMS = theory.claims()
EXPECTED = {claim.id: claim.expected for claim in CLAIMS}
SORTS = {claim.id: claim.category for claim in CLAIMS}
REFUTED = [name for name, verdict in EXPECTED.items() if verdict == "refuted"]


def test_papers():
    papers = ("agc", "codedreduce", "binary", "hierarchical", "gcada", "literature")
    assert theory.paper_names() == papers
    assert (theory.agc, theory.binary, theory.literature) == (agc, binary, literature)
    assert set(theory.paper_names()) < set(dir(theory))
    assert {claim.paper for claim in CLAIMS} == set(papers)
    assert len({claim.id for claim in CLAIMS}) == len(CLAIMS)
    with pytest.raises(AttributeError):
        _ = theory.no_such_paper


@pytest.mark.parametrize("claim", CLAIMS, ids=lambda claim: claim.id)
def test_claims_are_well_formed(claim):
    assert claim.id.startswith(f"{claim.paper}.")
    assert claim.id.endswith((".printed", ".corrected", ".derived"))
    assert re.fullmatch(r"[a-z0-9.-]+", claim.id)
    assert claim.relation in ("=", "<=", ">=", "<", ">")
    assert claim.kind in (None, *KINDS) and claim.category in CATEGORIES
    assert claim.limit in ("difference", "ratio", "order")
    assert claim.holds in ("everywhere", "somewhere", "as n grows")
    verdicts = ("confirmed", "confirmed, loose", "refuted", "not reproducible", NOT_REFUTED)
    assert claim.expected in verdicts
    assert claim.expected != "refuted" or claim.id.endswith(".printed")
    assert claim.statement.isascii() and claim.citation.isascii()
    if claim.missing:  # what cannot be recomputed is only shown
        assert claim.id.endswith(".printed") and not any(case.experiment for case in claim.cases)
        return
    # a printed number is of one point, and a figure of those that it shows
    of = SORTS.get(claim.corrects, claim.category)
    shown = of in ("number", "figure") or all("figure" in case.point for case in claim.cases)
    if not shown and all(case.digits is None for case in claim.cases):
        assert len({str((case.point, case.index, case.quantity)) for case in claim.cases}) >= 3
    for case in claim.cases:
        assert math.isfinite(case.theory) and case.scale > 0
        if case.is_finite:
            assert case.quantity in (case.experiment.get("finite"), case.experiment.get("built"))
        else:
            assert case.experiment["measure"] == [case.quantity]


@pytest.mark.parametrize("name", REFUTED)
def test_what_is_refuted_has_a_correction_that_is_not_and_a_proof(name):
    corrections = [claim for claim in CLAIMS if claim.corrects == name]
    assert corrections
    assert {claim.expected for claim in corrections} <= {"confirmed", "confirmed, loose"}
    assert every(len(claim.proof) > 20 for claim in corrections)


@pytest.mark.parametrize("name", theory.CORE)
def test_each_erratum_shows_what_its_paper_prints(name):
    """In the paper's own words or letters, which LaTeX prints, too; of what holds there is none."""
    for claim in theory.paper(name).claims:
        assert bool(claim.printed) == (claim.expected == "refuted"), claim.id
        assert claim.printed != claim.statement and "[U+" not in latex.escaped(claim.printed)
    assert {f"{name}.{each}" for each in theory.paper(name).by_hand} <= set(REFUTED)


def test_a_kinder_reading_holds_and_is_shown_first_and_only_what_is_refuted_is_put_right():
    place = {claim.id: number for number, claim in enumerate(CLAIMS)}
    for claim in CLAIMS:
        assert claim.corrects is None or claim.corrects in REFUTED
        if claim.reads is not None:
            assert EXPECTED[claim.reads] == "refuted" != claim.expected
            assert place[claim.id] < place[claim.reads], claim.id


def test_kinds_go_by_one_rule():
    """What a kinder reading saves is no false theorem, and a missing condition is named."""
    read = {claim.reads for claim in CLAIMS}
    kinds = {claim.id: claim.kind for claim in CLAIMS if claim.expected == "refuted"}
    assert None not in kinds.values()
    assert not [name for name, kind in kinds.items() if kind == "false" and name in read]
    bare = [name for name, kind in kinds.items() if kind == "missing condition"]
    assert set(bare) <= read


@pytest.mark.parametrize(("index", "against"), [(3, {"code": {}}), (None, None)])
def test_a_ratio_is_of_two_means(index: int | None, against: dict[str, object] | None) -> None:
    with pytest.raises(ValueError, match="a ratio is of two means"):
        Case({}, 1.0, {"code": {}}, "error", index=index, against=against, how="ratio")
    assert Case({}, 1.0, {"code": {}}, "error", against={"code": {}}, how="ratio").how == "ratio"
