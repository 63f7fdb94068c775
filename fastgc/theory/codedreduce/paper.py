"""The paper whose formulas and claims stand in the other files of this folder."""

from __future__ import annotations

from fastgc.theory.papers.paper import Paper

paper = Paper(
    "codedreduce",
    "Reisizadeh, Prakash, Pedarsani, Avestimehr, CodedReduce: A Fast and Robust Framework for "
    "Gradient Aggregation in Distributed Learning",
    subjects=(
        "ring",
        "load",
        "costs",
        "examples",
        "resilience",
        "irregular",
        "complexity",
        "time",
        "port",
        "bounds",
        "proof",
        "concentration",
        "experiments",
        "simulation",
    ),
)
