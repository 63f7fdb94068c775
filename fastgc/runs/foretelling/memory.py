"""How much memory this process takes, and took at most: Linux tells, elsewhere nothing is known."""

from __future__ import annotations

import contextlib
from pathlib import Path

_STATUS = Path("/proc/self/status")
_FORGET = Path("/proc/self/clear_refs")


def resident() -> int | None:
    """Return the bytes that this process has in memory, None where nobody tells."""
    return _read("VmRSS:")


class Growth:
    """How far memory grew above what was taken when it began to look.

    Examples
    --------
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
        """Bytes that are still taken, 0 where nobody tells."""
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
