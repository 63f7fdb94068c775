"""A scheme that is run for real, from its study to its file: `measure`."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fastgc.decoding.rule import DecodingRule
from fastgc.draws.streams import Batch, normals
from fastgc.errors import FastgcError, WorkersError
from fastgc.experiments.table import rho_of
from fastgc.experiments.training.table import TrainingTable
from fastgc.measuring.carrier import Carrier
from fastgc.measuring.comparing import learning, structure
from fastgc.measuring.course import ASKED, DONE, LOST, Course, Ending, Manner, Steps
from fastgc.measuring.faults import Faults
from fastgc.measuring.laws import law
from fastgc.measuring.opening import opened
from fastgc.measuring.rule import Rule
from fastgc.measuring.schemes import CodedGradient, Scheme, scheme_of
from fastgc.measuring.worker import Piece
from fastgc.results import lock, measurements
from fastgc.results.checkpointer import provenance
from fastgc.results.image import partial_of
from fastgc.results.measurements import Measurement
from fastgc.study.measure import Measured, parse
from fastgc.study.study import Study

Values = NDArray[np.float64]

#: Seconds between two files of an unfinished measurement.
_CHECKPOINT = 10.0


@dataclass(frozen=True)
class Step:
    """How far a measurement is: ``done`` rounds of ``total``, after ``seconds``."""

    name: str
    done: int
    total: int
    seconds: float


def measure(
    study: Study | Mapping[str, Any] | str | Path,
    *,
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
    """Run a study's system for real, and hold each round against its prediction.

    Workers compute gradients of the study's problem on their own partitions, encode and send them;
    the master takes answers as they come, until the system's own rule says that the round is over,
    decodes, steps, and goes on.

    Parameters
    ----------
    study : Study, dict, str or Path
        Its first point is run: of a completion experiment, or of a training experiment with a
        system. The table ``[measure]`` says how.
    executor : str, optional
        ``"processes"``, ``"mpi"``, ``"dask"`` or ``"dask:ADDRESS"``, in place of the study's
        ``carrier``.
    rounds, inject, between_rounds : optional
        In place of the study's keys.
    exact : bool
        Whether the first round that is not decoded exactly ends the measurement.
    faults : Faults, optional
        What is done to workers on purpose; see `fastgc.measuring.faults.faults`.
    out : str or Path, optional
        A file to keep it in, which is not there yet.
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
    name, _, address = (executor or "").partition(":")
    changes = {"carrier": name or None, "rounds": rounds, "inject": inject}
    asked = parse(study, **changes, between_rounds=between_rounds)
    place = None if out is None else Path(out)
    if place is not None and (place.exists() or partial_of(place).exists()):
        there = place if place.exists() else partial_of(place)
        raise FastgcError(f"{there} is there already; name another file or remove it")
    if place is None:
        return _Run(asked, exact, faults).run(carrier, address, None, progress, interrupted)
    with lock.writing(place):
        return _Run(asked, exact, faults).run(carrier, address, place, progress, interrupted)


class _Run:
    """One measurement, from its study to its file."""

    def __init__(self, asked: Measured, exact: bool, faults: Faults | None) -> None:
        self._asked, self._exact, self._faults = asked, exact, faults or Faults()
        table = asked.table
        self._rule = Rule(table)
        self._faults.require(self._rule.n)
        assert table.system is not None
        code = None if asked.code is None else asked.code.build()
        decoder: str | DecodingRule = "optimal"
        rho = None
        if isinstance(table, TrainingTable):
            decoder, rho = table.decoder, rho_of(table, code)
        real = self._rule.real
        self._scheme: Scheme = scheme_of(
            real.system, real.structure, asked.problem, code, decoder, rho
        )

    def run(
        self,
        make: Callable[[list[Piece], int], Carrier] | None,
        address: str,
        path: Path | None,
        progress: Callable[[Step], None],
        interrupted: Callable[[], str | None],
    ) -> Measurement:
        scheme, how = self._scheme, self._asked.measure
        self._injected = self._times()
        pieces = list(scheme.pieces())
        manner = Manner(
            how.between_rounds,
            how.give_up,
            how.inject == "spin",
            self._exact,
            self._injected,
            self._faults,
        )
        begun = saved = time.monotonic()
        carrier = (
            opened(how.carrier, address, pieces, scheme.parameters)
            if make is None
            else make(pieces, scheme.parameters)
        )
        with carrier:
            self._names, self._carrier = list(carrier.names), carrier.NAME
            course = Course(carrier, scheme, self._rule, *self._start(), manner)

            def tell(done: int) -> None:
                nonlocal saved
                now = time.monotonic()
                if path is not None and now - saved > _CHECKPOINT:
                    measurements.save(partial_of(path), self._stored(course, None))
                    saved = time.monotonic()
                progress(Step(f"{self._rule.n} workers", done, how.rounds, now - begun))

            ending = course.run(how.rounds, interrupted, tell)
        stored = self._stored(course, ending)
        if path is not None:
            place = path if ending.kind != ASKED else partial_of(path)
            measurements.save(place, stored)
            if place == path:
                partial_of(path).unlink(missing_ok=True)
            path = place
        if ending.kind == LOST:
            kept = "" if path is None else f"; {len(course.rounds.time)} rounds are kept in {path}"
            raise WorkersError(f"{ending.said}{kept}")
        return replace(stored, path=path)

    def _times(self) -> Values | None:
        """The seconds that pieces take at least, (rounds, n); None where they take their own."""
        how = self._asked.measure
        if how.inject == "none":
            return None
        batch = Batch(self._asked.study.seed, "measure", 0, 1, how.rounds)
        return np.ascontiguousarray(self._rule.real.draws.times(batch)[..., 0])

    def _start(self) -> tuple[Values, Steps | None]:
        """Parameters before the first round, and what moves them."""
        asked, scheme = self._asked, self._scheme
        if not isinstance(scheme, CodedGradient):
            return normals(asked.study.seed, "measure/parameters", scheme.parameters), None
        start = np.ascontiguousarray(asked.problem.start(scheme.data), np.float64)
        return start, Steps(asked.optimizer, asked.measure.rounds, scheme.parameters)

    def _stored(self, course: Course, ending: Ending | None) -> Measurement:
        """What the file holds of the whole rounds so far."""
        kept, n, asked = course.rounds, self._rule.n, self._asked
        many = len(kept.loss) - 1

        def table(rows: list[Any], kind: type = float) -> NDArray[Any]:
            return np.array(rows[:many], kind).reshape(many, n)

        began, own, used = table(kept.began), table(kept.own), table(kept.used, bool)
        predicted, foreseen = self._rule.predicted(began, own)
        measured, over = np.array(kept.time[:many]), np.array(kept.over[:many])
        alike = (used == foreseen).all(axis=1)
        met = np.where(np.isfinite(over), measured, np.inf)
        comparisons = [structure(predicted, met, alike), law(self._rule, own, asked.study.seed)]
        loss = np.array(kept.loss)
        learnt = learning(self._scheme, asked.optimizer, used, loss)
        comparisons += [] if learnt is None else [learnt]
        injected = np.full((many, n), np.nan)
        if self._injected is not None:
            injected = self._injected[:many]
        facts = {
            "experiment": asked.point.experiment,
            "point": asked.point.sweep,
            "system": self._rule.real.system.settings(),
            "work": self._scheme.name,
            "carrier": self._carrier,
            "workers": self._names,
            "measure": asked.measure.settings(),
            "ended": None if ending is None else ending.kind,
            "why": "" if ending is None else ending.said,
            "lost": [list(each) for each in kept.lost],
            "comparisons": [each.as_dict() for each in comparisons],
            "provenance": provenance(),
        }
        arrays = {
            "measured": measured,
            "over": over,
            "predicted": predicted,
            "gradient_error": np.array(kept.gradient_error[:many]),
            "decoding_error": np.array([self._scheme.error(each) for each in used]),
            "predicted_error": np.array([self._scheme.error(each) for each in foreseen]),
            "loss": loss,
            "began": began,
            "own": own,
            "arrived": table(kept.arrived),
            "injected": injected,
            "used": used.astype(np.int8),
            "predicted_used": foreseen.astype(np.int8),
            "theta": course.theta,
        }
        done = ending is not None and ending.kind == DONE
        return Measurement(asked.study.text(), facts, arrays, done)
