"""What there is, by name: claims, studies and formulas, each short and complete."""

import json

from fastgc import theory
from fastgc.study.claims import papers
from fastgc.study.packaged import packaged
from fastgc.study.schema import schema


def test_claims_a_line_each_or_as_json(command):
    code, out, err = command("validate", "--list")
    assert (code, err) == (0, "")
    assert [line.split()[0] for line in out.splitlines()] == [c.id for c in papers.register()]
    code, out, _ = command("validate", "--list", "--paper", "binary", "--json")
    assert code == 0
    found = json.loads(out)
    own = [claim for claim in theory.claims() if claim.paper == "binary"]
    assert [each["id"] for each in found] == [claim.id for claim in own]
    assert [each["statement"] for each in found] == [claim.statement for claim in own]
    code, out, _ = command("validate", "agc.theorem1", "--list")
    assert {line.split(".")[1] for line in out.splitlines()} == {"theorem1"}


def test_studies_with_their_titles_and_texts(command):
    code, out, _ = command("help", "studies")
    assert code == 0
    names = [line.split()[0] for line in out.splitlines()]
    assert names == list(packaged()) and sorted(names) == sorted(packaged())
    # as a reader counts
    assert names.index("codedreduce/fig2") < names.index("codedreduce/fig10")
    assert "Eight codes at equal load" in out
    code, out, _ = command("help", "studies", "agc/main")
    assert code == 0 and out.rstrip("\n") == packaged()["agc/main"].read_text().rstrip("\n")


def test_papers_with_the_numbers_of_their_claims(command):
    code, out, _ = command("errata")
    head, *rows = (line.split() for line in out.partition("\n\n")[0].splitlines())
    assert code == 0 and [row[0] for row in rows] == [
        *dict.fromkeys(claim.paper for claim in papers.register()),
        "all",
    ]
    assert int(rows[-1][1]) == len(papers.register()) == sum(int(row[1]) for row in rows[:-1])
    assert head[-1] == "derived"


def test_the_schema(command):
    code, out, _ = command("help", "schema")
    assert code == 0 and json.loads(out) == schema()
    for words in (("schema", "x"), ("studies", "a", "b"), ("schema", "--json")):
        assert command("help", *words)[0] == 2
