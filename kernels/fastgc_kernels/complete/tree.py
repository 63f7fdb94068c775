"""Completion of a tree in which every parent waits for some of its children's answers.

Node 0 is the master, worker j is node j + 1, parents come before their children. A star is a tree
too. A port receives one message at a time, in order of arrival, each in ``receive`` seconds. From
the last parent up, each by a network of `networks` and Lindley's recursion (1952).
"""

import numpy as np

from fastgc_kernels._arrays import Floats, Integers, Numbers
from fastgc_kernels._jit import jit
from fastgc_kernels.complete.networks import LANES, put_in_order


@jit
def completion(
    times: Floats,
    offsets: Integers,
    nodes: Integers,
    need: Integers,
    kind: Integers,
    starts: Integers,
    networks: Numbers,
    receive: float,
    after_own: bool,
    done: Floats,
    messages: Floats,
) -> None:
    """Moment ``done`` (T,) at which the master has what it needs, of times (N, T).

    The children of node v are ``nodes[offsets[v]:offsets[v + 1]]``; it waits for ``need[v]``, and
    ``networks[starts[kind[v]]:starts[kind[v] + 1]]`` puts those in order, or the last of them where
    ``receive`` is 0 and no messages are counted. ``after_own``: a worker's port opens when its own
    work is done. ``messages`` (2, T) are those received by all ports until ``done`` and by the
    master's alone; none are counted where it is (0, T).
    """
    trials = times.shape[1]
    last = need.size - 1
    counting = messages.shape[0] > 0
    widest = 0
    answers = 0
    inner = 0
    place = np.zeros(need.size, np.int64)  # of an inner node among the inner ones
    for v in range(need.size):
        widest = max(widest, offsets[v + 1] - offsets[v])
        if need[v] > 0:
            place[v] = inner
            inner += 1
            answers += need[v]
    rows = np.zeros((widest, LANES))
    sent = np.zeros((inner, LANES))
    finished = np.zeros((answers if counting else 0, LANES))
    clock = np.zeros(LANES)
    total = np.zeros((2, LANES))
    for start in range(0, trials, LANES):
        lanes = min(LANES, trials - start)
        received = 0
        # Children have higher numbers than their parents: from the last node up, a child has sent
        # before its parent is looked at.
        for v in range(last, -1, -1):
            if need[v] == 0:
                continue
            # when the children send: a leaf when its work is done
            first = offsets[v]
            children = offsets[v + 1] - first
            for i in range(children):
                child = nodes[first + i]
                row = rows[i]
                if need[child] > 0:
                    ready = sent[place[child]]
                    for t in range(LANES):
                        row[t] = ready[t]
                else:
                    own = times[child - 1, start : start + lanes]
                    for t in range(lanes):
                        row[t] = own[t]
            put_in_order(rows, children, networks[starts[kind[v]] : starts[kind[v] + 1]])
            # the port's clock, from its opening on through the answers in order of arrival; without
            # a port, and where answers are not counted, the last of those waited for says all
            for t in range(LANES):
                clock[t] = 0.0
            if after_own and v > 0:
                own = times[v - 1, start : start + lanes]
                for t in range(lanes):
                    clock[t] = own[t]
            for i in range(0 if counting or receive > 0.0 else need[v] - 1, need[v]):
                row = rows[i]
                for t in range(LANES):
                    a = row[t]
                    c = clock[t]
                    clock[t] = (a if a > c else c) + receive
                if counting:
                    end = finished[received]
                    for t in range(LANES):
                        end[t] = clock[t]
                    received += 1
            # a worker sends when it has its children's answers and its own
            if v > 0:
                own = times[v - 1, start : start + lanes]
                ready = sent[place[v]]
                for t in range(lanes):
                    a = own[t]
                    c = clock[t]
                    ready[t] = a if a > c else c
        # the master came last: its clock is the end, and its messages are the last ones received
        for t in range(lanes):
            done[start + t] = clock[t]
        if counting:
            total[:] = 0.0
            for i in range(received):
                end = finished[i]
                for t in range(LANES):
                    e = end[t]
                    total[0, t] += 1.0 if e <= clock[t] and e < np.inf else 0.0
                if i >= received - need[0]:
                    for t in range(LANES):
                        total[1, t] += 1.0 if end[t] <= clock[t] and end[t] < np.inf else 0.0
            for t in range(lanes):
                messages[0, start + t] = total[0, t]
                messages[1, start + t] = total[1, t]
