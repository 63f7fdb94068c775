"""Batches of chunks that workers answer for at once: done when every chunk is covered."""

from collections.abc import Sequence
from typing import Annotated, Any, ClassVar, Literal, Self

import numpy as np
import pydantic

from fastgc.draws.streams import uniforms
from fastgc.latency.law import Positive
from fastgc.registry import register
from fastgc.registry.makers import maker
from fastgc.registry.numbers import Seed
from fastgc.systems.chunk_lists import Lists, holders
from fastgc.systems.system import MOST_TASKS, AtMostN, Candidates, Cluster, SizedSystem, Workers
from fastgc.systems.timing.later import Capped
from fastgc.systems.timing.parts import Chunks

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
