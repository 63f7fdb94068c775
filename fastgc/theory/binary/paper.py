"""The paper that this folder is about."""

from __future__ import annotations

from fastgc.theory.papers.paper import Paper

paper = Paper(
    "binary",
    "Charalambides, Mahdavifar, Hero, Numerically Stable Binary Gradient Coding",
    (
        "encoding",
        "divisions",
        "decoding",
        "beyond",
        "cost",
        "stability",
        "real_weights",
        "cyclic_mds",
        "evenness",
        "heterogeneous",
    ),
)
