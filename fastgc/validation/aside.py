"""Finite statements, measured beside the sampling: brute force in Python, on a thread of its own.

Kernels let other threads run, so that both take little more time than the longer one.
"""

from collections import deque
from collections.abc import Callable, Container, Sequence
from concurrent.futures import ThreadPoolExecutor
from types import TracebackType

from fastgc.results.rows import ENUMERATION
from fastgc.statistics.estimates import Estimate
from fastgc.theory.papers.claim import Claim
from fastgc.validation.decision_rules import Evidence
from fastgc.validation.finite import measure


class Aside:
    """Measures the finite cases of claims but those that are ``known``, by identity, in order."""

    def __init__(self, claims: Sequence[Claim], known: Container[int]) -> None:
        self._thread = ThreadPoolExecutor(1)
        self._counts = deque(
            (claim.id, id(case), self._thread.submit(measure, case.experiment))
            for claim in claims
            for case in claim.cases
            if case.is_finite and id(case) not in known
        )

    def __enter__(self) -> "Aside":
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._thread.shutdown(wait=False, cancel_futures=True)

    def gather(
        self, evidence: dict[int, Evidence], found: Callable[[str], None], *, wait: bool = False
    ) -> None:
        """Put into ``evidence`` what is known by now, or all; ``found`` gets each claim's name."""
        while self._counts and (wait or self._counts[0][2].done()):
            name, case, count = self._counts.popleft()
            evidence[case] = Evidence(Estimate(count.result(), 0.0), ENUMERATION)
            if not self._counts or self._counts[0][0] != name:
                found(name)
