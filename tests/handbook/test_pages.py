"""Every block of the handbook runs as written (`handbook.running`), and of README as it shows."""

import re

import pytest

from bench import readme
from conftest import ROOT
from fastgc.registry.plugin_groups import REGISTRY
from fastgc.report import handbook
from handbook.running import FencedBlock, Reader, blocks, shows

README = (ROOT / "README.md").read_text()
#: What is written; pages that are made have no blocks.
TEXTS = {page.topic: page.text for page in handbook.pages() if page.topic != handbook.KEYS}
#: Sections whose blocks need other programs, and the tests that run them as they stand there.
ELSEWHERE = {
    ("slurm", "Slurm"): "tests/batch/test_slurm.py",
    ("clusters", "MPI"): "tests/batch/test_mpi.py",
    ("clusters", "Dask"): "tests/batch/test_dask.py",
    ("clusters", "Snakemake"): "tests/batch/test_slurm.py",
    ("measure", "PyTorch"): "tests/measuring/test_own_gradient.py",
    ("file", "The shell"): "tests/results/test_other_programs.py",
    ("file", "GNU Octave"): "tests/results/test_other_programs.py",
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
    else:
        assert f'"{heading}"' in text


def test_the_readme_has_what_comes_out(tmp_path):
    making = readme.Making(tmp_path, quick=True)
    assert making.page(README.replace("0.12911", "0.13").replace("claims;", "theorems;")) == README
    assert {*making.pictures} == {"code", "speed"}
    for name, svg in making.pictures.items():
        assert (readme.PICTURES / f"{name}.svg").read_text() == svg
    paper = readme.numbers((readme.PICTURES / "paper.svg").read_text())
    shown = re.findall(r"(\w+/CR) ([\d.]+), printed ([\d.]+)", README)
    assert {name: [float(value), float(f"{own:.3g}")] for name, (value, own) in paper.items()} == {
        name: [float(value), float(own)] for name, own, value in shown
    }
    sizes = [path.stat().st_size for path in readme.PICTURES.iterdir()]
    assert len(sizes) == 3 and max(sizes) < 60_000


@pytest.mark.night
def test_the_readme_has_what_its_commands_print(capsys):
    assert readme.main(["--check"]) == 0, capsys.readouterr().out


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
