"""``fastgc.run``: measure what a study asks for, and keep it; ``fastgc.error``: one number.

``fastgc.open`` reads what was kept, and ``fastgc.runs.replay`` draws one trial again.
"""

import shlex
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack, suppress
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, Unpack

import numpy as np
from numpy.typing import ArrayLike

from fastgc.arrays import Values
from fastgc.codes.code import AnyCode
from fastgc.engine.blocks import Limits
from fastgc.engine.executors.local import pool_for
from fastgc.engine.executors.pool import Pool, side_by_side
from fastgc.engine.units import Unit
from fastgc.errors import FastgcError, FastgcWarning, StoppedError, public
from fastgc.experiments.table import AnyTable, ExperimentKeys
from fastgc.registry import toml
from fastgc.registry.activity import Batch, never
from fastgc.registry.complaints import one_line, unknown
from fastgc.registry.given import is_at, plain
from fastgc.results import image, measurements, store
from fastgc.results.checkpointer import Checkpointer
from fastgc.results.measurements import Measurement
from fastgc.results.rows import RARE, Result, Row
from fastgc.results.stored import StoredRun, StoredUnit
from fastgc.results.verdict_data import verdict_of
from fastgc.runs.loop import Loop, Work
from fastgc.runs.plan import Plan, exact_rows, precision_rule, rare_part, stop_rules
from fastgc.runs.progress import Stream, Watch
from fastgc.statistics.estimates import Estimate
from fastgc.study.source import RESULTS
from fastgc.study.study import Study
from fastgc.version import __version__

#: Islands of a rare method that one task samples.
ISLANDS = 8
MOST_TRIALS = 10**18  # what a study can ask for


@public
def run(
    study: Study | Mapping[str, Any] | str | Path | None = None,
    *,
    out: str | Path | None = None,
    trials: float | None = None,
    seed: int | None = None,
    threads: int | None = None,
    method: str | None = None,
    overrides: Sequence[str] = (),
    batch: Batch | None = None,
    **experiment: Unpack[ExperimentKeys],
) -> Result:
    """Measure what a study asks for.

    Parameters
    ----------
    study : str, Path, dict or Study, optional
        A study file, the name of a packaged study (``"agc/main"``), or the same as data, in which
        objects like `fastgc.codes.frc` stand for the tables that make them. A dict without
        ``experiment`` is one experiment. A file of results is the study that it holds.
    out : str or Path, optional
        HDF5 file that keeps the tallies. The same call again continues it, extends it to more
        trials, or does nothing if there is enough.
    trials, seed, method : optional
        Replace those of the study.
    threads : int, optional
        Threads, or processes of the executor; by default all cores this process may use. They
        change no number.
    overrides : sequence of str
        Assignments like ``experiment.frc.code.d=4``.
    batch : Batch, optional
        How long the work is carried out and watched: executor, shard, limits of time, progress; it
        changes no number. A shard has its share of the trials: precision is that of all shards
        together, and stops none; `fastgc.runs.merge` joins them. ``found`` is called with the rows
        of each point, in their order, as soon as it and all before it are done.
    **experiment
        In place of a study: the keys of one experiment, like ``code=`` and ``stragglers=``. A code
        may be an array (k, n), partitions × workers, a sparse matrix of SciPy, a graph of networkx,
        whose edges are the workers, a `fastgc.codes.Code` or a file. Stragglers may be a float, the
        probability of each, or a whole number, exactly so many: 1.0 is all of them, 1 is one.

    Returns
    -------
    Result
        Rows and estimates.

    Raises
    ------
    FastgcError
        For every mistake in the study, an output that holds another study, and an output that
        cannot be written.
    WorkersError
        If the executor's workers were lost; the last checkpoint is kept.

    Examples
    --------
    >>> import fastgc
    >>> result = fastgc.run(code=fastgc.codes.frc(n=8, d=2), stragglers=0.1)
    >>> round(float(result["error"].mean), 12)
    0.08
    >>> tables = {"code": {"family": "frc", "n": 8, "d": 2}, "stragglers": 0.1}
    >>> fastgc.run(tables).rows() == result.rows()
    True
    """
    if study is None and not experiment:
        raise FastgcError("run: give a study, or an experiment by its keys: code=…, stragglers=…")
    if study is not None and experiment:
        raise FastgcError(f"run: keys of an experiment, like {min(experiment)}, go without a study")
    began, given = time.monotonic(), {**experiment} if study is None else study
    checked = Study.parse(given, overrides=overrides, trials=trials, seed=seed, method=method)
    batch = batch or Batch()
    if batch.checkpoint_seconds is not None and out is None:
        raise FastgcError("checkpoint_seconds: checkpoints need a file; name one with out")
    with ExitStack() as stack:
        keeper = None
        if out is not None:
            stack.enter_context(image.locked(Path(out)))
            if isinstance(study, str | Path):
                _refuse_to_replace(Path(study), Path(out))
            keeper = Checkpointer(
                Path(out),
                checked.text(),
                checked.identity(),
                batch.shard,
                lambda: plan.describe(),
                batch.checkpoint_seconds,
            )
            stack.enter_context(keeper.explaining())
        plan = Plan.of(checked, () if keeper is None else keeper.units)
        pool = stack.enter_context(pool_for(batch.executor, threads))
        return _Run(plan, batch, keeper, pool, began).result()


def _refuse_to_replace(study: Path, out: Path) -> None:
    if study.is_file() and out.is_file() and study.samefile(out):
        with out.open("rb") as file:
            if file.read(len(RESULTS)) != RESULTS:  # results are gone on with
                raise FastgcError(f"{out}: is the study itself; name another file for the results")


@dataclass
class _Run:
    _plan: Plan
    _batch: Batch
    _keeper: Checkpointer | None
    _pool: Pool
    _started: float

    def __post_init__(self) -> None:
        known: dict[str, StoredUnit] = {} if self._keeper is None else self._keeper.units
        self._units = [unit.among(known) for unit in self._plan.units]
        known.update((unit.key, unit) for unit in self._units)

    def result(self) -> Result:
        plan, units, keeper, batch = self._plan, self._units, self._keeper, self._batch
        watch = Watch(plan, units, batch, keeper, self._pool.workers, self._started)
        stream = Stream(plan, units, batch.found)

        def done(place: int) -> None:
            watch.show(enumerated=place)
            stream.enumerated(place)

        def write() -> None:
            assert keeper is not None
            started = time.monotonic()
            keeper.keep(units, plan.rows(units, so_far=True), complete=False)
            watch.wrote(time.monotonic() - started)

        watch.show()
        reason = self._enumerate(done)
        if reason is None:
            reason = Loop(
                len(plan.units),
                self._work,
                self._pool,
                shard=batch.shard,
                interrupted=self._why_stop,
                keeper=keeper,
                write=write,
                progress=None if batch.progress is None else watch.show,
                merged=watch.merged,
                finished=stream.sampled,
            ).run()
        entries = plan.rows(units, so_far=reason is not None)
        complete = reason is None
        if keeper is not None:
            keeper.keep(units, entries, complete=complete)
        watch.show()
        stream.close(entries)
        return Result(
            entries=entries,
            title=plan.study.title,
            stopped_by=reason or stop_rules(units),
            complete=complete,
            path=None if keeper is None else keeper.path if complete else keeper.partial,
        )

    def _enumerate(self, done: Callable[[int], None]) -> str | None:
        """Enumerate what is known exactly; return why it was interrupted, None where it was not.

        What is under way then is still finished; ``done`` gets the place of each point.
        """
        plan = self._plan
        left = [place for place in range(len(plan.known)) if place not in plan.found]
        tasks = (
            (place, partial(exact_rows, plan.alone(place)))
            for place in left
            if not plan.known[place].method.in_parts
        )
        for place, found in side_by_side(self._pool, tasks, self._why_stop):
            plan.learn(place, found)
            done(place)
        for place in (place for place in left if plan.known[place].method.in_parts):
            reason = self._why_stop()
            if reason is not None:
                return reason
            islands = Islands(plan.alone(place), self._pool, self._why_stop)
            try:
                plan.learn(place, plan.known[place].method.rows(plan.asked(place), islands))
            except StoppedError as stopped:
                return str(stopped)
            done(place)
        return self._why_stop() if len(plan.found) < len(plan.known) else None

    def _why_stop(self) -> str | None:
        most = self._batch.max_seconds
        if most is not None and time.monotonic() >= self._started + most:
            return "max_seconds"
        return (self._batch.interrupted or never)()

    def _work(self, number: int) -> Work:
        unit, stored, stop = self._plan.units[number], self._units[number], self._plan.study.stop
        # it does not stop one of several shards: none of them has the precision of all
        precision = precision_rule(stop) if self._batch.shard[1] == 1 else None
        deadline = None
        if stop.seconds is not None:  # what is left is shared by the units not yet done
            now, left = time.monotonic(), len(self._units) - number
            deadline = now + (self._started + stop.seconds - now) / left
        return Work(unit, stored, Limits(stop.trials, precision, deadline))


@dataclass
class Islands:
    """Has islands sampled side by side; see `fastgc.experiments.methods.Sampling`."""

    unit: Unit  #: Of the one point.
    pool: Pool
    interrupted: Callable[[], str | None]  #: Says why to stop; a StoppedError is raised then.

    def __call__(self, event: int, first: int, islands: int) -> Values:
        """Sample islands of an event, an island a row."""
        end = first + islands
        tasks = [
            (start, partial(rare_part, self.unit, event, start, min(ISLANDS, end - start)))
            for start in range(first, end, ISLANDS)
        ]
        parts = dict(side_by_side(self.pool, tasks, self.interrupted))
        if len(parts) < len(tasks):
            raise StoppedError(self.interrupted() or "")
        return np.concatenate([parts[start] for start, _ in tasks])


@public
def error(
    code: "AnyCode",
    p: "ArrayLike | None" = None,
    *,
    stragglers: "int | AnyTable | None" = None,
    decoder: "str | AnyTable" = "optimal",
    trials: float | None = None,
    seed: int | None = None,
    threads: int | None = None,
    method: str | None = None,
) -> Estimate:
    """Return the mean decoding error of a code: min ‖B[:, survivors] x − 1‖², from 0 to k.

    Parameters
    ----------
    code : array_like (k, n), Code, sparse matrix, networkx graph, file, or table of a study
        The encoding matrix, partitions × workers; the edges of a graph are its workers.
    p : float or array_like (n,), optional
        Probability to straggle, of every worker or one for each; they straggle independently.
    stragglers : int or table, optional
        In place of p: so many, every set alike (1 is one, 1.0 a probability); or any model, of an
        adversary's the largest error.
    decoder : str or table
        "optimal" (least squares, the default), "one-step", or any other of a study.
    trials, seed, threads, method : optional
        As for `fastgc.run`, which takes all other keys of an experiment too.

    Returns
    -------
    Estimate
        ``value``, 95 % interval ``low`` … ``high``, and ``method``, how it was found: exact where
        that takes no more patterns than the trials asked for, else sampled; printed with ≥ where
        a search only found it. ``float()`` of it is the value.

    Raises
    ------
    FastgcError
        For every mistake in what is given.

    Examples
    --------
    >>> import fastgc
    >>> B = [[1, 1, 0, 0], [1, 1, 0, 0], [0, 0, 1, 1], [0, 0, 1, 1]]
    >>> found = fastgc.error(B, p=0.1)
    >>> found, found.method, round(float(fastgc.error(B, stragglers=2)), 9)
    (0.04, 'exact', 0.666666667)
    """
    if (p is None) == (stragglers is None):
        got = "neither" if p is None else "both"
        raise FastgcError(f"error: give either p or stragglers (got {got})")
    if isinstance(plain(stragglers)[0], bool | str):
        raise FastgcError(f"must be a number or a table (got {stragglers!r})", "stragglers")
    given: AnyTable | int = {"model": "iid", "p": p} if stragglers is None else stragglers
    how: Any = {"trials": trials, "seed": seed, "threads": threads, "method": method}
    result = run(code=code, stragglers=given, decoder=decoder, **how)
    is_worst = all(row.statistic == "maximum" for row in result.entries)
    return result["error"].statistic("maximum" if is_worst else "mean")


@public
def open(path: str | Path) -> Result | Measurement:
    """Read a file of results.

    Parameters
    ----------
    path : str or Path
        A file that ``fastgc run``, ``validate`` or ``measure`` wrote; an unfinished one ends in
        ``.part``.

    Returns
    -------
    Result or Measurement
        The same as `fastgc.run` returned; of a file that ``fastgc validate`` wrote, the rows of its
        cases, and its ``verdicts``; or the same as `fastgc.measure` returned.

    Raises
    ------
    FastgcError
        If there is no such file, or it is not one of fastgc's.

    Examples
    --------
    >>> import fastgc, tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     run = fastgc.run(code=fastgc.codes.frc(8, 2), stragglers=0.1, out=f"{folder}/result.h5")
    ...     found = fastgc.open(f"{folder}/result.h5")
    >>> found.rows() == run.rows(), round(found["experiment1"]["error"].mean.value, 12)
    (True, 0.08)
    """
    return measurements.load(Path(path)) or opened(path)


def opened(path: str | Path) -> Result:
    """Read a file that ``fastgc run`` or ``fastgc validate`` wrote; see `open`."""
    place = Path(path)
    stored = store.load(place)
    if not stored.study:
        verdicts = [verdict_of(data) for data in stored.verdicts]
        estimates = [finding.estimate for verdict in verdicts for finding in verdict.findings]
        entries = [Row.of(*both) for both in zip(stored.rows, estimates, strict=True)]
        return Result(entries, complete=stored.complete, path=place, verdicts=verdicts)
    study, plan, units = planned(stored, str(place))
    plan.remember(stored.rows)
    note = None if stored.merged is None else stored.merged.note
    return Result(
        entries=[row if row.method in RARE else row.noting(note) for row in plan.rows(units)],
        title=study.title,
        stopped_by=stop_rules(units),
        complete=stored.complete,
        path=place,
    )


def planned(stored: StoredRun, name: str) -> tuple[Study, Plan, list[StoredUnit]]:
    """Return the study in a file of results, its plan, and the tallies of the plan's units.

    Raises FastgcError if this version cannot; it names the one that wrote the file.
    """
    known = {unit.key: unit for unit in stored.units}
    try:
        study = Study.parse(stored.asked())
        plan = Plan.of(study, known)
        if not all(unit.key in known for unit in plan.units):
            raise FastgcError("its study and its tallies do not fit; sample it again")
        return study, plan, [unit.among(known) for unit in plan.units]
    except FastgcError as problem:
        said, by = str(problem).splitlines()[0], stored.provenance["fastgc"]
        if by != __version__:
            said += f"; fastgc {by} wrote this file, and reads it; `fastgc show` prints its rows"
        raise FastgcError(f"{one_line(name)}: {said}") from None


@public
def replay(
    study: Study | Mapping[str, Any] | str | Path,
    *,
    trial: int,
    experiment: str | None = None,
    point: Mapping[str, Any] | None = None,
    seed: int | None = None,
    overrides: Sequence[str] = (),
) -> dict[str, Any]:
    """Draw one trial again, alone.

    Parameters
    ----------
    study : str, Path, dict or Study
        As for `fastgc.run`; with the same seed the trial is the one that was sampled there.
    trial : int
        Number of the trial, from 0.
    experiment : str, optional
        The experiment's name; needed where the study has several.
    point : mapping, optional
        Values of swept keys; needed where the experiment has several points.
    seed, overrides : optional
        As for `fastgc.run`.

    Returns
    -------
    dict
        ``experiment``, ``point``, ``trial``, ``kind`` and ``iterations``. Of each iteration of a
        decoding experiment: who straggled, which columns of B survived, the error, whether it is
        exact, and the partitions no survivor holds; of a completion experiment: the time, every
        worker's time where those were drawn, and who never answers. Of a training experiment, after
        0, 1, … iterations: the measured curves, and who straggles in the next one; where columns of
        B are dealt out anew, also which of them are left.

    Raises
    ------
    FastgcError
        If there is no such experiment, point or trial.

    Examples
    --------
    >>> import fastgc
    >>> study = {"code": fastgc.codes.frc(n=4, d=2), "stragglers": 4}
    >>> found = fastgc.runs.replay(study, trial=12_345_678_901)
    >>> found["iterations"][0]["error"]
    4.0
    """
    if isinstance(trial, bool) or not isinstance(trial, int) or not 0 <= trial < MOST_TRIALS:
        raise FastgcError(f"trial: must be an integer, at least 0 and below 10¹⁸ (got {trial!r})")
    checked = Study.parse(study, overrides=overrides, seed=seed)
    points, point = checked.points(), point or {}
    names = list(dict.fromkeys(p.experiment for p in points))
    if experiment not in (None, *names):
        raise FastgcError(f"experiment: {unknown('experiment', experiment, names)}")
    mine = [p for p in points if experiment in (None, p.experiment)]
    fitting = [p for p in mine if is_at(p.sweep, point)]
    if not fitting:
        at, like = (
            ", ".join(f"{key}={toml.written(value)}" for key, value in each.items())
            for each in (point, mine[0].sweep)
        )
        others = f"give swept keys and values, like {like}" if like else "nothing is swept"
        raise FastgcError(f"point: there is none at {at}; {others}")
    own = fitting[0]
    if len(fitting) > 1:
        words = ["--experiment", own.experiment]
        for key, value in own.sweep.items():
            words += ["--point", f"{key}={toml.written(value)}"]
        said = f"{len(fitting)} points fit; say which, like {shlex.join(words)}"
        raise FastgcError(f"experiment: {said}")
    if own.compiled.exact_method.is_worst_case:
        raise FastgcError(f"experiment: {own.experiment} is a worst case, which draws no trials")
    common = checked.common_random_numbers
    stream = "common" if common else checked.canonical(own)
    if isinstance(study, str | Path):
        with suppress(FastgcError):  # a study holds no trials
            stored = store.load(Path(study))
            held = [unit.trials for unit in stored.units if unit.key.startswith(f"{stream} ")]
            is_whole = stored.shard == (0, 1) and not (stored.merged and stored.merged.note)
            if is_whole and trial >= max(held, default=MOST_TRIALS):
                said = f"trial {trial} is not among the {max(held)} of this point"
                FastgcWarning.warn(f"{study}: {said}; a longer run would draw it")
    return {
        "experiment": own.experiment,
        "point": dict(own.sweep),
        "seed": checked.seed,
        "trial": trial,
        "kind": own.table.kind,
        "iterations": own.compiled.replay(checked.seed, stream, trial, common=common),
    }
