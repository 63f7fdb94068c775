"""Workers that straggle by being late: whoever takes longer than the deadline, load counted."""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING, Annotated, Any, Literal

import pydantic
from pydantic import Field

from fastgc import registry
from fastgc.codes.code import Code
from fastgc.errors import FastgcError
from fastgc.latency import Law, Scaling
from fastgc.latency.empirical import Empirical
from fastgc.latency.law import Positive
from fastgc.registry import Member, register
from fastgc.stragglers.iid import Iid

if TYPE_CHECKING:
    AnyLaw = Law
else:
    AnyLaw = registry.union("latency")


@register("stragglers")
class Deadline(Member):
    """Worker j straggles iff its time for its load exceeds ``deadline``; times are independent.

    The load is ``work`` times the share of the partitions that the worker holds; ``scaling`` says
    how time grows with it, as in `fastgc.latency.law.Law.time`. ``latency`` is the law of the time
    for a load of 1: one for all workers or a list, one each. A worker that holds nothing is never
    late.
    """

    model: Literal["deadline"] = "deadline"
    deadline: Positive
    latency: Annotated[tuple[AnyLaw, ...], Field(min_length=1)]
    work: Positive = 1.0
    scaling: Scaling = "server-dependent"

    @pydantic.field_validator("latency", mode="before")
    @classmethod
    def _listed(cls, latency: Any) -> Any:
        # what a validator hands on is no longer JSON, in which lists fit tuples
        laws = _frozen(latency)
        return laws if isinstance(laws, tuple) else (laws,)

    def identity(self) -> dict[str, Any]:
        """Name the files in a law by their content."""
        laws = [law.identity() for law in self.latency]
        return super().identity() | {"latency": laws}

    def files(self) -> dict[str, Any]:
        """Return the files that the laws read."""
        return {name: text for law in self.latency for name, text in law.files().items()}

    def complaints(self, n: int) -> list[tuple[str, str]]:
        """What does not fit a code of n workers."""
        if len(self.latency) not in (1, n):
            got = len(self.latency)
            return [
                ("latency", f"must be one law or a list of one per worker (got {got} for n={n})")
            ]
        found = []
        for i, law in enumerate(self.latency):
            which = f"law {i}: " if len(self.latency) > 1 else ""
            found += [
                ("latency", f"{which}{field}: {sentence}") for field, sentence in law.complaints(n)
            ]
            if not isinstance(law, Law):
                sentence = (
                    f"{which}a deadline needs P(X > t); make {type(law).__name__} a subclass of "
                    "fastgc.latency.Law"
                )
                found.append(("latency", sentence))
            elif any(part.order in ("rows", "replay") for part in _empirical(law)):
                sentence = (
                    f'{which}order: must be "pooled" or "workers", for a deadline draws each '
                    'worker\'s time alone; stragglers of model "trace" keep rows together'
                )
                found.append(("latency", sentence))
        return found

    def complaints_with(self, code: Code, shuffle: str) -> list[tuple[str, str]]:
        """What does not fit a code, or a code whose columns are dealt out anew."""
        found = []
        laws = self._laws(code.n)
        for j, load in enumerate(self._loads(code)):
            try:
                laws[j % len(laws)].time(load, self.scaling)
            except FastgcError as problem:
                found.append(("scaling", f"{problem}, for worker {j}"))
                break
        loads = sorted(set(self._loads(code)))
        if found or shuffle == "none" or len(loads) == 1:
            return found
        for law in laws:
            if len({self._late(law, load) for load in loads}) > 1:
                sentence = (
                    f'must come with shuffle = "none" (got {shuffle!r}): loads differ, from '
                    f"{loads[0]:g} to {loads[-1]:g}, so who is late would change with the columns"
                )
                return [("deadline", sentence)]
        return []

    def straggle(self, code: Code) -> tuple[float, ...]:
        """Probability of every worker to be late, P(T_j > deadline)."""
        laws = self._laws(code.n)
        chances: dict[tuple[int, float], float] = {}
        for i, load in enumerate(self._loads(code)):
            at = i % len(laws), load
            if at not in chances:
                chances[at] = self._late(laws[at[0]], load)
        return tuple(chances[i % len(laws), load] for i, load in enumerate(self._loads(code)))

    def bind(self, code: Code) -> Any:
        """Return the stragglers of a code: independent, each with its own probability."""
        return Iid(p=self.straggle(code))

    def _loads(self, code: Code) -> list[float]:
        """ℓ_j = work · load_j/k, rounded once."""
        work = Fraction(self.work)
        return [float(work * load / code.k) for load in code.loads.tolist()]

    def _laws(self, n: int) -> list[Law]:
        """One law, or one for each of n workers."""
        own = [law for law in self.latency for _ in range(n // len(self.latency))]
        laws = [law.of_worker(j) for j, law in enumerate(own)]
        return laws[:1] if all(law is laws[0] for law in laws) else laws

    def _late(self, law: Law, load: float) -> float:
        chance = float(law.time(load, self.scaling).survival(self.deadline))
        return min(1.0, max(0.0, chance))


def _frozen(data: Any) -> Any:
    """Data with tuples for lists."""
    if isinstance(data, dict):
        return {key: _frozen(value) for key, value in data.items()}
    if isinstance(data, list | tuple):
        return tuple(_frozen(value) for value in data)
    return data


def _empirical(law: Law) -> list[Empirical]:
    """The recorded laws in a law."""
    if isinstance(law, Empirical):
        return [law]
    return [part for _, part in law if isinstance(part, Empirical)]
