"""Charalambides, Mahdavifar, Hero: Numerically Stable Binary Gradient Coding (paper ``binary``).

The paper's letters in fastgc's words: s is the number of stragglers that exact decoding survives,
n = ℓ(s+1) + r, its matrix 𝔹 is the transpose of B, f = n−s are the survivors, 𝒥_i the partitions
of a worker. ``p`` is the probability q to straggle.

Formulas that the paper prints wrongly come twice: ``…_printed`` as printed, and as corrected.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from fastgc.theory.binary.paper import paper


def __getattr__(name: str) -> Callable[..., Any]:
    return paper.__getattr__(name)


def __dir__() -> list[str]:
    return sorted(paper.formulas)
