"""Charalambides, Mahdavifar, Hero: Numerically Stable Binary Gradient Coding (paper ``binary``).

The paper's letters in fastgc's words: s is the number of stragglers that exact decoding survives,
n = ℓ(s+1) + r, its matrix 𝔹 is the transpose of B, f = n−s are the survivors, 𝒥_i the partitions
of a worker. ``p`` is the probability q to straggle.

Formulas that the paper prints wrongly come twice: ``…_printed`` as printed, and as corrected.
"""

from fastgc.theory.papers.claim import Paper

paper = Paper(
    "binary",
    "Charalambides, Mahdavifar, Hero, Numerically Stable Binary Gradient Coding",
    ("encoding", "decoding", "evenness"),
    not_judged=[
        "B_I is printed f x n, and is f x k, which is the same for n = k (II-B)",
        "n = (l+1)s + (l+r-s) and n = l(s+t+1) + q; where l = s-r, lambda = s and r~ = 0 (III)",
        "where l > r, t = 0 and q = r (V-A)",
        "a table of decoding vectors has C(n, s) rows: n^s/s! (1+o(1)) for fixed s, 2^(n h(1/4) "
        "(1+o(1))) for s = n/4, h the entropy of a bit (IV)",
    ],
)

__getattr__, __dir__ = paper.__getattr__, paper.names
