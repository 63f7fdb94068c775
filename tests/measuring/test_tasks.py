"""What carriers on clusters share, on threads of this process."""

from concurrent.futures import ThreadPoolExecutor

import numpy as np

from fastgc.measuring.carrier import Answer, Lost, Order
from fastgc.measuring.tasks import Seat, Tasks
from fastgc.measuring.worker import GradientPiece, ProductPiece
from suite.checks import refusal
from suite.waiting import until


class Threads(Tasks):
    """A thread for each worker."""

    NAME = "threads"

    def __init__(self, pieces):
        super().__init__(pieces)
        self.names = [f"thread{j}" for j in range(len(pieces))]
        self.stored = []
        self._pieces, self._seats = pieces, [Seat() for _ in pieces]
        self._threads = [ThreadPoolExecutor(1) for _ in pieces]

    def _store(self, parameters):
        self.stored.append(parameters)
        return parameters

    def _call(self, worker, order, stored, part):
        assert order.parameters.size == 0
        do = self._seats[worker].do
        return self._threads[worker].submit(do, self._pieces[worker], order, stored, part)

    def _leave(self, worker, number):
        self._seats[worker].leave(number)

    def close(self):
        for seat, thread in zip(self._seats, self._threads, strict=True):
            seat.leave(10**9)
            thread.shutdown()


def events(carrier, count):
    found = []

    def are_there():
        found.extend(carrier.wait(1.0))
        return len(found) >= count

    until(are_there, f"not {count} events")
    return found


def carrier(*functions):
    pieces = [GradientPiece(each, [1.0], np.ones(1), 1, 2) for each in functions]
    return Threads(pieces or [ProductPiece(np.ones((2, 1, 2))) for _ in range(2)])


def test_parameters_are_stored_once_a_round_and_stay_those_of_the_order():
    with carrier() as threads:
        one, two = np.full(2, 1.0), np.full(2, 2.0)
        threads.order(0, Order(0, one, seconds=(0.0, 0.2)))
        threads.order(1, Order(1, two))  # the first worker is late
        found = events(threads, 4)
        assert [len(found), len(threads.stored)] == [4, 2]
        values = {(each.worker, each.part): each.values.tolist() for each in found}
        assert values == {(0, 0): [2.0], (0, 1): [2.0], (1, 0): [4.0], (1, 1): [4.0]}


def test_who_leaves_off_does_no_further_part():
    with carrier() as threads:
        threads.order(0, Order(3, np.ones(2), seconds=(1e9, 0.0)))
        threads.cancel(0)
        threads.cancel(1)  # it has no order
        [event] = events(threads, 1)
        assert isinstance(event, Answer) and (event.round, event.values) == (3, None)
        threads.order(0, Order(4, np.ones(2)))
        assert [each.part for each in events(threads, 2)] == [0, 1]


def test_a_cancel_may_come_before_the_task():
    seat = Seat()
    seat.leave(5)
    order, piece = Order(5, np.empty(0), seconds=(1e9,)), ProductPiece(np.ones((1, 1, 2)))
    assert seat.do(piece, order, np.ones(2), 0)[1] is None
    assert seat.do(piece, Order(6, np.empty(0)), np.ones(2), 0)[1] is not None


def test_mistakes_are_told_and_whatever_else_is_raised_is_a_lost_worker():
    def fails(w, part):
        raise ValueError("too wide")

    with carrier(fails, lambda w, part: w) as threads:
        threads.order(0, Order(0, np.ones(2)))
        said = refusal(events, threads, 1)
        assert said.startswith("gradient: raised ValueError: too wide (")
        assert said.endswith("at thread0")
        threads._pieces[1] = None  # as where its process has died
        threads.order(1, Order(1, np.ones(2)))
        [event] = events(threads, 1)
        assert isinstance(event, Lost) and event.why == "thread1 is gone (AttributeError)"


def test_what_a_worker_sends_that_is_lost_already_is_passed_over():
    with carrier() as threads:
        threads.order(0, Order(0, np.ones(2)))
        threads._tasks.clear()
        until(lambda: not threads._done.empty(), "it sends nothing")
        assert threads.wait(0.0) == []
