"""Tables of times as a recording has them."""

from pathlib import Path
from typing import Any


def written(times: Any, path: Path) -> Path:
    """Write times (rounds, n) of workers w0, w1, …"""
    lines = [",".join(f"w{j}" for j in range(times.shape[1]))]
    lines += [",".join(map(repr, row)) for row in times.tolist()]
    path.write_text("\n".join(lines) + "\n")
    return path


def replayed(times: Any, path: Path, **keys: Any) -> dict[str, Any]:
    """Write times (rounds, n), and return the law of a study that takes them in order."""
    law = {"distribution": "empirical", "file": str(written(times, path)), "order": "replay"}
    return law | keys
