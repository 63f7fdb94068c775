"""Chunks of the work that several workers hold, nothing coded: sent one by one, or at once."""

import itertools
from collections.abc import Sequence
from typing import Annotated, Any, ClassVar, Literal, Self

import numpy as np
import pydantic
from numpy.typing import NDArray

from fastgc.draws.streams import uniforms
from fastgc.errors import FastgcError
from fastgc.latency.law import Positive
from fastgc.latency.time import Time
from fastgc.registry import register
from fastgc.registry.makers import maker
from fastgc.registry.numbers import Seed
from fastgc.systems.system import MOST_TASKS, AtMostN, Candidates, Cluster, SizedSystem, Workers
from fastgc.systems.timing.later import Capped
from fastgc.systems.timing.parts import Chunks

Lists = Annotated[
    tuple[tuple[Annotated[int, pydantic.Field(ge=0)], ...], ...], pydantic.Field(min_length=1)
]


def holders(lists: Sequence[Sequence[int]], key: str, n: int, d: int) -> NDArray[np.int64]:
    """Return how many of n lists have each chunk, from 0 to the largest that is in one.

    Raises ValueError, which names ``key``, if there are not n lists of d different chunks.

    >>> holders([[0, 1], [1, 2]], "order", n=2, d=2).tolist()
    [1, 2, 1]
    """
    if len(lists) != n:
        raise ValueError(f"{key} must have one list a worker (got {len(lists)} for n={n})")
    for w, own in enumerate(lists):
        if len(own) != d or len(set(own)) != d:
            raise ValueError(f"{key}[{w}] must have d={d} different chunks (got {list(own)})")
    return np.bincount(np.concatenate([np.array(own) for own in lists]))


Orders = tuple[tuple[int, ...], ...]
#: Chunks of all workers among whose orders the best is searched for, at most.
_MOST_SEARCHED = 40
#: Random orders that the search begins with, beside the cyclic one and one of turned neighbours.
_STARTS = 8


@register("system")
class Partial(SizedSystem):
    """Chunks that every worker sends as it finishes them, in an order of its own.

    The work is cut into n chunks, of which each worker holds d and answers after every one of them;
    it is done when each chunk has been finished by ``copies`` workers (Ramamoorthy, Meng,
    Girimaji, *Leveraging partial stragglers within gradient coding*, 2024; Ozfatura, Gündüz,
    Ulukus, *Gradient Coding with Clustering and Multi-message Communication*, 2019). A time of the
    latency law is that of one chunk, an n-th of ``work``. Messages are as long as the gradient, up
    to n·d of them. With several copies workers only report, and when all is done each sends one
    vector of 1/copies of that length, which is not part of the time.

    * ``load`` (float, optional): Share of the work that one chunk is, instead of its true share.
    * ``d`` (int): Chunks that each worker holds, 1 ≤ d ≤ n.
    * ``placement`` ({"cyclic", "frc"}, optional): Who holds which chunks: worker w the chunks w, …,
      w + d − 1 modulo n (the default), or d workers together the same d chunks. Leave it out where
      ``order`` lists the chunks.
    * ``order`` ({"cyclic", "sorted", "random", "optimal"} or list of lists): In which order a
      worker does its chunks. ``cyclic``: each begins with a chunk of its own and goes around (the
      default). ``sorted``: by number, as a data loader reads. ``random``: as ``seed`` says.
      ``optimal``: with the least mean time that swaps of two chunks of a worker lead to from ten
      orders, for at most 40 chunks of all workers; no other order is promised to be worse. Or the
      chunks of each worker, counted from 0: n lists of d. The work is then cut into as many chunks
      as these name.
    * ``copies`` (int): Workers that must have finished a chunk; 1 by default, at most d.
    * ``draws`` ({"speed", "task"}): Whether a worker's chunks all take one time X, so that its j-th
      is done at j·X (the default), or each takes a time of its own.
    * ``deadline`` (float, optional): Seconds after which the master stops waiting; chunks that then
      lack a copy are ``lost``.
    * ``seed`` (int): Of the random orders; 1 by default.

    Raises FastgcError if not 1 ≤ d ≤ n, d does not divide n with "frc", or lists are no orders.

    >>> partial(n=3, d=2).structure()
    Chunks(orders=((0, 1), (1, 2), (2, 0)), copies=1, fresh=False, at_once=False)
    >>> partial(n=6, d=3).worst_chunks(), partial(n=6, d=3, order="sorted").worst_chunks()
    (13, 16)
    """

    DESIGN_KEYS: ClassVar[tuple[str, ...]] = ("chunks",)
    PRECEDENCE: ClassVar[int] = 13

    family: Literal["partial"] = "partial"
    d: Annotated[Workers, AtMostN]
    placement: Literal["cyclic", "frc"] | None = None
    order: Literal["cyclic", "sorted", "random", "optimal"] | Lists = "cyclic"
    copies: Annotated[int, pydantic.Field(ge=1)] = 1
    draws: Literal["speed", "task"] = "speed"
    deadline: Positive | None = None
    seed: Seed = 1

    @pydantic.model_validator(mode="after")
    def _possible(self) -> Self:
        n, d = self.n, self.d
        if n * d > MOST_TASKS:
            most = f"workers can hold at most {MOST_TASKS} chunks together, n · d"
            raise ValueError(f"{most} (got n={n}, d={d})")
        if self.placement == "frc" and n % d:
            raise ValueError(f"d must divide n with placement frc (got n={n}, d={d})")
        if self.copies > d:
            raise ValueError(f"copies must be at most d (got d={d}, copies={self.copies})")
        if self.order == "optimal" and n * d > _MOST_SEARCHED:
            raise ValueError(
                f"the optimal order is searched for among at most {_MOST_SEARCHED} chunks, n · d "
                f'(got n={n}, d={d}); take order = "cyclic"'
            )
        if not isinstance(self.order, str):
            self._check_lists(self.order)
        return self

    def _check_lists(self, lists: Orders) -> None:
        if self.placement is not None:
            raise ValueError("lists of chunks say who holds them; leave placement out")
        held = holders(lists, "order", self.n, self.d)
        if held.min() < self.copies:
            chunk = int(held.argmin())
            raise ValueError(
                f"every chunk from 0 to {held.size - 1}, the largest in order, must be in at least "
                f"copies={self.copies} lists of it (got {held[chunk]} for chunk {chunk})"
            )

    @classmethod
    def candidates(cls, cluster: Cluster) -> Sequence[Candidates]:
        """Return both placements of up to ``chunks`` chunks a worker, in the cyclic order."""
        assert cluster.chunks is not None
        n, found = cluster.workers, []
        for placement in ("cyclic", "frc"):
            held = [
                d for d in range(1, min(n, cluster.chunks) + 1) if n % d == 0 or placement[0] == "c"
            ]
            systems = (cls.model_validate({"n": n, "d": d, "placement": placement}) for d in held)
            found.append(Candidates(tuple(systems), placement))
        return found

    def orders(self) -> Orders:
        """Return the chunks of each worker, in its order."""
        if not isinstance(self.order, str):
            return self.order
        n, d = self.n, self.d
        size = d if self.placement == "frc" else n
        cyclic = (tuple(w - w % size + (w + place) % size for place in range(d)) for w in range(n))
        if self.order == "cyclic":
            return tuple(cyclic)
        held = [sorted(own) for own in cyclic]
        if self.order == "random":
            keys = uniforms(self.seed, "order of chunks", n * d).reshape(n, d)
            turned = np.argsort(keys, axis=1, kind="stable").tolist()
            held = [[own[i] for i in turn] for own, turn in zip(held, turned, strict=True)]
        if self.order == "optimal":
            raise FastgcError(
                'order: "optimal" depends on the law of times, which a study has: run one, or give '
                "lists (in Python it must be settled by for_time(law of a chunk's time))"
            )
        return tuple(map(tuple, held))

    def structure(self) -> Chunks | Capped:
        """Return the chunks in their orders, until the deadline if there is one."""
        chunks = Chunks(self.orders(), self.copies, self.draws == "task")
        return chunks if self.deadline is None else Capped(chunks, self.deadline)

    def worst_chunks(self) -> int:
        """Return Q: so many finished chunks are always enough, and Q − 1 may not be."""
        return Chunks(self.orders(), self.copies).worst

    def facts(self) -> dict[str, Any]:
        """Return Q, the stragglers survived, and the messages, beside what all systems tell."""
        return super().facts() | {
            "worst_chunks": self.worst_chunks(),
            "tolerance": min(map(len, Chunks(self.orders()).holders)) - self.copies,
            "most_messages": self.n * self.d,
        }

    def chunks(self) -> int:
        """Return the number of chunks."""
        return self.n if isinstance(self.order, str) else 1 + max(map(max, self.order))

    def default_share(self) -> float:
        return 1 / self.chunks()

    def burden(self) -> float:
        return self.d * self.share()

    def settling_rule(self) -> str | None:
        return "optimal" if self.order == "optimal" else None

    def for_time(self, time: Time | None) -> Self:
        """Return the system with its optimal order for the law of a chunk's time.

        Raises FastgcError if workers have several laws, or the law of the completion time is not
        known.
        """
        if self.order != "optimal":
            return self
        if time is None:
            raise FastgcError(
                'order: "optimal" needs one law of latency for all workers; use "cyclic"'
            )
        from fastgc.systems.rules import least_mean

        cyclic = self.model_copy(update={"order": "cyclic"}).orders()
        starts = [cyclic, tuple(own[:: 1 - 2 * (w % 2)] for w, own in enumerate(cyclic))]
        for seed in range(_STARTS):
            update = {"order": "random", "seed": (self.seed + seed) % 2**64}
            starts.append(self.model_copy(update=update).orders())
        chunks = [Chunks(orders, self.copies, self.draws == "task") for orders in starts]
        found = least_mean(chunks, _swapped, time)
        return self.model_copy(update={"order": found.orders, "placement": None})


def _swapped(chunks: Chunks) -> Sequence[Chunks]:
    """Return what swaps of two chunks of one worker lead to."""
    found = []
    for w, order in enumerate(chunks.orders):
        for a, b in itertools.combinations(range(len(order)), 2):
            own = list(order)
            own[a], own[b] = own[b], own[a]
            orders = (*chunks.orders[:w], tuple(own), *chunks.orders[w + 1 :])
            found.append(Chunks(orders, chunks.copies, chunks.fresh))
    return found


partial = maker(Partial)


Held = tuple[tuple[int, ...], ...]
#: Placements that are drawn until one covers every chunk, at most.
_DRAWS = 1000


@register("system")
class BatchesSystem(SizedSystem):
    """Workers that hold d of n chunks and send one answer; done when every chunk is covered.

    Nothing is coded. Batches may overlap (Behrouzi-Far, Soljanin, arXiv:2006.02318): an answer then
    has the gradients of its chunks one by one, and is d times as long. Else it is their sum, and
    batches may be chosen at random (Li, Mousavi Kalan, Avestimehr, Soltanolkotabi, *Near-Optimal
    Straggler Mitigation*, arXiv:1710.09990). A time of the latency law is that of a whole batch,
    d/n of the work.

    * ``load`` (float, optional): Share of the work that a batch is, instead of its true share.
    * ``d`` (int): Chunks in a batch, 1 ≤ d ≤ n.
    * ``placement`` ({"cyclic", "disjoint", "random-batches", "random"} or list of lists): Who holds
      what. ``cyclic``: worker w the chunks w, …, w + d − 1 modulo n (the default). ``disjoint``:
      n/d batches without common chunks, each held by d workers, as in `replication`.
      ``random-batches``: each worker one of those batches, at random. ``random``: each any d
      chunks. Random ones are drawn anew until every chunk is held, and are then the same in all
      rounds. Or the chunks of each worker, counted from 0: n lists of d,
      in which the work has as many chunks as they name.
    * ``deadline`` (float, optional): Seconds after which the master stops waiting; chunks that
      nobody has sent by then are ``lost``.
    * ``seed`` (int): Of random placements; 1 by default.

    Raises FastgcError if not 1 ≤ d ≤ n, d does not divide n where batches are disjoint, lists leave
    out a chunk, or none of 1000 random placements covers all.

    >>> batches(n=3, d=2).structure()
    Chunks(orders=((0, 1), (1, 2), (2, 0)), copies=1, fresh=False, at_once=True)
    >>> batches(n=6, d=3, placement="random-batches", seed=2).sizes()
    [4, 4, 4, 2, 2, 2]
    """

    DESIGN_KEYS: ClassVar[tuple[str, ...]] = ("chunks",)
    PRECEDENCE: ClassVar[int] = 15

    family: Literal["batches"] = "batches"
    d: Annotated[Workers, AtMostN]
    placement: Literal["cyclic", "disjoint", "random-batches", "random"] | Lists = "cyclic"
    deadline: Positive | None = None
    seed: Seed = 1

    @pydantic.model_validator(mode="after")
    def _possible(self) -> Self:
        n, d, placement = self.n, self.d, self.placement
        if n * d > MOST_TASKS:
            most = f"workers can hold at most {MOST_TASKS} chunks together, n · d"
            raise ValueError(f"{most} (got n={n}, d={d})")
        if placement in ("disjoint", "random-batches") and n % d:
            raise ValueError(f"d must divide n with placement {placement} (got n={n}, d={d})")
        if not isinstance(placement, str):
            self._check_lists(placement)
        elif placement.startswith("random"):
            self.held()
        return self

    def _check_lists(self, lists: Held) -> None:
        held = holders(lists, "placement", self.n, self.d)
        if held.min() < 1:
            raise ValueError(
                f"every chunk from 0 to {held.size - 1}, the largest, must be in a list of "
                f"placement (got none with chunk {int(held.argmin())})"
            )

    @classmethod
    def candidates(cls, cluster: Cluster) -> Sequence[Candidates]:
        """Return overlapping, disjoint and random batches of up to ``chunks`` chunks."""
        assert cluster.chunks is not None
        n, found = cluster.workers, []
        for placement in ("cyclic", "disjoint", "random-batches"):
            held = [
                {"n": n, "d": d, "placement": placement}
                for d in range(1, min(n, cluster.chunks) + 1)
                if (n % d == 0 or placement == "cyclic") and n * d <= MOST_TASKS
            ]
            systems = tuple(each for keys in held if (each := cls._covering(keys)) is not None)
            found += [Candidates(systems, placement)] if systems else []
        return found

    @classmethod
    def _covering(cls, keys: dict[str, Any]) -> Self | None:
        """Return the system of these keys; None where none of its random placements covers all."""
        try:
            return cls.model_validate(keys)
        except pydantic.ValidationError:
            return None

    def held(self) -> Held:
        """Return the chunks of each worker."""
        n, d, placement = self.n, self.d, self.placement
        if not isinstance(placement, str):
            return placement
        if placement == "cyclic":
            return tuple(tuple((w + i) % n for i in range(d)) for w in range(n))
        if placement == "disjoint":
            return tuple(tuple(range(w - w % d, w - w % d + d)) for w in range(n))
        for draw in range(_DRAWS):
            found = self._drawn(f"{placement} {draw}")
            if np.unique(found).size == n:
                return tuple(map(tuple, found.tolist()))
        raise ValueError(
            f"none of {_DRAWS} placements at random covers all {n} chunks (got n={n}, d={d}); "
            "take a larger d"
        )

    def _drawn(self, name: str) -> np.ndarray[Any, np.dtype[np.int64]]:
        """Return chunks (n, d) at random, whole batches or any."""
        n, d = self.n, self.d
        if self.placement == "random-batches":
            batch = (uniforms(self.seed, name, n) * (n // d)).astype(np.int64)
            return np.asarray(batch[:, np.newaxis] * d + np.arange(d))
        keys = uniforms(self.seed, name, n * n).reshape(n, n)
        return np.sort(np.argsort(keys, axis=1, kind="stable")[:, :d], axis=1)

    def structure(self) -> Chunks | Capped:
        """Return who covers what, until the deadline if there is one."""
        found = Chunks(self.held(), at_once=True)
        return found if self.deadline is None else Capped(found, self.deadline)

    def sizes(self) -> list[int]:
        """Return how many workers hold each chunk."""
        return [len(own) for own in Chunks(self.held(), at_once=True).holders]

    def facts(self) -> dict[str, Any]:
        """Return how many answers are always enough, beside what all systems tell."""
        least = min(self.sizes())
        return super().facts() | {"tolerance": least - 1, "worst_answers": self.n - least + 1}

    def message(self) -> float:
        """Return 1 where whole batches are added up, else a gradient for each chunk: d."""
        return 1.0 if self.placement in ("disjoint", "random-batches") else float(self.d)

    def default_share(self) -> float:
        return self.d / len(self.sizes())


batches = maker(BatchesSystem)
