"""Ferdinand, Draper: Hierarchical Coded Computation (paper ``hierarchical``).

The paper's letters in fastgc's words: n workers do ``layers`` = r tasks each, one after the other;
layer j has an (n, k_j) MDS code, and k = Σ k_j ``tasks`` make the job. A task takes worker i the
time X_i = ``shift`` (α) plus an exponential time of mean ``mean`` (1/μ), so that its j-th is done
at j X_i. The text ends before its theorem: what is derived here is not quoted.
"""

from fastgc.theory.papers.claim import paper_of

paper = paper_of("hierarchical")

__getattr__, __dir__ = paper.__getattr__, paper.names
