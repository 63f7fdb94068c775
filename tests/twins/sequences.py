"""Slow, obvious twin of sequences: one trial, by sets of workers, results and windows.

A code is ``("gradient-code", s)``, ``("sr-sgc", B, W, λ)`` or ``("m-sgc", B, W, λ)``; ``times`` a
list of rounds, each a list of seconds of the workers.
"""

from itertools import product


def bursty(history, burst, window, distinct):
    """Whether sets of stragglers, round by round, conform to the model, by its definition."""
    for begin in range(len(history)):
        rounds = history[begin : begin + window]
        if len(set().union(*rounds)) > distinct:
            return False
        for worker in set().union(*rounds):
            own = [r for r, late in enumerate(rounds) if worker in late]
            if own[-1] - own[0] >= burst:
                return False
    return True


def goes_on(history, late, burst, window, distinct):
    """Whether a round's stragglers, if any, may follow those of the rounds before."""
    before = history[-(window - 1) :]
    early = before[: max(0, len(before) - burst + 1)]
    return not late or (
        len(late.union(*before)) <= distinct and not any(late & own for own in early)
    )


def sequence(code, jobs, times, mu, then="all", rule="paper"):
    """Return seconds of rounds, rounds that were waited for, and when each job is decoded."""
    make = {"gradient-code": OfOne, "sr-sgc": Repeating, "m-sgc": Mini}
    scheme = make[code[0]](*code[1:], jobs, len(times[0]), rule)
    seconds, waits = [], []
    for r, own in enumerate(times):
        if scheme.is_idle(r):
            seconds.append(0.0)
            scheme.end(r, set())
            continue
        now = min((1 + mu) * min(own), max(own))
        late = {w for w, time in enumerate(own) if time > now}
        if not scheme.takes(r, late):
            waits.append(r)
            arrivals = sorted(own[w] for w in late)
            while late and then != "never" and not (then == "enough" and scheme.takes(r, late)):
                now = arrivals.pop(0)
                late = {w for w in late if own[w] > now}
        seconds.append(now)
        scheme.end(r, late)
    return seconds, waits, [scheme.decoded(job) for job in range(jobs)]


class OfOne:
    """A gradient code in each round."""

    def __init__(self, s, jobs, n, rule):
        self.s, self.history = s, []

    def is_idle(self, r):
        return False

    def takes(self, r, late):
        return len(late) <= self.s

    def end(self, r, late):
        self.history.append(late)

    def decoded(self, job):
        return job if len(self.history[job]) <= self.s else None


class Repeating:
    """SR-SGC: results by job, and the rounds in which they came in."""

    def __init__(self, burst, window, distinct, jobs, n, rule):
        self.burst, self.window, self.distinct = burst, window, distinct
        self.jobs, self.n, self.rule = jobs, n, rule
        self.s = next(s for s in range(n + 1) if s * (window - 1 + burst) >= burst * distinct)
        self.came = [{} for _ in range(jobs)]  # worker → round
        self.counted = []

    def repeating(self, r):
        job = r - self.burst
        if not 0 <= job < self.jobs:
            return []
        owing = [w for w in range(self.n) if w not in self.came[job]]
        return owing[: max(0, len(owing) - self.s)]

    def is_idle(self, r):
        return r >= self.jobs and not self.repeating(r)

    def takes(self, r, late):
        if self.rule == "paper" and not self.repeating(r) and len(late) <= self.s:
            return True
        return goes_on(self.counted, late, self.burst, self.window, self.distinct)

    def end(self, r, late):
        repeating = self.repeating(r)
        for w in set(range(self.n)) - late:
            job = r - self.burst if w in repeating else r
            if job < self.jobs:
                self.came[job].setdefault(w, r)
        self.counted.append(late if repeating or len(late) > self.s else set())

    def decoded(self, job):
        for r in (job, job + self.burst):
            if sum(when <= r for when in self.came[job].values()) >= self.n - self.s:
                return r
        return None


class Mini:
    """M-SGC: results by job, worker and chunk, and by job and group."""

    def __init__(self, burst, window, distinct, jobs, n, rule):
        self.burst, self.window, self.distinct = burst, window, distinct
        self.jobs, self.n = jobs, n
        self.chunks = {(job, w): set() for job, w in product(range(jobs), range(n))}
        self.groups = {(job, g): set() for job, g in product(range(jobs), range(burst))}
        self.history = []

    def is_idle(self, r):
        return False

    def takes(self, r, late):
        return goes_on(self.history, late, self.burst, self.window, self.distinct)

    def end(self, r, late):
        own = set(range(self.window - 1))
        for slot, w in product(range(self.window - 1 + self.burst), range(self.n)):
            job = r - slot
            if not 0 <= job < self.jobs or w in late:
                continue
            there = self.chunks[job, w]
            if slot in own:
                there.add(slot)
            elif there != own:
                there.add(min(own - there))
            else:
                self.groups[job, slot - self.window + 1].add(w)
        self.history.append(late)

    def decoded(self, job):
        own = set(range(self.window - 1))
        if any(self.chunks[job, w] != own for w in range(self.n)):
            return None
        if any(len(self.groups[job, g]) < self.n - self.distinct for g in range(self.burst)):
            return None
        return job + self.window - 2 + self.burst
