"""One validation of a copy of the tree and some of its tests, in processes of their own."""

from __future__ import annotations

import json
import math
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from bench.planted.bug import KERNELS, Bug

ROOT = Path(__file__).parents[2]
PACKAGES = ("fastgc", KERNELS)
TESTED = ("tests", "bench", "pyproject.toml")
#: Exit codes that say only what the verdicts are.
_JUDGED = (0, 1)
_NOT_OURS = 99
_NONE_OF_THE_DAY = 5  # pytest's exit code where it has run nothing
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
class Answer:
    """What validation said.

    Attributes
    ----------
    verdicts, expected : dict of str
        By claim.
    failure : str or None
        The last thing it said where it failed: as by methods that disagree.
    in_time : bool
        Whether all ended before it was given up.
    seconds : float
    tests : tuple of str
        Those that failed.
    """

    verdicts: dict[str, str]
    expected: dict[str, str]
    failure: str | None
    in_time: bool
    seconds: float
    tests: tuple[str, ...] = ()


def copy_of(bug: Bug | None, folder: Path) -> Path:
    """Copy the tracked packages and tests to a folder, and plant the bug if there is one."""
    done = subprocess.run(
        ["git", "ls-files", "-z", *PACKAGES, *TESTED],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    )
    for name in filter(None, done.stdout.split("\0")):
        if (ROOT / name).exists():  # or it is deleted, and that not yet committed
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(ROOT / name, folder / name)
    if bug is not None:
        bug.plant(folder)
    return folder


def ask(
    bug: Bug | None, claims: Sequence[str], tests: Sequence[str], settings: Settings, cache: Path
) -> Answer:
    """Validate claims on a copy of the tree, and run tests of it.

    ``cache`` keeps compiled kernels; those of changed kernels are thrown away.
    """
    with tempfile.TemporaryDirectory() as name:
        folder = copy_of(bug, Path(name).resolve() / "tree")
        if bug is not None and bug.of_kernels:
            cache = Path(name) / "cache"
        answer = Answer({}, {}, None, True, 0.0)
        if claims:
            answer = _validated(folder, claims, settings, cache)
        return _tested(folder, tests, settings, cache, answer) if tests else answer


def _tested(
    folder: Path, tests: Sequence[str], settings: Settings, cache: Path, answer: Answer
) -> Answer:
    """Add to an answer which tests fail; an exit code of pytest that says no more is a failure."""
    cache.mkdir(exist_ok=True)
    kept = folder / ".pytest_cache" / "kernels"  # where the suite keeps them
    kept.parent.mkdir()
    kept.symlink_to(cache, target_is_directory=True)
    command = [sys.executable, "-m", "pytest", "-q", "-n0", "-p", "no:cacheprovider", *tests]
    command.append("--all" if settings.everything else "-x")
    started = time.perf_counter()
    done = _run(command, folder, cache, settings)
    seconds = answer.seconds + time.perf_counter() - started
    if done is None:
        return replace(answer, in_time=False, seconds=seconds)
    lines = [line for line in done.stdout.splitlines() if line.startswith(("FAILED ", "ERROR "))]
    failed = tuple(line.split(" ", 1)[1].split(" - ")[0] for line in lines)
    if done.returncode == _NONE_OF_THE_DAY and not settings.everything:
        return replace(answer, seconds=seconds)
    if done.returncode and not failed:
        said = [line for line in done.stdout.splitlines() if line.strip()] or ["nothing"]
        failed = (f"pytest, exit {done.returncode}: {said[-1]}",)
    return replace(answer, seconds=seconds, tests=failed)


def _run(
    command: Sequence[str], folder: Path, cache: Path, settings: Settings
) -> subprocess.CompletedProcess[str] | None:
    """Run a command in a copy of the tree; None where it is given up."""
    environment = dict(os.environ)
    environment["PYTHONPATH"] = os.pathsep.join([str(folder), str(folder / KERNELS)])
    environment["NUMBA_CACHE_DIR"] = str(cache)
    most = None if math.isinf(settings.seconds) else settings.seconds
    try:
        return subprocess.run(
            command, cwd=folder, env=environment, capture_output=True, text=True, timeout=most
        )
    except subprocess.TimeoutExpired:
        return None


def _validated(folder: Path, claims: Sequence[str], settings: Settings, cache: Path) -> Answer:
    command = [sys.executable, "-c", _COMMAND, str(folder), "validate", *claims, "--json"]
    command += ["--trials", str(settings.trials), "--threads", str(settings.threads)]
    started = time.perf_counter()
    done = _run(command, folder, cache, settings)
    seconds = time.perf_counter() - started
    if done is None:
        return Answer({}, {}, None, False, seconds)
    if done.returncode == _NOT_OURS:
        raise RuntimeError(done.stderr.strip())
    try:
        rows = json.loads(done.stdout)
    except ValueError:
        rows = None
    failure = None
    if rows is None or done.returncode not in _JUDGED:
        said = [line for line in done.stderr.splitlines() if line.strip()] or ["nothing"]
        failure = f"exit {done.returncode}: {_error(said)}"
    verdicts = {row["claim"]: row["verdict"] for row in rows or ()}
    expected = {row["claim"]: row["expected"] for row in rows or ()}
    return Answer(verdicts, expected, failure, True, seconds)


def _error(said: Sequence[str]) -> str:
    """The line that names the error: below a traceback it is the one before the last."""
    return said[-2] if len(said) > 1 and said[-1].startswith("fastgc: this is a bug") else said[-1]
