"""How many cores this process may use."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path, PurePosixPath


def available_cores(root: Path = Path("/")) -> int:
    """Cores this process may use: the batch system's word, else affinity and the cgroup's quota.

    ``root``: where the system's own files ``proc`` and ``sys`` are found.

    Examples
    --------
    >>> available_cores() >= 1
    True
    """
    granted = os.environ.get("SLURM_CPUS_PER_TASK", "")
    if granted.isdigit() and int(granted) > 0:
        return int(granted)
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    return max(1, min([cores or 1, *_quotas(root)]))


def _quotas(root: Path) -> Iterator[int]:
    """Whole cores, rounded up, that the cgroups of this process and those above them allow."""
    try:
        lines = (root / "proc/self/cgroup").read_text(encoding="ascii").splitlines()
    except OSError:
        return
    for line in lines:
        number, controllers, path = line.split(":", 2)
        unified = number == "0" and not controllers
        if not unified and "cpu" not in controllers.split(","):
            continue
        mount = root / "sys/fs/cgroup" / ("" if unified else "cpu")
        group = PurePosixPath(path).relative_to("/")
        for above in (group, *group.parents):
            limit, period = _limit(mount / above, unified=unified)
            if limit > 0 < period:
                yield -(-limit // period)


def _limit(folder: Path, *, unified: bool) -> tuple[int, int]:
    """Microseconds of processor time in each period, and the period; zeros without a limit."""
    try:
        if unified:
            limit, period = (folder / "cpu.max").read_text(encoding="ascii").split()
        else:
            limit = (folder / "cpu.cfs_quota_us").read_text(encoding="ascii")
            period = (folder / "cpu.cfs_period_us").read_text(encoding="ascii")
        return (0, 0) if limit == "max" else (int(limit), int(period))
    except (OSError, ValueError):
        return 0, 0
