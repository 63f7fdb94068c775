"""
A code of one's own beside known ones
=====================================

Twenty workers hold four partitions each. In a code of one's own, worker j holds partitions j, j +
1, j + 4 and j + 6 (modulo 20), the marks of a Golomb ruler, so that no two workers share more than
one partition. Is it any good?

On average it is not: if every worker straggles with probability 0.1, the mean error is
``0.302421`` partitions; with fractional repetition (frc) it is ``0.002000``, which is the least
that any code with this replication can have. Against an adversary it is. The worst four stragglers
cost ``1.092`` with the ruler, ``1.176`` with a 0/1 circulant and ``4.000`` with frc; from four to
eight stragglers no other code of the four has a smaller worst case. But the other three survive
any three stragglers, and the ruler no single one. All numbers are exact.
"""

import numpy as np
from matplotlib import pyplot

import fastgc

n, marks = 20, (0, 1, 4, 6)
B = np.zeros((n, n))  # partitions × workers
for worker in range(n):
    B[[(worker + mark) % n for mark in marks], worker] = 1
known = {family: {"family": family, "n": n, "d": 4} for family in ("frc", "circulant", "cyclic")}

figure, axes = pyplot.subplots(2, figsize=(4.5, 5.8), layout="constrained")
for (name, code), look in zip(
    {"ruler": B, **known}.items(), ("o-", "s--", "D-.", "^:"), strict=True
):
    ps, counts = [0.05, 0.1, 0.2, 0.3], range(1, 9)
    means = [fastgc.error(code, p=p) for p in ps]
    lines = fastgc.inspect(code, stragglers=counts).lines
    worst = [line.worst_error for line in lines]
    is_exact = all(line.worst_is_exact for line in lines)
    print(f"{name}: mean {means[1].value:.6f} ({means[1].method})", end=", ")
    print(f"worst four {worst[3]:.3f} ({'exact' if is_exact else 'at least'})")
    axes[0].semilogy(ps, [float(mean) for mean in means], look, label=name)
    axes[1].plot(counts, worst, look, label=name)
axes[0].set(xlabel="probability that a worker straggles", ylabel="mean error (partitions)")
axes[1].set(xlabel="number of stragglers", ylabel="error of the worst (partitions)")
axes[0].legend()
pyplot.show()
