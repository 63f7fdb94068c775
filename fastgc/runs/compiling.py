"""Compiling kernels before they are needed, side by side in several processes."""

import multiprocessing
import os
import tomllib
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from pathlib import Path
from typing import Any, NamedTuple

from fastgc.errors import FastgcError
from fastgc.experiments.decoding.lost_groups import MANY
from fastgc.registry.activity import Step
from fastgc.runs.plan import Plan
from fastgc.runs.run import run
from fastgc.study.examples import examples
from fastgc.study.study import Study
from fastgc_kernels import _jit, _sources

TRIALS = 64
METHODS = ("auto", "monte-carlo")


class KernelFolder(NamedTuple):
    """What lies in the folder of compiled kernels: where, how many files, and their bytes."""

    folder: Path
    kernels: int
    size: int


def compile_kernels(
    studies: Sequence[str | Path] | None = None,
    *,
    processes: int,
    progress: Callable[[Step], None] = lambda step: None,
) -> KernelFolder:
    """Compile the kernels that studies call, and keep them for the runs to come.

    ``studies`` are study files or names of packaged ones, by default small studies of all that
    fastgc has; ``processes`` of them are compiled at a time. Kernels are for the processor at hand,
    or what ``NUMBA_CPU_NAME`` and ``NUMBA_CPU_FEATURES`` name. ``progress`` is called with a `Step`
    after each study.

    Raises FastgcError if no folder can be written, or as `fastgc.run`.
    """
    folder = _sources.cache_folder()
    if folder is None or not os.access(folder, os.W_OK):
        raise FastgcError(
            "compile: no folder can be written for kernels; name one in NUMBA_CACHE_DIR"
        )
    tasks: list[tuple[Any, str]]
    if studies is None:
        own: list[Any] = [tomllib.loads(text) for text in examples().values()]
        # neighbours call much the same: far apart, two processes seldom compile the same kernel
        own = [own[i] for start in range(7) for i in range(start, len(own), 7)]
        tasks = [(data, method) for method in METHODS for data in own]
    else:
        tasks = [(Study.parse(each), method) for method in METHODS for each in studies]
    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(processes, context, _jit.compile_at_once) as pool:
        waiting = [pool.submit(_run, *task) for task in tasks]
        for done, future in enumerate(as_completed(waiting), 1):
            future.result()
            progress(Step("runs", done, len(tasks)))
    files = list(Path(folder).glob("*.nbc"))
    return KernelFolder(Path(folder), len(files), sum(file.stat().st_size for file in files))


def _run(study: Study | Mapping[str, Any], method: str) -> None:
    try:
        run(study, trials=TRIALS, threads=1, method=method)
    except FastgcError:  # what cannot be done by a method needs no kernels of it
        if method == "auto":
            raise
        return
    # of decoding also many blocks at once, as long runs sample them
    for unit in Plan.of(Study.parse(study, trials=TRIALS, method=method)).units:
        if not unit.together and all(point.table.kind == "decoding" for point in unit.points):
            unit.run(range(MANY), TRIALS)
