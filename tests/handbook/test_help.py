"""``fastgc help``: pages as they are written, their links, and the one that is made."""

import re
import sys
from pathlib import Path

import click
import pytest

import fastgc
from conftest import ran
from fastgc.report import handbook

PAGES = handbook.pages()


@pytest.mark.night
@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.topic)
def test_a_page_is_printed_as_it_is_written(page, command):
    assert command("help", page.topic)[1] == page.text.rstrip("\n") + "\n"


def test_contents_name_every_page(command):
    folder = Path(handbook.__file__).parents[1] / "handbook"
    assert {page.topic for page in PAGES} == {path.stem for path in folder.glob("*.md")}
    code, printed, _ = command("help")
    assert code == 0 and set(re.findall(r"^(\S.*):$", printed, re.MULTILINE)) == {*handbook.GROUPS}
    for page in PAGES:
        assert re.search(rf"^  {page.topic}  +\S", printed, re.MULTILINE)
    assert handbook.page("keys").title == "The keys of studies"
    code, printed, _ = command("help", "speed")
    assert code == 0 and printed.startswith("# How fast it is\n")
    assert command("help", "cyclic")[1].startswith('### `cyclic`\n\n`family = "cyclic"`\n')
    assert command("help", "merge")[1] == command("merge", "--help")[1], "a command's own help"


@pytest.mark.night
def test_a_page_goes_through_the_pager(command, monkeypatch):
    shown = []
    monkeypatch.setattr(click, "echo_via_pager", shown.append)
    assert command("help", "speed")[1] == ""
    assert shown[0].startswith("# How fast it is\n")


@pytest.mark.parametrize(("words", "sentence"), [
    (["slrum"], "fastgc: help: there is no page 'slrum'; did you mean 'slurm'?\n"),
    (["vlidate"], "did you mean 'validate'?"),
    (["xyz"], "`fastgc help` lists them"),
    (["worst"], "'worst'; the word stands in own-code, "),
    (["GRADIENT"], "'GRADIENT'; the word stands in own-code, "),
    (["speed", "--json"], "belongs to `fastgc help versions`"),
])  # fmt: skip
def test_mistakes_are_one_line(command, words, sentence):
    code, printed, said = command("help", *words)
    assert (code, printed) == (2, "") and sentence in said and len(said.splitlines()) == 1


def anchors(text):
    """Where links within a page lead, as GitHub and other readers of Markdown name its headings."""
    heads = re.findall(r"^#+ (.*)", text, re.MULTILINE)
    return {re.sub(r"[^\w -]", "", head).lower().replace(" ", "-") for head in heads}


@pytest.mark.night
def test_a_list_of_pages_makes_none_of_them():
    code = "import sys\nfrom fastgc.cli.main import main\ntry: main()\nfinally: print(*sys.modules)"
    done = ran(sys.executable, "-c", code, "help")
    *_, modules = done.stdout.splitlines()
    assert "\n  keys      The keys of studies\n" in done.stdout
    assert not {"numba", "fastgc.study.schema"} & set(modules.split())


@pytest.mark.night
def test_links_lead_to_pages_and_headings_that_are_there():
    texts = {page.topic: page.text for page in handbook.pages()}
    found = set()
    for topic, text in texts.items():
        for page, anchor in re.findall(r"\]\((?!https:)([^)#]*)(?:#([^)]*))?\)", text):
            page = page.removesuffix(".md")
            assert (page or topic) in texts, f"{topic}: {page}.md"
            if anchor:
                assert anchor in anchors(texts[page or topic]), f"{topic}: {page}.md#{anchor}"
                found.add((page, anchor))
    assert ("keys", "search") in found


@pytest.mark.night
def test_keys_say_of_measures_what_one_gets() -> None:
    text = handbook.page("keys").text
    assert "- `lost`: Share of the partitions, between 0 and 1," in text
    assert "- `survivors`: Probability of r survivors, at each index r from 0 to n." in text
    table = {"code": {"family": "uncoded", "n": 4}, "stragglers": 1}
    found = fastgc.run(table | {"measure": ["lost", "survivors"]})["experiment1"]
    assert found["lost"].mean.value == 1 / 4
    assert [found["survivors"][r].mean.value for r in range(5)] == [0, 0, 0, 1, 0]
