"""Completion of a tree in which every parent waits for some of its children's answers.

Node 0 is the master, worker j is node j + 1, parents come before their children. A star is a tree
too. A port receives one message at a time, in order of arrival, each in ``receive`` seconds. From
the last parent up, each by a network of `networks` and Lindley's recursion (1952).

Regular trees of workers with one law are drawn without their workers' times, from the leaves' order
statistics (`draw.order_statistics`) up: parents are gone through depth first, and each level keeps
the times at which the children of one parent send.
"""

import numpy as np

from fastgc_kernels._arrays import U64, Floats, Integers, Numbers
from fastgc_kernels._jit import inline, jit
from fastgc_kernels.complete.networks import LANES, exchange, put_in_order
from fastgc_kernels.draw.law_numbers import invert
from fastgc_kernels.draw.pairs import exponentials
from fastgc_kernels.draw.spacings import serve
from fastgc_kernels.draw.strips import numbers

REGULAR_LANES = 256  # trials side by side: few enough for the first two caches


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


@inline
def _answered(rows, need, receive, done):
    if receive > 0.0:
        for i in range(need):
            row = rows[i]
            for t in range(done.size):
                done[t] = max(done[t], row[t]) + receive
    else:
        row = rows[need - 1]
        for t in range(done.size):
            done[t] = max(done[t], row[t])


@jit
def regular_completion(
    shape: tuple[int, int, int],
    table: Floats,
    network: Numbers,
    receive: float,
    after_own: bool,
    kind: int,
    params: Floats,
    key: np.uint64,
    first_trial: np.uint64,
    out: Floats,
    last: Numbers,
    without: Floats,
) -> None:
    """Completion times ``out`` (L, T) of a tree of ``shape`` (n, layers ≥ 2, need).

    Without a port, ``receive`` = 0, a later time belongs to a larger exponential number, so that
    the law is asked only at the end; ``table`` holds the strips of the ``need``-th of n. With a
    port ``after_own`` says when it opens. ``network`` finds the children that are waited for.

    With a port ``without`` (L, T) gets the completion times that the same times have without one,
    found as above with the network ``last``, which finds the last child that is waited for; (0, 0)
    where they are not needed.
    """
    n, layers, need = shape
    iterations, trials = out.shape
    port = receive > 0.0
    both = without.size > 0
    free = np.empty(
        (layers - 1 if both else 0, n, REGULAR_LANES)
    )  # what is sent where there is no port
    free_of_two = np.empty((2, REGULAR_LANES))
    reached = np.empty(REGULAR_LANES)
    rows = np.empty((layers - 1, n, REGULAR_LANES))
    numbers_of_two = np.empty((2, REGULAR_LANES))
    spare = np.empty(REGULAR_LANES)
    for iteration in range(iterations):
        for start in range(0, trials, REGULAR_LANES):
            lanes = min(REGULAR_LANES, trials - start)
            first = first_trial + U64(start)
            address = np.int64(0)
            # the parents of leaves, from left to right
            for parent in range(n ** (layers - 1)):
                level = layers - 2
                place = parent
                # own numbers of two parents come from one address
                if parent % 2 == 0:
                    even = numbers_of_two[0, :lanes]
                    odd = numbers_of_two[1, :lanes]
                    exponentials(key, first, iteration, address, even, odd)
                    address += 1
                    if both:
                        free_of_two[0, :lanes] = even
                        free_of_two[1, :lanes] = odd
                    if port:
                        invert(kind, params, even)
                        invert(kind, params, odd)
                # the leaves' answers: as order statistics through the port, or their last alone
                own = numbers_of_two[parent % 2, :lanes]
                sent = rows[level, place % n, :lanes]
                if port:
                    for t in range(lanes):
                        sent[t] = own[t] if after_own else 0.0
                    serve(
                        n, need, receive, kind, params, key, first, iteration, address,
                        reached[:lanes], sent,
                    )  # fmt: skip
                    address += (need + 1) // 2
                    if both:
                        at_once = free[level, place % n, :lanes]
                        for t in range(lanes):
                            at_once[t] = max(free_of_two[parent % 2, t], reached[t])
                else:
                    numbers(table, key, first, iteration, address, sent)
                    address += 1
                # a parent sends when it has its answers and its own work is done
                for t in range(lanes):
                    sent[t] = max(sent[t], own[t])
                # the last of its siblings completes their parent, and maybe that one its own
                while place % n == n - 1 and level > 0:
                    place //= n
                    level -= 1
                    own = rows[level, place % n, :lanes]
                    exponentials(key, first, iteration, address, own, spare[:lanes])
                    address += 1
                    if both:
                        at_once = free[level, place % n, :lanes]
                        exchange(free[level + 1], lanes, last)
                        answer = free[level + 1, need - 1]
                        for t in range(lanes):
                            at_once[t] = max(own[t], answer[t])
                    if port:
                        invert(kind, params, own)
                    children = rows[level + 1]
                    exchange(children, lanes, network)
                    done = spare[:lanes]
                    for t in range(lanes):
                        done[t] = own[t] if after_own else 0.0
                    _answered(children, need, receive, done)
                    for t in range(lanes):
                        own[t] = max(own[t], done[t])
            # the master has no work of its own, and its port is open from the start
            children = rows[0]
            exchange(children, lanes, network)
            done = out[iteration, start : start + lanes]
            done[:] = 0.0
            _answered(children, need, receive, done)
            if not port:
                invert(kind, params, done)
            if both:
                exchange(free[0], lanes, last)
                at_once = without[iteration, start : start + lanes]
                at_once[:] = free[0, need - 1, :lanes]
                invert(kind, params, at_once)
