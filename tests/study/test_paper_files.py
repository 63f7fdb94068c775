"""Papers of one file each: what comes with fastgc, what packages add, and mistakes in them."""

import pytest

import fastgc
from fastgc.study.claims import paper_files, read
from fastgc.theory.papers.claim import CATEGORIES, OWN_DERIVATION
from suite.checks import every, refusal

REGISTER = paper_files.register()
FIELD = [claim for file in paper_files.field().values() for claim in file.claims]
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
    assert {paper_files.group_of(claim) for claim in REGISTER} == {"core", "field"}
    for claim in REGISTER:
        assert (claim.category == "derived") == (not claim.id.endswith(".printed"))


def test_claims_of_the_field_are_few_and_name_their_sources():
    of_field = [claim for claim in REGISTER if paper_files.group_of(claim) == "field"]
    assert len(of_field) <= 60
    assert every(claim.source != OWN_DERIVATION for claim in of_field)
    assert len({claim.id for claim in REGISTER}) == len(REGISTER)
    assert every(file.paper.read != "nothing" for file in paper_files.field().values())


@pytest.mark.parametrize("claim", FIELD, ids=lambda claim: claim.id)
def test_claims_of_the_field_are_sound(claim):
    """Their cases can be made; formulas of the same agree."""
    assert claim.cases and claim.statement.isascii() and claim.citation.isascii()
    paper = paper_files.field()[claim.paper].paper
    assert not claim.id.endswith(".printed") or paper.read != "nothing"


@pytest.mark.night
@pytest.mark.parametrize("name", paper_files.field())
def test_what_is_said_of_the_field_is_confirmed(name):
    """On exact values; what has none is sampled by `fastgc validate` alone."""
    for verdict in fastgc.validate(paper=name, method="exact", trials=20_000):
        assert verdict.as_expected, verdict
        assert not [each for each in verdict.checks if each.said.startswith("brute force gives")]


def test_a_file_with_a_paper_can_be_validated(file):
    [claim] = read.read(file())
    assert (claim.citation, claim.source) == ("Me, A Paper, Theorem 1", "Me, A Paper")
    assert (claim.category, paper_files.group_of(claim)) == ("theorem", "own")
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
    assert said in refusal(read.read, file(**how))


def test_the_paper_of_a_file_of_fastgc_is_not_missing():
    said = "mine.toml: paper: missing; say whose claims they are: a table [paper] with its name"
    assert refusal(read.read_paper, "claim = []", "mine.toml").startswith(said)
