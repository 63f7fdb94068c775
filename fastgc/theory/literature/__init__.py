"""What the wider literature states of codes and stragglers beside the five papers.

A claim is ``.printed`` where its source says it, in whatever words; a form of it that can be
measured, or its value, is ``.derived``. Papers of one file each are in ``fastgc.theory.field``.

``p`` is the probability q to straggle; ``survivors`` the number r of workers that answer.
"""

from fastgc.theory.papers.claim import Paper

#: What a citation of a source contains, and the source.
SOURCES = {
    "1707.03858": (
        "Raviv, Tamo, Tandon, Dimakis, Gradient Coding from Cyclic MDS Codes and Expander Graphs "
        "(arXiv:1707.03858)"
    ),
    "2006.09638": (
        "Glasgow, Wootters, Approximate Gradient Coding with Optimal Decoding (arXiv:2006.09638)"
    ),
    "2402.12584": (
        "Sarmasarkar, Pillai, Optimal Moments on Redundancies in Job Cloning (arXiv:2402.12584)"
    ),
    "1710.00748": "Aktas, Peng, Soljanin, Effective Straggler Mitigation (arXiv:1710.00748)",
}
paper = Paper("literature", "", ("closed_forms",), SOURCES)

__getattr__, __dir__ = paper.__getattr__, paper.names
