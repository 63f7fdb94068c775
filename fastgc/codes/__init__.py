"""Codes: who holds which partition.

Each function returns a `Code`; the same names and parameters are the families of a study.
"""

from fastgc.codes.bibd import bibd
from fastgc.codes.binary import binary, heterogeneous_binary
from fastgc.codes.circulant import circulant, difference_set
from fastgc.codes.code import Code, code_of, unevenness
from fastgc.codes.columns import Columns
from fastgc.codes.cyclic import cyclic, ye_abbe
from fastgc.codes.cyclic_mds import cyclic_mds
from fastgc.codes.family import Family
from fastgc.codes.frc import frc, uncoded
from fastgc.codes.graph import adjacency, graph
from fastgc.codes.matrix import matrix
from fastgc.codes.per_trial import CodeOfTrials, bernoulli, stochastic_block
from fastgc.codes.sparse_regular import sparse_regular
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
    "adjacency",
    "bernoulli",
    "bibd",
    "binary",
    "circulant",
    "code_of",
    "cyclic",
    "cyclic_mds",
    "difference_set",
    "frc",
    "graph",
    "heterogeneous_binary",
    "matrix",
    "sparse_regular",
    "stochastic_block",
    "structure_of",
    "uncoded",
    "unevenness",
    "ye_abbe",
]
