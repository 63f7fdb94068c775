"""The paper whose formulas and claims stand in the other files of this folder."""

from __future__ import annotations

from fastgc.theory.papers.paper import Paper

paper = Paper(
    "gcada",
    "Zhu, Zhang, Simeone, Wang, Adaptive Worker Grouping for Communication-Efficient and "
    "Straggler-Tolerant Distributed SGD",
    subjects=("algorithm", "time", "ages", "selection", "load", "reported", "comparison"),
)
