"""The paper whose formulas and claims stand in the other files of this folder."""

from __future__ import annotations

from fastgc.theory.papers.paper import Paper

paper = Paper(
    "hierarchical",
    "Ferdinand, Draper, Hierarchical Coded Computation",
    subjects=("coding", "time", "channels", "choice", "single_rate"),
)
