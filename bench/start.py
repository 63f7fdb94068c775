"""From typing a command to its first result: processes are timed as a whole."""

from __future__ import annotations

import tempfile
from pathlib import Path

from bench.cold import spent

STUDY = """\
seed = 1

[[experiment]]
name = "frc"
kind = "decoding"
method = "monte-carlo"
code = { family = "frc", n = 8, d = 2 }
stragglers = { model = "two-class", p_slow = 0.3, p_straggle_slow = 0.8, p_straggle_active = 0.01 }
"""
TRIALS = 200_000
WARM_FLOOR = 1.5


def seconds(rounds: int) -> dict[str, float]:
    """Wall-clock seconds of bare Python, ``fastgc --help``, and a small study, warm and cold."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        study = folder / "study.toml"
        study.write_text(STUDY, encoding="utf-8")
        run = ["run", str(study), "--trials", str(TRIALS)]
        cold = spent(run, folder).wall  # compiles all it needs into the empty folder
        best = dict.fromkeys(("python", "--help", "warm"), float("inf"))
        for _ in range(rounds):
            costs = spent([], folder, "pass"), spent(["--help"], folder), spent(run, folder)
            for key, cost in zip(best, costs, strict=True):
                best[key] = min(best[key], cost.wall)
    return {**best, "cold": cold}
