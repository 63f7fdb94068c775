"""A scheme that is run for real, from its study to its file: `measure`."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fastgc.engine.executors import CARRIERS, DASK, MPI, PROCESSES, RAY
from fastgc.errors import FastgcError, WorkersError
from fastgc.measuring import plans
from fastgc.measuring.carrier import Carrier
from fastgc.measuring.course import ASKED, DONE, LOST, Course, Ending, Steps
from fastgc.measuring.dask import Dask
from fastgc.measuring.designs import of_ranked
from fastgc.measuring.faults import Faults
from fastgc.measuring.judging import judged
from fastgc.measuring.plans import Plan
from fastgc.measuring.processes import Processes
from fastgc.measuring.ranks import Ranks
from fastgc.measuring.ray import Ray
from fastgc.measuring.schemes import Gradient
from fastgc.measuring.worker import Piece
from fastgc.results import lock, measurements
from fastgc.results.checkpointer import provenance
from fastgc.results.image import partial_of
from fastgc.results.measurements import Measurement
from fastgc.study.measure import Measured, parse
from fastgc.study.study import Study
from fastgc.systems.system import System
from fastgc.training.optimizers import Optimizer

Values = NDArray[np.float64]

#: Seconds between two files of an unfinished measurement.
_CHECKPOINT = 2.0


@dataclass(frozen=True)
class Step:
    """How far a measurement is: ``done`` rounds of ``total``, after ``seconds``."""

    name: str
    done: int
    total: int
    seconds: float


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
    executor: str | None = None,
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
        system; or a system that its table ``[design]`` ranks. The table ``[measure]`` says how.
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
    executor : str, optional
        ``"processes"``, ``"mpi"``, ``"dask"``, ``"dask:ADDRESS"``, ``"ray"`` or ``"ray:ADDRESS"``,
        in place of the study's ``carrier``.
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
    """
    name, _, address = str(executor or "").partition(":")
    changes = {"carrier": name or None, "rounds": rounds, "inject": inject}
    changes |= {"between_rounds": between_rounds}
    its = (parameters, partitions, code, system, optimizer)
    if (study is None) == (gradient is None and all(each is None for each in its)):
        raise FastgcError("study: give either a study, or gradient with parameters and partitions")
    plan = (
        plans.of_function(gradient, *its[:4], changes | {"optimizer": optimizer})
        if study is None
        else plans.of_study(_asked(study, place, seed, changes, interrupted))
    )
    faults = faults or Faults()
    if not isinstance(faults, Faults):
        raise FastgcError("faults: must be what fastgc.measuring.faults.faults returns")
    faults.require(plan.rule.n, plan.how.rounds)
    run = _Run(plan, exact, faults)
    path = None if out is None else Path(out)
    if path is not None:
        measurements.require_new(path)
    with contextlib.nullcontext() if path is None else lock.writing(path):
        return run.run(carrier, address, path, progress, interrupted)


def _asked(
    study: Study | Mapping[str, Any] | str | Path,
    place: int,
    seed: int | None,
    changes: Mapping[str, Any],
    interrupted: Callable[[], str | None],
) -> Measured:
    """Return the point of a study, or the system of a design's ranking, at a place."""
    found = of_ranked(study, place, interrupted)
    return parse(found, place if found is study else 1, seed, **changes)


def _opened(
    name: str,
    address: str,
    pieces: Sequence[Piece],
    parameters: int,
    interrupted: Callable[[], str | None],
) -> Carrier:
    """Start the workers of a carrier, one a piece; ``address``: of a cluster of Dask or Ray."""
    if name == PROCESSES and not address:
        return Processes(pieces, parameters, interrupted)
    if name == MPI and not address:
        return Ranks(pieces, parameters)
    if name == DASK:
        return Dask(pieces, address)
    if name == RAY:
        return Ray(pieces, address)
    given = f"{name}:{address}" if address else name
    raise FastgcError(f"executor: must be one of {', '.join(CARRIERS)} (got {given!r})")


class _Run:
    """One measurement, from its study to its file."""

    def __init__(self, plan: Plan, exact: bool, faults: Faults) -> None:
        self._plan, self._exact, self._faults = plan, exact, faults

    def run(
        self,
        make: Callable[[list[Piece], int], Carrier] | None,
        address: str,
        path: Path | None,
        progress: Callable[[Step], None],
        interrupted: Callable[[], str | None],
    ) -> Measurement:
        plan, scheme, how = self._plan, self._plan.scheme, self._plan.how
        found = None if path is None else self._unfinished(partial_of(path))
        self._injected = plan.injected()
        if found is not None and self._injected is not None:
            self._injected[: len(found.measured)] = found.arrays["injected"]
        pieces = list(scheme.pieces())
        begun, due = time.monotonic(), time.monotonic() + _CHECKPOINT
        carrier = (
            _opened(how.carrier, address, pieces, scheme.carried, interrupted)
            if make is None
            else make(pieces, scheme.carried)
        )
        with carrier:
            self._faults.require_of(carrier)
            if not carrier.JOINS and any(piece.hears for piece in pieces):
                family = plan.rule.real.system.settings()["family"]
                raise FastgcError(
                    f"executor: workers of {carrier.NAME} do not hear each other, as those of "
                    f"{family} must; take processes"
                )
            self._names, self._carrier = list(carrier.names), carrier.NAME
            self._steps = steps = None
            if plan.optimizer is not None:
                self._steps = steps = Steps(plan.optimizer, how.rounds, scheme.parameters)
                if found is not None:
                    steps.moments[:] = found.arrays["moments"]
            struck = self._injected, steps, self._faults, self._exact
            course = Course(carrier, plan, *struck, found)

            def tell(done: int) -> None:
                nonlocal due
                now = time.monotonic()
                if path is not None and now > due:
                    measurements.save(partial_of(path), self._stored(course, None))
                    took = time.monotonic() - now  # longer for a longer file
                    due = now + took + max(_CHECKPOINT, 20 * took)
                progress(Step(f"{plan.rule.n} workers", done, how.rounds, now - begun))

            ending = course.run(interrupted, tell)
        stored = self._stored(course, ending)
        if path is not None:
            place = path if ending.kind != ASKED else partial_of(path)
            measurements.save(place, stored)
            if place == path:
                partial_of(path).unlink(missing_ok=True)
            path = place
        if ending.kind == LOST:
            kept = (
                "" if path is None else f"; {len(course.rounds.measured)} rounds are kept in {path}"
            )
            raise WorkersError(f"{ending.said}{kept}")
        return replace(stored, path=path)

    def _unfinished(self, path: Path) -> Measurement | None:
        """Return what an earlier command has left of this measurement."""
        if not path.exists():
            return None
        found = measurements.load(path)
        if found is None or found.facts["identity"] != self._plan.identity:
            said = "is of another study, seed or way to measure"
            raise FastgcError(f"{path}: {said}; remove it, or name another file")
        many = len(found.measured)
        if many > self._plan.how.rounds:
            raise FastgcError(f"{path}: has {many} rounds already; ask for as many, or more")
        faults = found.facts["faults"]
        if faults != self._faults.settings():
            had = f"with {' '.join(faults)}" if faults else "without faults"
            raise FastgcError(f"{path}: was measured {had}; ask for the same, or name another file")
        return found

    def _stored(self, course: Course, ending: Ending | None) -> Measurement:
        """What the file holds of the whole rounds so far."""
        kept, plan = course.rounds, self._plan
        many = len(kept.loss) - 1

        def table(rows: list[Any], kind: type = float, of: int = plan.rule.answers) -> NDArray[Any]:
            return np.array(rows[:many], kind).reshape(many, of)

        began = table(kept.began, of=plan.rule.n)
        own, used = table(kept.own), table(kept.used, bool)
        predicted, foreseen = plan.rule.predicted(began, own)
        measured, over = np.array(kept.measured[:many]), np.array(kept.over[:many])
        injected = np.full(own.shape, np.nan)
        if self._injected is not None:
            injected = self._injected[:many]
        facts = {
            "experiment": plan.experiment,
            "point": plan.point,
            "system": plan.rule.real.system.settings(),
            "work": plan.scheme.name,
            "carrier": self._carrier,
            "workers": self._names,
            "measure": plan.how.settings(),
            "ended": None if ending is None else ending.kind,
            "why": "" if ending is None else ending.said,
            "faults": self._faults.settings(),
            "lost": [list(each) for each in kept.lost if each[0] < many],
            "comparisons": [],
            "identity": plan.identity,
            "provenance": provenance(),
        }
        arrays = {
            "measured": measured,
            "over": over,
            "predicted": predicted,
            "gradient_error": np.array(kept.gradient_error[:many]),
            "decoding_error": plan.scheme.errors(used),
            "predicted_error": plan.scheme.errors(foreseen),
            "loss": np.array(kept.loss),
            "began": began,
            "own": own,
            "share": table(kept.share, of=plan.rule.n),
            "arrived": table(kept.arrived),
            "injected": injected,
            "used": used.astype(np.int8),
            "predicted_used": foreseen.astype(np.int8),
            "moments": np.zeros((3, 0)) if self._steps is None else self._steps.moments,
            "theta": course.theta,
        }
        if ending is not None:
            facts |= judged(plan, arrays, [many])
        done = ending is not None and ending.kind == DONE
        return Measurement(plan.text, facts, arrays, done)
