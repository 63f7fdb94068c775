"""Completion times of structures, computed from the times that workers take."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fastgc.errors import FastgcError
from fastgc.registry.cached import cached_property
from fastgc.systems.schemes.layered import LayeredProduct
from fastgc.systems.schemes.reduction import CodedReduceTree
from fastgc.systems.system import System
from fastgc.systems.timing.structure import Flat, Layers, Own, Replicated, Ring, Structure, Tree
from fastgc_kernels.complete import layers, networks, port, replication, tree

Times = NDArray[np.float64]
Counted = tuple[Times, Times, Times]

#: What functions of `fastgc.systems` return.
Described = System | LayeredProduct | CodedReduceTree

OPENS = ("start", "after-own")

_CHUNK = 64


class Evaluator:
    """Completion times and messages of many trials of one structure.

    A worker that never answers takes infinitely long. Messages that arrive at the same moment are
    received in order of worker.

    Parameters
    ----------
    structure : Structure
    receive : float
        Seconds that a port takes for a message; with 0 a message is received when it arrives.
    opens : {"start", "after-own"}
        When a worker's own port in a tree opens: at once, or when its own work is done. The
        master has no work of its own.

    Raises
    ------
    FastgcError
        If ``receive`` is negative or not finite, or ``opens`` is neither.

    Examples
    --------
    >>> Evaluator(Flat(n=3, need=2)).done(np.array([[1.0, 4.0], [3.0, 5.0], [2.0, 6.0]])).tolist()
    [2.0, 5.0]
    """

    def __init__(self, structure: Structure, receive: float = 0.0, opens: str = "start") -> None:
        if not 0 <= receive < np.inf:
            raise FastgcError(f"receive: must be finite and at least 0 (got {receive!r})")
        if opens not in OPENS:
            raise FastgcError(f'opens: must be "start" or "after-own" (got {opens!r})')
        self._procedure = _procedure(structure, float(receive), opens == "after-own")

    def done(self, times: Times) -> Times:
        """Return the time at which each trial is complete; infinite where it never is.

        Parameters
        ----------
        times : float64 array (n, T), or (n, tasks, T) where every task has a time of its own
            Seconds that each worker takes, at least 0; nothing is checked.

        Returns
        -------
        float64 array (T,)
        """
        return self._procedure.done(np.ascontiguousarray(times, np.float64))

    def counted(self, times: Times) -> Counted:
        """Return the time of completion, and the numbers of messages received until then.

        Parameters
        ----------
        times : float64 array, as for `done`

        Returns
        -------
        done, messages, master_messages : float64 arrays (T,)
            Messages are those of all ports, and of the master's alone, which is idle for
            done − master_messages · receive. In a ring n workers receive 2 (n − 1) messages each,
            an n-th in size, and the last array is their size, 2 (n − 1)/n. Where a trial never
            completes, all that ever are received are counted.

        Examples
        --------
        >>> done, messages, _ = Evaluator(Flat(3, 2), receive=1.0).counted(np.ones((3, 1)))
        >>> done.tolist(), messages.tolist()
        ([3.0], [2.0])
        """
        return self._procedure.counted(np.ascontiguousarray(times, np.float64))


@dataclass(frozen=True)
class Completion:
    """The time of completion of a system, and what its ports did until then.

    Attributes
    ----------
    time : float or float64 array (T,)
        Seconds; infinite where it never is complete.
    messages : float or float64 array (T,)
        Messages received by all ports.
    waiting : float or float64 array (T,)
        Seconds for which the master's port was idle.
    """

    time: float | Times
    messages: float | Times
    waiting: float | Times


def complete(
    system: Described | Structure, times: ArrayLike, receive: float = 0.0, opens: str = "start"
) -> Completion:
    """Return when a system is complete, from the times that its workers take.

    Parameters
    ----------
    system : System or Structure
        What a function of `fastgc.systems` returns, or its structure.
    times : array_like (n,) or (n, T)
        Seconds, worker by worker, for one trial or for T; infinite for one that never answers. In
        layers a time is that of one task: (n, tasks) or (n, tasks, T) where each has its own.
    receive : float
        Seconds that a port takes for a message, one at a time in order of arrival.
    opens : {"start", "after-own"}
        When a worker's own port in a tree opens: at once, or when its own work is done.

    Returns
    -------
    Completion
        Numbers for one trial, arrays (T,) for many.

    Raises
    ------
    FastgcError
        If a time is negative or not a number, their shape does not fit the system, or the port
        cannot be.

    Examples
    --------
    >>> from fastgc.systems import gradient_code
    >>> complete(gradient_code(n=4, s=1), [0.5, 4.0, 1.0, 2.0], receive=0.1).time
    2.1
    """
    structure = _structure(system)
    evaluator = Evaluator(structure, receive, opens)
    given = _checked(structure, times)
    own_tasks = isinstance(structure, Layers) and structure.fresh
    one = given.ndim == (2 if own_tasks else 1)
    done, messages, mine = evaluator.counted(given[..., np.newaxis] if one else given)
    waiting = done - mine * receive
    if one:
        return Completion(float(done[0]), float(messages[0]), float(waiting[0]))
    return Completion(done, messages, waiting)


def _structure(system: Described | Structure) -> Structure:
    """Return a structure itself, or that of a system or scheme."""
    if isinstance(system, Structure):
        return system
    if not isinstance(system, Described):
        raise FastgcError(
            "system: must be what a function of fastgc.systems returns, or its structure "
            f"(got {type(system).__name__})"
        )
    return system.structure()


def _checked(structure: Structure, times: ArrayLike) -> Times:
    """Return times as an array whose shape fits."""
    try:
        given = np.asarray(times, np.float64)
    except (TypeError, ValueError):
        raise FastgcError(f"times: must be a table of numbers (got {times!r:.60})") from None
    n = structure.workers
    shape: tuple[int, ...] = (n,)
    what = f"{n} workers"
    if isinstance(structure, Layers) and structure.fresh:
        shape = n, len(structure.k)
        what += f" with {len(structure.k)} tasks each"
    if given.shape[: len(shape)] != shape or given.ndim > len(shape) + 1:
        many = ", ".join(map(str, shape))
        raise FastgcError(
            f"times: must have shape {shape} or ({many}, trials) for {what} (got {given.shape})"
        )
    wrong = np.isnan(given) | (given < 0)
    if wrong.any():
        at = tuple(int(i) for i in np.argwhere(wrong)[0])
        raise FastgcError(
            f"times[{', '.join(map(str, at))}]: must be at least 0, infinite for a worker that "
            f"never answers (got {float(given[at])})"
        )
    return given


class _Procedure(Protocol):
    """How the completion of one structure is computed."""

    def done(self, times: Times) -> Times: ...

    def counted(self, times: Times) -> Counted: ...


def _procedure(structure: Structure, receive: float, after_own: bool) -> _Procedure:
    if isinstance(structure, Ring):
        return _Ring(structure.n, receive)
    if isinstance(structure, Own):
        return _OfTimes(structure, receive)
    if isinstance(structure, Tree):
        return _Tree(structure, receive, after_own)
    if isinstance(structure, Flat):
        n, need = structure.n, structure.need
        star = _Tree(Tree((0,) * n, (need,) + (0,) * n), receive, False)
        return star if receive > 0 else _Star(star, n, need)
    if isinstance(structure, Replicated):
        return _Redundant(_Groups(structure), structure.n, 1, False, receive)
    # Layers after the last that needs an answer are not worked on.
    k = np.trim_zeros(np.asarray(structure.k, np.int64), "b")
    layered = _Layers(structure.n, k, structure.fresh)
    return _Redundant(layered, structure.n, k.size, structure.fresh, receive)


@dataclass(frozen=True)
class _Ring:
    """A ring: all workers must be ready, then 2 (n − 1) messages of size 1/n go round."""

    n: int
    receive: float

    def done(self, times: Times) -> Times:
        return np.asarray(times.max(axis=0) + self._size * self.receive)

    def counted(self, times: Times) -> Counted:
        done = self.done(times)
        messages = np.full(done.size, 2.0 * self.n * (self.n - 1))
        return done, messages, np.full(done.size, self._size)

    @property
    def _size(self) -> float:
        return 2 * (self.n - 1) / self.n


class _OfTimes:
    """A function of the times of a trial's workers."""

    def __init__(self, structure: Own, receive: float) -> None:
        if receive > 0:
            raise FastgcError(
                "receive: must be 0 for a system that says itself when it is done "
                f"(got {receive!r})"
            )
        self._structure = structure

    def done(self, times: Times) -> Times:
        rows = np.ascontiguousarray(times.T)
        done = np.empty(len(rows))
        for first in range(0, done.size, _CHUNK):  # the same calls whichever trials are asked for
            done[first : first + _CHUNK] = self._structure.done(rows[first : first + _CHUNK])
        return done

    def counted(self, times: Times) -> Counted:
        done = self.done(times)
        unknown = np.full(done.size, np.nan)
        return done, unknown, unknown


class _Tree:
    """A tree, in which every parent waits for some of its children."""

    def __init__(self, structure: Tree, receive: float, after_own: bool) -> None:
        self._children = structure.children
        self._need = np.asarray(structure.need, np.int64)
        self._receive, self._after_own = receive, after_own
        fans = np.diff(self._children[0])
        parents = self._need > 0
        pairs = np.stack([fans[parents], self._need[parents]], axis=1)
        self._pairs, place = np.unique(pairs, axis=0, return_inverse=True)
        self._pair_of_node = np.zeros(self._need.size, np.int64)
        self._pair_of_node[parents] = place.reshape(-1)

    def done(self, times: Times) -> Times:
        return self._evaluated(times, self._every if self._receive > 0 else self._last, 0)[0]

    def counted(self, times: Times) -> Counted:
        done, messages = self._evaluated(times, self._every, 2)
        return done, messages[0], messages[1]

    def _evaluated(self, times: Times, order: _Networks, counts: int) -> tuple[Times, Times]:
        done = np.empty(times.shape[1])
        messages = np.empty((counts, done.size))
        offsets, nodes = self._children
        tree.completion(
            times,
            offsets,
            nodes,
            self._need,
            self._pair_of_node,
            *order,
            self._receive,
            self._after_own,
            done,
            messages,
        )
        return done, messages

    @cached_property
    def _every(self) -> _Networks:
        """Networks that sort all answers that are waited for."""
        return _joined([_selection(n, range(need)) for n, need in self._pairs.tolist()])

    @cached_property
    def _last(self) -> _Networks:
        """Networks that find only the last answer that is waited for."""
        return _joined([_selection(n, [need - 1]) for n, need in self._pairs.tolist()])


@dataclass(frozen=True)
class _Star:
    """A star without a port: the master receives only messages that it waits for."""

    tree: _Tree
    n: int
    need: int

    def done(self, times: Times) -> Times:
        if self.n <= networks.LARGEST:
            return self.tree.done(times)
        done = np.empty(times.shape[1])
        for first in range(0, done.size, _CHUNK):
            part = np.ascontiguousarray(times[:, first : first + _CHUNK].T)
            part.partition(self.need - 1, axis=1)
            done[first : first + _CHUNK] = part[:, self.need - 1]
        return done

    def counted(self, times: Times) -> Counted:
        done = self.done(times)
        messages = np.full(done.size, float(self.need))
        never = done == np.inf
        messages[never] = np.isfinite(times[:, never]).sum(axis=0)
        return done, messages, messages.copy()


class _Redundancy(Protocol):
    """When a redundant structure is complete, and after how many messages, without a port."""

    def done(self, times: Times, out: Times) -> None: ...

    def received(self, times: Times, done: Times, out: Times) -> None: ...


class _Groups:
    """Replicated workers: an answer of each of some groups is needed."""

    def __init__(self, structure: Replicated) -> None:
        self._size, self._need = structure.size, structure.need
        self._network = _selection(structure.n // structure.size, [structure.need - 1])

    def done(self, times: Times, out: Times) -> None:
        replication.completion(times, self._size, self._need, self._network, out)

    def received(self, times: Times, done: Times, out: Times) -> None:
        replication.received(times, self._size, self._need, done, out)


class _Layers:
    """Layers, each of which needs its answers; times are (n, 1 or tasks, T)."""

    def __init__(self, n: int, k: NDArray[np.int64], fresh: bool) -> None:
        self._k = k
        places = [[need - 1] if need else [] for need in k.tolist()]
        if not fresh:
            places = [[place for layer in places for place in layer]]
        self._order = _joined([_selection(n, wanted) for wanted in places])

    def done(self, times: Times, out: Times) -> None:
        layers.completion(times, self._k, *self._order, out)

    def received(self, times: Times, done: Times, out: Times) -> None:
        layers.received(times, self._k, done, out)


class _Redundant:
    """Systems whose master also receives answers of groups or layers that are complete already."""

    def __init__(
        self, redundancy: _Redundancy, n: int, tasks: int, fresh: bool, receive: float
    ) -> None:
        self._redundancy, self._n, self._tasks, self._fresh = redundancy, n, tasks, fresh
        self._receive = receive

    def done(self, times: Times) -> Times:
        if self._receive > 0:
            return self.counted(times)[0]
        done = np.empty(times.shape[-1])
        self._redundancy.done(self._of_tasks(times), done)
        return done

    def counted(self, times: Times) -> Counted:
        done = np.empty(times.shape[-1])
        messages = np.empty(done.size)
        of_tasks = self._of_tasks(times)
        self._redundancy.done(of_tasks, done)
        self._redundancy.received(of_tasks, done, messages)
        if self._receive > 0:
            port.serve(of_tasks, self._tasks, messages, self._network, self._receive, done)
        return done, messages, messages.copy()

    def _of_tasks(self, times: Times) -> Times:
        """Return times (n, 1, T) of workers, or (n, tasks, T) of tasks."""
        return times if self._fresh else times[:, np.newaxis]

    @cached_property
    def _network(self) -> NDArray[np.int32]:
        """Return the network that sorts all answers."""
        return _selection(self._n * self._tasks, range(self._n * self._tasks))


_Networks = tuple[NDArray[np.int64], NDArray[np.int32]]


def _selection(n: int, places: Sequence[int] | range) -> NDArray[np.int32]:
    """Return the network that brings the right ones of n values to some places."""
    wanted = np.zeros(n, np.bool_)
    wanted[list(places)] = True
    return networks.selection(wanted)


def _joined(parts: Sequence[NDArray[np.int32]]) -> _Networks:
    """Return where each network starts, and all networks, one after the other."""
    starts = np.cumsum([0, *map(len, parts)], dtype=np.int64)
    return starts, np.concatenate(parts)
