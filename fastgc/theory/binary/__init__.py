"""Charalambides, Mahdavifar, Hero: Numerically Stable Binary Gradient Coding (paper ``binary``).

The paper's letters in fastgc's words: s is the number of stragglers that exact decoding survives,
n = ℓ(s+1) + r, its matrix 𝔹 is the transpose of B, f = n−s are the survivors, 𝒥_i the partitions
of a worker. ``p`` is the probability q to straggle.

Formulas that the paper prints wrongly come twice: ``…_printed`` as printed, and as corrected.
"""

from fastgc.theory.papers.claim import paper_of

paper = paper_of("binary")

__getattr__, __dir__ = paper.__getattr__, paper.names
