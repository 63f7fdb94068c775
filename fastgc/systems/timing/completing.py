"""When a system is complete, from the times that its workers take: `complete`."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from fastgc.arrays import Brief
from fastgc.errors import FastgcError, public
from fastgc.systems.schemes import CodedReduceTree, LayeredProduct
from fastgc.systems.system import System
from fastgc.systems.timing.rounds import Evaluator, Times
from fastgc.systems.timing.timed_structure import Structure

#: What functions of `fastgc.systems` return.
Described = System | LayeredProduct | CodedReduceTree


@dataclass(frozen=True, repr=False)
class Completion(Brief):
    """The time of completion of a system, and what its ports did until then.

    * ``time`` (float or float64 array (T,)): seconds; infinite where it never is complete.
    * ``messages`` (float or float64 array (T,)): messages received by all ports.
    * ``waiting`` (float or float64 array (T,)): seconds for which the master's port was idle.

    >>> from fastgc.systems import k_of_n
    >>> complete(k_of_n(n=3, k=2), [0.5, 4.0, 1.0])
    Completion(time=1, messages=2, waiting=1)
    """

    time: float | Times
    messages: float | Times
    waiting: float | Times


@public
def complete(
    system: "Described | Structure", times: "ArrayLike", receive: float = 0.0, opens: str = "start"
) -> Completion:
    """Return when a system is complete, from the times that its workers take.

    * ``system`` (System or Structure): What a function of `fastgc.systems` returns, or a structure.
    * ``times`` (array_like (n,) or (n, T)): Seconds, worker by worker, for one trial or for T;
      infinite for one that never answers. In layers a time is that of one task: (n, tasks) or (n,
      tasks, T) where each has its own.
    * ``receive`` (float): Seconds that a port takes for a message, one at a time as they arrive.
    * ``opens`` ({"start", "after-own"}): When a worker's own port in a tree opens: at once, or when
      its own work is done.

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
    if not isinstance(system, Described | Structure):
        raise FastgcError(
            "system: must be what a function of fastgc.systems returns, or its structure "
            f"(got {type(system).__name__})"
        )
    structure = system if isinstance(system, Structure) else system.structure()
    evaluator = Evaluator(structure, receive, opens)
    try:
        given = np.asarray(times, np.float64)
    except (TypeError, ValueError):
        raise FastgcError(f"times: must be a table of numbers (got {times!r:.60})") from None
    apart = structure.tasks > 1 and not structure.OF_ROUNDS
    shape = (structure.workers, structure.tasks) if apart else (structure.workers,)
    if given.shape[: len(shape)] != shape or given.ndim > len(shape) + 1:
        many, what = ", ".join(map(str, shape)), f"{shape[0]} workers"
        what += f" with {shape[1]} tasks each" if len(shape) > 1 else ""
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
    one = given.ndim == len(shape)
    done, messages, mine = evaluator.counted(given[..., np.newaxis] if one else given)
    waiting = done - mine * receive
    if one:
        return Completion(float(done[0]), float(messages[0]), float(waiting[0]))
    return Completion(done, messages, waiting)
