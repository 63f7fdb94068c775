"""Codes: who holds which partition.

Each function returns a `Code`; the same names and parameters are the families of a study.
"""

from fastgc.codes.binary import (
    binary,
    circulant,
    frc,
    heterogeneous_binary,
    sparse_regular,
    uncoded,
)
from fastgc.codes.code import Code, code_of, unevenness
from fastgc.codes.columns import Columns
from fastgc.codes.cyclic import cyclic, cyclic_mds
from fastgc.codes.family import Family
from fastgc.codes.graph import bibd, graph
from fastgc.codes.matrix import matrix
from fastgc.codes.per_trial import CodeOfTrials, bernoulli
from fastgc.codes.structure import (
    Components,
    CycleGaps,
    General,
    Groups,
    Intervals,
    Structure,
    structure_of,
)

__all__ = [
    "Code",
    "CodeOfTrials",
    "Columns",
    "Components",
    "CycleGaps",
    "Family",
    "General",
    "Groups",
    "Intervals",
    "Structure",
    "bernoulli",
    "bibd",
    "binary",
    "circulant",
    "code_of",
    "cyclic",
    "cyclic_mds",
    "frc",
    "graph",
    "heterogeneous_binary",
    "matrix",
    "sparse_regular",
    "structure_of",
    "uncoded",
    "unevenness",
]
