"""A scheme that is run for real, from its study to its file: `measure`."""

import contextlib
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fastgc.errors import FastgcError, WorkersError
from fastgc.measuring import plans
from fastgc.measuring.carrier import Carrier
from fastgc.measuring.course import (
    ASKED,
    DONE,
    LOST,
    OF_ANSWERS,
    OF_WORKERS,
    SERIES,
    Course,
    Ending,
)
from fastgc.measuring.faults import Faults
from fastgc.measuring.judging import judged
from fastgc.measuring.plans import Plan, ranked
from fastgc.measuring.processes import Processes
from fastgc.measuring.schemes import Gradient
from fastgc.measuring.worker import Piece
from fastgc.registry.activity import Step
from fastgc.results import lock, measurements
from fastgc.results.checkpointer import provenance
from fastgc.results.image import partial_of
from fastgc.results.measurements import Measurement
from fastgc.study.measure import parse
from fastgc.study.study import Study
from fastgc.systems.system import System
from fastgc.training.optimizers import Optimizer

#: Seconds between two files of an unfinished measurement.
_CHECKPOINT = 2.0


def measure(
    study: Study | Mapping[str, Any] | str | Path | None = None,
    *,
    gradient: Gradient | None = None,
    parameters: Any = None,
    partitions: Sequence[Any] | None = None,
    code: Any = None,
    system: System | None = None,
    optimizer: Optimizer | Mapping[str, Any] | None = None,
    place: int = 1,
    seed: int | None = None,
    rounds: int | None = None,
    inject: str | None = None,
    between_rounds: str | None = None,
    exact: bool = False,
    faults: Faults | None = None,
    out: str | Path | None = None,
    carrier: Callable[[list[Piece], int], Carrier] | None = None,
    progress: Callable[[Step], None] = lambda _: None,
    interrupted: Callable[[], str | None] = lambda: None,
) -> Measurement:
    """Run a system for real, and hold each round against its prediction.

    Workers compute gradients of their own partitions, encode and send them; the master takes
    answers as they come, until the system's own rule says that the round is over, decodes, steps,
    and goes on.

    Parameters
    ----------
    study : Study, dict, str or Path
        One of its points is run: of a completion experiment, or of a training experiment with a
        system; or a system that its table ``[design]`` ranks. The table
        ``[measure]`` says how.
    gradient, parameters, partitions, code : optional
        In place of a study: a function of (parameters, partition) that returns its gradient, and
        can be pickled; where it begins, float64 array (p,); what it gets of each partition; and the
        code, a `Code` or a matrix partitions × workers. What is decoded is the sum of them all.
    system : System, optional
        With ``gradient``: whose answers a round waits for; as many as the code needs by default.
    optimizer : dict, optional
        With ``gradient``: the ``optimizer`` table of what moves parameters by the sum, as in
        ``{"method": "gradient-descent", "step": 0.01}``; they stay where they are by default.
    place : int
        Which point of the study is run, from 1; with a table ``[design]`` which system of the
        ranking.
    seed : int, optional
        In place of the study's: of injected times.
    rounds, inject, between_rounds : optional
        In place of the study's keys.
    exact : bool
        Whether the first round that is not decoded exactly ends the measurement.
    faults : Faults, optional
        What is done to workers on purpose; see `fastgc.measuring.faults.faults`.
    out : str or Path, optional
        A file to keep it in, which is not there yet; a measurement that was stopped goes on.
    carrier : callable, optional
        What makes a `Carrier` of one's own of the workers' pieces and the number of parameters.
    progress, interrupted : callable, optional
        Gets a `Step` before each round; asked often, a text that it returns ends the measurement.

    Returns
    -------
    Measurement

    Raises
    ------
    FastgcError
        If the study has mistakes, or its system cannot be run for real.
    StorageError, WorkersError
        If the file cannot be written, or all workers are lost; whole rounds are kept in the file.

    Examples
    --------
    >>> found = measure({
    ...     "kind": "completion", "system": {"family": "gradient-code", "n": 3, "s": 1},
    ...     "latency": {"distribution": "deterministic", "value": 0.001},
    ... }, rounds=2)
    >>> len(found.rounds), max(row["error"] for row in found.rounds) < 1e-20
    (2, True)
    >>> found.recording.shape, [each["comparison"] for each in found.verdicts]
    ((2, 3), ['structure', 'law', 'learning'])
    """
    changes: dict[str, Any] = {"rounds": rounds, "inject": inject}
    changes |= {"between_rounds": between_rounds}
    its = (parameters, partitions, code, system, optimizer)
    if (study is None) == (gradient is None and all(each is None for each in its)):
        raise FastgcError("study: give either a study, or gradient with parameters and partitions")
    if study is None:
        plan = plans.of_function(gradient, *its[:4], changes | {"optimizer": optimizer})
    else:
        plan = plans.of_study(parse(*ranked(study, [place], interrupted)[0], seed, **changes))
    faults = faults or Faults()
    if not isinstance(faults, Faults):
        raise FastgcError("faults: must be what fastgc.measuring.faults.faults returns")
    faults.require(plan.rule.n, plan.how.rounds)
    path = None if out is None else Path(out)
    if path is not None:
        measurements.require_new(path)
    with contextlib.nullcontext() if path is None else lock.writing(path):
        make = carrier or partial(Processes, interrupted=interrupted)
        return _run(plan, faults, exact, path, make, progress, interrupted)


def _run(
    plan: Plan,
    faults: Faults,
    exact: bool,
    path: Path | None,
    make: Callable[[list[Piece], int], Carrier],
    progress: Callable[[Step], None],
    interrupted: Callable[[], str | None],
) -> Measurement:
    """Run a plan, from its beginning or from what an earlier command has left, to its file."""
    rounds, pieces = plan.how.rounds, list(plan.scheme.pieces())
    found = None if path is None else _unfinished(plan, faults, partial_of(path))
    begun, due = time.monotonic(), time.monotonic() + _CHECKPOINT
    with make(pieces, plan.scheme.carried) as carrier:
        course = Course(carrier, plan, faults, exact, found)

        def tell(done: int) -> None:
            nonlocal due
            now = time.monotonic()
            if path is not None and now > due:
                measurements.save(partial_of(path), _stored(course, None))
                took = time.monotonic() - now  # longer for a longer file
                due = now + took + max(_CHECKPOINT, 20 * took)
            name = f"{plan.rule.n} workers"
            progress(Step.of_equal("rounds", done, rounds, name, now - begun))

        ending = course.run(interrupted, tell)
    stored = _stored(course, ending)
    if path is not None:
        part = partial_of(path)
        path = path if ending.kind != ASKED else part
        measurements.save(path, stored)
        if path != part:
            part.unlink(missing_ok=True)
    if ending.kind == LOST:
        kept = "" if path is None else f"; {course.done} rounds are kept in {path}"
        raise WorkersError(f"{ending.said}{kept}")
    return replace(stored, path=path)


def _unfinished(plan: Plan, faults: Faults, path: Path) -> Measurement | None:
    """Return what an earlier command has left of this measurement."""
    if not path.exists():
        return None
    found = measurements.load(path)
    if found is None or found.facts["identity"] != plan.identity:
        said = "is of another study, seed or way to measure"
        raise FastgcError(f"{path}: {said}; remove it, or name another file")
    many = len(found.measured)
    if many > plan.how.rounds:
        raise FastgcError(f"{path}: has {many} rounds already; ask for as many, or more")
    before = found.facts["faults"]
    if before != faults.settings():
        had = f"with {' '.join(before)}" if before else "without faults"
        raise FastgcError(f"{path}: was measured {had}; ask for the same, or name another file")
    return found


def _stored(course: Course, ending: Ending | None) -> Measurement:
    """Return what the file holds of the whole rounds so far."""
    plan, rule, many = course.plan, course.plan.rule, len(course.rows["loss"]) - 1
    arrays: dict[str, NDArray[Any]] = {
        name: np.array(course.rows[name][:many], bool if name == "used" else float)
        for name in (*SERIES, *OF_WORKERS, *OF_ANSWERS)
    }
    for names, of in ((OF_WORKERS, rule.n), (OF_ANSWERS, rule.answers)):
        arrays |= {name: arrays[name].reshape(many, of) for name in names}
    predicted, foreseen = rule.predicted(arrays["began"], arrays["own"])
    none = np.full((many, rule.answers), np.nan)
    arrays |= {
        "loss": np.array(course.rows["loss"]),
        "predicted": predicted,
        "decoding_error": plan.scheme.errors(arrays["used"]),
        "predicted_error": plan.scheme.errors(foreseen),
        "injected": none if course.injected is None else course.injected[:many],
        "used": arrays["used"].astype(np.int8),
        "predicted_used": foreseen.astype(np.int8),
        "moments": course.moments,
        "theta": course.theta,
    }
    facts = {
        "experiment": plan.experiment,
        "point": plan.point,
        "system": rule.system.settings(),
        "work": plan.scheme.name,
        "carrier": course.carrier.NAME,
        "workers": list(course.carrier.names),
        "measure": plan.how.settings(),
        "ended": None if ending is None else ending.kind,
        "why": "" if ending is None else ending.said,
        "faults": course.faults.settings(),
        "lost": [list(each) for each in course.lost if each[0] < many],
        "comparisons": [],
        "identity": plan.identity,
        "provenance": provenance(),
    }
    if ending is not None:
        facts |= judged(plan, arrays, [many])
    done = ending is not None and ending.kind == DONE
    return Measurement(plan.text, facts, arrays, done)
