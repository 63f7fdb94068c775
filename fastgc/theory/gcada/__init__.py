"""Zhu, Zhang, Simeone, Wang: adaptive worker grouping, CADA and G-CADA (paper ``gcada``).

The paper's letters in fastgc's words: M workers, of whom M_G = ``d`` form each of G ``groups``;
CADA is d = 1. A mini-batch of μ = ``batch`` samples takes an exponential time of ``mean`` η (the
text calls its 1e-4 s μ, too). D is the ``window``; smoothness constants L are those of the workers'
or groups' local losses.

Formulas that the paper prints wrongly come twice: ``…_printed`` as printed, and as corrected.
"""

from fastgc.theory.papers.claim import Paper

paper = Paper(
    "gcada",
    "Zhu, Zhang, Simeone, Wang, Adaptive Worker Grouping for Communication-Efficient and "
    "Straggler-Tolerant Distributed SGD",
    subjects=("algorithm", "iteration_time", "selection_rule", "comparison"),
    not_judged=[
        "the local loss l(theta; D_m) is defined by itself, for l(theta; z) (below (7) and (9))",
        '"in CADA the workers are divided into G groups", for G-CADA (IV)',
        "L_0 = L_(D+1) = 0 without the index G that L_(G,d) has (below (15))",
        "groups of M_G workers store the data r = M_G times, CADA once (III, IV)",
        "distributed Adam sends 2 M times and computes mu M gradients in an iteration (17), (20)",
    ],
)

__getattr__, __dir__ = paper.__getattr__, paper.names
