"""The paper whose formulas and claims stand in the other files of this folder."""

from __future__ import annotations

from fastgc.theory.papers.paper import Paper

paper = Paper(
    "agc",
    "Johri, Yardi, Bodas, Approximate Gradient Coding for Heterogeneous Nodes",
    subjects=(
        "access",
        "repetition",
        "circulant",
        "classes",
        "random_entries",
        "numbers",
        "shuffling",
        "training",
        "figure2",
    ),
)
