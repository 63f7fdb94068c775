"""What a first command costs: ``python -m bench.cold [NAME…]``.

Each command runs in a process of its own, first with an empty folder for compiled kernels, then
with what that has left there. Processor seconds are those of the whole process; compiled kernels
are counted as files. ``demo`` is what README begins with.
"""

from __future__ import annotations

import argparse
import os
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

COMMAND = "from fastgc.cli.main import main; main()"
STUDIES = {
    "groups": """
code = { family = "frc", n = 8, d = 2 }
stragglers = { model = "iid", p = 0.1 }
""",
    "any matrix": """
code = { family = "cyclic", n = 30, d = 4 }
stragglers = { model = "iid", p = 0.1 }
""",
    "tree": """
kind = "completion"
system = { family = "coded-reduce", n = 4, layers = 2, s = 1 }
latency = { distribution = "exponential", mean = 1.0, shift = 1.0 }
port = { receive = 0.1 }
""",
    "descent": """
kind = "training"
problem = { model = "linear", data = "synthetic", samples = 64, features = 4 }
code = { family = "frc", n = 8, d = 2 }
stragglers = { model = "iid", p = 0.1 }
optimizer = { method = "gradient-descent", step = 0.01 }
iterations = 20
""",
}
COMMANDS = {
    "demo": ["demo"],
    "inspect": ["inspect", "frc", "n=8", "d=2"],
    "theorem": ["validate", "agc.theorem2", "--method", "exact"],
} | {name: ["run", f"{name}.toml", "--trials", "10000"] for name in STUDIES}


def main(arguments: Sequence[str] | None = None) -> int:
    """Print for each command what it costs cold and warm."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("names", nargs="*", help=f"of {', '.join(COMMANDS)}; by default all")
    names = parser.parse_args(arguments).names or list(COMMANDS)
    print(f"{'':12}{'cold':>18}{'warm':>18}  kernels   (wall, processor seconds)")
    for name in names:
        with tempfile.TemporaryDirectory() as folder:
            cold = spent(COMMANDS[name], Path(folder))
            kernels = len(list(Path(folder).rglob("*.nbc")))
            warm = spent(COMMANDS[name], Path(folder))
        shown = "".join(f"{wall:10.2f}{busy:8.2f}" for wall, busy in (cold, warm))
        print(f"{name:12}{shown}{kernels:9}", flush=True)
    return 0


def spent(command: Sequence[str], folder: Path) -> tuple[float, float]:
    """Wall and processor seconds of a command that keeps its kernels in a folder."""
    for name, text in STUDIES.items():
        (folder / f"{name}.toml").write_text(f"[[experiment]]{text}")
    own = {"XDG_CACHE_HOME": str(folder / "cache"), "FASTGC_LOG": "none"}
    own["PYTHONPATH"] = os.pathsep.join(path for path in sys.path if path)
    others = {name: value for name, value in os.environ.items() if name != "NUMBA_CACHE_DIR"}
    before = _busy()
    begun = time.perf_counter()
    subprocess.run(
        [sys.executable, "-c", COMMAND, *command],
        cwd=folder,
        env=others | own,
        check=True,
        capture_output=True,
    )
    return time.perf_counter() - begun, _busy() - before


def _busy() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


if __name__ == "__main__":
    sys.exit(main())
