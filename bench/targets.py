"""What every workload must reach, and what it is to reach, by ``targets.toml``."""

import tomllib
from functools import cache
from pathlib import Path
from typing import Any

from numba.core.registry import cpu_target

Pairs = dict[str, tuple[float, float]]

TARGETS: dict[str, dict[str, Any]] = tomllib.loads(
    Path(__file__).with_suffix(".toml").read_text(encoding="utf-8")
)
#: Kinds of processors of which floors are known, the widest first.
KINDS = {"AVX-512": "+avx512f", "AVX2": "+avx2"}


@cache
def kind() -> str | None:
    """The kind of processor that kernels are compiled for; None where no floors are known."""
    _, name, features = map(str, cpu_target.target_context.codegen().magic_tuple())
    # NUMBA_CPU_NAME with empty NUMBA_CPU_FEATURES leaves only the name
    features = features or {"x86-64-v3": "+avx2"}.get(name, "")
    return next((kind for kind, feature in KINDS.items() if feature in features), None)


def of(workload: str) -> tuple[dict[str, float], dict[str, float]]:
    """Floors and goals of a workload on this kind of processor, by peer."""
    peers: Pairs = TARGETS.get(workload, {}).get(str(kind()), {})
    floors = {peer: floor for peer, (floor, _) in peers.items()}
    return floors, {peer: goal for peer, (_, goal) in peers.items()}


def seconds(workload: str) -> float:
    """Processor seconds that a workload may take before its rounds are cut short."""
    return float(TARGETS.get(workload, {}).get("seconds", SECONDS))


def words(workload: str) -> str:
    """What a workload is, in words."""
    return str(TARGETS.get(workload, {}).get("words", workload))


#: Of a workload that says nothing else, and of the whole command.
SECONDS, WHOLE = 3.0, 360.0


def role(peer: str) -> str:
    """The column of the table that a peer is in: loop, script, or NumPy at its best."""
    return "loop" if "loop" in peer else "script" if peer == "script" else "numpy"
