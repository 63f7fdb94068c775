"""Reisizadeh, Prakash, Pedarsani, Avestimehr: CodedReduce (paper ``codedreduce``).

The paper's letters in fastgc's words: n children per parent, ``layers`` = L, N = n + … + n^L
workers, s stragglers per parent, α = s/n; ``receive`` is t_c; a worker's whole task takes ``shift``
= a r d plus an exponential time of mean ``mean`` = r d/μ. ``p`` is the probability to straggle.

Formulas that the paper prints wrongly, or for large n only, come twice: ``…_printed`` as printed,
and as they are right, or exact. The speedups measured on EC2 (Figures 2 and 8 to 12, Remark 5) are
those of machines and cannot be recomputed. Line 24 of Algorithm 2, m_(l,n) where m_(1,n) is meant,
is no erratum here: the loop before it ends with l = 1.
"""

from fastgc.theory.papers.claim import Paper

paper = Paper(
    "codedreduce",
    "Reisizadeh, Prakash, Pedarsani, Avestimehr, CodedReduce: A Fast and Robust Framework for "
    "Gradient Aggregation in Distributed Learning",
    subjects=("load", "tree_time", "concentration", "cluster_experiments"),
    not_judged=(
        "ring: N - 1 rounds to reduce, N messages at once, no straggler survived (II-B, Table I)",
        "a ring's overhead of O(1) (I); alpha for (S+1)/N (I, Remark 2)",
        "N - S messages to the master (II-C); Example 1, and (4)",
        "alpha^L N d gradients of CR, alpha d of SGD, by a factor linear in N fewer (III-C)",
        "about 120 000 parameters (Table II)",
        "log i < H_i; (19); the bounds by E[T~] and by the slowest worker in (20) (Appendix D)",
    ),
)

__getattr__, __dir__ = paper.__getattr__, paper.names
