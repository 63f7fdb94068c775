"""The wider literature, which the claims cite one by one."""

from __future__ import annotations

from fastgc.theory.papers.paper import Paper

paper = Paper(
    "literature",
    "",
    (
        "repetition",
        "circulants",
        "tolerance",
        "graphs",
        "designs",
        "one_step",
        "bounds",
        "order_statistics",
        "replication",
        "fastest_codes",
        "training",
    ),
)
