"""``fastgc help``: pages as text that fits the terminal, and as HTML."""

import doctest
import re

import pytest

from fastgc.report import handbook

PAGES = handbook.pages()


def test_examples():
    failed, tried = doctest.testmod(handbook)
    assert not failed and tried


@pytest.mark.night
@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.topic)
def test_a_page_is_printed_as_it_is_written(page, command):
    assert command("help", page.topic)[1] == page.text.rstrip("\n") + "\n"


def test_contents_name_every_page(command):
    code, printed, _ = command("help")
    assert code == 0
    for page in PAGES:
        assert re.search(rf"^{page.topic}  +\S", printed, re.MULTILINE)
    code, printed, _ = command("help", "speed")
    assert code == 0 and printed.startswith("# How fast it is\n")
    assert command("help", "merge")[1] == command("merge", "--help")[1], "a command's own help"


@pytest.mark.night
def test_a_page_goes_through_the_pager_on_a_terminal(command, monkeypatch):
    import click

    from fastgc.cli import help as helping

    shown = []
    monkeypatch.setattr(helping, "_is_terminal", lambda: True)
    monkeypatch.setattr(click, "echo_via_pager", shown.append)
    assert command("help", "speed")[1] == ""
    [text] = shown
    assert text.startswith("# How fast it is\n")


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["slrum"], "fastgc: help: there is no page 'slrum'; did you mean 'slurm'?\n"),
        (["vlidate"], "did you mean 'validate'?"),
        (["xyz"], "`fastgc help` lists them"),
        (["speed", "--json"], "belongs to `fastgc help versions`"),
    ],
)
def test_mistakes_are_one_line(command, words, sentence):
    code, printed, said = command("help", *words)
    assert (code, printed) == (2, "") and sentence in said and len(said.splitlines()) == 1
