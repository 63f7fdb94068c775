"""Recording: a fixed piece of work, again and again, on workers that stay who they are."""

import functools
import re
import time
from collections.abc import Callable
from concurrent.futures import Executor
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from fastgc.arrays import Values
from fastgc.engine.executors.pinned import Crew, crew
from fastgc.errors import FastgcError, WorkersError
from fastgc.registry.activity import Step
from fastgc.traces.steps import opened

ROUNDS = 100
WORK = "20ms"
_WORK = re.compile(r"\s*([0-9]+\.?[0-9]*)\s*(ms|s)\s*")
_LONGEST = 3600.0  # seconds of a piece


@dataclass(frozen=True)
class Recorded:
    """What `record` has stored.

    ``rounds``, ``work``: whole rounds in the file; gradients in a piece of work; ``seconds``: the
    least that any piece took; None without a whole round; ``stopped_by``: what asked to stop before
    all rounds were done.
    """

    path: Path
    workers: tuple[str, ...]
    rounds: int
    work: int
    seconds: float | None
    stopped_by: str | None = None


def record(
    out: str | Path,
    *,
    executor: str | Executor = "processes",
    workers: int | None = None,
    rounds: int = ROUNDS,
    work: int | str = WORK,
    progress: Callable[[Step], None] = lambda _: None,
    interrupted: Callable[[], str | None] = lambda: None,
) -> Recorded:
    """Record how long workers take for a fixed piece of work.

    In every round each worker gets the piece once, all of them together, and the next round begins
    when all are done. A worker is the same process, rank or worker of Dask from the first round to
    the last. What is stored is the time of the work itself, measured where it is done.

    * ``out``: a csv file that is not there yet: a column a worker, a line a round, in seconds, as
      its first line says. A round is written when it is complete.
    * ``executor``: ``"processes"``, ``"mpi"``, ``"dask"``, ``"dask:ADDRESS"``, or mpi4py's executor
      of ranks.
    * ``workers``: how many processes; by default as many as there are cores.
    * ``work``: how many gradients of a linear regression with 512 samples and 64 features a piece
      has; or how long it takes the first worker when nothing is in its way, like ``"20ms"``.
    * ``progress``: gets a `Step` before each round and at the end.
    * ``interrupted``: asked often; a text it returns stops the recording. Whole rounds stay.

    Raises FastgcError if there is such a file already, the executor cannot be used, or a number is
    out of range.
    Raises StorageError, WorkersError if the file cannot be written, or a worker is lost; whole
    rounds stay.

    >>> import tempfile
    >>> made = record(Path(tempfile.mkdtemp(), "t.csv"), workers=2, rounds=3, work=10)
    >>> made.workers, made.rounds, len(made.path.read_text().splitlines())
    (('process0', 'process1'), 3, 5)
    """
    if rounds < 1:
        raise FastgcError(f"rounds: must be at least 1 (got {rounds})")
    wanted = _wanted(work)
    path = Path(out)
    if path.exists():
        raise FastgcError(f"{path} is there already; name another file or remove it")
    with crew(executor, workers) as team:
        size = wanted if isinstance(wanted, int) else 0
        if isinstance(wanted, float):
            size = team.alone(functools.partial(size_of, wanted), interrupted) or 0
        task = functools.partial(seconds_of, size)
        first = team.round(task, interrupted) if size else None  # loads what the work needs
        if first is None:
            raise FastgcError(f"stopped early by {interrupted()}: nothing was recorded")
        with opened(path, team.names) as write:
            done, least, reason = _rounds(team, task, rounds, write, progress, interrupted)
    return Recorded(path, team.names, done, size, least, reason)


def _rounds(
    team: Crew,
    task: Callable[[], float],
    rounds: int,
    write: Callable[[list[float]], None],
    progress: Callable[[Step], None],
    interrupted: Callable[[], str | None],
) -> tuple[int, float | None, str | None]:
    """Record rounds; return how many, the least time, and what asked to stop."""
    began = time.monotonic()
    least: float | None = None

    def tell(done: int) -> None:
        seconds = time.monotonic() - began
        progress(Step.of_equal("rounds", done, rounds, f"{len(team.names)} workers", seconds))

    for done in range(rounds):
        tell(done)
        reason = interrupted()
        try:
            times = None if reason else team.round(task, interrupted)
        except WorkersError as problem:
            raise WorkersError(f"{problem}; {done} rounds are kept") from problem
        if times is None:
            return done, least, reason or interrupted()
        write(times)
        least = min([*times, *([] if least is None else [least])])
    tell(rounds)
    return rounds, least, None


def _wanted(work: int | str) -> int | float:
    """Return how many gradients a piece has, or how many seconds it is to take."""
    if isinstance(work, str) and work.strip().isdigit():
        work = int(work)
    if isinstance(work, int) and not isinstance(work, bool) and work >= 1:
        return work
    match = _WORK.fullmatch(work) if isinstance(work, str) else None
    found = float(match[1]) / (1000 if match[2] == "ms" else 1) if match else 0.0
    if not 0 < found <= _LONGEST:
        raise FastgcError(
            f"work: must be a number of gradients, at least 1, or a time like 20ms or 1.5s "
            f"(got {work!r})"
        )
    return found


SAMPLES, FEATURES = 512, 64  # 256 KiB: it stays in a core's own cache
SEED = 1
_TRIES = 5


@functools.cache
def _data() -> tuple[Values, Values]:
    rng = np.random.default_rng(SEED)
    return rng.standard_normal((SAMPLES, FEATURES)), rng.standard_normal(SAMPLES)


def seconds_of(size: int) -> float:
    """Compute so many gradients of one linear regression; return the seconds that it took.

    The data are the same in every round and on every worker, and made before the clock starts.

    >>> seconds_of(10) > 0
    True
    """
    X, y = _data()
    theta = np.zeros(FEATURES)
    began = time.perf_counter()
    for _ in range(size):
        theta -= 1e-3 / SAMPLES * (X.T @ (X @ theta - y))
    return time.perf_counter() - began


def size_of(wanted: float) -> int:
    """Return how many gradients take so many seconds here, in the fastest of a few tries."""
    seconds_of(10)  # what is loaded first is not part of it
    size = 10
    while (took := min(seconds_of(size) for _ in range(_TRIES))) < min(wanted, 0.01) / 2:
        size *= 2
    return max(1, round(size * wanted / took))
