"""One validation of a copy of the tree and some of its tests, in processes of their own."""

from __future__ import annotations

import contextlib
import json
import math
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from bench.planted.bug import KERNELS, Bug

ROOT = Path(__file__).parents[2]
COPIED = ("fastgc", KERNELS, "tests", "bench", "pyproject.toml")
#: Exit codes that say only what the verdicts are; that of pytest where it has run nothing.
_JUDGED, _NOT_OURS, _NONE_OF_THE_DAY = (0, 1), 99, 5
_COMMAND = f"""
import sys
import fastgc, fastgc_kernels
for package in (fastgc, fastgc_kernels):
    if not package.__file__.startswith(sys.argv[1]):
        print(f"{{package.__file__}} is not the copy", file=sys.stderr)
        sys.exit({_NOT_OURS})
del sys.argv[1]
from fastgc_kernels._jit import compile_at_once
compile_at_once()  # bugs are planted in kernels, not in their fallbacks
from fastgc.cli.main import main
main()
"""


@dataclass(frozen=True)
class Settings:
    """How claims are validated: most trials, threads, and seconds until it is given up.

    ``everything``: whether tests of the night are run, too, and none is left out after a failure.
    """

    trials: int
    threads: int
    seconds: float
    everything: bool = True


@dataclass(frozen=True)
class Validation:
    """What validation said: verdicts by claim, or the last thing where it failed.

    ``in_time``: whether all ended before it was given up; ``tests``: those that failed.
    """

    verdicts: dict[str, str] = field(default_factory=dict)
    expected: dict[str, str] = field(default_factory=dict)
    failure: str | None = None
    in_time: bool = True
    seconds: float = 0.0
    tests: tuple[str, ...] = ()


def copy_of(bug: Bug | None, folder: Path) -> Path:
    """Copy the tracked packages and tests to a folder, and plant the bug if there is one."""
    command = ["git", "ls-files", "-z", *COPIED]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    for name in filter(None, done.stdout.split("\0")):
        if (ROOT / name).exists():  # or it is deleted, and that not yet committed
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(ROOT / name, folder / name)
    if bug is not None:
        path = folder / bug.file
        path.write_text(bug.planted(path.read_text(encoding="utf-8")), encoding="utf-8")
    return folder


def ask(
    bug: Bug | None, claims: Sequence[str], tests: Sequence[str], settings: Settings, cache: Path
) -> Validation:
    """Validate claims on a copy of the tree, and run tests of it.

    ``cache`` keeps compiled kernels; those of changed kernels are thrown away.
    """
    with tempfile.TemporaryDirectory() as name:
        folder = copy_of(bug, Path(name).resolve() / "tree")
        if bug is not None and bug.of_kernels:
            cache = Path(name) / "cache"
        answer = _validated(folder, claims, settings, cache) if claims else Validation()
        return _tested(folder, tests, settings, cache, answer) if tests else answer


def _tested(
    folder: Path, tests: Sequence[str], settings: Settings, cache: Path, answer: Validation
) -> Validation:
    cache.mkdir(exist_ok=True)
    kept = folder / ".pytest_cache" / "kernels"  # where the suite keeps them
    kept.parent.mkdir()
    kept.symlink_to(cache, target_is_directory=True)
    command = [sys.executable, "-m", "pytest", "-q", "-n0", "-p", "no:cacheprovider", *tests]
    command.append("--all" if settings.everything else "-x")
    done, seconds = _run(command, folder, cache, settings)
    answer = replace(answer, seconds=answer.seconds + seconds)
    if done is None:
        return replace(answer, in_time=False)
    lines = [line for line in done.stdout.splitlines() if line.startswith(("FAILED ", "ERROR "))]
    failed = tuple(line.split(" ", 1)[1].split(" - ")[0] for line in lines)
    if done.returncode == _NONE_OF_THE_DAY and not settings.everything:
        return answer
    if done.returncode and not failed:
        said = [line for line in done.stdout.splitlines() if line.strip()] or ["nothing"]
        failed = (f"pytest, exit {done.returncode}: {said[-1]}",)
    return replace(answer, tests=failed)


def _run(
    command: Sequence[str], folder: Path, cache: Path, settings: Settings
) -> tuple[subprocess.CompletedProcess[str] | None, float]:
    """Run a command in a copy of the tree; None where it is given up, and the seconds it took."""
    environment = dict(os.environ)
    environment["PYTHONPATH"] = os.pathsep.join([str(folder), str(folder / KERNELS)])
    environment["NUMBA_CACHE_DIR"] = str(cache)
    most = None if math.isinf(settings.seconds) else settings.seconds
    started, done = time.perf_counter(), None
    with contextlib.suppress(subprocess.TimeoutExpired):
        done = subprocess.run(
            command, cwd=folder, env=environment, capture_output=True, text=True, timeout=most
        )
    return done, time.perf_counter() - started


def _validated(folder: Path, claims: Sequence[str], settings: Settings, cache: Path) -> Validation:
    command = [sys.executable, "-c", _COMMAND, str(folder), "validate", *claims, "--json"]
    command += ["--trials", str(settings.trials), "--threads", str(settings.threads)]
    done, seconds = _run(command, folder, cache, settings)
    if done is None:
        return Validation(in_time=False, seconds=seconds)
    if done.returncode == _NOT_OURS:
        raise RuntimeError(done.stderr.strip())
    rows, failure = [], None
    try:
        rows = json.loads(done.stdout)
    except ValueError:
        failure = ""
    if failure is not None or done.returncode not in _JUDGED:
        said = [line for line in done.stderr.splitlines() if line.strip()] or ["nothing"]
        # below a traceback the line that names the error is the one before the last
        is_bug = len(said) > 1 and said[-1].startswith("fastgc: this is a bug")
        failure = f"exit {done.returncode}: {said[-2 if is_bug else -1]}"
    verdicts = {row["claim"]: row["verdict"] for row in rows}
    expected = {row["claim"]: row["expected"] for row in rows}
    return Validation(verdicts, expected, failure, True, seconds)
