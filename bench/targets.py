"""What every workload must reach, and what it is to reach, as ratios to a peer's time.

Floors and goals are for processors with AVX-512. On others those of workloads that are bound by
random numbers are 0.45 of them, those of group codes and of float32 0.65.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

WORDS_WITHOUT_AVX512 = 0.45
GROUPS_WITHOUT_AVX512 = 0.65


@dataclass(frozen=True)
class Target:
    """Floor and goal by peer, and what share of them is asked for without AVX-512.

    ``most`` are the most nanoseconds a trial, and the goal, where it is they that are asked for.
    """

    peers: Mapping[str, tuple[float, float]] = field(default_factory=dict)
    narrow: float = 1.0
    most: tuple[float, float] | None = None


def _words(**peers: tuple[float, float]) -> Target:
    """A target of a workload that is bound by random numbers."""
    return Target({_said(name): pair for name, pair in peers.items()}, WORDS_WITHOUT_AVX512)


def _target(narrow: float = 1.0, **peers: tuple[float, float]) -> Target:
    return Target({_said(name): pair for name, pair in peers.items()}, narrow)


def _said(name: str) -> str:
    return name.replace("_", " ")


TARGETS: dict[str, Target] = {
    "any-20": _target(lstsq_loop=(1600, 2800), ridge_batch=(80, 250), same_algorithm=(20, 35)),
    "any-20-half": _target(lstsq_loop=(280, 440)),
    "any-50": _target(lstsq_loop=(1900, 3000), ridge_batch=(180, 280), same_algorithm=(22, 35)),
    "any-100": _target(lstsq_loop=(1200, 2000), ridge_batch=(80, 150), same_algorithm=(9.7, 15)),
    "tandon-50": _target(lstsq_loop=(550, 860), SVD_batch=(800, 1250)),
    "tandon-300": _target(lstsq_loop=(110, 175)),
    "mds-50": _target(lstsq_loop=(90, 140), SVD_batch=(130, 205)),
    "mds-80": _target(lstsq_loop=(20, 100), SVD_batch=(100, 160)),
    "mds-100": _target(lstsq_loop=(20, 100)),
    "patterns-20": _target(lstsq_loop=(200, 600)),
    "frc-20": _target(GROUPS_WITHOUT_AVX512, lstsq_loop=(5000, 12_000), best_layout=(7, 14)),
    "frc-10000": Target(narrow=GROUPS_WITHOUT_AVX512, most=(10_000, 3000)),
    "sparse-1000-few": _target(lsmr_loop=(12_000, 19_000)),
    "sparse-1000-many": _target(lsmr_loop=(25, 40)),
    "circulant-64": _target(lstsq_loop=(6000, 11_000), gaps=(15, 35)),
    "look-up-16": _target(),
    "binary-103": _target(),
    "words": _words(PCG64=(3.1, 4.9)),
    "iid-20": _words(float64=(12, 18), uint8=(4.2, 6.6)),
    "iid-256": _words(float64=(9, 14), uint8=(3.9, 6.1)),
    "subsets-64": _words(choice_loop=(500, 800), argpartition=(40, 80)),
    "two-class-64": _words(NumPy=(15, 40)),
    "tally": Target({"np.histogram": (8, 12)}),
    "times": _words(ziggurat=(1.5, 2.5)),
    "order-100": _words(loop=(400, 600), partition=(70, 110), Beta_line=(3, 8)),
    "orders-100": _words(partition=(60, 170), sort=(25, 39), Beta_lines=(5, 10)),
    "layers-100": _words(loop=(60, 180), sort=(8, 30), Beta_lines=(6.2, 9.6)),
    "tree-156": _words(loop=(170, 300), sort=(4, 8), spacings=(2, 4)),
    "descent-linear": _target(script=(50, 200), matrices=(3, 8)),
    "descent-logistic": _target(script=(10, 30), matrices=(1.5, 4)),
    "selection": _target(script=(8, 20)),
}


@cache
def wide() -> bool:
    """Whether the processor has AVX-512."""
    try:
        return "avx512f" in Path("/proc/cpuinfo").read_text(encoding="utf-8").split()
    except OSError:
        return False


def of(workload: str) -> tuple[dict[str, float], dict[str, float]]:
    """Floors and goals of a workload on this machine, by peer."""
    target = TARGETS.get(workload, Target())
    share = 1.0 if wide() else target.narrow
    floors = {peer: share * floor for peer, (floor, _) in target.peers.items()}
    return floors, {peer: share * goal for peer, (_, goal) in target.peers.items()}


def most(workload: str) -> tuple[float, float] | None:
    """Most nanoseconds a trial, and those that are the goal, on this machine."""
    target = TARGETS.get(workload, Target())
    if target.most is None:
        return None
    share = 1.0 if wide() else target.narrow
    return target.most[0] / share, target.most[1] / share


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
