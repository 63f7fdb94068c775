"""Codes over several rounds: what is late in one is made up for in the next ones.

Krishnan, Ebrahimi, Khisti, *Sequential Gradient Coding for Straggler Mitigation* (ICLR 2023,
arXiv:2211.13802). They are for experiments of kind "sequence".
"""

from abc import abstractmethod
from collections.abc import Iterable, Sequence
from typing import Annotated, Any, ClassVar, Literal

import pydantic

from fastgc.errors import FastgcError
from fastgc.registry import register
from fastgc.registry.makers import maker
from fastgc.systems.system import AtMostN, Candidates, Cluster, Count, SizedSystem
from fastgc.systems.timing.structure import Rounds, Structure
from fastgc_kernels.complete import sequences as kernel

#: Rounds that the past of a worker may reach back.
MOST_WINDOW = 63


class SequentialSystem(SizedSystem):
    """Base of the codes that are made for bursts of stragglers over several rounds.

    In every ``window`` of consecutive rounds they take up to ``distinct`` workers that straggle,
    each in rounds that lie within ``burst`` consecutive ones.

    * ``burst`` (int): Rounds that a worker's burst reaches over, at least 1.
    * ``window`` (int): Consecutive rounds that are looked at, from 2 to 63.
    * ``distinct`` (int): Workers that may straggle in these, 0 ≤ distinct ≤ n.
    """

    DESIGN_KEYS: ClassVar[tuple[str, ...]] = ("sequence",)

    burst: Annotated[int, pydantic.Field(ge=1, le=MOST_WINDOW)]
    window: Annotated[int, pydantic.Field(ge=2, le=MOST_WINDOW)]
    distinct: Annotated[Count, AtMostN]

    @abstractmethod
    def delay(self) -> int:
        """Return the rounds after the one in which a job begins, until it must be decoded."""

    @classmethod
    def candidates(cls, cluster: Cluster) -> Sequence[Candidates]:
        """Return codes of all loads for windows of up to so many rounds."""
        found = []
        for window in range(2, (cluster.window or 0) + 1):
            for burst in range(1, window):
                found += cls._of_loads(cluster.workers, burst, window)
        return found

    @classmethod
    @abstractmethod
    def _of_loads(cls, n: int, burst: int, window: int) -> list[Candidates]:
        """Return one code of each load that makes up for a worker, for the most distinct ones."""

    @classmethod
    def _of_distinct(cls, n: int, burst: int, window: int, each: Iterable[int]) -> list[Candidates]:
        keys = {"n": n, "burst": burst, "window": window}
        found = tuple(cls.model_validate(keys | {"distinct": own}) for own in each)
        return [Candidates(found)] if found else []

    @abstractmethod
    def _code(self) -> tuple[int, int]:
        """Return which code it is to the kernel, and its s."""

    def in_rounds(self, jobs: int, factor: float, then: int = kernel.ALL) -> Rounds:
        """Return what a trial is: so many jobs, and a master that waits ``factor`` the fastest."""
        code = (*self._code(), self.burst, self.window, self.distinct, jobs)
        return Rounds(self.n, code, jobs + self.delay(), factor, then)

    def facts(self) -> dict[str, Any]:
        return super().facts() | {"delay": self.delay()}

    def structure(self) -> Structure:
        """Refuse: rounds are not alike."""
        family = self.settings()["family"]
        raise FastgcError(
            f'{family} codes over several rounds; give the experiment kind = "sequence", and jobs'
        )


@register("system")
class SrSgc(SequentialSystem):
    """A gradient code whose late tasks are repeated: SR-SGC of `fastgc.systems.sequential`.

    Each job is coded for s = ⌈burst·distinct/(window − 1 + burst)⌉ stragglers. Where more owe
    their task, all but s of them repeat it ``burst`` rounds later, in place of that round's own.

    * ``window`` (int): Consecutive rounds that are looked at, from 2 to 63; ``burst`` divides
      window − 1.
    * ``rule`` ({"paper", "peer"}): Whether a round with at most s stragglers, and nothing to
      repeat, is never waited for (paper, the default); or only not counted in later ones, as the
      authors' program has it.

    Raises FastgcError if burst does not divide window − 1, 0 ≤ distinct ≤ n does not hold, or s ≥
    n.

    >>> system = sr_sgc(n=256, burst=2, window=3, distinct=23)
    >>> system.s, system.share(), system.delay()
    (12, 0.05078125, 2)
    """

    family: Literal["sr-sgc"] = "sr-sgc"
    rule: Literal["paper", "peer"] = "paper"

    @pydantic.field_validator("window")
    @classmethod
    def _whole_bursts(cls, window: int, info: pydantic.ValidationInfo) -> int:
        burst = info.data.get("burst")
        if burst is not None and (window - 1) % burst:
            raise ValueError(f"window - 1 must be a multiple of burst (got {window}, {burst})")
        return window

    @pydantic.field_validator("distinct")
    @classmethod
    def _attainable(cls, distinct: int, info: pydantic.ValidationInfo) -> int:
        n, burst, window = (info.data.get(key) for key in ("n", "burst", "window"))
        if n is None or burst is None or window is None:
            return distinct
        if (s := _stragglers(burst, window, distinct)) >= n:
            raise ValueError(f"needs a code for s={s} stragglers, which must be less than n={n}")
        return distinct

    @property
    def s(self) -> int:
        """Stragglers that the code of a job survives."""
        return _stragglers(self.burst, self.window, self.distinct)

    @classmethod
    def _of_loads(cls, n: int, burst: int, window: int) -> list[Candidates]:
        if (window - 1) % burst:
            return []
        most = {_stragglers(burst, window, distinct): distinct for distinct in range(n + 1)}
        return cls._of_distinct(n, burst, window, [most[s] for s in sorted(most) if 0 < s < n])

    def _code(self) -> tuple[int, int]:
        return (kernel.REPEATING if self.rule == "paper" else kernel.REPEATING_PEER), self.s

    def delay(self) -> int:
        return self.burst

    def facts(self) -> dict[str, Any]:
        return super().facts() | {"s": self.s}

    def default_share(self) -> float:
        """Return (s + 1)/n."""
        return (self.s + 1) / self.n


def _stragglers(burst: int, window: int, distinct: int) -> int:
    return -(-burst * distinct // (window - 1 + burst))


sr_sgc = maker(SrSgc)


@register("system")
class MSgc(SequentialSystem):
    """Mini-tasks of several jobs in every round: M-SGC of `fastgc.systems.sequential`.

    A worker has window − 1 chunks of data of its own, and ``burst`` groups of coded ones, each a
    gradient code for ``distinct`` stragglers. In a round it does window − 1 + burst mini-tasks: one
    of each of the last jobs. What it misses of its own chunks it makes up for in place of coded
    ones.

    Raises FastgcError if burst < window or 0 ≤ distinct ≤ n does not hold.

    >>> system = m_sgc(n=256, burst=1, window=2, distinct=27)
    >>> round(system.share(), 7), system.delay()
    (0.0075431, 1)
    """

    family: Literal["m-sgc"] = "m-sgc"

    @pydantic.field_validator("window")
    @classmethod
    def _longer(cls, window: int, info: pydantic.ValidationInfo) -> int:
        burst = info.data.get("burst")
        if burst is not None and burst >= window:
            raise ValueError(f"must be more than burst (got burst={burst}, window={window})")
        return window

    @classmethod
    def _of_loads(cls, n: int, burst: int, window: int) -> list[Candidates]:
        return cls._of_distinct(n, burst, window, range(1, n + 1))

    def _code(self) -> tuple[int, int]:
        return kernel.MULTIPLEXED, 0

    def delay(self) -> int:
        return self.window - 2 + self.burst

    def default_share(self) -> float:
        """Return the data of all mini-tasks of a round, a share of that of one job."""
        tasks, own = self.window - 1 + self.burst, self.window - 1
        if self.distinct == self.n:
            return tasks / (self.n * own)
        held = self.distinct + 1
        return held * tasks / (self.n * (self.burst + own * held))

    def message(self) -> float:
        return float(self.window - 1 + self.burst)

    def facts(self) -> dict[str, Any]:
        """Return the least load of any code for these bursts, beside what all of them tell."""
        tasks, own = self.window - 1 + self.burst, self.window - 1
        least = tasks / (self.n * own + self.burst * (self.n - self.distinct))
        return super().facts() | {"least_load": least}


m_sgc = maker(MSgc)
