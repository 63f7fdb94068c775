"""Papers of one file each: what comes with fastgc, what packages add, and mistakes in them."""

import collections
import re
import sys

import pytest

import fastgc
from fastgc import theory
from fastgc.errors import FastgcError, StudyError
from fastgc.study.claims import papers, read
from fastgc.theory.papers.claim import CATEGORIES, OWN_DERIVATION
from fastgc.validation import own
from fastgc.validation.validate import select
from suite.checks import every

REGISTER = papers.register()
FIELD = [claim for file in papers.field().values() for claim in file.claims]
PAPER = """
[paper]
name = "mine"
citation = "Me, A Paper"
{more}
[[claim]]
id = "{id}"
citation = "Theorem 1"
statement = "FRC loses n p^d partitions on average"
theory = "n * p**d"
{keys}
quantity = "error"
experiment.code = {{ family = "frc", n = 8, d = 2 }}
experiment.stragglers = {{ model = "iid", p = 0.1 }}
"""


def text(id="mine.theorem1.printed", more='read = "whole"', keys=""):
    return PAPER.format(id=id, more=more, keys=keys)


@pytest.fixture
def file(tmp_path):
    def write(**how):
        path = tmp_path / "mine.toml"
        path.write_text(text(**how))
        return path

    return write


def test_every_claim_has_a_source_a_category_and_a_group():
    assert every(claim.source and claim.category in CATEGORIES for claim in REGISTER)
    assert {papers.group_of(claim) for claim in REGISTER} == {"core", "field"}
    for claim in REGISTER:
        assert (claim.category == "derived") == (not claim.id.endswith(".printed"))


def test_the_five_papers_are_their_own_sources():
    core = [claim for claim in REGISTER if papers.group_of(claim) == "core"]
    assert {claim.source for claim in core} == {theory.paper(name).citation for name in theory.CORE}


def test_claims_of_the_field_are_few_and_name_their_sources():
    of_field = [claim for claim in REGISTER if papers.group_of(claim) == "field"]
    assert len(of_field) <= 60
    own = {claim.id for claim in of_field if claim.source == OWN_DERIVATION}
    assert own == {"literature.blocks.optimum.corrected"}  # it puts a printed number right
    assert len({claim.id for claim in REGISTER}) == len(REGISTER)
    assert every(file.paper.read != "nothing" for file in papers.field().values())


def test_statements_stand_alone():
    first = {claim.id: claim.statement.split()[0] for claim in FIELD}
    words = {"and", "so", "which", "it", "that", "this", "such", "for", "where", "with"}
    assert not {id: word for id, word in first.items() if word in words}


def test_no_source_is_written_in_two_ways():
    numbers = collections.defaultdict(set)
    for claim in REGISTER:
        for number in re.findall(r"arXiv:(\d{4}\.\d{4,5})", claim.source):
            numbers[number].add(claim.source)
    assert every(len(sources) == 1 for sources in numbers.values())


@pytest.mark.parametrize("claim", FIELD, ids=lambda claim: claim.id)
def test_claims_of_the_field_are_sound(claim):
    """Their cases can be made; formulas of the same agree."""
    assert claim.cases and claim.statement.isascii() and claim.citation.isascii()
    paper = papers.field()[claim.paper].paper
    assert not claim.id.endswith(".printed") or paper.read != "nothing"


@pytest.mark.night
@pytest.mark.parametrize("name", papers.field())
def test_what_is_said_of_the_field_is_confirmed(name):
    """On exact values; what has none is sampled by `fastgc validate` alone."""
    for verdict in fastgc.validate(paper=name, method="exact", trials=20_000):
        assert verdict.as_expected, verdict
        assert not [each for each in verdict.checks if each.said.startswith("brute force gives")]


def test_a_file_with_a_paper_can_be_validated(file):
    [claim] = read.read(file())
    assert (claim.citation, claim.source) == ("Me, A Paper, Theorem 1", "Me, A Paper")
    assert (claim.category, papers.group_of(claim)) == ("theorem", "own")
    [verdict] = fastgc.validate(file(keys='category = "number"'), method="exact")
    assert (verdict.verdict, verdict.category) == ("confirmed", "number")


@pytest.mark.parametrize(("how", "said"), [
    ({"id": "yours.theorem1.printed"}, "must begin with mine. and end in .printed"),
    ({"id": "mine.theorem1"}, "must begin with mine. and end in .printed"),
    ({"more": ""}, "of the paper nothing was read; end it in .derived"),
    ({"more": 'read = "half"'}, "paper.read"),
    ({"more": 'red = "whole"'}, "did you mean 'read'"),
    ({"keys": 'second = "n * p"'}, "second: is 0.8, but the theory is 0.08"),
])  # fmt: skip
def test_mistakes(file, how, said):
    with pytest.raises(StudyError) as caught:
        read.read(file(**how))
    assert said in str(caught.value) and len(caught.value.complaints) == 1


def test_the_paper_of_a_file_of_fastgc_is_not_missing():
    with pytest.raises(StudyError, match="paper: missing; say whose claims they are"):
        read.of_paper("claim = []")


@pytest.fixture
def install(tmp_path, monkeypatch):
    """Install a package that holds a paper, without a line of Python."""

    def made(name, content):
        info = tmp_path / "extra_papers-1.0.dist-info"
        (tmp_path / "extra_papers").mkdir()
        info.mkdir()
        (tmp_path / "extra_papers" / "mine.toml").write_text(content)
        (info / "METADATA").write_text("Metadata-Version: 2.1\nName: extra-papers\nVersion: 1.0\n")
        (info / "entry_points.txt").write_text(f"[fastgc.papers]\n{name} = extra_papers\n")
        monkeypatch.syspath_prepend(str(tmp_path))

    yield made
    sys.modules.pop("extra_papers", None)


def test_a_package_adds_a_paper(install):
    install("mine", text())
    assert [claim.id for claim in select("mine")] == ["mine.theorem1.printed"]
    assert select(None, "mine")[0].source == "Me, A Paper"
    assert select(None) == list(REGISTER)  # a whole run is of what comes with fastgc
    [verdict] = fastgc.validate("mine.theorem1", method="exact")
    assert verdict.verdict == "confirmed"
    assert fastgc.errata("mine", method="exact")["counts"]["confirmed"] == 1


@pytest.mark.parametrize(("name", "content", "said"), [
    ("yours", text(), "No such file"),
    ("mine", text(keys="theori = 1"), "did you mean 'theory'"),
    ("mine", text().replace('"mine"', '"tandon"').replace("mine.", "tandon."), "called tandon"),
])  # fmt: skip
def test_a_package_with_a_broken_paper_is_named(install, name, content, said):
    install(name, content)
    with pytest.raises(FastgcError, match="of package extra-papers") as caught:
        own.installed()
    assert said in str(caught.value)
