"""How long a trial takes and how much memory, from a few of them; and numbers with their range."""

import contextlib
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from fastgc.draws.streams import WORD

#: Ranges are meant to hold the number in 19 of 20 cases.
SPREADS = 2.0
#: Of a rate, what a pilot of a second does not see: other caches, a warmer processor. The packaged
#: studies took .8 to 1.25 times what their pilots said.
UNSEEN = 0.25
STEP = 8  # from one number of trials that are probed to the next

_STATUS = Path("/proc/self/status")
_FORGET = Path("/proc/self/clear_refs")


def seconds_a_trial(
    sample: Callable[[int], float], most: int, enough: float, fewest: int = WORD
) -> float:
    """Return the seconds that a trial takes, of so many that they take long enough.

    ``sample``: samples a number of trials, and returns the seconds that they took; ``most``: trials
    at most; ``enough``: seconds; ``fewest``: trials of the first look.
    """
    size = min(fewest, most)
    while True:
        took = sample(size)
        if size == most or took > enough:
            return took / size
        size = min(STEP * size, most)


@dataclass(frozen=True)
class Expected:
    """A number between ``low`` and ``high``, most likely ``value``.

    >>> Expected(2.0, 1.5, 3.0) + Expected.exactly(1.0)
    Expected(value=3.0, low=2.5, high=4.0)
    >>> Expected(2.0, 1.5, 3.0) * Expected(10.0, 10.0, 20.0)
    Expected(value=20.0, low=15.0, high=60.0)
    """

    value: float
    low: float
    high: float

    @classmethod
    def exactly(cls, value: float) -> "Expected":
        """Return a number that is known."""
        return cls(value, value, value)

    @classmethod
    def about(cls, value: float, factor: float) -> "Expected":
        """Return a number that may be so many times larger or smaller."""
        return cls(value, value / factor, value * factor)

    @classmethod
    def of_parts(cls, seconds: Sequence[float], trials: Sequence[int]) -> "Expected":
        """Return the seconds that a trial takes, from those of several parts of a pilot.

        The range is that of a single part: what slows a machine down for a while may last for as
        long as the run, and what no pilot sees. Of one part alone it is half to twice the rate.
        """
        whole = sum(seconds) / sum(trials)
        if len(seconds) < 2:
            return cls.about(whole, 2.0)
        variance = sum(
            count / sum(trials) * (took / count / whole - 1) ** 2
            for took, count in zip(seconds, trials, strict=True)
        )
        width = SPREADS * math.sqrt(variance * len(seconds) / (len(seconds) - 1))
        return cls.about(whole, 1 + math.hypot(width, UNSEEN))

    def __add__(self, other: "Expected") -> "Expected":
        """Return the sum of numbers that are high together."""
        return Expected(self.value + other.value, self.low + other.low, self.high + other.high)

    def __mul__(self, other: "Expected | float") -> "Expected":
        """Return the product of numbers that are high together."""
        if isinstance(other, int | float):
            other = Expected.exactly(other)
        return Expected(self.value * other.value, self.low * other.low, self.high * other.high)

    def at_most(self, bound: float) -> "Expected":
        """Return the number where something keeps it from exceeding a bound."""
        return Expected(min(self.value, bound), min(self.low, bound), min(self.high, bound))


def resident() -> int | None:
    """Return the bytes that this process has in memory; None where the system does not say."""
    return _read("VmRSS:")


class Growth:
    """How far memory grew above what was taken when it began to look.

    >>> growth = Growth()
    >>> kept = bytearray(64 << 20)
    >>> growth.most is None or growth.most > 60 << 20
    True
    """

    def __init__(self) -> None:
        self._before = None
        with contextlib.suppress(OSError):
            _FORGET.write_text("5", encoding="ascii")  # the most so far is what there is now
            self._before = resident()

    @property
    def left(self) -> int:
        """Bytes that are still taken; 0 where the system does not say."""
        now = resident()
        return 0 if now is None or self._before is None else max(0, now - self._before)

    @property
    def most(self) -> int | None:
        """Bytes by which memory has grown at most, since the beginning."""
        peak = _read("VmHWM:")
        return None if peak is None or self._before is None else max(0, peak - self._before)


def _read(key: str) -> int | None:
    with contextlib.suppress(OSError):
        for line in _STATUS.read_text(encoding="ascii").splitlines():
            if line.startswith(key):
                return 1024 * int(line.split()[1])
    return None
