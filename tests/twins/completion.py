"""Slow, obvious twins of completion: one trial, message after message, in Python.

Times are lists, one number a worker, or one list of numbers where tasks have times of their own.
"""

import itertools
import math

import numpy as np

from fastgc.latency.empirical import SampleTime
from fastgc.latency.time import Certain, Mixture
from fastgc.systems.timing.gates import Composed
from fastgc.systems.timing.group_structures import Chunks, Layers, Replicated
from fastgc.systems.timing.stars import Flat, Patient, Ring, Tree


def completion(structure, times, receive=0.0, opens="start"):
    """Time, messages of all ports, and seconds for which the master's port was idle."""
    if isinstance(structure, Ring):
        n = structure.n
        ports = 2 * (n - 1) / n * receive
        return max(times) + ports, n * 2 * (n - 1), max(times)
    if isinstance(structure, Patient):
        done, received = patient(structure, times, receive)
        return done, received, done - received * receive
    if isinstance(structure, Composed):
        done, received = term(structure.term, times, receive)
        return done, received, done - received * receive
    if isinstance(structure, Tree):
        done, ports = tree(structure, times, receive, opens)
    else:
        done, ends = star(structure, times, receive)
        ports = [ends]
    received = sum(end <= done and end < math.inf for ends in ports for end in ends)
    master = sum(end <= done and end < math.inf for end in ports[0])
    return done, received, done - master * receive


def answers(structure, times):
    """Every answer: (arrival, worker, task)."""
    out = []
    for worker, time in enumerate(times):
        last, fresh, ends = 0, False, ()
        if isinstance(structure, Layers):
            last = max(j for j, need in enumerate(structure.k) if need)
            fresh, ends = structure.fresh, structure.ends
        elif isinstance(structure, Chunks) and not structure.at_once:
            last, fresh = len(structure.orders[worker]) - 1, structure.fresh
        for task in range(last + 1):
            factor = ends[task] if ends else task + 1
            out.append((sum(time[: task + 1]) if fresh else factor * time, worker, task))
    return sorted(out)


def enough(structure, received):
    """Whether the answers received, (worker, task), complete a star."""
    if isinstance(structure, Flat):
        return len(received) >= structure.need
    if isinstance(structure, Replicated):
        return len({worker // structure.size for worker, _ in received}) >= structure.need
    if isinstance(structure, Chunks):
        orders, once = structure.orders, structure.at_once
        there = [c for w, task in received for c in (orders[w] if once else [orders[w][task]])]
        return all(c in there for own in orders for c in own)
    counts = [sum(task == j for _, task in received) for j in range(len(structure.k))]
    return all(count >= need for count, need in zip(counts, structure.k, strict=True))


def star(structure, times, receive):
    """Completion, and the end of every reception until then."""
    clock, received, ends = 0.0, [], []
    for arrival, worker, task in answers(structure, times):
        if arrival == math.inf:
            return math.inf, ends
        clock = max(clock, arrival) + receive
        received.append((worker, task))
        ends.append(clock)
        if enough(structure, received):
            return clock, ends
    return math.inf, ends


def patient(structure, times, receive):
    """Completion and answers received of a master that waits on, event by event."""
    clock, received, limit = 0.0, [], math.inf
    for arrival, worker in sorted((time, worker) for worker, time in enumerate(times)):
        end = max(clock, arrival) + receive
        if received and end > max(limit, clock) and enough(structure.part, received):
            return max(limit, clock), len(received)  # no answer comes in time any more
        if end == math.inf:
            return math.inf, len(received)
        clock = end
        received.append((worker, 0))
        if len(received) == 1:
            limit = (1.0 + structure.patience) * clock
    if enough(structure.part, received):
        return clock, len(received)  # all have answered
    return math.inf, len(received)


def value(term, moments):
    """A term by its definition, where ``moments`` are those of its answers."""
    if term in moments:
        return moments[term]
    x = sorted(value(each, moments) for each in term.of)[term.k - 1] if term.of else 0.0
    return term.stretch * x + term.delay


def term(term, times, receive):
    """Completion, and the answers received one at a time until then."""
    clock, at, moments = 0.0, {}, {}
    for leaf in term.leaves:
        own = times[leaf.worker]
        end = sum(own[: leaf.place + 1]) if np.ndim(own) else own
        at[leaf] = leaf.stretch * end + leaf.delay
    for leaf in sorted(at, key=lambda leaf: (at[leaf], term.leaves.index(leaf))):
        clock = moments[leaf] = max(clock, at[leaf]) + receive
    done = value(term, moments)
    there, count = dict.fromkeys(at, math.inf), 0
    for leaf, moment in moments.items():
        if moment < done or (moment == done and value(term, there) > done):
            there[leaf] = moment
            count += 1
    return done, count


def tree(structure, times, receive, opens):
    """Completion, and the end of every reception at each node until it needs no more."""
    ports = {}

    def sends(node):
        """When a node sends its answer; the master is done."""
        own = 0.0 if node == 0 else times[node - 1]
        children = [j + 1 for j, parent in enumerate(structure.parents) if parent == node]
        if not children:
            return own
        clock = own if opens == "after-own" else 0.0
        ports[node] = []
        for arrival in sorted(map(sends, children))[: structure.need[node]]:
            clock = max(clock, arrival) + receive
            ports[node].append(clock)
        return max(own, clock)

    done = sends(0)
    return done, [ports[node] for node in sorted(ports)]


#: Laws of a few values, and with which probability each is taken.
FEW, FEW_LEVELS = SampleTime(np.array([0.3, 1.1, 1.1, 4.0])), {0.3: 0.25, 1.1: 0.5, 4.0: 0.25}
MANY, MANY_LEVELS = Mixture((0.25, 0.75), (Certain(1.0), Certain(2.5))), {1.0: 0.25, 2.5: 0.75}


def enumerate_law(structure, levels, answers, receive, opens):
    """Probability of every completion time: all outcomes of all workers."""
    probabilities = {}
    choices = [
        [(value, probability * p) for value, p in law.items()] + [(math.inf, 1 - probability)]
        for law, probability in zip(levels, answers, strict=True)
    ]
    for outcome in itertools.product(*(filter(lambda each: each[1], own) for own in choices)):
        times, weights = zip(*outcome, strict=True)
        time = round(completion(structure, times, receive, opens)[0], 12)
        probabilities[time] = probabilities.get(time, 0.0) + math.prod(weights)
    return probabilities
