"""Fallbacks for what completes when: all trials side by side."""

import numpy as np

from fastgc_kernels._arrays import Booleans, Floats, Integers, Numbers
from fastgc_kernels.complete import crossing, networks, parts

MOST = 1 << 20  # steps of the kernels' innermost loops, where they run as they are written
MOST_VALUES = 1 << 22
MOST_SORTED = 256


def cross(
    masses: Floats,
    late: Floats,
    never: Floats,
    sizes: Integers,
    required: Integers,
    complete: int,
    done: Floats,
    after: Floats,
) -> object:
    """The kernel's own lines, as Python."""
    states = int(np.prod(sizes + 1))
    steps = len(masses) * required.size * sizes.size
    if steps * (80 + states * int(sizes.max(initial=0)) // 2) > MOST:
        return NotImplemented
    crossing.cross(masses, late, never, sizes, required, complete, done, after)
    return None


def selection(wanted: Booleans) -> object:
    """The kernel's own lines, as Python."""
    return networks.selection(wanted) if wanted.size <= MOST_SORTED else NotImplemented


def _put_in_order(rows: Floats, network: Numbers) -> None:
    """Move the wanted ones of the smallest values of rows (n, T) to their places."""
    for i, j in network.tolist():
        x, y = rows[i], rows[j]
        swap = ~(x < y)
        rows[i], rows[j] = np.where(swap, y, x), np.where(swap, x, y)


def _arrivals(times: Floats, tasks: int) -> Floats:
    """When each worker's tasks are answered (n · tasks, T), of times (n, m, T)."""
    workers, each, trials = times.shape
    if each == 1:
        found = np.arange(1.0, tasks + 1.0)[:, None] * times
    else:
        found = np.cumsum(times[:, :tasks], axis=1)
    return found.reshape(workers * tasks, trials)


def groups(times: Floats, size: int, need: int, network: Numbers, done: Floats) -> object:
    """Group by group."""
    workers, _, trials = times.shape
    groups = workers // size
    if trials * (workers + len(network)) > MOST_VALUES or groups > networks.LARGEST:
        return NotImplemented
    rows = times[:, 0].reshape(groups, size, trials).min(axis=1)
    _put_in_order(rows, network)
    done[:] = rows[need - 1]
    return None


def count(
    times: Floats, part: Integers, wanted: Integers, enough: int, done: Floats, messages: Floats
) -> object:
    """All trials but those with several answers at the end."""
    if times.shape[0] * part.shape[1] * done.size > MOST_VALUES:
        return NotImplemented
    moments = _arrivals(times, part.shape[1])
    before, at = np.sum(moments < done, axis=0), np.sum(moments == done, axis=0)
    ends = done < np.inf
    messages[:] = before + ends
    for t in np.flatnonzero(ends & (at > 1)):
        own = parts._tied(times[:, :, t], part, wanted, enough, done[t])
        messages[t] = before[t] + own
    return None


def serve(
    times: Floats, tasks: int, network: Numbers, messages: Floats, receive: float, done: Floats
) -> object:
    """One answer after the other."""
    answers = len(times) * tasks
    if answers > networks.LARGEST or done.size * (answers + len(network)) > MOST_VALUES:
        return NotImplemented
    rows = _arrivals(times, tasks)
    _put_in_order(rows, network)
    clock = np.zeros(done.size)
    for i in range(int(messages.max(initial=0))):
        clock = np.where(i < messages, np.maximum(clock, rows[i]) + receive, clock)
    np.copyto(done, clock, where=done < np.inf)
    return None
