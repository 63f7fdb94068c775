"""What is done to workers on purpose: killed, stopped for a while, slowed down."""

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from fastgc.draws.streams import uniforms
from fastgc.errors import FastgcError
from fastgc.measuring.carrier import Carrier

_NUMBER = r"((?:\d+\.?\d*|\.\d+)(?:e-?\d+)?)"
#: How faults are written, and how that is said.
_FORMS = {
    "kill": (r"(\d+)@(\d+)", "WORKER@ROUND"),
    "pause": (rf"(\d+)@(\d+):{_NUMBER}", "WORKER@ROUND:SECONDS"),
    "slow": (rf"(\d+):{_NUMBER}", "WORKER:FACTOR"),
}
#: Kills by chance are drawn for so many at most.
_MOST = 10_000


@dataclass
class Faults:
    """Which worker is struck, when, and how.

    * ``kill``: workers, and the rounds in which they are killed when their orders are sent.
    * ``pause``: the same of workers that are stopped, and for how many seconds.
    * ``slow``: how many times as long as they otherwise would workers take.
    * ``mtbf``: mean seconds between kills of workers that are drawn by chance; infinite for none.
    * ``seed``: of what is drawn by chance.
    """

    kill: Sequence[tuple[int, int]] = ()
    pause: Sequence[tuple[int, int, float]] = ()
    slow: dict[int, float] = field(default_factory=dict)
    mtbf: float = math.inf
    seed: int = 1

    def settings(self) -> list[str]:
        """Return what is asked for as the command line writes it, sorted."""
        found = [f"--kill {worker}@{number}" for worker, number in self.kill]
        found += [f"--pause {worker}@{number}:{seconds}" for worker, number, seconds in self.pause]
        found += [f"--slow {worker}:{factor}" for worker, factor in self.slow.items()]
        if math.isfinite(self.mtbf):
            found.append(f"--punish {self.mtbf}" + f" (seed {self.seed})" * (self.seed != 1))
        return sorted(found)

    def require(self, workers: int, rounds: int) -> None:
        """Begin a measurement: draw the moments of kills by chance, and whom they strike.

        Raises a FastgcError that names a worker or a round that there is not.
        """
        struck = [each[:2] for each in (*self.kill, *self.pause)]
        for worker in (*(each[0] for each in struck), *self.slow):
            if worker >= workers:
                raise FastgcError(f"there is no worker {worker}: they are 0 … {workers - 1}")
        for _, number in struck:
            if number >= rounds:
                raise FastgcError(f"there is no round {number}: they are 0 … {rounds - 1}")
        self._ends: dict[int, float] = {}
        self._killed: set[int] = set()
        self._drawn: list[tuple[float, float]] = []
        if math.isfinite(self.mtbf):
            draws = uniforms(self.seed, "measure/punish", 2 * _MOST).reshape(2, _MOST)
            moments = np.cumsum(-self.mtbf * np.log(draws[0]))
            self._drawn = list(zip(moments.tolist(), draws[1].tolist(), strict=True))[::-1]
        self._began: float | None = None
        self._left = list(range(workers))

    def strike(self, number: int, carrier: Carrier) -> None:
        """Do what is to be done in a round, whose orders are sent.

        Who was killed before a measurement was stopped is killed again where it goes on.
        """
        for worker, when in self.kill:
            if when <= number and worker not in self._killed:
                self._killed.add(worker)
                carrier.kill(worker)
        for worker, when, seconds in self.pause:
            if when == number:
                carrier.pause(worker, True)
                self._ends[worker] = carrier.clock() + seconds

    def slower(self, worker: int) -> float:
        """Return how many times as long as it would a worker takes."""
        return self.slow.get(worker, 1.0)

    def due(self, carrier: Carrier) -> float:
        """Do what is due by now; return for how many seconds nothing will be."""
        now = carrier.clock()
        if self._began is None:
            self._began = now
        for worker, end in list(self._ends.items()):
            if end <= now:
                carrier.pause(worker, False)
                del self._ends[worker]
        while self._drawn and self._left and self._began + self._drawn[-1][0] <= now:
            place = int(self._drawn.pop()[1] * len(self._left))
            carrier.kill(self._left.pop(place))
        coming = list(self._ends.values())
        if self._drawn and self._left:
            coming.append(self._began + self._drawn[-1][0])
        return min(coming, default=math.inf) - now


def faults(
    kill: Sequence[str] = (),
    pause: Sequence[str] = (),
    slow: Sequence[str] = (),
    mtbf: float | None = None,
) -> Faults:
    """Return faults as the command line writes them: ``w@r``, ``w@r:seconds``, ``w:factor``.

    Raises FastgcError where one is not written so.

    >>> faults(kill=["2@10"], slow=["0:3"])
    Faults(kill=[(2, 10)], pause=[], slow={0: 3.0}, mtbf=inf, seed=1)
    """
    if mtbf is not None and not mtbf > 0:
        raise FastgcError(f"punish: must be more than 0 seconds (got {mtbf})")
    return Faults(
        [(int(worker), int(number)) for worker, number in _read("kill", kill)],
        [(int(worker), int(number), float(long)) for worker, number, long in _read("pause", pause)],
        {int(worker): float(factor) for worker, factor in _read("slow", slow)},
        math.inf if mtbf is None else mtbf,
    )


def _read(key: str, texts: Sequence[str]) -> list[tuple[str, ...]]:
    form, shape = _FORMS[key]
    found = [re.fullmatch(form, text.strip(), re.ASCII) for text in texts]
    for match, text in zip(found, texts, strict=True):
        if match is None:
            raise FastgcError(f"{key}: must be {shape} (got {text!r})")
    return [match.groups() for match in found if match is not None]
