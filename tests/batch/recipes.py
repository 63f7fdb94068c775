"""The handbook's recipes, as their readers copy them; the study they run, what is in a file."""

import re
from pathlib import Path

from conftest import ROOT
from fastgc.results import store
from suite.files import state

STUDY = """
[stop]
trials = 1_500_000

[[experiment]]
name = "ring"
code = { family = "cyclic", n = 24, d = 5, seed = 3 }
stragglers = { model = "iid", p = 0.2 }
method = "monte-carlo"
quantiles = [0.9]

[[experiment]]
name = "sure"
code = { family = "frc", n = 8, d = 2 }
stragglers = { model = "iid", p = 0.2 }
"""


def recipes(heading: str) -> list[str]:
    """All blocks of code below a heading of the pages slurm and clusters, without their fences."""
    folder = ROOT / "fastgc" / "handbook"
    text = "".join((folder / page).read_text() for page in ("slurm.md", "clusters.md"))
    [section] = re.findall(rf"^## {heading}\n(.*?)(?:^## |\Z)", text, re.DOTALL | re.MULTILINE)
    return re.findall(r"^```\w+\n(.*?)^```$", section, re.DOTALL | re.MULTILINE)


def content(path: Path) -> object:
    """What decides whether two files of results are the same: rows, tallies, digests."""
    stored = store.load(path)
    return stored.complete, stored.study, list(map(state, stored.units)), stored.rows
