"""The systems of one scheme that differ in one parameter, as candidates."""

from __future__ import annotations

from collections.abc import Callable

from fastgc.planning.candidate import Candidate
from fastgc.systems.system import Candidates, System


def by_value(candidate: Candidate) -> float:
    """Return what candidates are ordered by: the time they take."""
    return candidate.value


class CandidateList:
    """Candidates of one scheme that differ in one parameter, in its order.

    Of a long list some are looked at first, then those between and beside the good ones.

    Parameters
    ----------
    offered : Candidates
        What the scheme offers.
    make : callable
        Makes a candidate of a scheme's system; None where it cannot be timed or is not wanted.
    longest : int
        Systems of a list that are all looked at; of a longer one every other, fourth, … first.

    Attributes
    ----------
    group : str
        The best candidate of each group of a scheme's lists is shown.
    """

    def __init__(
        self,
        scheme: str,
        offered: Candidates,
        make: Callable[[str, System], Candidate | None],
        longest: int,
    ) -> None:
        self.scheme, self.group = scheme, offered.group
        self._systems, self._make = offered.systems, make
        self._made: dict[int, Candidate | None] = {}
        self._stride = 1
        while len(self) > self._stride * longest:
            self._stride *= 2
        self._look({*range(0, len(self), self._stride), len(self) - 1})

    def __len__(self) -> int:
        return len(self._systems)

    @property
    def seen(self) -> int:
        """Number of systems that were looked at."""
        return len(self._made)

    @property
    def candidates(self) -> list[Candidate]:
        """The candidates that were looked at, in the parameter's order."""
        made = (self._made[i] for i in sorted(self._made))
        return [candidate for candidate in made if candidate is not None]

    def refine(self) -> bool:
        """Look at more systems, beside good ones; return False if nothing was left to try."""
        if self._stride == 1:
            return False
        self._stride //= 2
        best = min(self.candidates, key=by_value, default=None)
        left = [i for i, c in self._made.items() if c and (c is best or not c.dropped)]
        self._look({j for i in left for j in (i - self._stride, i + self._stride)})
        return True

    def neighbours(self, candidate: Candidate) -> list[Candidate]:
        """Return the neighbours of a candidate that were looked at."""
        [i] = [i for i, c in self._made.items() if c is candidate]
        found = (self._made.get(j) for j in (i - 1, i + 1))
        return [c for c in found if c is not None]

    def _look(self, places: set[int]) -> None:
        for i in sorted(places & set(range(len(self))) - self._made.keys()):
            self._made[i] = self._make(self.scheme, self._systems[i])
