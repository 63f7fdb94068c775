"""Tables of times as a recording has them."""

from pathlib import Path
from typing import Any


def written(times: Any, path: Path) -> Path:
    """Write times (rounds, n) of workers w0, w1, …"""
    lines = [",".join(f"w{j}" for j in range(times.shape[1]))]
    lines += [",".join(map(repr, row)) for row in times.tolist()]
    path.write_text("\n".join(lines) + "\n")
    return path
