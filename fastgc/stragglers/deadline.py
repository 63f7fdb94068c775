"""Workers that straggle by being late: those that take longer than the deadline, load counted."""

from fractions import Fraction
from typing import TYPE_CHECKING, Any, ClassVar, Literal

from fastgc.codes.code import Code
from fastgc.errors import FastgcError
from fastgc.latency import Law, Scaling, listed
from fastgc.latency.law import Positive
from fastgc.registry import register
from fastgc.stragglers.iid import Iid
from fastgc.stragglers.pattern_law import PatternLaw
from fastgc.stragglers.stragglers import Stragglers

if TYPE_CHECKING:
    Laws = tuple[Law, ...]
else:
    Laws = listed.laws()


@register("stragglers")
class Deadline(Stragglers):
    """Worker j straggles iff its time for its load exceeds ``deadline``; times are independent.

    The load is ``work`` times the share of the partitions that the worker holds. A worker that
    holds nothing is never late.

    * ``deadline`` (float): Seconds, more than 0.
    * ``latency`` (Law or tuple of Law): The law of the seconds that a load of 1 takes: one for all
      workers, or a list of one each.
    * ``work`` (float): The load of all partitions together, more than 0; 1 by default.

    >>> import fastgc
    >>> result = fastgc.run({
    ...     "code": {"family": "uncoded", "n": 4},
    ...     "stragglers": {"model": "deadline", "deadline": 2.0,
    ...                    "latency": {"distribution": "uniform", "low": 0.0, "high": 10.0}},
    ... })
    >>> round(result["experiment1"]["error"].mean.value, 12)
    0.8
    """

    looks_at_code: ClassVar[bool] = True

    model: Literal["deadline"] = "deadline"
    deadline: Positive
    latency: Laws
    work: Positive = 1.0
    scaling: Scaling = "server-dependent"

    def identity(self) -> dict[str, Any]:
        laws = [law.identity() for law in self.latency]
        return super().identity() | {"latency": laws}

    def files(self) -> dict[str, Any]:
        return {name: text for law in self.latency for name, text in law.files().items()}

    def complaints(self, n: int) -> list[tuple[str, str]]:
        found = listed.complaints(self.latency, n)
        found += listed.scaling_complaints(self.latency, self.scaling)
        for i, law in enumerate(self.latency):
            which = listed.which(self.latency, i)
            if not isinstance(law, Law):
                sentence = (
                    f"a deadline needs P(X > t); make {type(law).__name__} a subclass of "
                    "fastgc.latency.Law"
                )
            elif any(part.order in ("rows", "replay") for part in listed.recorded(law)):
                sentence = (
                    'order: must be "pooled" or "workers", for a deadline draws each worker\'s '
                    'time alone; stragglers of model "trace" keep rows together'
                )
            else:
                continue
            found.append(("latency", f"{which}{sentence}"))
        return found

    def complaints_with(self, code: Code, shuffle: str) -> list[tuple[str, str]]:
        """What does not fit a code, or a code whose columns are dealt out anew."""
        laws = listed.of_workers(self.latency, code.n)
        for j, load in enumerate(self._loads(code)):
            try:
                laws[j % len(laws)].time(load, self.scaling)
            except FastgcError as problem:
                return [("scaling", f"{problem}, for worker {j}")]
        loads = sorted(set(self._loads(code)))
        if shuffle == "none" or len(loads) == 1:
            return []
        for law in laws:
            if len({self._late(law, load) for load in loads}) > 1:
                sentence = (
                    f'must come with shuffle = "none" (got {shuffle!r}): loads differ, from '
                    f"{loads[0]:g} to {loads[-1]:g}, so who is late would change with the columns"
                )
                return [("deadline", sentence)]
        return []

    def bind(self, code: Code | None) -> PatternLaw:
        """Return the stragglers of a code: independent, each with its own probability."""
        if code is None:
            raise FastgcError("stragglers: a deadline needs a code, which says who holds how much")
        laws = listed.of_workers(self.latency, code.n)
        loads = [(j % len(laws), load) for j, load in enumerate(self._loads(code))]
        late = {(law, load): self._late(laws[law], load) for law, load in dict.fromkeys(loads)}
        return Iid(p=tuple(late[each] for each in loads))

    def _loads(self, code: Code) -> list[float]:
        work = Fraction(self.work)
        return [float(work * load / code.k) for load in code.loads.tolist()]

    def _late(self, law: Law, load: float) -> float:
        probability = float(law.time(load, self.scaling).survival(self.deadline))
        return min(1.0, max(0.0, probability))
