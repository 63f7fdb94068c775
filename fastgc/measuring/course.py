"""The course of a measurement: orders, answers as they come, the decision, the step, the next."""

from collections.abc import Callable
from typing import Any

import numpy as np

from fastgc.arrays import Values
from fastgc.measuring.comparing import EXACT
from fastgc.measuring.faults import Faults
from fastgc.measuring.plans import RealPlan
from fastgc.measuring.processes import Answer, LostWorker, Processes
from fastgc.measuring.worker import Order
from fastgc_kernels.train import optimizing

#: A round that takes long asks so often whether to stop, in seconds.
_ASK = 0.2
#: No worker has this order.
_IDLE = -1

#: What is kept of each round, as in `fastgc.results.measurements.ARRAYS`; of losses one more.
SERIES, OF_WORKERS = ("over", "measured", "gradient_error", "loss"), ("began", "share")
OF_ANSWERS = ("own", "arrived", "used")
#: How a measurement ends: after all rounds, asked to, without workers, without an exact result.
DONE, ASKED, LOST, INEXACT = "done", "asked", "lost", "inexact"


class Course:
    """Rounds of one scheme on one carrier.

    ``theta``: the parameters after the last one; ``rows``: lists of what happened in each round,
    and to each worker in it, by name; ``lost``: round, worker and why; ``injected``: the seconds
    that parts take at least, or None.
    """

    def __init__(self, carrier: Processes, plan: RealPlan, faults: Faults) -> None:
        self.carrier, self.plan, self.faults = carrier, plan, faults
        self._scheme, self._rule, self._how = plan.scheme, plan.rule, plan.how
        self.theta = np.array(plan.start)
        self.rows: dict[str, list[Any]] = {name: [] for name in (*SERIES, *OF_WORKERS, *OF_ANSWERS)}
        self.lost: list[tuple[int, int, str]] = []
        self.injected = plan.injected()
        self._moments = np.zeros((3, 0 if plan.optimizer is None else plan.scheme.parameters))
        self._steps = np.empty((plan.how.rounds, 3))
        if plan.optimizer is not None:  # which moves parameters as the simulation does
            self._settings = plan.optimizer.vector()
            optimizing.schedule(self._settings, self._steps)
        rule = plan.rule
        #: The round whose order each worker has.
        self._busy = np.full(rule.n, _IDLE)
        #: The last round whose order each was asked to leave: to ask one that is stopped again and
        #: again would fill what carries messages to it.
        self._asked = np.full(rule.n, _IDLE)
        self._alive = np.ones(rule.n, np.bool_)
        self._copies = rule.real.structure.relaunches

    @np.errstate(over="ignore", invalid="ignore")  # the verdicts say where descent is unstable
    def run(
        self, interrupted: Callable[[], str | None], progress: Callable[[int], None]
    ) -> tuple[str, str]:
        """Run all rounds, or those until it has to end; return how it ended, and why."""
        self._warm()
        self._prepare(0)
        self._scale = float(self._truth[0] @ self._truth[0])
        self.rows["loss"].append(self._truth[1])
        for number in range(self._how.rounds):
            progress(number)
            if not self._alive.any():
                why = self.lost[-1][2]
                return LOST, f"all {self._rule.n} workers are lost ({why})"
            result = None if interrupted() else self._round(number, interrupted)
            if result is None:
                return ASKED, interrupted() or ""
            self._conclude(number, result)
            n, used = self._rule.n, self.rows["used"][-1]
            wrong = self._scheme.errors(np.array([used], np.bool_))[0] > EXACT * n
            if self._how.exact and wrong:
                answered = int(used.reshape(n, -1).any(axis=1).sum())
                said = f"{answered} of {n} workers answered"
                return INEXACT, f"round {number} is not decoded exactly: {said}"
            if not self._settle(interrupted):
                return ASKED, interrupted() or ""
            if self._scheme.by_speed:  # late seconds, and who is lost since, count for shares
                self._prepare(number + 1)
        progress(self._how.rounds)
        return DONE, ""

    def _warm(self) -> None:
        """Do once what the first round would else load, with answers that are not there."""
        arrived = np.zeros(self._rule.answers)
        self._rule.used(arrived, self._rule.over(arrived))
        self._scheme.result({j: np.zeros(size) for j, size in enumerate(self._scheme.sizes)})

    def _prepare(self, number: int) -> None:
        n = self._rule.n
        shares = self._scheme.shares(self.rows["own"], self.rows["share"], self._alive)
        if shares is not None and self.injected is not None and number < self._how.rounds:
            self.injected[number] = self.plan.drawn(number + 1, shares)[number]
        self._share = np.full(n, self._rule.share) if shares is None else shares
        self._message = self._scheme.message(self.theta, self._share)
        self._truth = self._scheme.truth(self.theta)

    # ---- one round

    def _round(self, number: int, interrupted: Callable[[], str | None]) -> Values | None:
        carrier = self.carrier
        self._start = carrier.clock()
        self._number = number
        idle = self._share == 0  # who has no work takes no time
        self._began = np.where(idle, 0.0, np.nan)
        self._arrived = np.where(np.repeat(idle, self._rule.parts), 0.0, np.inf)
        self._answers: dict[int, Values] = {}
        self.rows["own"].append(np.where(np.isfinite(self._arrived), 0.0, np.nan))
        for j in np.flatnonzero(self._alive & (self._busy == _IDLE) & ~idle):
            self._send(int(j), 0.0)  # it is free: that others get their orders first is overhead
        self.faults.strike(number, carrier)
        over = 0.0 if idle.all() else np.inf
        while (now := carrier.clock() - self._start) < over:
            if not np.isfinite(over) and not (self._busy != _IDLE).any():
                break  # nobody is left who could answer
            if now >= self._how.give_up:
                break
            if interrupted() is not None:
                self.rows["own"].pop()
                return None
            self._listen(min(over, self._how.give_up, now + _ASK) - now)
            over = self._rule.over(self._arrived)
        used = self._rule.used(self._arrived, over)
        order = sorted(np.flatnonzero(used).tolist(), key=lambda j: self._arrived[j])
        answers = {j: self._answers[j] for j in order if j in self._answers}
        result = self._scheme.result(answers)
        used = self._scheme.included(used, answers)
        took = carrier.clock() - self._start
        arrived = np.where(self._arrived <= max(over, 0.0), self._arrived, np.inf)
        own = {"began": self._began, "share": self._share, "arrived": arrived, "used": used}
        for name, row in {**own, "over": over, "measured": took}.items():
            self.rows[name].append(row)
        return result

    def _send(self, worker: int, free: float) -> None:
        number = self._number
        seconds = np.zeros((self._rule.n, 0))
        if self.injected is not None:
            seconds = self.injected[number].reshape(self._rule.n, -1)
        spin, delay = self._how.inject == "spin", float(self._rule.delays[worker])
        slower = self.faults.slow.get(worker, 1.0)
        own = tuple(seconds[worker].tolist()), spin, delay, slower
        self._busy[worker] = number
        self._began[worker] = max(0.0, free)
        self.carrier.order(worker, Order(number, self._message, *own))

    def _listen(self, seconds: float, more: bool = True) -> None:
        """Take what comes; with ``more`` who is free gets the order of the round that runs."""
        quiet = max(0.0, self.faults.due(self.carrier))
        for event in self.carrier.wait(min(seconds, quiet)):
            worker = event.worker
            if isinstance(event, LostWorker):
                self._alive[worker], self._busy[worker] = False, _IDLE
                self.lost.append((self._number, worker, event.why))
                continue
            if event.values is None or event.part == self._rule.parts - 1:
                self._busy[worker] = _IDLE
            if event.values is not None:
                place = worker * self._rule.parts + event.part
                self.rows["own"][event.round][place] = event.seconds
            if event.round < self._number:
                if more and self._busy[worker] == _IDLE and self._share[worker] > 0:
                    self._send(worker, event.at - self._start)
            elif event.values is not None and more:
                self._take(place, event, event.values)

    def _take(self, place: int, answer: Answer, values: Values) -> None:
        self._arrived[place] = answer.at - self._start
        self._answers[place] = values
        if self._copies:  # the others on this piece stop
            first = answer.worker - answer.worker % self._copies
            for j in range(first, first + self._copies):
                if self._busy[j] == self._number:
                    self._cancel(j)

    def _cancel(self, worker: int) -> None:
        if self._asked[worker] != self._busy[worker]:
            self._asked[worker] = self._busy[worker]
            self.carrier.cancel(worker)

    # ---- between rounds

    def _conclude(self, number: int, result: Values) -> None:
        """Hold the result against all of the work, and step; outside of the round's time."""
        # of itself, or of the first one: a gradient vanishes where it is learnt, and what numbers
        # are rounded by does not
        whole, off = self._truth[0], result - self._truth[0]
        scale, error = max(self._scale, float(whole @ whole)), float(off @ off)
        self.rows["gradient_error"].append(error / scale if scale > 0 else error)
        if self.plan.optimizer is not None:
            own = self._settings, self._steps[number]
            optimizing.advance_one(*own, result, self.theta, self._moments)
            self._warm()
        self._prepare(number + 1)
        self.rows["loss"].append(self._truth[1])

    def _settle(self, interrupted: Callable[[], str | None]) -> bool:
        how, carrier = self._how, self.carrier
        awaited = np.ones(self._rule.n, np.bool_)  # who will ever answer
        if self.injected is not None:
            injected = self.injected[self._number].reshape(self._rule.n, -1)
            awaited = np.isfinite(injected).all(axis=1)
        until = carrier.clock() + how.give_up
        if how.between_rounds == "drain":
            while (awaited & (self._busy != _IDLE)).any() and (now := carrier.clock()) < until:
                if interrupted() is not None:
                    return False
                self._listen(min(_ASK, until - now), more=False)
        if how.between_rounds != "finish":
            for j in np.flatnonzero(self._busy != _IDLE):
                self._cancel(int(j))
        return True
