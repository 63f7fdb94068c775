"""
A code of zeros and ones, and what it is stable against
=======================================================

Charalambides, Mahdavifar and Hero (*Numerically Stable Binary Gradient Coding*) give a gradient
code whose weights are all 0 or 1. In their example 11 workers tolerate any 3 stragglers. Study
``binary/example`` walks through all patterns of up to 8 stragglers.

Up to 3 stragglers cost nothing, as Theorem 1 says (the star). Of all patterns of 4, the paper's
Algorithm 3, which looks for a class of workers who all answered, decodes a share of ``0.836364``;
least squares decodes ``0.981818``. These shares are exact; the hollow marks are samples beside
them.
"""

from matplotlib import pyplot

import fastgc

result = fastgc.run("binary/example", trials=20_000)
for name in ("algorithm-3", "least-squares"):
    share = result[name, {"stragglers.stragglers": 4}]["exact"].mean
    print(f"{name}: {share.value:.6f} of the patterns of 4 stragglers decode ({share.method})")
fastgc.plot(result)
pyplot.show()

# %%
# Stable means: against noise in the answers, such as rounding. Study ``binary/stability`` compares
# three codes that tolerate 4 stragglers of 11. Where each answer has noise of a hundredth of its
# size, the error of the decoded sum is ``0.0063371(84)`` of its size with the binary code,
# ``0.02376(13)`` with cyclic MDS weights and ``0.874(16)`` with random cyclic weights. That last
# number belongs to one random matrix; another one has another number.

noise = fastgc.run("binary/stability", trials=50_000)
for name in ("binary", "cyclic-mds", "cyclic"):
    print(f"{name}: error of the sum {noise[name]['stability']['0.01'].mean}")
fastgc.plot(noise)
pyplot.show()
