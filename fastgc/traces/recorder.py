"""Recording: a fixed piece of work, again and again, on workers that stay who they are."""

import contextlib
import functools
import math
import time
from collections.abc import Callable, Sequence
from concurrent.futures import BrokenExecutor, Executor, Future, wait
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from fastgc.arrays import Values
from fastgc.engine.executors.local import in_processes
from fastgc.engine.executors.surroundings import available_cores
from fastgc.errors import FastgcError, WorkersError, public
from fastgc.registry.activity import Step, never
from fastgc.traces.steps import opened

ROUNDS = 100
WORK = 500  # gradients of a piece: some milliseconds
_ASK_SECONDS = 0.2  # a round that takes long asks so often whether to stop


@dataclass(frozen=True)
class Recorded:
    """What `record_processes` has stored.

    ``path``, ``workers``: the file, and their names; ``rounds``, ``work``: whole rounds in it;
    gradients in a piece of work; ``seconds``: the least that any piece took; None without a whole
    round; ``stopped_by``: what asked to stop before all rounds were done.
    """

    path: Path
    workers: tuple[str, ...]
    rounds: int
    work: int
    seconds: float | None
    stopped_by: str | None = None


@public
def record_processes(
    out: str | Path,
    *,
    workers: int | None = None,
    rounds: int = ROUNDS,
    work: int = WORK,
    progress: Callable[[Step], None] | None = None,
    interrupted: Callable[[], str | None] | None = None,
) -> Recorded:
    """Record how long processes of this machine take for a fixed piece of work.

    In every round each worker gets the piece once, all of them together, and the next round begins
    when all are done. A worker is the same process from the first round to the last. What is stored
    is the time of the work itself, measured where it is done.

    * ``out`` (str or Path): A csv file that is not there yet: a column a worker, a line a round, in
      seconds, as its first line says. A round is written when it is complete.
    * ``workers``, ``rounds`` (int): How many processes, by default as many as there are cores; and
      how many rounds.
    * ``work`` (int): How many gradients of a linear regression with 512 samples and 64 features a
      piece has.
    * ``progress``, ``interrupted`` (callable, optional): As of `fastgc.design`; whole rounds stay.

    Returns
    -------
    Recorded
        What the file holds.

    Raises
    ------
    FastgcError
        If there is such a file already, or a number is out of range.
    StorageError, WorkersError
        If the file cannot be written, or a worker is lost; whole rounds stay.

    Examples
    --------
    >>> import tempfile
    >>> made = record_processes(Path(tempfile.mkdtemp(), "t.csv"), workers=2, rounds=3, work=10)
    >>> made.workers, made.rounds, len(made.path.read_text().splitlines())
    (('process0', 'process1'), 3, 5)
    """
    for name, given in (("rounds", rounds), ("workers", workers), ("work", work)):
        if given is not None and given < 1:
            raise FastgcError(f"{name}: must be at least 1 (got {given})")
    path = Path(out)
    if path.exists():
        raise FastgcError(f"{path} is there already; name another file or remove it")
    ask = interrupted or never
    names = tuple(f"process{j}" for j in range(workers or available_cores()))
    with contextlib.ExitStack() as stack:
        each = [stack.enter_context(in_processes(1)).executor for _ in names]
        task = partial(seconds_of, work)
        if run_round(each, task, ask) is None:  # loads what the work needs
            raise FastgcError(f"stopped early by {ask()}: nothing was recorded")
        write = stack.enter_context(opened(path, names))
        began, least, done = time.monotonic(), math.inf, 0
        reason: str | None = None
        while True:
            seconds = time.monotonic() - began
            if progress is not None:
                progress(Step.of_equal("rounds", done, rounds, f"{len(names)} workers", seconds))
            if done == rounds:
                break
            reason = ask()
            try:
                times = None if reason else run_round(each, task, ask)
            except BrokenExecutor as problem:
                raise WorkersError(
                    f"a worker was lost ({problem}); {done} rounds are kept"
                ) from problem
            if times is None:
                reason = reason or ask()
                break
            write(times)
            least, done = min(least, *times), done + 1
    return Recorded(path, names, done, work, least if done else None, reason)


def run_round(
    executors: Sequence[Executor], task: Callable[[], Any], interrupted: Callable[[], str | None]
) -> list[Any] | None:
    """Let every worker do a task; None if it was asked to stop meanwhile."""
    futures = [executor.submit(task) for executor in executors]
    waiting: set[Future[Any]] = set(futures)
    while waiting:
        _, waiting = wait(waiting, timeout=_ASK_SECONDS)
        if waiting and interrupted() is not None:
            for future in waiting:
                future.cancel()
            return None
    return [future.result() for future in futures]


SAMPLES, FEATURES = 512, 64  # 256 KiB: it stays in a core's own cache
SEED = 1


@functools.cache
def _data() -> tuple[Values, Values]:
    rng = np.random.default_rng(SEED)
    return rng.standard_normal((SAMPLES, FEATURES)), rng.standard_normal(SAMPLES)


def seconds_of(size: int) -> float:
    """Compute so many gradients of one linear regression; return the seconds that it took.

    The data are the same in every round and on every worker, and made before the clock starts.
    """
    X, y = _data()
    theta = np.zeros(FEATURES)
    began = time.perf_counter()
    for _ in range(size):
        theta -= 1e-3 / SAMPLES * (X.T @ (X @ theta - y))
    return time.perf_counter() - began
