"""What the wider literature states of codes and stragglers beside the five papers.

Fractional repetition and cyclic codes: Tandon, Lei, Dimakis, Karampatziakis (arXiv:1612.03301);
cyclic MDS codes and expanders: Raviv, Tamo, Tandon, Dimakis (arXiv:1707.03858); block designs:
Kadhe, Koyluoglu, Ramchandran (arXiv:1904.13373); graph codes: Glasgow, Wootters (arXiv:2006.09638);
answers that are a part of the gradient: Ye, Abbe (arXiv:1802.03475); covered partitions:
Sarmasarkar, Pillai (arXiv:2402.12584); the fastest MDS code: Lee, Lam, Pedarsani, Papailiopoulos,
Ramchandran (arXiv:1512.02673); clones: Aktas, Peng, Soljanin (arXiv:1710.00748); groups made anew:
Buyukates, Ozfatura, Ulukus, Gunduz (arXiv:2011.01922); chunks sent one by one: Ramamoorthy, Meng,
Girimaji (arXiv:2405.19509); blocks of coordinates: Cui, Wang et al.

A claim is ``.printed`` where its source says it, in whatever words; a form of it that can be
measured, or its value, is ``.derived``. Papers of one file each are in ``fastgc.theory.field``.

``p`` is the probability q to straggle; ``survivors`` the number r of workers that answer.
"""

from fastgc.theory.literature.sources import SOURCES
from fastgc.theory.papers.paper import Paper

paper = Paper(
    "literature",
    "",
    (
        "repetition",
        "tolerance",
        "designs",
        "decoding",
        "gradients",
        "coverage",
        "order_statistics",
        "remedies",
        "rounds",
        "partial",
        "blocks",
        "sending",
        "stragglers",
    ),
    SOURCES,
)

__getattr__, __dir__ = paper.__getattr__, paper.names
