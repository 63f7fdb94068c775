"""Every block of the handbook and of the README runs as written; see `handbook.running`."""

import re

import pytest

from conftest import ROOT
from fastgc.registry.plugin_groups import REGISTRY
from fastgc.report import handbook
from handbook.running import FencedBlock, Reader, blocks, shows
from suite.checks import every

README = (ROOT / "README.md").read_text()
#: What is written; pages that are made have no blocks.
TEXTS = {page.topic: page.text for page in handbook.pages() if page.topic != handbook.KEYS}
TEXTS["README"] = README
#: Sections whose blocks need other programs, and the tests that run them as they stand there.
ELSEWHERE = {
    ("slurm", "Slurm"): "tests/batch/test_slurm.py",
    ("clusters", "MPI"): "tests/batch/test_mpi.py",
    ("clusters", "Dask"): "tests/batch/test_dask.py",
    ("clusters", "Snakemake"): "tests/batch/test_slurm.py",
    ("measure", "PyTorch"): "tests/measuring/test_own_gradient.py",
    ("file", "The shell"): "tests/results/test_other_programs.py",
    ("file", "GNU Octave"): "tests/results/test_other_programs.py",
    ("README", "Start"): ".ci/run",
    ("README", "A whole paper"): ".ci/run",
}


@pytest.fixture
def reader(tmp_path, monkeypatch, command, tools):
    """A reader who follows a page; what is registered is gone after the test."""
    monkeypatch.chdir(tmp_path)
    with REGISTRY.restored():
        yield Reader(tmp_path, command, tools)


# what a reader types leaves files open, as in json.load(open("rows.json"))
@pytest.mark.night
@pytest.mark.filterwarnings("ignore::ResourceWarning")
@pytest.mark.parametrize("topic", TEXTS)
def test_every_block_runs(topic, reader):
    for block in blocks(TEXTS[topic]):
        if (topic, block.heading) in ELSEWHERE:
            continue
        try:
            reader.follow(block)
        except AssertionError as problem:
            pytest.fail(f"{topic}, line {block.line}: {problem}")


@pytest.mark.night
@pytest.mark.parametrize("topic", TEXTS)
def test_what_is_saved_is_used(topic):
    found = blocks(TEXTS[topic])
    for number, block in enumerate(found):
        if block.saved_as is not None:
            later = [other.text for other in found[number + 1 :]]
            is_used = any(block.saved_as in text for text in later)
            place = f"{topic}, line {block.line}"
            assert is_used or (topic, block.heading) in ELSEWHERE, f"{place}: {block.saved_as}"


@pytest.mark.parametrize(("topic", "heading"), ELSEWHERE)
def test_what_runs_elsewhere_does(topic, heading):
    assert any(block.heading == heading for block in blocks(TEXTS[topic])), heading
    text = (ROOT / ELSEWHERE[topic, heading]).read_text()
    if topic in ("slurm", "clusters"):
        assert f'recipes("{heading}"' in text
    elif topic in ("file", "measure"):
        assert f'"{heading}"' in text
    else:
        commands = [b for b in blocks(TEXTS[topic]) if b.heading == heading and b.language == "sh"]
        assert every(block.text in text.replace("    ", "") for block in commands)


def shown(heading):
    return next(b.text for b in blocks(README) if b.heading == heading and b.language == "text")


@pytest.mark.night
def test_the_demonstration_of_the_readme(command, monkeypatch):
    monkeypatch.setenv("COLUMNS", "200")
    code, printed, _ = command("demo")
    assert code == 0
    shows(printed, shown("Start"))


@pytest.mark.night
def test_the_verdicts_of_the_readme(command, monkeypatch):
    monkeypatch.setenv("COLUMNS", "100")
    text = shown("A whole paper")
    ids = [line.partition(": ")[0] for line in text.splitlines() if line[0] != " "]
    assert len(ids) >= 2
    code, printed, _ = command("validate", *ids)
    assert code == 0
    shows(printed, text)


def block(text, language="text", above=""):
    return FencedBlock(language, text, above, "", 1, "sh")


def test_a_wrong_output_is_found(reader):
    reader.follow(block("fastgc help theory agc.frc_mean_error n=8 d=2 survivors=5", "sh"))
    reader.follow(block("0.857…\n"))
    with pytest.raises(AssertionError, match="does not print"):
        reader.follow(block("0.858…\n"))
    for expected in ("a 1\nb", "…\nb"):
        shows("a  1\nx\nb\n", expected)
    with pytest.raises(AssertionError):
        shows("a  1\nx\nb\n", "b\na 1")


def test_the_readme_links_to_what_is_here():
    for target in re.findall(r"\]\(([^)#]*)(?:#[^)]*)?\)", README):
        assert (ROOT / target).exists() or target.startswith("https://"), target
