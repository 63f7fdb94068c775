"""What is done to workers on purpose: killed, stopped for a while, slowed down."""

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from fastgc.errors import FastgcError

if TYPE_CHECKING:
    from fastgc.measuring.processes import Processes

_NUMBER = r"((?:\d+\.?\d*|\.\d+)(?:e-?\d+)?)"
#: How faults are written, and how that is said.
_FORMS = {
    "kill": (r"(\d+)@(\d+)", "WORKER@ROUND"),
    "pause": (rf"(\d+)@(\d+):{_NUMBER}", "WORKER@ROUND:SECONDS"),
    "slow": (rf"(\d+):{_NUMBER}", "WORKER:FACTOR"),
}


@dataclass
class Faults:
    """Which worker is struck, when, and how.

    * ``kill``: workers, and the rounds in which they are killed when their orders are sent.
    * ``pause``: the same of workers that are stopped, and for how many seconds.
    * ``slow``: how many times as long as they otherwise would workers take.
    """

    kill: Sequence[tuple[int, int]] = ()
    pause: Sequence[tuple[int, int, float]] = ()
    slow: dict[int, float] = field(default_factory=dict)

    def settings(self) -> list[str]:
        """Return what is asked for as the command line writes it, sorted."""
        found = [f"--kill {worker}@{number}" for worker, number in self.kill]
        found += [f"--pause {worker}@{number}:{seconds}" for worker, number, seconds in self.pause]
        return sorted([*found, *(f"--slow {each}:{factor}" for each, factor in self.slow.items())])

    def require(self, workers: int, rounds: int) -> None:
        """Begin a measurement; a FastgcError names a worker or a round that there is not."""
        struck = [each[:2] for each in (*self.kill, *self.pause)]
        for worker in (*(each[0] for each in struck), *self.slow):
            if worker >= workers:
                raise FastgcError(f"there is no worker {worker}: they are 0 … {workers - 1}")
        for _, number in struck:
            if number >= rounds:
                raise FastgcError(f"there is no round {number}: they are 0 … {rounds - 1}")
        self._ends: dict[int, float] = {}

    def strike(self, number: int, carrier: "Processes") -> None:
        """Do what is to be done in a round, whose orders are sent."""
        for worker, when in self.kill:
            if when == number:
                carrier.kill(worker)
        for worker, when, seconds in self.pause:
            if when == number:
                carrier.pause(worker, True)
                self._ends[worker] = carrier.clock() + seconds

    def due(self, carrier: "Processes") -> float:
        """Do what is due by now; return for how many seconds nothing will be."""
        now = carrier.clock()
        for worker, end in list(self._ends.items()):
            if end <= now:
                carrier.pause(worker, False)
                del self._ends[worker]
        return min(self._ends.values(), default=math.inf) - now


def faults(kill: Sequence[str] = (), pause: Sequence[str] = (), slow: Sequence[str] = ()) -> Faults:
    """Return faults as the command line writes them: ``w@r``, ``w@r:seconds``, ``w:factor``.

    Raises FastgcError where one is not written so.

    >>> faults(kill=["2@10"], slow=["0:3"])
    Faults(kill=[(2, 10)], pause=[], slow={0: 3.0})
    """
    found: dict[str, list[tuple[str, ...]]] = {"kill": [], "pause": [], "slow": []}
    for (key, own), texts in zip(found.items(), (kill, pause, slow), strict=True):
        form, shape = _FORMS[key]
        for text in texts:
            match = re.fullmatch(form, text.strip(), re.ASCII)
            if match is None:
                raise FastgcError(f"{key}: must be {shape} (got {text!r})")
            own.append(match.groups())
    return Faults(
        [(int(worker), int(number)) for worker, number in found["kill"]],
        [(int(worker), int(number), float(long)) for worker, number, long in found["pause"]],
        {int(worker): float(factor) for worker, factor in found["slow"]},
    )
