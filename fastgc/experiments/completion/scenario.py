"""A system and the times of its workers, with everything settled that they make of each other."""

import math
from collections.abc import Container

import numpy as np

from fastgc.arrays import Values
from fastgc.errors import FastgcError
from fastgc.latency import Law, Scaling, listed
from fastgc.latency.draws import Draws
from fastgc.latency.empirical import Empirical
from fastgc.latency.law import DrawnLaw
from fastgc.latency.recording import Recording
from fastgc.latency.time import Time
from fastgc.registry.cached import cached_property
from fastgc.stragglers.stragglers import Stragglers
from fastgc.systems.system import System
from fastgc.systems.timing.laws import tail_index
from fastgc.systems.timing.order_draws import Draw, fused
from fastgc.systems.timing.rounds import BetweenRounds, Evaluator, Port, carried
from fastgc.systems.timing.timed_structure import Structure

#: One law for all workers, or one each.
Laws = tuple[Law | DrawnLaw, ...]
#: The keys of a study that a scenario is made of, in the order of its parameters.
KEYS = ("system", "latency", "work", "scaling", "port", "stragglers", "between_rounds")


_NO_PORT = Port()


def _known(latency: Laws) -> list[Law]:
    return [law for law in latency if isinstance(law, Law)]


def _recorded(latency: Laws) -> Empirical:
    law = latency[0]
    if not isinstance(law, Empirical):
        raise FastgcError("rows of a trace are mixed with other times")
    return law


class Scenario:
    """A system whose rule is settled, and the times of its workers.

    ``n`` is the number of workers; a time of the latency law is for ``load`` ℓ = share · work.
    """

    def __init__(
        self,
        system: System,
        latency: Laws,
        work: float = 1.0,
        scaling: Scaling = "server-dependent",
        port: Port = _NO_PORT,
        stragglers: Stragglers | None = None,
        between_rounds: BetweenRounds = "cancel",
    ) -> None:
        self._unsettled = system
        self.latency = latency
        self.scaling = scaling
        self.port = port.model_copy(update={"receive": port.receive * system.message()})
        self.stragglers = stragglers
        self._between_rounds = between_rounds
        self.n: int = system.workers()
        self.load: float = system.share() * work
        self._work = work

    def settle(self) -> None:
        """Settle the rule; a FastgcError says if there are no times for the load, or no rounds."""
        _ = self.draws
        if not self.carries:
            return
        why = ""
        if (what := self.structure.unfinished) is not None:
            why = f"{self.system.settings()['family']}, where {what}"
        elif self.port.receive > 0:
            remedy = "or set port.receive = 0"
            why = f"a port, for how late answers pass it is not modelled; {remedy}"
        elif self.may_fail:
            remedy = "or let a law of latency make workers slow"
            why = f"stragglers, for who never answers would be busy for ever; {remedy}"
        if why:
            raise FastgcError(f'must be "cancel" with {why}', "between_rounds")

    def cross_field_errors(self) -> list[tuple[str, str]]:
        """Return (key path, sentence) for parts that are sound but do not fit together."""
        found = listed.complaints(self.latency, self.n)
        found += listed.scaling_complaints(self.latency, self.scaling)
        if found:
            return found
        for i, law in enumerate(self.latency):
            if len(self.latency) > 1 and any(
                part.order in ("rows", "replay") for part in listed.recorded(law)
            ):
                sentence = (
                    f'{listed.which(self.latency, i)}order: must be "pooled" or "workers" in a '
                    "list of laws; rows of a trace are taken by one law for all workers"
                )
                return [("latency", sentence)]
        if self._unsettled.idle() and self.may_fail:
            family = self._unsettled.settings()["family"]
            sentence = f"must be left out with {family}, which leaves workers out by their times"
            return [("stragglers", sentence)]
        if self._unsettled.rows_before() and self.rows == "rows":
            family = self._unsettled.settings()["family"]
            sentence = f'order: must be "replay" with {family}, which looks at the rows before'
            return [("latency", sentence)]
        try:
            if (what := self.structure.no_port) is not None and self.port.receive > 0:
                sentence = f"must be 0 with {what}"
                return [("port.receive", f"{sentence} (got {self.port.receive:g})")]
            self.settle()
        except FastgcError as problem:
            if problem.key in KEYS:
                return [(problem.key, problem.sentence)]
            return [("system", str(problem))]
        return []

    @cached_property
    def carries(self) -> bool:
        """Whether rounds may begin with workers that are busy with one that is over."""
        return self._between_rounds == "finish" and self.structure.leaves_out

    def carried(self, times: Values) -> tuple[Values, Values | None]:
        """Return when workers answer in rounds (L, n, …, T), and late answers of rounds before.

        See `fastgc.systems.timing.rounds.carried`; times and None where no work is carried over.
        """
        return carried(self.evaluator.done, times) if self.carries else (times, None)

    @cached_property
    def system(self) -> System:
        """The system, its rule settled for the law of the times."""
        times = self.times
        common = times[0] if times is not None and len(times) == 1 else None
        return self._unsettled.for_time(common)

    @cached_property
    def structure(self) -> Structure:
        """Whose answers are waited for."""
        return self.system.structure()

    @property
    def tasks(self) -> int:
        """Times that a worker draws in a round."""
        return self.structure.tasks

    @cached_property
    def draws(self) -> Draws:
        """What draws the workers' times."""
        laws, load, scaling = self._loaded
        return Draws(laws, self.n, load, scaling, self.tasks)

    @cached_property
    def _loaded(self) -> tuple[Laws, float | list[float], Scaling]:
        if not self._unsettled.rows_before():
            return self.latency, self.load, self.scaling
        if self.rows is None:
            return self.latency, [float(share) * self._work for share in self._shares], self.scaling
        law = _recorded(self.latency)
        rows = np.ascontiguousarray(self.times_of_rows().T)
        own = Recording(law.trace.workers[: self.n], rows)
        return (law.on(own),), 1.0, "server-dependent"

    @cached_property
    def _shares(self) -> Values:
        """Each worker's share of work that is shared out by speed, (n,) or (rows, n)."""
        system = self._unsettled
        if self.rows is not None:  # by the mean of each ``basis`` rows that come before another one
            rows = _recorded(self.latency).trace.rows[:, : self.n]
            basis = system.rows_before()
            left = len(rows) - basis
            if left < 1:
                said = "must be less than the rows of the recording"
                raise FastgcError(f"basis: {said} (got {basis} of {len(rows)})")
            total = rows[:left].copy()
            for first in range(1, basis):  # in one order
                total += rows[first : first + left]
            return np.asarray(system.shares(np.asarray(total / basis)))
        laws = listed.of_workers(_known(self.latency), self.n)
        each = [law.time(self.load, self.scaling).mean() for law in laws]
        if not np.isfinite(each).all():
            raise FastgcError("a worker's mean time is infinite, so its speed is none")
        return np.asarray(system.shares(np.array(each * (self.n // len(each)))))

    @cached_property
    def burden(self) -> float:
        """The largest share of the work that a worker is given, a mean over rounds: ``load``."""
        if not self._unsettled.rows_before():
            return float(self.system.burden())
        return float(np.mean(self._shares.max(axis=-1)))

    def times_of_rows(self, more: float = 0.0) -> Values:
        """Return the workers' times in each round of a trace whose rows are taken whole.

        ``more``: seconds a unit of load beyond the recording's own rate. Returns float64 array
        (n, rounds), or (n, tasks, rounds).

        Raises FastgcError if times do not come from a trace's rows alone.
        """
        law, system = _recorded(self.latency), self._unsettled
        rows = law.trace.rows[:, : self.n]
        loads: Values | float = self.load
        if system.rows_before():
            loads, rows = self._shares * self._work, rows[system.rows_before() :]
        times = np.array(law.at_loads(rows, loads, self.scaling, more))
        if self.tasks == 1:
            return np.array(times.T, order="C")
        if self.rows != "replay" or not self.structure.OF_ROUNDS:
            raise FastgcError("tasks that take rows of their own have no law that is known")
        rounds = [np.roll(times, -i, axis=0).T for i in range(self.tasks)]
        return np.ascontiguousarray(np.stack(rounds, axis=1))

    @cached_property
    def times(self) -> list[Time] | None:
        """Laws of the workers' times, one for all or one each.

        None where workers depend on each other, a law only draws, or its sums are only drawn.
        """
        known = _known(self.latency)
        if self.rows is not None or len(known) < len(self.latency):
            return None
        laws = listed.of_workers(known, self.n)
        try:
            _, load, scaling = self._loaded
            if isinstance(load, float):
                return [law.time(load, scaling) for law in laws]
            each = laws * (self.n // len(laws))
            return [law.time(own, scaling) for law, own in zip(each, load, strict=True)]
        except FastgcError:
            return None

    @property
    def rows(self) -> str | None:
        """How rows of a recorded trace are taken, where they are: "rows" or "replay"."""
        found = listed.recorded(self.latency[0])
        return found[0].order if found and found[0].order in ("rows", "replay") else None

    @cached_property
    def evaluator(self) -> Evaluator:
        """What turns workers' times into completion times."""
        return Evaluator(self.structure, self.port.receive, self.port.opens)

    @cached_property
    def fused(self) -> Draw | None:
        """What draws completion times without workers' times; None where those must be drawn."""
        common = self.draws.common
        if common is None or self.carries:
            return None
        return fused(self.structure, common, self.port.receive, self.port.opens)

    @property
    def may_fail(self) -> bool:
        """Whether some workers may never answer."""
        return self.stragglers is not None

    @cached_property
    def least(self) -> float:
        """A time that no round falls below: that with every worker as fast as can be."""
        if self.times is None:
            return 0.0
        fastest = np.array([float(time.quantile(0.0)) for time in self.times])
        return _done_if(self, np.broadcast_to(fastest[:, np.newaxis], (self.n, 1)))

    @cached_property
    def finite_moments(self) -> float:
        """Tail index of the completion time: moments below it are finite."""
        if self.times is None or self.structure.ends_by is not None:
            return math.inf
        answers = 0.5 if self.may_fail else 1.0
        return tail_index(self.structure, self.times, answers)

    def lost(self, times: Values, done: Values) -> Values:
        """The share of the work without an answer when rounds are done, (T,).

        ``times`` are (n, T), or (n, tasks, T), of a system of which no `same_lost` is known.
        """
        return self.structure.lost(times, done, self.port)

    def rounds(self, times: Values, wanted: Container[str]) -> dict[str, Values]:
        """What rounds of workers' times (L, n, …, T) come to, each (L, T).

        When they are ``done``; and, as ``wanted``, messages, waiting, worker_seconds and lost.
        """
        found = {}
        if "messages" in wanted or "waiting" in wanted:
            counted = zip(*(self.evaluator.counted(own) for own in times), strict=True)
            done, messages, received = (np.array(each, float) for each in counted)
            found = {"messages": messages, "waiting": done - received * self.port.receive}
        else:
            done = np.array([self.evaluator.done(own) for own in times])
        for name, value in (("worker_seconds", self.structure.worked), ("lost", self.lost)):
            if name in wanted:
                found[name] = np.array([value(*each) for each in zip(times, done, strict=True)])
        return {"done": done} | found

    @property
    def same_lost(self) -> float | None:
        """The share of the work that is lost in all rounds; None where rounds differ."""
        return self.structure.same_lost(self.system.GRADIENT != "lost")

    @cached_property
    def messages(self) -> float | None:
        """Messages received until done, where that is always the same number."""
        if self.carries:  # late answers come, too
            return None
        found = self.structure.messages
        return None if found is None else found - self._unsettled.idle()

    @cached_property
    def busy(self) -> float | None:
        """Seconds that the master's port receives until done, where that is always the same."""
        receive: float = self.port.receive
        return self.structure.busy(receive, self.messages) if receive > 0 else 0.0


def least_of_rows(scenario: Scenario) -> float:
    """Return a time that no round of a recording falls below, 0 where it is not known."""
    if scenario.times is not None:
        return scenario.least
    try:
        return _done_if(scenario, scenario.times_of_rows().min(axis=-1, keepdims=True))
    except FastgcError:
        return 0.0


def _done_if(scenario: Scenario, times: Values) -> float:
    """Return when a round is done whose workers are as fast as can be, (n, 1), or before."""
    if scenario.tasks > 1 and times.ndim == 2:
        times = np.broadcast_to(times[:, np.newaxis], (scenario.n, scenario.tasks, 1))
    evaluator = scenario.evaluator
    if scenario.structure.CROWDS:
        # there equal times are not the best: answers no longer needed keep the port busy
        evaluator = Evaluator(scenario.structure)
    # a copy, for a broadcast is read-only, and kernels would be compiled once more for it
    return float(evaluator.done(np.array(times, order="C"))[0])
