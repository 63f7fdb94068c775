"""What every workload must reach, and what it is to reach, by ``targets.toml``.

Those of workloads that are bound by random numbers are .45 of it without AVX-512, those of group
codes and of float32 .65.
"""

import tomllib
from functools import cache
from pathlib import Path
from typing import Any

TARGETS: dict[str, dict[str, Any]] = tomllib.loads(
    Path(__file__).with_suffix(".toml").read_text(encoding="utf-8")
)


@cache
def wide() -> bool:
    """Whether the processor has AVX-512."""
    try:
        return "avx512f" in Path("/proc/cpuinfo").read_text(encoding="utf-8").split()
    except OSError:
        return False


def _share(workload: str) -> tuple[dict[str, Any], float]:
    """A workload's table, and what share of it is asked for on this machine."""
    table = TARGETS.get(workload, {})
    return table, 1.0 if wide() else table.get("narrow", 1.0)


def of(workload: str) -> tuple[dict[str, float], dict[str, float]]:
    """Floors and goals of a workload on this machine, by peer."""
    table, share = _share(workload)
    peers = table.get("peers", {})
    floors = {peer: share * floor for peer, (floor, _) in peers.items()}
    return floors, {peer: share * goal for peer, (_, goal) in peers.items()}


def most(workload: str) -> tuple[float, float] | None:
    """Most nanoseconds a trial, and those that are the goal, on this machine."""
    table, share = _share(workload)
    return (table["most"][0] / share, table["most"][1] / share) if "most" in table else None


def words(workload: str) -> str:
    """What a workload is, in words."""
    return str(_share(workload)[0].get("words", workload))


#: The column of the table that a peer is in; all others are NumPy as one writes it at its best.
ROLES = {
    "lstsq loop": "loop",
    "choice loop": "loop",
    "loop": "loop",
    "lsmr loop": "loop",
    "script": "script",
    "same algorithm": "same",
    "gaps": "same",
    "Beta line": "same",
    "Beta lines": "same",
    "spacings": "same",
    "table": "same",
}


def role(peer: str) -> str:
    """What kind of peer it is: loop, numpy, same or script."""
    return ROLES.get(peer, "numpy")
