"""Rounds one after the other, whose master goes by who was late in the rounds before.

Sequential gradient coding (Krishnan, Ebrahimi, Khisti, arXiv:2211.13802): job j begins in round j
and may be decoded later. The master goes on ``factor`` times the fastest worker's time after a
round begins, or when all are in; who is late then straggles. Where the pattern of stragglers is
not one that the code is made for, the master waits on.

A worker's past is a word, bit i of which says that it straggled i + 1 rounds ago.
"""

import numpy as np

from fastgc_kernels._arrays import Booleans, Floats, Integers
from fastgc_kernels._jit import jit

#: Codes: a gradient code a round; repetition of late tasks (SR-SGC), by the paper's rule or by that
#: of its authors' program; mini-tasks of several jobs (M-SGC).
GRADIENT_CODE, REPEATING, REPEATING_PEER, MULTIPLEXED = range(4)
#: What a master does whose stragglers are too many: it waits for all, for enough, or goes on.
ALL, ENOUGH, NEVER = range(3)
#: A round: as wanted, with a master that waits on, or one in which there is nothing to do.
KEPT, WAITED, FREE = range(3)
#: Rounds that a worker's past may reach back.
MOST_WINDOW = 63

#: What `memory` returns.
Memory = tuple[Integers, Booleans, Booleans, Integers, Integers]


@jit
def play(
    times: Floats,
    code: Integers,
    factor: float,
    then: int,
    seconds: Floats,
    state: Integers,
    done: Integers,
) -> None:
    """Play the rounds of every trial.

    ``times`` (T, R, n) are those of workers; ``code`` is which code, s, burst, window, distinct,
    and the number of jobs. Filled are ``seconds`` (T, R) and ``state`` (T, R) of rounds, and
    ``done`` (T, jobs), the round in which a job is decoded, −1 for none.
    """
    late = np.zeros(times.shape[2], np.bool_)
    for t in range(times.shape[0]):
        kept = memory(late.size, code)
        done[t] = -1
        for r in range(times.shape[1]):
            own = times[t, r]
            again = begin(r, code, kept)
            seconds[t, r], state[t, r] = 0.0, FREE
            if again >= 0:
                seconds[t, r], state[t, r] = last(own, again, code, factor, then, kept)
            limit, m = seconds[t, r], 0
            for i in range(late.size):
                late[i] = own[i] > limit
                m += late[i]
            end(r, again, late, m, code, kept, done[t])


@jit
def memory(n: int, code: Integers) -> Memory:
    """Return what n workers' master keeps of the rounds before, with none yet.

    ``past`` (n,) are words; ``owed`` (burst, n) says who owes tasks of the last jobs, and
    ``repeats`` (n,) who repeats one; ``missing`` (window − 1 + burst, n) counts chunks of its own
    that a worker has not sent for a job, ``groups`` (window − 1 + burst, burst) answers. Job j has
    row j modulo so many.
    """
    burst, slots = code[2], code[3] - 1 + code[2]
    past, repeats = np.zeros(n, np.int64), np.zeros(n, np.bool_)
    missing, groups = np.zeros((slots, n), np.int64), np.zeros((slots, burst), np.int64)
    return past, np.zeros((burst, n), np.bool_), repeats, missing, groups


@jit
def begin(r: int, code: Integers, kept: Memory) -> int:
    """Begin round r; return how many tasks are repeated in it, −1 where there is nothing to do."""
    _, owed, repeats, _, _ = kept
    if code[0] not in (REPEATING, REPEATING_PEER):
        return 0
    again = _choose_repeats(owed[r % code[2]], code[1], repeats)
    return -1 if r >= code[5] and again == 0 else again


@jit
def last(
    own: Floats, again: int, code: Integers, factor: float, then: int, kept: Memory
) -> tuple[float, int]:
    """Return how long a round lasts whose workers take ``own`` (n,), and its state."""
    which, s, n, past = code[0], code[1], own.size, kept[0]
    distinct = np.int64(-1) if which == GRADIENT_CODE else code[4]
    within, before = _words(code)
    limit = min(factor * own.min(), own.max())
    m, union, twice = _count(own, limit, past, within, before)
    exempt = s if which == GRADIENT_CODE or (which == REPEATING and again == 0) else -1
    if _fits(m, union, twice, exempt, distinct):
        return limit, KEPT
    if then == ALL:
        return own.max(), WAITED
    if then == ENOUGH:
        order = np.argsort(own)
        place = n - m
        while place < n and not _fits(m, union, twice, exempt, distinct):
            i = order[place]
            limit = own[i]
            m -= 1
            union -= 1 if past[i] & within == 0 else 0
            twice -= 1 if past[i] & before != 0 else 0
            place += 1
    return limit, WAITED


@jit
def end(
    r: int, again: int, late: Booleans, m: int, code: Integers, kept: Memory, done: Integers
) -> None:
    """End round r with these m workers late: what they owe, and which jobs are decoded."""
    past, owed, repeats, missing, groups = kept
    which, s = code[0], code[1]
    within, _ = _words(code)
    if again < 0:
        _remember(past, late, within, True)
    elif which == GRADIENT_CODE:
        done[r] = r if m <= s else -1
    elif which == MULTIPLEXED:
        _remember(past, late, within, False)
        _multiplexed(r, late, code, missing, groups, done)
    else:
        _remember(past, late, within, again == 0 and m <= s)
        _repeated(r, again, late, repeats, code, owed[r % code[2]], done)


@jit
def _words(code: Integers) -> tuple[np.int64, np.int64]:
    """The rounds before, in the window; those that no burst reaches back to."""
    within = np.int64((1 << (code[3] - 1)) - 1)
    return within, within - np.int64((1 << (code[2] - 1)) - 1)


@jit
def _fits(m: int, union: int, twice: int, exempt: int, distinct: int) -> bool:
    """Whether m stragglers are none, as few, or as bursty, as the code is made for."""
    return m == 0 or m <= exempt or (union <= distinct and twice == 0)


@jit
def _count(
    own: Floats, limit: float, past: Integers, within: int, before: int
) -> tuple[int, int, int]:
    """Stragglers; those and who straggled in the window; stragglers whose bursts are too long."""
    m, union, twice = 0, 0, 0
    for i in range(own.size):
        late = own[i] > limit
        m += 1 if late else 0
        union += 1 if late or past[i] & within != 0 else 0
        twice += 1 if late and past[i] & before != 0 else 0
    return m, union, twice


@jit
def _remember(past: Integers, late: Booleans, within: int, exempt: bool) -> None:
    """Let a round pass; stragglers of one that is exempt do not count."""
    for i in range(past.size):
        past[i] = ((past[i] << 1) & within) | (1 if late[i] and not exempt else 0)


@jit
def _choose_repeats(owed: Booleans, s: int, repeats: Booleans) -> int:
    """Who repeats a task: the first of those that owe it, all but s; returns how many."""
    count = 0
    for i in range(owed.size):
        count += 1 if owed[i] else 0
    again = max(0, count - s)
    left = again
    for i in range(owed.size):
        repeats[i] = owed[i] and left > 0
        left -= 1 if repeats[i] else 0
    return again


@jit
def _repeated(
    r: int,
    again: int,
    late: Booleans,
    repeats: Booleans,
    code: Integers,
    owed: Booleans,
    done: Integers,
) -> None:
    """Who owes a task of job r, and whether job r − burst is decoded by what is repeated."""
    s, burst, jobs = code[1], code[2], code[5]
    count, failed = 0, 0
    for i in range(owed.size):
        failed += 1 if repeats[i] and late[i] else 0
        owed[i] = r < jobs and (late[i] or repeats[i])
        count += 1 if owed[i] else 0
    if again > 0 and failed == 0:
        done[r - burst] = r
    if r < jobs and count <= s:
        done[r] = r


@jit
def _multiplexed(
    r: int, late: Booleans, code: Integers, missing: Integers, groups: Integers, done: Integers
) -> None:
    """What mini-tasks of a round give: slot m is for job r − m."""
    burst, window, distinct, jobs = code[2], code[3], code[4], code[5]
    n, slots = late.size, window - 1 + burst
    for m in range(slots):
        job = r - m
        if job < 0 or job >= jobs:
            continue
        own, group = missing[job % slots], groups[job % slots]
        if m == 0:
            own[:] = window - 1
            group[:] = 0
        for i in range(n):
            if late[i]:
                continue
            if own[i] > 0:
                own[i] -= 1
            else:
                group[m - window + 1] += 1
        if m == slots - 1 and own.max() == 0 and group.min() >= n - distinct:
            done[job] = r
