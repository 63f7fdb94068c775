"""Charalambides, Mahdavifar, Hero: Numerically Stable Binary Gradient Coding (paper ``binary``).

The paper's letters in fastgc's words: s is the number of stragglers that exact decoding survives,
n = ℓ(s+1) + r, its matrix 𝔹 is the transpose of B, f = n−s are the survivors, 𝒥_i the partitions
of a worker. ``p`` is the probability q to straggle.

Formulas that the paper prints wrongly come twice: ``…_printed`` as printed, and as corrected.
"""

from __future__ import annotations

from fastgc.theory.binary.assignment import (
    class_workers,
    class_workers_printed,
    divisor_chance,
    divisor_chance_printed,
    excess_blocks,
    heterogeneous_loads,
    heterogeneous_loads_printed,
    least_load,
    least_load_printed,
    loads,
    total_load,
    unevenness,
)
from fastgc.theory.binary.decoding import (
    amplification,
    broken_shifts,
    class_probability,
    complete_patterns,
    decoding_weight,
    exact_patterns,
    exact_probability,
    guaranteed_survivors,
    look_ups_printed,
)

__all__ = [
    "amplification",
    "broken_shifts",
    "class_probability",
    "class_workers",
    "class_workers_printed",
    "complete_patterns",
    "decoding_weight",
    "divisor_chance",
    "divisor_chance_printed",
    "exact_patterns",
    "exact_probability",
    "excess_blocks",
    "guaranteed_survivors",
    "heterogeneous_loads",
    "heterogeneous_loads_printed",
    "least_load",
    "least_load_printed",
    "loads",
    "look_ups_printed",
    "total_load",
    "unevenness",
]
