"""What a new user sees: ``fastgc``, ``fastgc demo`` and the commands."""

import click
import pytest

from fastgc import theory
from fastgc.cli import first_steps
from fastgc.cli.commands import cli
from fastgc.cli.help import SECTIONS
from suite.checks import every


def test_fastgc_alone_says_how_to_start(command):
    code, out, err = command()
    assert (code, out) == (2, "")
    assert "Start with" in err
    commands = [line.split()[1] for line in err.splitlines() if line.startswith("  fastgc ")]
    assert commands[0] == "demo"
    assert set(commands) <= set(cli.commands)
    assert every(len(line) <= 88 for line in err.splitlines())


def test_every_command_stands_in_one_section_and_says_what_it_does_in_a_line(command):
    listed = [name for names in SECTIONS.values() for name in names]
    assert len(listed) == len(set(listed))
    assert set(cli.commands) <= set(listed)
    code, out, _ = command("--help")
    assert code == 0
    for name, each in cli.commands.items():
        assert isinstance(each, click.Command)
        [line] = [line for line in out.splitlines() if line.split()[:1] == [name]]
        assert line.endswith("."), line
        assert not line.endswith("..."), line


@pytest.mark.night
def test_the_demonstration_judges_statements_of_all_papers(command):
    code, out, _ = command("demo")
    assert code == 0
    assert "8 claims: 6 confirmed, 2 refuted" in out
    papers = {name.split(".")[0] for name in first_steps.CLAIMS}
    assert papers == set(theory.paper_names()) - {"literature"}
    for claim in theory.claims():
        if claim.id in first_steps.CLAIMS:
            # its statement stands below each verdict
            verdict = out[out.index(f"{claim.id}: {claim.expected}") :].split("\n\n")[0]
            assert claim.statement in " ".join(verdict.split())
    assert out.index("agc.frc-1.976.corrected") < out.index("agc.frc-1.976.printed")
