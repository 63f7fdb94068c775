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
        "pieces",
        "graphs",
        "designs",
        "one_step",
        "bounds",
        "least_squares",
        "order_statistics",
        "replication",
        "fastest_codes",
        "straggler_counts",
        "markov_chains",
        "deadlines",
        "recorded_times",
        "latency_laws",
        "ports",
        "rounds",
        "intervals",
        "quantiles",
        "random_numbers",
        "sampling",
        "testing",
        "ranking",
        "training",
    ),
)
