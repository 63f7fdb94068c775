"""A carrier without processes and without a clock: answers come when they are told to."""

from dataclasses import replace

import numpy as np

from fastgc.measuring import measurement, plans
from fastgc.measuring.processes import Answer, LostWorker, Processes
from fastgc.measuring.worker import LeftOffError
from fastgc.registry.activity import Batch
from fastgc.study.measure import parse


class Virtual(Processes):
    """Workers take exactly the injected seconds; ``lag(worker, round)`` more until they are heard.

    ``log`` has every order and every cancellation. A stopped worker's answers wait. In a tree
    messages of children to parents are late, too.
    """

    NAME = "virtual"

    def __init__(self, pieces, parameters, lag=lambda worker, number: 0.0, own=None):
        self.names = [f"virtual{j}" for j in range(len(pieces))]
        self.pieces, self.lag, self.own = pieces, lag, own
        self.now, self.log, self.busy, self.lost = 0.0, [], {}, set()
        self.orders, self.joining, self.told = {}, {}, {}
        self.stopped, self.closed = set(), False

    def clock(self):
        return self.now

    def order(self, worker, order):
        assert worker not in self.busy, "a worker has one order at most"
        self.log.append(("order", worker, order.round))
        if worker in self.lost:
            return
        self.orders[worker] = order
        self.begin(worker, 0, self.now + order.delay)

    def begin(self, worker, part, now):
        order = self.orders[worker]
        own = order.seconds[part] if self.own is None else self.own(worker, order.round)
        own *= order.slower
        values = self.pieces[worker].compute(order.parameters, lambda: None, part)
        at = now + own + self.lag(worker, order.round)
        self.busy[worker] = Answer(worker, order.round, own, values, at, part)
        self.joining[worker] = now + own

    def join(self, worker):
        """Let a worker hear its children, who come after it and have joined before."""
        began, answer, piece = self.joining.pop(worker), self.busy[worker], self.pieces[worker]
        if worker in self.lost or answer.values is None:
            return
        line = Heard([self.told.get((j, answer.round), (began, j, None)) for j in piece.hears])
        lag = self.lag(worker, answer.round)
        try:
            values = piece.join(answer.round, answer.values, line)
            self.busy[worker] = replace(answer, values=values, at=max(answer.at, line.now + lag))
            self.told[worker, answer.round] = max(answer.at, line.now + lag), worker, values
        except LeftOffError:
            self.busy[worker] = replace(answer, values=None, at=max(answer.at, line.now))

    def cancel(self, worker):
        self.log.append(("cancel", worker))
        if worker in self.busy and worker not in self.lost:
            had = self.busy[worker]
            self.busy[worker] = replace(had, seconds=0.0, values=None, at=min(had.at, self.now))

    def kill(self, worker):
        self.lost.add(worker)
        self.busy[worker] = LostWorker(worker, "killed", self.now)

    def pause(self, worker, stopped):
        (self.stopped.add if stopped else self.stopped.discard)(worker)

    def wait(self, seconds):
        assert seconds >= 0
        for worker in sorted(self.joining, reverse=True):
            self.join(worker)
        coming = {j: event for j, event in self.busy.items() if j not in self.stopped}
        first = min((event.at for event in coming.values()), default=np.inf)
        if first > self.now + seconds:
            self.now = max(self.now + seconds, np.nextafter(self.now, np.inf))
            return []
        self.now = max(self.now, first)
        found = [j for j, event in coming.items() if event.at <= self.now]
        events = [self.busy.pop(j) for j in found]
        for event in events:
            left = isinstance(event, LostWorker) or event.values is None
            if not left and event.part + 1 < self.pieces[event.worker].parts:
                lag = self.lag(event.worker, event.round)
                self.begin(event.worker, event.part + 1, event.at - lag)
        return [
            event if isinstance(event, LostWorker) else replace(event, at=self.now)
            for event in events
        ]

    def close(self):
        self.closed = True


LAW = {"distribution": "exponential", "shift": 0.5, "mean": 1.0}
STUDY = {
    "kind": "completion",
    "system": {"family": "gradient-code", "n": 4, "s": 1},
    "latency": LAW,
}


class Heard:
    """What a worker hears, (moment, worker, values): first what comes first, then who is lost."""

    def __init__(self, told):
        self.told, self.now = sorted(told, key=lambda each: (each[2] is None, each[0])), 0.0

    def hear(self, number):
        at, worker, values = self.told.pop(0)
        self.now = max(self.now, at)
        return worker, values

    def tell(self, number, values):
        pass


def measured(study, carrier=Virtual, place=1, seed=None, interrupted=lambda: None, **how):
    """Measure a point of a study on such a carrier; ``how`` has faults, out, keys of [measure]."""
    own = {key: how.pop(key, None) for key in ("faults", "out")}
    plan = plans.from_study(parse(study, place, seed, **how))
    return measurement.run(plan, **own, batch=Batch(interrupted=interrupted), carrier=carrier)


def carried(made, **how):
    """Return what makes such a carrier, which is then in ``made``."""

    def make(*parts):
        made.append(Virtual(*parts, **how))
        return made[0]

    return make


def stopping(after):
    """Return what asks to stop once it was asked so often."""
    asked = iter(range(10**9))
    return lambda: "SIGTERM" if next(asked) >= after else None
