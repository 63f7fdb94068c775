"""Maximum distance separable codes: any k of n answers will do."""

from collections.abc import Sequence
from typing import Annotated, ClassVar, Literal

from fastgc.registry import register
from fastgc.registry.makers import maker
from fastgc.systems.system import AtMostN, Candidates, Cluster, Many, PatientSystem
from fastgc.systems.timing.later import Patient
from fastgc.systems.timing.stars import Flat


@register("system")
class KOfN(PatientSystem):
    """An (n, k) MDS code on a linear computation (Lee et al. 1512.02673).

    Each of n workers has a k-th of the work, coded so that any k answers are enough.

    * ``n`` (int): Workers, 1 ≤ n ≤ 1 000 000.
    * ``k`` (int): Answers that are enough, 1 ≤ k ≤ n.
    * ``patience`` (float, optional): How long the master waits on after the fastest worker; see
      `fastgc.systems.Patient`.

    >>> k_of_n(n=5, k=4).share()
    0.25
    """

    LINEAR: ClassVar[bool] = True
    PRECEDENCE: ClassVar[int] = 4

    family: Literal["k-of-n"] = "k-of-n"
    n: Many
    k: Annotated[Many, AtMostN]

    @classmethod
    def candidates(cls, cluster: Cluster) -> Sequence[Candidates]:
        return cls.with_patience(cluster, [{"k": k} for k in range(1, cluster.workers + 1)])

    def structure(self) -> Flat | Patient:
        return self.waiting(Flat(self.n, self.k))

    def default_share(self) -> float:
        return 1 / self.k


k_of_n = maker(KOfN)
