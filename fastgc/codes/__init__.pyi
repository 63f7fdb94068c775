from collections.abc import Sequence
from typing import Literal

from fastgc.codes.code import Code as Code
from fastgc.codes.code import code_of as code_of
from fastgc.codes.code import unevenness as unevenness
from fastgc.codes.columns import Columns as Columns
from fastgc.codes.family import Family as Family
from fastgc.codes.matrix import matrix as matrix
from fastgc.codes.per_trial import CodeOfTrials as CodeOfTrials
from fastgc.codes.structure import Components as Components
from fastgc.codes.structure import CycleGaps as CycleGaps
from fastgc.codes.structure import General as General
from fastgc.codes.structure import Groups as Groups
from fastgc.codes.structure import Intervals as Intervals
from fastgc.codes.structure import Structure as Structure
from fastgc.codes.structure import structure_of as structure_of

# fastgc.codes.binary
def binary(n: int, s: int, k: int | None = None) -> Code: ...
def circulant(n: int, d: int) -> Code: ...
def frc(n: int, d: int) -> Code: ...
def heterogeneous_binary(
    workers: Sequence[int], times: Sequence[float], s: int, k: int | None = None
) -> Code: ...
def sparse_regular(n: int, d: int, seed: int = 1) -> Code: ...
def uncoded(n: int) -> Code: ...

# fastgc.codes.cyclic
def cyclic(n: int, d: int, seed: int = 1) -> Code: ...
def cyclic_mds(n: int, d: int, field: Literal["real", "complex"] = "real") -> Code: ...

# fastgc.codes.graph
def bibd(name: Literal["fano", "pg(2,3)", "ag(2,3)", "paley-11"]) -> Code: ...
def graph(
    name: Literal["cycle", "complete", "petersen", "random-regular"] | None = None,
    vertices: int | None = None,
    degree: int | None = None,
    seed: int | None = None,
    edges: Sequence[Sequence[int]] | None = None,
) -> Code: ...

# fastgc.codes.per_trial
def bernoulli(
    n: int, density: float, k: int | None = None, seed: int | Literal["trial"] = 1
) -> Code: ...
