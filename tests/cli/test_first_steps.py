"""What a new user sees: ``fastgc``, ``fastgc demo``, the commands, and what there is by name."""

import json

import click
import pytest

from fastgc import theory
from fastgc.cli import commands
from fastgc.cli.commands import cli
from fastgc.cli.help import SECTIONS
from fastgc.study.claims import paper_files
from fastgc.study.packaged import packaged
from fastgc.study.schema import schema
from suite.checks import every


def test_fastgc_alone_says_how_to_start(command):
    code, out, err = command()
    assert (code, out) == (2, "")
    assert "Start with" in err
    named = [line.split()[1] for line in err.splitlines() if line.startswith("  fastgc ")]
    assert named[0] == "demo"
    assert set(named) <= set(cli.commands)
    assert every(len(line) <= 88 for line in err.splitlines())


#: At most so many options of all commands together.
MOST_OPTIONS = 110


def _options(command):
    if isinstance(command, click.Group):
        return [option for each in command.commands.values() for option in _options(each)]
    return [each for each in command.params if isinstance(each, click.Option)]


def test_there_are_fourteen_commands_with_few_options():
    assert len(cli.commands) == 14
    assert sum(len(_options(each)) for each in cli.commands.values()) <= MOST_OPTIONS


def test_every_command_stands_in_a_section_and_says_what_it_does_in_a_line(command):
    code, out, _ = command("--help")
    named = [name for names in SECTIONS.values() for name in names]
    assert code == 0 and sorted(named) == sorted(cli.commands)
    for name in named:
        [line] = [line for line in out.splitlines() if line.split()[:1] == [name]]
        assert line.endswith(".") and not line.endswith("..."), line


@pytest.mark.night
def test_the_demonstration_judges_statements_of_all_papers(command):
    code, out, _ = command("demo")
    assert code == 0
    assert "8 claims: 6 confirmed, 2 refuted" in out
    named = {name.split(".")[0] for name in commands.DEMONSTRATED}
    assert named == set(theory.paper_names()) - {"literature"}
    for claim in theory.claims():
        if claim.id in commands.DEMONSTRATED:
            # its statement stands below each verdict
            verdict = out[out.index(f"{claim.id}: {claim.expected}") :].split("\n\n")[0]
            assert claim.statement in " ".join(verdict.split())
    assert out.index("agc.frc-1.976.corrected") < out.index("agc.frc-1.976.printed")


def test_claims_a_line_each_or_as_json(command):
    code, out, err = command("validate", "--list")
    assert (code, err) == (0, "")
    assert [line.split()[0] for line in out.splitlines()] == [c.id for c in paper_files.register()]
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
    papers = dict.fromkeys(claim.paper for claim in paper_files.register())
    assert code == 0 and [row[0] for row in rows] == [*papers, "all"]
    assert int(rows[-1][1]) == len(paper_files.register()) == sum(int(row[1]) for row in rows[:-1])
    assert head[-1] == "derived" and "Ferdinand, Draper, Hierarchical Coded Computation" in out


def test_the_schema(command):
    code, out, _ = command("help", "schema")
    assert code == 0 and json.loads(out) == schema()
    for words in (("schema", "x"), ("studies", "a", "b"), ("schema", "--json")):
        assert command("help", *words)[0] == 2
