"""Regular trees of workers with one law, from the leaves' order statistics up to the master.

Parents are gone through depth first, and each level keeps the times at which the children of one
parent send. Order statistics are drawn as in `draw.order_statistics` (Rényi, 1953); a port is
Lindley's recursion (1952).
"""

import numpy as np

from fastgc_kernels._arrays import U64, Floats, Numbers
from fastgc_kernels._jit import inline, jit
from fastgc_kernels.complete.networks import exchange
from fastgc_kernels.draw.law_numbers import invert
from fastgc_kernels.draw.order_statistics import serve
from fastgc_kernels.draw.pairs import exponentials
from fastgc_kernels.draw.strips import numbers

LANES = 256  # trials side by side: few enough for the first two caches


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
def completion(
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
    free = np.empty((layers - 1 if both else 0, n, LANES))  # what is sent where there is no port
    free_of_two = np.empty((2, LANES))
    reached = np.empty(LANES)
    rows = np.empty((layers - 1, n, LANES))
    numbers_of_two = np.empty((2, LANES))
    spare = np.empty(LANES)
    for iteration in range(iterations):
        for start in range(0, trials, LANES):
            lanes = min(LANES, trials - start)
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
