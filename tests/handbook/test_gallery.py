"""The gallery: a script is short, runs in an empty folder, draws, and prints what its text says."""

import ast
import re
import sys

import pytest

from conftest import ROOT, environment, ran

SCRIPTS = sorted((ROOT / "docs" / "gallery").glob("plot_*.py"))
#: In place of a screen, pictures are kept.
KEEPING = """import runpy, sys; from matplotlib import pyplot
pyplot.show = lambda: [pyplot.figure(n).savefig(f'{n}.png') for n in pyplot.get_fignums()]
runpy.run_path(sys.argv[1]); assert all(axes.has_data() for axes in pyplot.gcf().axes)"""


def test_the_gallery_is_whole_and_its_scripts_are_short():
    assert [int(path.stem.split("_")[1]) for path in SCRIPTS] == list(range(1, 14))
    for path in SCRIPTS:
        own = path.read_text().splitlines()[ast.parse(path.read_text()).body[0].end_lineno :]
        assert sum(line.strip()[:1] not in ("", "#") for line in own) <= 30, path.stem


@pytest.mark.night
@pytest.mark.parametrize("path", SCRIPTS, ids=lambda path: path.stem)
def test_a_script_prints_the_numbers_of_its_text(path, tmp_path):
    own = {"cwd": tmp_path, "env": environment(MPLBACKEND="agg")}
    done = ran(sys.executable, "-c", KEEPING, path, **own)
    assert (done.returncode, done.stderr) == (0, "")
    assert {each.suffix for each in tmp_path.iterdir()} == {".png"}
    numbers = re.findall(r"``(\d[^`]*)``", path.read_text())
    lacking = [s for s in numbers if not re.search(rf"(?<![\d.]){re.escape(s)}(?!\d)", done.stdout)]
    assert numbers and not lacking
