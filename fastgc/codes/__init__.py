"""Codes: who holds which partition.

Each function returns a `Code`; the same names and parameters are the families of a study.
"""

from fastgc.codes.binary import binary
from fastgc.codes.circulant import circulant
from fastgc.codes.code import Code, code_of
from fastgc.codes.frc import frc
from fastgc.codes.matrix import matrix
from fastgc.codes.structure import CycleGaps, General, Groups, Intervals, Structure, structure_of
from fastgc.codes.uncoded import uncoded
from fastgc.codes.unevenness import unevenness

__all__ = [
    "Code",
    "CycleGaps",
    "General",
    "Groups",
    "Intervals",
    "Structure",
    "binary",
    "circulant",
    "code_of",
    "frc",
    "matrix",
    "structure_of",
    "uncoded",
    "unevenness",
]
