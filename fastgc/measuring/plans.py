"""What is to be run, a study's point or a function of the user's own; when a round is over."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from fastgc import registry
from fastgc.arrays import Mask, Values
from fastgc.codes.matrix import code_given
from fastgc.decoding.decoder import Decoder
from fastgc.decoding.rule import DecodingRule
from fastgc.draws.streams import Trials, normals
from fastgc.errors import FastgcError
from fastgc.experiments.completion.completion_table import CompletionTable
from fastgc.experiments.completion.scenario import Scenario
from fastgc.experiments.table import rho_of
from fastgc.experiments.training.training_table import TrainingTable
from fastgc.latency import Law
from fastgc.latency.draws import Draws
from fastgc.latency.laws import Deterministic
from fastgc.measuring.coded_work import CodedGradient, CodedProduct, Gradient, Scheme, make_scheme
from fastgc.registry.complaints import unknown
from fastgc.registry.given import made
from fastgc.study.measure import MeasureTable, RealRun, table
from fastgc.systems.coded import GradientCode
from fastgc.systems.schemes import numbers
from fastgc.systems.system import System
from fastgc.systems.timing.rounds import Evaluator
from fastgc.training.optimizers import Optimizer


class RoundRule:
    """When a system's round is over, by the answers of n workers, each in so many ``parts``.

    No system is written anew: its own rule is asked, with infinity for each answer that has not
    come. A time that is infinite says: wait on; one in the future: wait until then, unless an
    answer comes.

    Answers (n · parts,) are in order of worker, those of a worker in order of part.
    ``real``: the system as its rounds are ended here, where receiving takes the time that it takes;
    ``simulated``: as they are simulated, with the study's port. ``delays`` (n,): seconds after
    which each worker begins; ``heard`` (n,): whose answers the master itself waits for; ``share``:
    of the work that a part is on average; ``answers``: how many there are in a round;
    ``remembers``: whether times of the law may depend on each other.
    """

    def __init__(
        self, system: System, table: CompletionTable | TrainingTable | None = None
    ) -> None:
        latency = None if table is None else table.latency
        self.has_law = latency is not None
        own = system, latency or (Deterministic(value=1.0),)
        self._work = 1.0 if table is None else table.work
        self.real = self.simulated = Scenario(*own)
        if table is not None:
            self.real = Scenario(*own, table.work, table.scaling)
            self.simulated = Scenario(*own, table.work, table.scaling, table.port)
        self.system = self.real.system
        self.n = self.real.n
        structure = self.real.structure
        self.heard = structure.heard
        self.parts = structure.parts
        self.answers = self.n * self.parts
        self.share = self.real.system.share()
        self._ends, self._foresees = (
            Evaluator(each.structure.in_parts, each.port.receive, each.port.opens)
            for each in (self.real, self.simulated)
        )
        self.delays = np.array(structure.begins)
        known = all(isinstance(law, Law) for law in self.simulated.latency)
        self.remembers = self.simulated.rows is not None or not known

    def worker_means(self, seconds: Values) -> Values:
        """Return the mean (L, n, …) of the parts of each worker, (L, n · parts, …)."""
        shape = len(seconds), self.n, self.parts, *seconds.shape[2:]
        return np.asarray(seconds.reshape(shape).mean(axis=2))

    def over(self, arrived: Values) -> float:
        """Return when a round is over by the answers so far: in future, or never with too few.

        ``arrived`` (n · parts,): seconds after the round's begin; infinite where none has come.
        """
        return float(self.done(self.real, self._times(arrived)[:, np.newaxis])[0])

    def done(self, scenario: Scenario, times: Values) -> Values:
        """Return when orders whose parts take (n · parts, T) are done."""
        evaluator = self._foresees if scenario is self.simulated else self._ends
        return evaluator.done(times.reshape(self.n, self.parts, -1) if self.parts > 1 else times)

    def durations(self, times: Values) -> Values:
        """Return how long rounds (L, T) last, by the simulation, whose parts take ``times``.

        These are (L, n · parts, T), of rounds one after the other.
        """
        parts = np.moveaxis(times, 1, 0).reshape(self.answers, -1)
        return self.done(self.simulated, parts).reshape(len(times), -1)

    def drawn(self, scenario: Scenario, batch: Trials, shares: Values | None = None) -> Values:
        """Return seconds of parts that are drawn from the study's law, (L, n · parts, T).

        With ``shares`` (n,) of workers that have these of the work in place of the system's own.
        """
        draws = scenario.draws
        if shares is not None:
            loads = (shares * self._work).tolist()
            draws = Draws(scenario.latency, self.n, loads, scenario.scaling)
        times = draws.times(batch)
        if times.ndim > 3:
            return times[:, :, : self.parts].reshape(len(times), self.answers, -1)
        return np.asarray(np.repeat(times, self.parts, axis=1))

    def used(self, arrived: Values, over: float) -> Mask:
        """Return which answers the master has when the round is over, (n · parts,)."""
        times = self._times(arrived)[:, np.newaxis]
        answered: Mask = self._answered(self.real, times, np.array([over]))[0]
        return answered & np.repeat(self.heard, self.parts)

    def predicted(self, began: Values, own: Values) -> tuple[Values, Mask]:
        """Return when rounds are over, and with which answers, by the workers' own seconds.

        ``began`` (rounds, n): seconds after a round's begin, without its delay, at which each
        worker was free for it; ``own`` (rounds, n · parts): that each part then took. NaN, not
        known, counts as never.
        """
        seconds = own.copy()
        seconds[:, :: self.parts] += began  # a worker that is not free is slower
        times = np.where(np.isnan(seconds), np.inf, seconds).T
        over = self.done(self.simulated, times)
        return over, self._answered(self.simulated, times, over)

    def _times(self, arrived: Values) -> Values:
        """Return what each part took, (n · parts,), if answers came so."""
        at = arrived.reshape(self.n, -1) - self.delays[:, np.newaxis]
        with np.errstate(invalid="ignore"):  # after one that has not come none comes
            took = np.diff(at, axis=1, prepend=0.0)
        took[~self.heard] = 0.0  # who sends by a parent has sent
        return np.where(np.isnan(took), np.inf, took).ravel()

    def _answered(self, scenario: Scenario, times: Values, over: Values) -> Mask:
        """Return which answers are there by then, (T, n · parts)."""
        arrived = np.cumsum(times.reshape(self.n, self.parts, -1), axis=1).reshape(times.shape)
        return np.asarray(scenario.structure.answered(arrived, over, scenario.port).T)


@dataclass(frozen=True)
class RealPlan:
    """A scheme, when its rounds are over, and how it is run.

    Parameters are ``start`` before the first round, and stay so without an optimizer; ``text``,
    ``experiment`` and ``point`` are the study's.
    """

    rule: RoundRule
    scheme: Scheme
    start: Values
    optimizer: Optimizer | None
    how: MeasureTable
    seed: int = 1
    text: str = ""
    experiment: str = "experiment1"
    point: Mapping[str, Any] | None = None

    def injected(self) -> Values | None:
        """Return the seconds that parts take at least, (rounds, n · parts); None for their own."""
        if self.how.inject == "none":
            return None
        if self.scheme.by_speed:
            return np.full((self.how.rounds, self.rule.n), np.nan)  # of shares that are not known
        return self.drawn(self.how.rounds)

    def drawn(self, rounds: int, shares: Values | None = None) -> Values:
        """Return the seconds of the first rounds, so many rows, for given shares of the work."""
        batch = Trials(self.seed, "measure", 0, 1, rounds)
        return np.ascontiguousarray(self.rule.drawn(self.rule.real, batch, shares)[..., 0])


def from_study(asked: RealRun) -> RealPlan:
    """Return what a study says; a FastgcError if its system cannot be run for real."""
    own = asked.table
    assert own.system is not None
    rule = RoundRule(own.system, own)
    code = None if asked.code is None else asked.code.build()
    decoder: str | DecodingRule = "optimal"
    rho = None
    if isinstance(own, TrainingTable):
        decoder, rho = own.decoder, rho_of(own, code)
    real, seed = rule.real, asked.study.seed
    optimizer: Optimizer | None = asked.optimizer
    scheme = make_scheme(real.system, real.structure, asked.problem, code, decoder, rho)
    if not rule.heard.all() and asked.measure.between_rounds == "finish":
        family = real.system.settings()["family"]
        sentence = f'must be "drain" or "cancel" with {family}, whose workers wait for others'
        raise FastgcError(sentence, "between_rounds")
    if isinstance(scheme, CodedProduct):
        optimizer = None
        start = normals(seed, "measure/parameters", scheme.parameters)
    else:
        assert isinstance(scheme, CodedGradient) and scheme.data is not None
        start = np.ascontiguousarray(asked.problem.start(scheme.data), np.float64)
    said = asked.study.text(), asked.point.experiment, asked.point.sweep
    return RealPlan(rule, scheme, start, optimizer, asked.measure, seed, *said)


def from_function(
    study: Mapping[str, Any], gradient: Gradient | None, parameters: Any, partitions: Any
) -> RealPlan:
    """Return what a function of the user's own makes; see `fastgc.measure`."""
    given = dict(study)
    code, system = given.pop("code", None), given.pop("system", None)
    if gradient is None or parameters is None or partitions is None or code is None:
        raise FastgcError("gradient: goes with parameters, partitions, and a code in the study")
    own = code_given(code, "code")
    start = np.ascontiguousarray(numbers("parameters", parameters, axes=1)).ravel()
    parts: Sequence[Any] = list(partitions)
    scheme = CodedGradient(gradient, parts, start.size, own, Decoder(own))
    if system is None:
        system = GradientCode(n=own.n, s=own.tolerance or 0)
    if isinstance(system, Mapping):
        members, family = registry.members("system"), str(system.get("family"))
        if family not in members:
            raise FastgcError(f"system: {unknown('family', family, members)}")
        system = made(members[family], "system", **system)
    if not isinstance(system, System):
        got = type(system).__name__
        raise FastgcError(f"system: must be a table, or of fastgc.systems (got {got})")
    rule = RoundRule(system)
    if system.LOOKS_BACK or rule.real.structure.CUTS:
        family = system.settings()["family"]
        raise FastgcError(f"system: {family} cuts samples itself, and needs a study's problem")
    if rule.n != own.n:
        raise FastgcError(f"system: has {rule.n} workers, and the code {own.n}")
    if given.setdefault("inject", "none") != "none":
        raise FastgcError(f"inject: needs a study with latency (got {given['inject']!r})")
    how = made(table(), "measure", **given)
    return RealPlan(rule, scheme, start, how.optimizer, how)
