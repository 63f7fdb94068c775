"""What the wider literature states, or what follows from it: other codes, decoders and bounds.

Fractional repetition and cyclic codes: Tandon, Lei, Dimakis, Karampatziakis (arXiv:1612.03301);
cyclic MDS codes and expanders: Raviv, Tamo, Tandon, Dimakis (arXiv:1707.03858); one-step decoding
and Bernoulli codes: Charles, Papailiopoulos, Ellenberg (arXiv:1711.06771); stochastic gradient
coding: Bitar, Wootters, El Rouayheb (arXiv:1905.05383); block designs: Kadhe, Koyluoglu,
Ramchandran (arXiv:1904.13373); graph codes: Glasgow, Wootters (arXiv:2006.09638); answers that are
a part of the gradient: Ye, Abbe (arXiv:1802.03475); covered partitions: Sarmasarkar, Pillai
(arXiv:2402.12584). Completion times: order statistics (David,
Nagaraja 2003); the fastest MDS code: Lee, Lam, Pedarsani, Papailiopoulos, Ramchandran
(arXiv:1512.02673); laws of times (Johnson, Kotz, Balakrishnan 1994); a port as a queue (Lindley
1952); clones (Aktas, Peng, Soljanin, arXiv:1710.00748); local steps (Wang, Joshi,
arXiv:1810.08313); chunks sent one by one (Ramamoorthy, Meng, Girimaji, arXiv:2405.19509);
blocks of coordinates (Cui, Wang et al.); rounds with memory (Krishnan, Ebrahimi, Khisti,
arXiv:2211.13802).
Stragglers in runs: Markov chains (Norris 1997).

A claim is ``.printed`` where its source says it, in whatever words; what follows from it, or is
evaluated here, is ``.derived``.

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
        "relays",
        "remedies",
        "rounds",
        "partial",
        "batches",
        "blocks",
        "sending",
        "sequences",
        "stragglers",
        "latency_laws",
        "ports",
        "training",
    ),
    SOURCES,
)

__getattr__, __dir__ = paper.__getattr__, paper.names
