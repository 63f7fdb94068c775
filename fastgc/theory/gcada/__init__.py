"""Zhu, Zhang, Simeone, Wang: adaptive worker grouping, CADA and G-CADA (paper ``gcada``).

The paper's letters in fastgc's words: M workers, of whom M_G = ``d`` form each of G ``groups``;
CADA is d = 1. A mini-batch of μ = ``batch`` samples takes an exponential time of ``mean`` η (the
text calls its 1e-4 s μ, too). D is the ``window``; smoothness constants L are those of the workers'
or groups' local losses.

Formulas that the paper prints wrongly come twice: ``…_printed`` as printed, and as corrected.
"""

from fastgc.theory.papers.claim import paper_of

paper = paper_of("gcada")

__getattr__, __dir__ = paper.__getattr__, paper.names
