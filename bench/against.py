"""The kernels of this checkout against another one's: ``python -m bench.against FOLDER``.

A process for each checkout does the same workloads, fastgc's part of ``python -m bench``, in turn
on one core, in thread time. The table has the least nanoseconds a trial of each, the median of the
rounds' ratios with its quartiles, and whether what was computed is the same to the last bit.
``NUMBA_CPU_NAME=x86-64-v3 NUMBA_CPU_FEATURES=`` before it measures code for AVX2.
"""

import hashlib
import os
import statistics
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from bench import command, table, targets
from bench.timing import machine, on_one_core
from bench.workloads import CONTESTS

HERE = Path(__file__).parents[1]
DENSE = (
    *("any-20", "any-50", "any-100", "tandon-50", "mds-50", "mds-100"),
    *("patterns-20", "frc-20", "layers-100", "tree-156"),
)
ROUNDS = 15
SECONDS = 0.02  # of a call, at least
#: fastgc and its kernels are the other checkout's, the workloads are of this one.
PROGRAM = """
import sys
here, other = sys.argv[1:]
sys.path[:0] = [other, other + "/kernels"]
import fastgc
assert fastgc.__file__.startswith(other), f"{fastgc.__file__} is not in {other}"
sys.path.insert(0, here)
from bench.against import serve
serve()
"""


class Side:
    """A process that runs workloads with the kernels of a checkout."""

    def __init__(self, checkout: Path) -> None:
        self._checkout = checkout
        words = [sys.executable, "-c", PROGRAM, str(HERE), str(checkout.resolve())]
        environment = os.environ | {"PYTHONPATH": ""}
        self.process = subprocess.Popen(
            words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=environment
        )

    def ask(self, word: str) -> str:
        """What the process answers to a word: a name makes the workload, an empty one runs it."""
        assert self.process.stdin is not None and self.process.stdout is not None
        print(word, file=self.process.stdin, flush=True)
        answer = self.process.stdout.readline().strip()
        if not answer:
            raise SystemExit(f"bench.against: {self._checkout} failed at {word!r}")
        return answer


def serve() -> None:
    """Answer in a process: a workload's digest, then nanoseconds a trial."""
    run: Any = None
    for line in sys.stdin:
        if name := line.strip():
            contestant = CONTESTS[name](1.0).contestants[0]
            run = contestant.run
            found = run()
            image = found.tobytes() if hasattr(found, "tobytes") else repr(found).encode()
            print(hashlib.sha256(image).hexdigest(), flush=True)
            continue
        calls, begun = 0, time.thread_time()
        while (took := time.thread_time() - begun) < SECONDS:
            run()
            calls += 1
        print(1e9 * took / calls / contestant.trials, flush=True)


def compared(name: str, sides: Sequence[Side], rounds: int) -> str:
    """The table's row of a workload: the other checkout's side comes first."""
    same = len({side.ask(name) for side in sides}) == 1
    found = [[float(side.ask("")) for side in sides] for _ in range(rounds + 1)][1:]
    low, middle, high = statistics.quantiles([old / new for old, new in found], n=4)
    old, new = (f"{min(own):.4g}" for own in zip(*found, strict=True))
    bits = "same" if same else "OTHERS"
    spread = f"{low:.2f} to {high:.2f}"
    return f"| {targets.words(name)} | {old} | {new} | {middle:.2f} | {spread} | {bits} |"


def main(arguments: Sequence[str] | None = None) -> int:
    """Print the table; 1 where what was computed differs."""
    own = {"only": CONTESTS, "rounds": ROUNDS}
    folder = {"type": Path, "help": "another checkout, or a clone of it"}
    options = command.parse("bench.against", __doc__, arguments, folder_=folder, **own)
    print(f"{table.named(machine())}; one thread, ns a trial.\n")
    print("| a trial of | other | here | ratio | half of the rounds | bits |")
    print("| --- | --: | --: | --: | --: | --- |")
    differ = False
    with on_one_core():
        sides = [Side(options.folder), Side(HERE)]
        for name in options.only or DENSE:
            row = compared(name, sides, options.rounds)
            print(row, flush=True)
            differ |= "OTHERS" in row
        for side in sides:
            side.process.communicate()
    return int(differ)


if __name__ == "__main__":
    sys.exit(main())
