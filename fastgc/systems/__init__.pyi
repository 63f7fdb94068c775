from collections.abc import Sequence
from typing import Literal

from fastgc.systems.chunks import BatchesSystem, Partial
from fastgc.systems.coded import Block, GradientCode, KOfN, Replication
from fastgc.systems.coded_reduce import CodedReduce as CodedReduce
from fastgc.systems.rules import Hierarchical
from fastgc.systems.schemes import coded_reduce as coded_reduce
from fastgc.systems.schemes import layered as layered
from fastgc.systems.system import Candidates as Candidates
from fastgc.systems.system import Cluster as Cluster
from fastgc.systems.system import System as System
from fastgc.systems.system import TermSystem
from fastgc.systems.timing.completing import Completion as Completion
from fastgc.systems.timing.completing import complete as complete
from fastgc.systems.timing.terms import Term as Term
from fastgc.systems.timing.terms import answers as answers
from fastgc.systems.timing.terms import at_least as at_least
from fastgc.systems.timing.terms import constant as constant
from fastgc.systems.timing.timed_structure import Structure as Structure
from fastgc.systems.uncoded import (
    Balanced,
    BoundedWait,
    Clones,
    DropLate,
    IgnoreStragglers,
    LeaveOut,
    LocalSgd,
    RingAllReduce,
    Spare,
    Uncoded,
)

# fastgc.systems.chunks
def batches(
    n: int,
    d: int,
    placement: Literal["cyclic", "disjoint", "random-batches", "random"]
    | Sequence[Sequence[int]] = "cyclic",
    deadline: float | None = None,
    seed: int = 1,
    load: float | None = None,
) -> BatchesSystem: ...
def partial(
    n: int,
    d: int,
    placement: Literal["cyclic", "frc"] | None = None,
    order: Literal["cyclic", "sorted", "random"] | Sequence[Sequence[int]] = "cyclic",
    draws: Literal["speed", "task"] = "speed",
    deadline: float | None = None,
    seed: int = 1,
    load: float | None = None,
) -> Partial: ...

# fastgc.systems.coded
def block(
    n: int,
    blocks: Literal["1/mean", "mean of 1/x", "optimal"] | Sequence[float],
    coordinates: int | None = None,
    load: float | None = None,
) -> Block: ...
def gradient_code(
    n: int, s: int, load: float | None = None, patience: float | None = None
) -> GradientCode: ...
def k_of_n(n: int, k: int, load: float | None = None, patience: float | None = None) -> KOfN: ...
def replication(
    n: int,
    d: int,
    groups: int | None = None,
    load: float | None = None,
    patience: float | None = None,
) -> Replication: ...

# fastgc.systems.rules
def hierarchical(
    n: int,
    k: Sequence[int] | None = None,
    layers: int | None = None,
    tasks: int | None = None,
    rule: Literal["equal-exponent", "quantile", "optimal", "single-rate"] | None = None,
    draws: Literal["speed", "task"] = "speed",
    load: float | None = None,
) -> Hierarchical: ...

# fastgc.systems.system
def term(term: str, load: float | None = None) -> TermSystem: ...

# fastgc.systems.uncoded
def balanced(n: int, load: float | None = None, basis: int = 10) -> Balanced: ...
def bounded_wait(n: int, k: int, load: float | None = None) -> BoundedWait: ...
def clones(n: int, r: int, after: float = 0.0, load: float | None = None) -> Clones: ...
def drop_late(n: int, deadline: float, load: float | None = None) -> DropLate: ...
def ignore_stragglers(
    n: int, stragglers: int, load: float | None = None, patience: float | None = None
) -> IgnoreStragglers: ...
def leave_out(
    n: int, k: int, who: Sequence[int] | None = None, load: float | None = None, basis: int = 10
) -> LeaveOut: ...
def local_sgd(n: int, period: int, load: float | None = None) -> LocalSgd: ...
def ring_all_reduce(n: int, load: float | None = None) -> RingAllReduce: ...
def spare(n: int, b: int, load: float | None = None) -> Spare: ...
def uncoded(n: int, load: float | None = None) -> Uncoded: ...
