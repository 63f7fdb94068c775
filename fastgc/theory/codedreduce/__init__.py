"""Reisizadeh, Prakash, Pedarsani, Avestimehr: CodedReduce (paper ``codedreduce``).

The paper's letters in fastgc's words: n children per parent, ``layers`` = L, N = n + … + n^L
workers, s stragglers per parent, α = s/n; ``receive`` is t_c; a worker's whole task takes ``shift``
= a r d plus an exponential time of mean ``mean`` = r d/μ. ``p`` is the probability to straggle.

Formulas that the paper prints wrongly, or for large n only, come twice: ``…_printed`` as printed,
and as they are right, or exact. The speedups measured on EC2 (Figures 2 and 8 to 12, Remark 5) are
those of machines and cannot be recomputed.
"""

from fastgc.theory.papers.claim import paper_of

paper = paper_of("codedreduce")

__getattr__, __dir__ = paper.__getattr__, paper.names
