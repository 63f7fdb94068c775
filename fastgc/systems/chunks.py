"""Chunks of the work that several workers hold, nothing coded: sent one by one, or at once."""

import contextlib
from collections.abc import Sequence
from typing import Annotated, Any, ClassVar, Literal, Self

import numpy as np
import pydantic

from fastgc.draws.streams import uniforms
from fastgc.latency.law import Positive
from fastgc.registry import register
from fastgc.registry.makers import maker
from fastgc.registry.number_types import AtMostN, Seed
from fastgc.systems.system import MOST_TASKS, Candidates, Cluster, SizedSystem, Workers
from fastgc.systems.timing.group_structures import Chunks
from fastgc.systems.timing.stars import Capped

Lists = Annotated[
    tuple[tuple[Annotated[int, pydantic.Field(ge=0)], ...], ...], pydantic.Field(min_length=1)
]


Orders = tuple[tuple[int, ...], ...]


def _check(n: int, d: int, placement: object) -> None:
    if n * d > MOST_TASKS:
        most = f"workers can hold at most {MOST_TASKS} chunks together, n · d"
        raise ValueError(f"{most} (got n={n}, d={d})")
    if placement in ("frc", "disjoint", "random-batches") and n % d:
        raise ValueError(f"d must divide n with placement {placement} (got n={n}, d={d})")


def _check_lists(lists: Orders, key: str, n: int, d: int) -> None:
    if len(lists) != n:
        raise ValueError(f"{key} must have one list a worker (got {len(lists)} for n={n})")
    for w, own in enumerate(lists):
        if len(own) != d or len(set(own)) != d:
            raise ValueError(f"{key}[{w}] must have d={d} different chunks (got {list(own)})")
    held = np.bincount(np.concatenate([np.array(own) for own in lists]))
    if not held.all():
        raise ValueError(
            f"every chunk from 0 to {held.size - 1}, the largest in {key}, must be in a list of it "
            f"(got none for chunk {int(held.argmin())})"
        )


def _offered(
    cls: type[SizedSystem], cluster: Cluster, placements: Sequence[str]
) -> list[Candidates]:
    """Up to ``chunks`` chunks a worker, placed so; none where d does not fit the placement."""
    assert cluster.chunks is not None
    n, found = cluster.workers, []
    for placement in placements:
        systems = []
        for d in range(1, min(n, cluster.chunks) + 1):
            with contextlib.suppress(pydantic.ValidationError):
                systems.append(cls.model_validate({"n": n, "d": d, "placement": placement}))
        found += [Candidates(tuple(systems), placement)] if systems else []
    return found


@register("system")
class Partial(SizedSystem):
    """Chunks that every worker sends as it finishes them, in an order of its own.

    The work is cut into n chunks, of which each worker holds d and answers after every one of them;
    it is done when each chunk has been finished by a worker (Ramamoorthy, Meng, Girimaji,
    *Leveraging partial stragglers within gradient coding*, 2024; Ozfatura, Gündüz, Ulukus,
    *Gradient Coding with Clustering and Multi-message Communication*, 2019). A time of the latency
    law is that of one chunk, an n-th of ``work``. Messages are as long as the gradient, up to n·d.

    * ``load`` (float, optional): Share of the work that one chunk is, instead of its true share.
    * ``d`` (int): Chunks that each worker holds, 1 ≤ d ≤ n.
    * ``placement`` ({"cyclic", "frc"}, optional): Who holds which chunks: worker w the chunks w, …,
      w + d − 1 modulo n (the default), or d workers together the same d chunks. Leave it out where
      ``order`` lists the chunks.
    * ``order`` ({"cyclic", "sorted", "random"} or list of lists): In which order a worker does its
      chunks. ``cyclic``: each begins with a chunk of its own and goes around (the default).
      ``sorted``: by number, as a data loader reads. ``random``: as ``seed`` says. Or the chunks of
      each worker, counted from 0: n lists of d; the work has as many chunks as they name.
    * ``draws`` ({"speed", "task"}): Whether a worker's chunks all take one time X, so that its j-th
      is done at j·X (the default), or each takes a time of its own.
    * ``deadline`` (float, optional): Seconds after which the master stops waiting; chunks that then
      nobody has finished are ``lost``.
    * ``seed`` (int): Of the random orders; 1 by default.

    Raises FastgcError if not 1 ≤ d ≤ n, d does not divide n with "frc", or lists are no orders.

    >>> partial(n=3, d=2).structure()
    Chunks(orders=((0, 1), (1, 2), (2, 0)), fresh=False, at_once=False)
    >>> partial(n=6, d=3).worst_chunks(), partial(n=6, d=3, order="sorted").worst_chunks()
    (13, 16)
    """

    DESIGN_KEYS: ClassVar[tuple[str, ...]] = ("chunks",)

    family: Literal["partial"] = "partial"
    d: Annotated[Workers, AtMostN]
    placement: Literal["cyclic", "frc"] | None = None
    order: Literal["cyclic", "sorted", "random"] | Lists = "cyclic"
    draws: Literal["speed", "task"] = "speed"
    deadline: Positive | None = None
    seed: Seed = 1

    @pydantic.model_validator(mode="after")
    def _possible(self) -> Self:
        _check(self.n, self.d, self.placement)
        if not isinstance(self.order, str):
            if self.placement is not None:
                raise ValueError("lists of chunks say who holds them; leave placement out")
            _check_lists(self.order, "order", self.n, self.d)
        return self

    @classmethod
    def candidates(cls, cluster: Cluster) -> Sequence[Candidates]:
        return _offered(cls, cluster, ("cyclic", "frc"))

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
        return tuple(map(tuple, held))

    def structure(self) -> Chunks | Capped:
        chunks = Chunks(self.orders(), self.draws == "task")
        return chunks if self.deadline is None else Capped(chunks, self.deadline)

    def worst_chunks(self) -> int:
        """Return Q: so many finished chunks are always enough, and Q − 1 may not be."""
        return Chunks(self.orders()).worst

    def facts(self) -> dict[str, Any]:
        return super().facts() | {
            "worst_chunks": self.worst_chunks(),
            "tolerance": min(map(len, Chunks(self.orders()).holders)) - 1,
            "most_messages": self.n * self.d,
        }

    def chunks(self) -> int:
        """Return the number of chunks."""
        return self.n if isinstance(self.order, str) else 1 + max(map(max, self.order))

    def default_share(self) -> float:
        return 1 / self.chunks()

    def burden(self) -> float:
        return self.d * self.share()


partial = maker(Partial)


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
    Chunks(orders=((0, 1), (1, 2), (2, 0)), fresh=False, at_once=True)
    >>> batches(n=6, d=3, placement="random-batches", seed=2).sizes()
    [4, 4, 4, 2, 2, 2]
    """

    DESIGN_KEYS: ClassVar[tuple[str, ...]] = ("chunks",)

    family: Literal["batches"] = "batches"
    d: Annotated[Workers, AtMostN]
    placement: Literal["cyclic", "disjoint", "random-batches", "random"] | Lists = "cyclic"
    deadline: Positive | None = None
    seed: Seed = 1

    @pydantic.model_validator(mode="after")
    def _possible(self) -> Self:
        _check(self.n, self.d, self.placement)
        if not isinstance(self.placement, str):
            _check_lists(self.placement, "placement", self.n, self.d)
        elif self.placement.startswith("random"):
            self.held()
        return self

    @classmethod
    def candidates(cls, cluster: Cluster) -> Sequence[Candidates]:
        return _offered(cls, cluster, ("cyclic", "disjoint", "random-batches"))

    def held(self) -> Orders:
        """Return the chunks of each worker."""
        n, d, placement = self.n, self.d, self.placement
        if not isinstance(placement, str):
            return placement
        if placement == "cyclic":
            return tuple(tuple((w + i) % n for i in range(d)) for w in range(n))
        if placement == "disjoint":
            return tuple(tuple(range(w - w % d, w - w % d + d)) for w in range(n))
        for draw in range(_DRAWS):
            name = f"{placement} {draw}"
            if placement == "random-batches":
                batch = (uniforms(self.seed, name, n) * (n // d)).astype(np.int64)
                found = batch[:, np.newaxis] * d + np.arange(d)
            else:
                keys = uniforms(self.seed, name, n * n).reshape(n, n)
                found = np.sort(np.argsort(keys, axis=1, kind="stable")[:, :d], axis=1)
            if np.unique(found).size == n:
                return tuple(map(tuple, found.tolist()))
        raise ValueError(
            f"none of {_DRAWS} placements at random covers all {n} chunks (got n={n}, d={d}); "
            "take a larger d"
        )

    def structure(self) -> Chunks | Capped:
        found = Chunks(self.held(), at_once=True)
        return found if self.deadline is None else Capped(found, self.deadline)

    def sizes(self) -> list[int]:
        """Return how many workers hold each chunk."""
        return [len(own) for own in Chunks(self.held(), at_once=True).holders]

    def facts(self) -> dict[str, Any]:
        least = min(self.sizes())
        return super().facts() | {"tolerance": least - 1, "worst_answers": self.n - least + 1}

    def message(self) -> float:
        """Return 1 where whole batches are added up, else a gradient for each chunk: d."""
        return 1.0 if self.placement in ("disjoint", "random-batches") else float(self.d)

    def default_share(self) -> float:
        return self.d / len(self.sizes())


batches = maker(BatchesSystem)
