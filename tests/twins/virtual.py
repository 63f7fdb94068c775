"""A carrier without processes and without a clock: answers come when they are told to."""

import numpy as np

from fastgc.measuring.carrier import Answer, Carrier, Lost


class Virtual(Carrier):
    """Workers take exactly the injected seconds; ``lag(worker, round)`` more until they are heard.

    ``log`` has every order and every cancellation. A stopped worker's answers wait.
    """

    NAME = "virtual"

    def __init__(self, pieces, parameters, lag=lambda worker, number: 0.0, own=None):
        self.names = [f"virtual{j}" for j in range(len(pieces))]
        self.pieces, self.lag, self.own = pieces, lag, own
        self.now, self.log, self.busy, self.lost = 0.0, [], {}, set()
        self.stopped, self.closed = set(), False

    def clock(self):
        return self.now

    def order(self, worker, order):
        assert worker not in self.busy, "a worker has one order at most"
        self.log.append(("order", worker, order.round))
        if worker in self.lost:
            return
        own = order.seconds if self.own is None else self.own(worker, order.round)
        own *= order.slower
        values = self.pieces[worker].compute(order.parameters, lambda: None)
        at = self.now + order.delay + own + self.lag(worker, order.round)
        self.busy[worker] = Answer(worker, order.round, own, values, at)

    def cancel(self, worker):
        self.log.append(("cancel", worker))
        if worker in self.busy and worker not in self.lost:
            had = self.busy[worker]
            self.busy[worker] = Answer(worker, had.round, 0.0, None, min(had.at, self.now))

    def kill(self, worker):
        self.lost.add(worker)
        self.busy[worker] = Lost(worker, "killed", self.now)

    def pause(self, worker, stopped):
        (self.stopped.add if stopped else self.stopped.discard)(worker)

    def wait(self, seconds):
        assert seconds >= 0
        coming = {j: event for j, event in self.busy.items() if j not in self.stopped}
        first = min((event.at for event in coming.values()), default=np.inf)
        if first > self.now + seconds:
            self.now = max(self.now + seconds, np.nextafter(self.now, np.inf))
            return []
        self.now = max(self.now, first)
        found = [j for j, event in coming.items() if event.at <= self.now]
        events = [self.busy.pop(j) for j in found]
        return [
            event
            if isinstance(event, Lost)
            else Answer(event.worker, event.round, event.seconds, event.values, self.now)
            for event in events
        ]

    def close(self):
        self.closed = True
