"""From typing a command to its first result: processes are timed as a whole."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

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
FASTGC = "from fastgc.cli.main import main; main()"
WARM_FLOOR = 1.5


def seconds(rounds: int) -> dict[str, float]:
    """Wall-clock seconds of bare Python, ``fastgc --help``, and a small study, warm and cold."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        study = folder / "study.toml"
        study.write_text(STUDY, encoding="utf-8")
        run = ["-c", FASTGC, "run", str(study), "--trials", str(TRIALS)]
        cold = _seconds(run, folder)  # compiles all it needs into the empty folder
        commands = {"python": ["-c", "pass"], "--help": ["-c", FASTGC, "--help"], "warm": run}
        best = dict.fromkeys(commands, float("inf"))
        for _ in range(rounds):
            for key, command in commands.items():
                best[key] = min(best[key], _seconds(command, folder))
    return {**best, "cold": cold}


def _seconds(command: list[str], folder: Path) -> float:
    environment = dict(os.environ)
    environment["NUMBA_CACHE_DIR"] = str(folder / "cache")
    environment["PYTHONPATH"] = os.pathsep.join(path for path in sys.path if path)
    started = time.perf_counter()
    done = subprocess.run(
        [sys.executable, *command], cwd=folder, env=environment, capture_output=True, text=True
    )
    elapsed = time.perf_counter() - started
    if done.returncode:
        raise RuntimeError(f"{' '.join(command)} failed: {done.stderr}")
    return elapsed
