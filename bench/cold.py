"""What a first command costs: ``python -m bench.cold [--check] [NAME…]``.

Each command runs in a process of its own, first with an empty folder for compiled kernels, then
with what that has left there. Processor seconds are those of the whole process; compiled kernels
are counted as files. ``demo`` is what README begins with; a name like ``code`` or ``code frc`` is
that of small studies, 10 000 trials each, of every member that fastgc comes with.

``--check`` fails above the limits.
"""

import resource
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from bench import command
from fastgc.study.examples import examples

COMMANDS = {
    "help": ["--help"],
    "demo": ["demo"],
    "inspect": ["inspect", "frc", "n=8", "d=2"],
    "theorem": ["validate", "agc.theorem2", "--method", "exact"],
}
#: Processor seconds: at most so many cold, and so many warm.
LIMITS = (2.0, 1.5)
MORE = {"demo": (2.0, 2.0), "theorem": (2.0, 2.0), "code tossed": (5.0, 2.0)}
TRAINING = {"problem": (8.0, 2.0), "optimizer": (8.0, 2.0), "selection": (14.0, 2.0)}
HELP = 0.08  # over a bare Python


class CommandCost(NamedTuple):
    """Wall and processor seconds of a command."""

    wall: float
    busy: float


def main(arguments: Sequence[str] | None = None) -> int:
    studies = examples()
    commands = COMMANDS | {
        name: ["run", f"{name.replace(' ', '_')}.toml", "--trials", "10000"] for name in studies
    }
    names = {"nargs": "*", "help": "beginnings of names; by default all"}
    given = command.parse("bench.cold", __doc__, arguments, "--check", names_=names)
    chosen = [n for n in commands if not given.names or n.startswith(tuple(given.names))]
    print(f"{'':28}{'cold':>18}{'warm':>18}  kernels   (wall, processor seconds)")
    wrong = []
    for name in chosen:
        with tempfile.TemporaryDirectory() as folder:
            place = Path(folder)
            for study, text in studies.items():
                (place / f"{study.replace(' ', '_')}.toml").write_text(text)
            cold = spent(commands[name], place)
            kernels = len(list(place.rglob("*.nbc")))
            warm = spent(commands[name], place)
        limits = allowed(name)
        if cold.busy > limits[0] or warm.busy > limits[1]:
            wrong.append(f"{name}: above {limits[0]:.2f} s cold or {limits[1]:.2f} s warm")
        shown = "".join(f"{cost.wall:10.2f}{cost.busy:8.2f}" for cost in (cold, warm))
        print(f"{name:28}{shown}{kernels:9}", flush=True)
    print(*wrong, sep="\n")
    return int(given.check and bool(wrong))


def allowed(name: str) -> tuple[float, float]:
    """Processor seconds that a command may take, cold and warm."""
    if name == "help":
        bare = min(spent([], Path.cwd(), "pass").busy for _ in range(3))
        return bare + HELP, bare + HELP
    return MORE.get(name) or TRAINING.get(name.split()[0], LIMITS)


def spent(words: Sequence[str], folder: Path, program: str = command.FASTGC) -> CommandCost:
    """What a command costs that keeps its kernels in a folder."""
    before = _busy()
    begun = time.perf_counter()
    command.started(
        ["-c", program, *words], folder, NUMBA_CACHE_DIR=str(folder / "cache"), FASTGC_LOG="none"
    )
    return CommandCost(time.perf_counter() - begun, _busy() - before)


def _busy() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


if __name__ == "__main__":
    sys.exit(main())
