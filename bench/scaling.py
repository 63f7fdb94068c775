"""One answer on one and on two workers of every executor: ``python -m bench.scaling``.

Says how much faster two workers are, what a task costs and how many bytes travel with it, and how
many workers the one who hands out tasks can feed. A study of many small points is timed, too.
"""

import argparse
import json
import os
import pickle
import resource
import shutil
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import fastgc
from bench import command
from bench.contests import unit_of
from bench.timing import others_seconds
from fastgc.engine.blocks import timed
from fastgc.engine.executors import mpi
from fastgc.engine.executors.opening import pool_for
from fastgc.engine.executors.pool import RESULT_SECONDS, TIMES_ITS_COST_A_WORKER, Pool
from fastgc.engine.limits import Limits
from fastgc.engine.units import Unit
from fastgc.runs.loop import Loop, Work

FLOOR = 1.8
IDLE = 0.1  # cores that others may use before a ratio says nothing
EMPTY = 2000  # tasks
FEW = 64  # trials: a result of more is as large
LONGEST = 10.0  # seconds of a task: so long a signal or the end of a run may have to wait
POINTS, POINT_TRIALS = 1000, 200_000
CODE = {"family": "sparse-regular", "n": 50, "d": 5, "seed": 1}
STRAGGLERS = {"model": "iid", "p": 0.15}
EXECUTORS = ("threads", "processes", "mpi", "dask")


def answer(pool: Pool, unit: Unit, blocks: int) -> float:
    """Seconds to an answer of so many blocks, once every worker has had some."""
    _sample(pool, unit, 4 * pool.workers)
    started = time.perf_counter()
    _sample(pool, unit, blocks)
    return time.perf_counter() - started


def _sample(pool: Pool, unit: Unit, blocks: int) -> None:
    work = Work(unit, unit.fresh(), Limits(blocks * unit.block))
    Loop(1, lambda _: work, pool).run()


def cost(pool: Pool, tasks: int) -> float:
    """Seconds that a task costs which does nothing."""
    pool.submit(pow, 1, 1).future.result()
    started = time.perf_counter()
    waiting: list[Any] = []
    for _ in range(tasks):
        while not pool.has_room:
            waiting.pop(0).future.result()
        waiting.append(pool.submit(pow, 1, 1))
    for job in waiting:
        job.future.result()
    return (time.perf_counter() - started) / tasks


def _here(executor: Any, workers: int, size: float) -> dict[str, float]:
    """Seconds of an answer, and of an empty task."""
    unit = unit_of(code=CODE, stragglers=STRAGGLERS)
    with pool_for(executor, workers) as pool:
        seconds = answer(pool, unit, max(8, int(150 * size)))
        return {"answer": seconds, "task": cost(pool, max(50, int(EMPTY * size)))}


def _on_ranks(workers: int, size: float) -> dict[str, float]:
    """The same on ranks, in a job of their own: one hands out, the others work."""
    beside = Path(sys.executable).parent / "mpiexec"
    mpiexec = str(beside) if beside.exists() else shutil.which("mpiexec")
    command = [str(mpiexec), "-n", str(workers + 1), sys.executable, "-m", "bench.scaling"]
    done = subprocess.run(
        [*command, "--as-rank", "--size", str(size)], capture_output=True, text=True, check=True
    )
    found: dict[str, float] = json.loads(done.stdout)
    return found


def travels() -> list[tuple[str, int, int]]:
    """Bytes of a task that is sent and of the result that comes back, of some points."""
    rows = tuple(tuple(float((i * j) % 7 == 0) for j in range(300)) for i in range(300))
    points = {
        "frc, n = 20": ({"family": "frc", "n": 20, "d": 2}, ["error"], 64),
        "sparse-regular, n = 50, five measures": (
            CODE,
            ["error", "exact", "survivors", "amplification", "not_accessed"],
            4,
        ),
        "a matrix of 300 × 300 of one's own": ({"family": "matrix", "rows": rows}, ["error"], 1),
    }
    found = []
    for name, (code, measure, blocks) in points.items():
        unit = unit_of(code=code, stragglers={"model": "iid", "p": 0.1}, measure=tuple(measure))
        task = pickle.dumps((timed, unit, range(blocks), unit.block))
        result = pickle.dumps(timed(unit, range(blocks), FEW))
        found.append((f"{name}, {blocks} blocks", len(task), len(result)))
    return found


def collecting(blocks: int) -> float:
    """Processor seconds of a task in the process that hands it out and takes its result in."""
    unit = unit_of(code={"family": "frc", "n": 20, "d": 2}, stragglers={"model": "iid", "p": 0.2})
    with pool_for("processes", 2) as pool:
        _sample(pool, unit, 16)
        handed = [0]
        submit = pool.submit

        def counted(*arguments: Any) -> Any:
            handed[0] += 1
            return submit(*arguments)

        pool.submit = counted  # type: ignore[assignment,method-assign]
        started = time.process_time()
        _sample(pool, unit, blocks)
        return (time.process_time() - started) / handed[0]


def many_points(executor: str, workers: int, points: int) -> float:
    """Seconds of a study of many small points, from its text to its rows."""
    grid = [0.1 + 0.3 * i / points for i in range(points)]
    study = {
        "stop": {"trials": POINT_TRIALS},
        "experiment": [
            {
                "name": "points",
                "method": "monte-carlo",
                "code": {"family": "cyclic", "n": 20, "d": 5},
                "stragglers": {"model": "iid", "p": 0.1},
                "sweep": {"stragglers.p": grid},
            }
        ],
    }
    started = time.perf_counter()
    fastgc.run(study, executor=executor, threads=workers)
    return time.perf_counter() - started


def main(arguments: Sequence[str] | None = None) -> int:
    """Print all of it; 1 if two workers of an idle machine are less than the floor times one."""
    options = command.parse(
        "bench.scaling",
        __doc__,
        arguments,
        only=EXECUTORS,
        rounds=3,
        size=1.0,
        as_rank={"action": "store_true", "help": argparse.SUPPRESS},
    )
    if options.as_rank:
        with mpi.ranks() as ours:
            if ours is not None:
                print(json.dumps(_here(ours, 1, options.size)))
        return 0
    unit = unit_of(code=CODE, stragglers=STRAGGLERS)
    unit.run([0], unit.block)
    started = time.perf_counter()
    unit.run([1, 2], unit.block)
    each = (time.perf_counter() - started) / (2 * unit.block)
    print(f"a point of {1e6 * each:.2f} µs a trial; load {os.getloadavg()[0]:.2f}")
    collected = collecting(max(64, int(20_000 * options.size)))
    print(f"handing out a task and taking its result in: {1e3 * collected:.2f} ms of one core")
    missed = 0
    for executor in options.only or EXECUTORS:
        missed += _print_scaling(executor, options.size, options.rounds, collected)
    for name, sent, received in travels():
        print(f"{name}: {sent:,} bytes are sent, {received:,} come back")
    points = max(4, int(POINTS * options.size))
    for name in ("threads", "processes"):
        one, two = (many_points(name, workers, points) for workers in (1, 2))
        ratio = one / two
        print(f"{points} points, {name}: {one:.1f} s on one, {two:.1f} s on two: {ratio:.2f} ×")
    return 1 if missed else 0


def _others() -> float:
    """Processor time that neither this process nor those it has started have used."""
    children = resource.getrusage(resource.RUSAGE_CHILDREN)
    return others_seconds() - children.ru_utime - children.ru_stime


def _print_scaling(executor: str, size: float, rounds: int, collected: float) -> int:
    """Print how an executor scales; 1 if it falls short on an idle machine."""
    before, started = _others(), time.perf_counter()
    best: dict[int, dict[str, float]] = {}
    for _ in range(rounds):
        for workers in (1, 2):
            found = (
                _on_ranks(workers, size) if executor == "mpi" else _here(executor, workers, size)
            )
            known = best.setdefault(workers, found)
            best[workers] = {key: min(value, known[key]) for key, value in found.items()}
    others = (_others() - before) / (time.perf_counter() - started)
    ratio = best[1]["answer"] / best[2]["answer"]
    task = best[2]["task"]
    fed = LONGEST / (TIMES_ITS_COST_A_WORKER * (task + max(collected, RESULT_SECONDS)))
    idle = others <= IDLE
    said = "" if idle else f", not judged: others used {others:.2f} cores"
    print(
        f"{executor:10} {best[1]['answer']:.2f} s on one, {best[2]['answer']:.2f} s on two: "
        f"{ratio:.2f} × (floor {FLOOR}{said}); {1e6 * task:.0f} µs a task; "
        f"feeds {fed:,.0f} workers with tasks of {LONGEST:.0f} s"
    )
    return int(idle and ratio < FLOOR)


if __name__ == "__main__":
    sys.exit(main())
