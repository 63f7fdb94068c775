"""Calls side by side: results in order, tasks that grow, an end at once."""

import threading
from concurrent.futures import Executor, Future, ThreadPoolExecutor
from types import SimpleNamespace

import pytest

from fastgc.engine.executors.opening import pool_for
from fastgc.engine.executors.pool import TASK_SECONDS
from fastgc.planning.valuation import Call, Calls


def silent(done):
    return None


class LastFirst(Executor):
    """Does the last of the tasks that wait first, as soon as three do or none comes."""

    def __init__(self):
        self.sizes = []
        self._waiting = []
        self._lock = threading.Lock()

    def submit(self, task, /, *arguments):
        future = Future()
        self.sizes.append(len(arguments[0]))
        with self._lock:
            self._waiting.append((future, task, arguments))
            if len(self._waiting) < 3:
                threading.Timer(0.02, self._work).start()
                return future
        self._work()
        return future

    def _work(self):
        with self._lock:
            while self._waiting:
                future, task, arguments = self._waiting.pop()
                future.set_result(task(*arguments))


@pytest.mark.night
def test_results_come_in_the_order_of_the_calls():
    calls = [Call(pow, (number, 2), 1.0) for number in range(200)]
    with pool_for(LastFirst(), 3) as pool:
        assert list(Calls(pool).results(calls, silent)) == [number**2 for number in range(200)]
        assert list(Calls(pool).results([], silent)) == []


@pytest.mark.night
def test_short_calls_are_handed_out_together_and_long_ones_alone(monkeypatch):
    now = [0.0]

    def clock(seconds=0.0):
        now[0] += seconds
        return now[0]

    monkeypatch.setattr("fastgc.planning.valuation.time", SimpleNamespace(perf_counter=clock))
    own = LastFirst()
    with pool_for(own, 1) as pool:
        list(Calls(pool).results([Call(clock, (1e-6,), 1.0)] * 5000, silent))
        assert own.sizes[0] == 1 and max(own.sizes) > 30 and sum(own.sizes) == 5000
        own.sizes.clear()
        list(Calls(pool).results([Call(clock, (1.2 * TASK_SECONDS,), 1.0)] * 6, silent))
        assert own.sizes == [1] * 6


def test_who_listens_hears_how_far_it_is_and_can_stop_it():
    heard, begun = [], []

    def listen(done):
        heard.append(done)
        if done >= 3:
            raise KeyError("stop")

    with ThreadPoolExecutor(1) as own, pool_for(own) as pool:
        calls = [Call(begun.append, (number,), 1.0) for number in range(10_000)]
        with pytest.raises(KeyError):
            list(Calls(pool).results(calls, listen))
        assert own.submit(pow, 2, 2).result() == 4  # nothing of ours is before it any more
    assert heard == sorted(heard) and heard[0] == 0
    assert len(begun) < 100


def test_the_first_mistake_is_raised():
    def fail(number):
        raise ValueError(number)

    calls = [Call(pow, (2, 2), 1.0), *(Call(fail, (number,), 1.0) for number in range(9))]
    for _ in range(5):
        with pool_for("threads", 2) as pool, pytest.raises(ValueError, match=r"^0$"):
            list(Calls(pool).results(calls, silent))
