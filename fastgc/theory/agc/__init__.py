"""Johri, Yardi, Bodas: Approximate Gradient Coding for Heterogeneous Nodes (paper ``agc``).

The paper's letters in fastgc's words: s is the replication ``d`` (its codes survive d−1
stragglers), p̂ is ``p_slow``, p_ss and p_as are ``p_straggle_slow`` and ``p_straggle_active``, m is
``slow`` (a number of workers), k_i is ``slow_holders``, L is ``iterations``, FRC is family ``frc``.
q = p_slow p_ss + (1−p_slow) p_as. CRC is a code whose columns are shifts of one another and that
survives d−1 stragglers, ``cyclic-mds``; the 0/1 ``circulant`` where d divides n; or, as its
reference [2] draws it, the random ``cyclic``, whose columns are no shifts.

Formulas that the paper prints wrongly come twice: ``…_printed`` as printed, and as corrected.
"""

from fastgc.theory.papers.claim import paper_of

paper = paper_of("agc")

__getattr__, __dir__ = paper.__getattr__, paper.names
