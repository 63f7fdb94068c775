"""A scheme that is run for real, from its study to its file: `measure`."""

import contextlib
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fastgc.errors import FastgcError, WorkersError, public
from fastgc.measuring import plans
from fastgc.measuring.coded_work import Gradient
from fastgc.measuring.comparing import law, learning, structure, unknown_share
from fastgc.measuring.course import DONE, LOST, OF_ANSWERS, OF_WORKERS, SERIES, Course
from fastgc.measuring.faults import Faults
from fastgc.measuring.plans import RealPlan
from fastgc.measuring.processes import Processes
from fastgc.registry.activity import Batch, Step, never
from fastgc.results import image, measurements
from fastgc.results.checkpointer import provenance
from fastgc.results.measurements import Measurement
from fastgc.study.measure import parse
from fastgc.study.study import Study


@public
def measure(
    study: Study | Mapping[str, Any] | str | Path,
    *,
    gradient: Gradient | None = None,
    parameters: ArrayLike | None = None,
    partitions: Sequence[Any] | None = None,
    place: int = 1,
    faults: Faults | None = None,
    out: str | Path | None = None,
    batch: Batch | None = None,
) -> Measurement:
    """Run a system for real, and hold each round against its prediction.

    Workers compute gradients of their own partitions, encode and send them; the master takes
    answers as they come, until the system's own rule says that the round is over, decodes, steps,
    and goes on.

    * ``study`` (Study, dict, str or Path): One of its points is run: of a completion experiment, or
      of a training experiment with a system. The table ``[measure]`` says how. With ``gradient`` a
      dict: ``code``, a `Code`, a matrix partitions × workers or a table, and any of ``system``,
      whose answers a round waits for (by default as many as the code needs), ``optimizer``, what
      moves parameters by the sum (they stay where they are by default), and keys of ``[measure]``.
    * ``gradient`` (callable, optional): A function of (parameters, partition) that returns the
      gradient, an array or a tensor, and can be pickled. Decoded is the sum over all partitions.
    * ``parameters`` (array_like (p,)): With ``gradient``: where it begins.
    * ``partitions`` (sequence): With ``gradient``: what it gets of each partition.
    * ``place`` (int): Which point of the study is run, from 1.
    * ``faults`` (Faults, optional): What is done to workers on purpose; see
      `fastgc.measuring.faults.faults`.
    * ``out`` (str or Path, optional): A file to keep it in, which is not there yet.
    * ``batch`` (Batch, optional): ``progress`` gets a `Step` before each round; ``interrupted`` is
      asked often.

    Returns
    -------
    Measurement
        Of the whole rounds until then, where it was asked to stop.

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
    ...     "latency": {"distribution": "deterministic", "value": 0.001}, "measure": {"rounds": 2},
    ... })
    >>> len(found.rounds), max(row["error"] for row in found.rounds) < 1e-20
    (2, True)
    >>> found.recording.shape, [each["comparison"] for each in found.verdicts]
    ((2, 3), ['structure', 'law', 'learning'])
    """
    if all(each is None for each in (gradient, parameters, partitions)):
        plan = plans.from_study(parse(study, place))
    elif isinstance(study, Mapping):
        plan = plans.from_function(study, gradient, parameters, partitions)
    else:
        raise FastgcError("study: must be a dict with a code where gradient is given")
    return run(plan, faults, out, batch)


def run(
    plan: RealPlan,
    faults: Faults | None = None,
    out: str | Path | None = None,
    batch: Batch | None = None,
    carrier: Callable[..., Processes] | None = None,
) -> Measurement:
    """Run a plan, on ``carrier`` made of pieces and a number of parameters, to its file."""
    batch, faults = batch or Batch(), Faults() if faults is None else faults
    if not isinstance(faults, Faults):
        raise FastgcError("faults: must be what fastgc.measuring.faults.faults returns")
    faults.require(plan.rule.n, plan.how.rounds)
    path, begun = None if out is None else Path(out), time.monotonic()
    if path is not None:
        measurements.require_new(path)
    make = carrier or partial(Processes, interrupted=batch.interrupted or never)
    with contextlib.nullcontext() if path is None else image.locked(path):
        with make(plan.scheme.pieces(), plan.scheme.carried) as workers:
            course = Course(workers, plan, faults)

            def tell(done: int) -> None:
                if batch.progress is not None:
                    passed, name = time.monotonic() - begun, f"{plan.rule.n} workers"
                    batch.progress(Step.of_equal("rounds", done, plan.how.rounds, name, passed))

            ended, why = course.run(batch.interrupted or never, tell)
        found = _measurement(course, ended, why)
        if path is not None:
            measurements.save(path, found)
    if ended == LOST:
        many = len(found.measured)
        kept = "" if path is None else f"; {many} rounds are kept in {path}"
        raise WorkersError(f"{why}{kept}")
    return replace(found, path=path)


def _measurement(course: Course, ended: str, why: str) -> Measurement:
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
        "injected": none if course.injected is None else course.injected[:many],
        "used": arrays["used"].astype(np.int8),
        "predicted_used": foreseen.astype(np.int8),
        "theta": course.theta,
    }
    used, measured, over = arrays["used"] != 0, arrays["measured"], arrays["over"]
    worked = np.asarray((arrays["share"] > 0).any(axis=1))
    unknown = unknown_share(arrays["own"][worked], arrays["began"][worked])
    alike = (used == (foreseen != 0)).all(axis=1)
    met = np.where(np.isfinite(over), measured, np.inf)
    learnt = learning(plan.scheme, plan.optimizer, used, arrays["loss"], arrays["gradient_error"])
    judged = [
        structure(*(each[worked] for each in (arrays["predicted"], met, alike, measured - over))),
        law(rule, arrays["own"], plan.seed, unknown, worked),
        *([] if learnt is None else [learnt]),
    ]
    facts = {
        "experiment": plan.experiment,
        "point": plan.point,
        "system": rule.system.settings(),
        "work": plan.scheme.name,
        "carrier": course.carrier.NAME,
        "workers": list(course.carrier.names),
        "measure": plan.how.settings(),
        "ended": ended,
        "why": why,
        "faults": course.faults.settings(),
        "lost": [list(each) for each in course.lost if each[0] < many],
        "comparisons": [vars(each) for each in judged],
        "provenance": provenance(),
    }
    return Measurement(plan.text, facts, arrays, ended == DONE)
