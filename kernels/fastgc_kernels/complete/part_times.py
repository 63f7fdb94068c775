"""Work in parts that several workers hold: when it is done, and what is received until then.

Times are (n, m, T): m = 1 where all tasks of a worker take one time, so that its j-th is done at j
times it; else one time a task, and it is done at their sum. What arrives at the same moment is
received in order of worker. Places in order come from `networks`.
"""

import numpy as np

from fastgc_kernels._arrays import Floats, Integers, Numbers
from fastgc_kernels._jit import jit
from fastgc_kernels.complete.networks import LANES, LARGEST, put_in_order


@jit
def groups(times: Floats, size: int, need: int, network: Numbers, done: Floats) -> None:
    """Moment ``done`` (T,) at which ``need`` groups have answered, of times (n, 1, T).

    ``network`` puts place need − 1 of all groups in order.
    """
    workers, _, trials = times.shape
    groups = workers // size
    rows = np.zeros((groups, LANES))
    for start in range(0, trials, LANES):
        lanes = min(LANES, trials - start)
        for g in range(groups):
            row = rows[g]
            row[:] = np.inf
            for j in range(g * size, (g + 1) * size):
                own = times[j, 0, start : start + lanes]
                for t in range(lanes):
                    a = own[t]
                    b = row[t]
                    row[t] = a if a < b else b
        put_in_order(rows, groups, network)
        for t in range(lanes):
            done[start + t] = rows[need - 1, t]


@jit
def layers(
    times: Floats, k: Integers, ends: Floats, starts: Integers, networks: Numbers, done: Floats
) -> None:
    """Moment ``done`` (T,) at which every layer j has its k[j] answers.

    Where m = 1 a worker's j-th is done at ``ends[j]`` times its time.
    ``networks[starts[j]:starts[j + 1]]`` puts place k[j] − 1 in order; where m = 1 the first
    network does so for all layers. The code is that of Ferdinand and Draper (ISIT 2018).
    """
    workers, each, trials = times.shape
    speed = each == 1
    rows = np.zeros((workers, LANES))
    sums = np.zeros((1 if speed else workers, LANES))
    latest = np.zeros(LANES)
    for start in range(0, trials, LANES):
        lanes = min(LANES, trials - start)
        latest[:] = 0.0
        sums[:] = 0.0
        if speed:
            for i in range(workers):
                own = times[i, 0, start : start + lanes]
                row = rows[i]
                for t in range(lanes):
                    row[t] = own[t]
            put_in_order(rows, workers, networks[starts[0] : starts[1]])
        for j in range(k.size):
            factor = ends[j] if speed else 1.0
            if not speed:
                for i in range(workers):
                    own = times[i, j, start : start + lanes]
                    total = sums[i]
                    row = rows[i]
                    for t in range(lanes):
                        total[t] += own[t]
                        row[t] = total[t]
                put_in_order(rows, workers, networks[starts[j] : starts[j + 1]])
            if k[j] > 0:
                row = rows[k[j] - 1]
                for t in range(LANES):
                    a = factor * row[t]
                    b = latest[t]
                    latest[t] = a if a > b else b
        for t in range(lanes):
            done[start + t] = latest[t]


@jit
def count(
    times: Floats, part: Integers, wanted: Integers, enough: int, done: Floats, messages: Floats
) -> None:
    """Answers ``messages`` (T,) that arrive until ``done`` (T,), the one that completes included.

    Task j of worker i answers for ``part[i, j]``, of which no more than ``wanted`` answers count;
    all is done once ``enough`` answers count. All that ever arrive where ``done`` is infinite.
    """
    workers, each, trials = times.shape
    tasks = part.shape[1]
    before = np.zeros(LANES)
    at = np.zeros(LANES)
    arrival = np.zeros(LANES)
    for start in range(0, trials, LANES):
        lanes = min(LANES, trials - start)
        ends = done[start : start + lanes]
        before[:] = 0.0
        at[:] = 0.0
        for i in range(workers):
            arrival[:] = 0.0
            for j in range(tasks):
                own = times[i, 0 if each == 1 else j, start : start + lanes]
                if each == 1:
                    for t in range(lanes):
                        moment = (j + 1.0) * own[t]
                        before[t] += 1.0 if moment < ends[t] else 0.0
                        at[t] += 1.0 if moment == ends[t] else 0.0
                else:
                    for t in range(lanes):
                        arrival[t] += own[t]
                        before[t] += 1.0 if arrival[t] < ends[t] else 0.0
                        at[t] += 1.0 if arrival[t] == ends[t] else 0.0
        for t in range(lanes):
            end = ends[t]
            messages[start + t] = before[t]
            if end < np.inf:
                # of several answers at the end not all need be received
                more = 1
                if at[t] > 1.0:
                    more = _tied(times[:, :, start + t], part, wanted, enough, end)
                messages[start + t] += more


@jit
def _tied(times: Floats, part: Integers, wanted: Integers, enough: int, done: float) -> int:
    # answers received at the very moment ``done`` until ``enough`` count
    left = wanted.copy()
    missing = enough
    received = 0
    # first what arrives before that moment, then what does at it
    for now in (False, True):
        for i in range(times.shape[0]):
            arrival = 0.0
            for j in range(part.shape[1]):
                if times.shape[1] == 1:
                    arrival = (j + 1.0) * times[i, 0]
                else:
                    arrival += times[i, j]
                if not (missing > 0 and arrival == done if now else arrival < done):
                    continue
                received += 1 if now else 0
                missing -= 1 if left[part[i, j]] > 0 else 0
                left[part[i, j]] -= 1
    return received


@jit
def serve(
    times: Floats, tasks: int, network: Numbers, messages: Floats, receive: float, done: Floats
) -> None:
    """Replace finite ``done`` (T,) by the moment at which ``messages`` answers are received.

    n · ``tasks`` answers arrive, which ``network`` puts in order. The port is open from the start.
    """
    workers, each, trials = times.shape
    answers = workers * tasks
    if answers > LARGEST:
        _serve_each(times, tasks, messages, receive, done)
        return
    rows = np.zeros((answers, LANES))
    arrival = np.zeros(LANES)
    clock = np.zeros(LANES)
    for start in range(0, trials, LANES):
        lanes = min(LANES, trials - start)
        for i in range(workers):
            arrival[:] = 0.0
            for j in range(tasks):
                row = rows[i * tasks + j]
                if each == 1:
                    own = times[i, 0, start : start + lanes]
                    for t in range(lanes):
                        row[t] = (j + 1.0) * own[t]
                else:
                    own = times[i, j, start : start + lanes]
                    for t in range(lanes):
                        arrival[t] += own[t]
                        row[t] = arrival[t]
        put_in_order(rows, answers, network)
        left = messages[start : start + lanes]
        clock[:] = 0.0
        for i in range(int(left.max())):
            row = rows[i]
            for t in range(lanes):
                a = row[t]
                c = clock[t]
                late = (a if a > c else c) + receive
                clock[t] = late if i < left[t] else c
        for t in range(lanes):
            if done[start + t] < np.inf:
                done[start + t] = clock[t]


@jit
def _serve_each(times: Floats, tasks: int, messages: Floats, receive: float, done: Floats) -> None:
    # one trial after the other, of which only what arrives until ``done`` is sorted
    workers, each, trials = times.shape
    arrivals = np.empty(workers * tasks)
    for t in range(trials):
        if done[t] == np.inf:
            continue
        count = 0
        for i in range(workers):
            arrival = 0.0
            for j in range(tasks):
                if each == 1:
                    arrival = (j + 1.0) * times[i, 0, t]
                else:
                    arrival += times[i, j, t]
                if arrival <= done[t]:
                    arrivals[count] = arrival
                    count += 1
        until = arrivals[:count]
        until.sort()
        clock = 0.0
        for i in range(int(messages[t])):
            clock = max(clock, until[i]) + receive
        done[t] = clock
