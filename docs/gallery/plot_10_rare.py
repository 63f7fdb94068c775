"""
A failure of probability 1e-12
==============================

With 20 workers that hold a quarter of the data each, how often does the gradient not come back
exactly, if workers straggle independently, each with probability p? At p = 0.0006 a million trials
saw no failure: with 95 % confidence its probability is below ``3.8e-06``, and they can say no
more. Method ``rare`` draws nothing. It decodes all sets of up to 5 stragglers, whose probabilities
are known, and bounds what larger sets add; of codes of groups it knows the probability.

A cyclic code fails with probability ``1.196582e-12``, fractional repetition (frc) with
``3.110400e-16``. Both are certain to these digits, and equal the closed forms (lines): at least 5
of 20 straggle, or all of one of four groups of five.
"""

from math import comb, expm1, log1p

from matplotlib import pyplot

import fastgc

ps, n, d = [1e-4, 6e-4, 3e-3, 1e-2, 3e-2, 0.1, 0.2], 20, 5
closed = {
    "cyclic": lambda p: sum(comb(n, s) * p**s * (1 - p) ** (n - s) for s in range(d, n + 1)),
    "frc": lambda p: -expm1(n // d * log1p(-(p**d))),
}
figure, axes = pyplot.subplots(figsize=(4.5, 3.6), layout="constrained")
for (name, law), look in zip(closed.items(), ("o", "s"), strict=True):
    axes.loglog(ps, [law(p) for p in ps], "k-", label=None if name == "cyclic" else "closed form")
    code, sweep = {"family": name, "n": n, "d": d}, {"stragglers.p": ps}
    table = {"code": code, "stragglers": 0.1, "thresholds": [0.0], "sweep": sweep}
    for method, size, fill in (("rare", 5, "full"), ("monte-carlo", 10, "none")):
        result = fastgc.run(table, method=method, trials=1_000_000)
        fails = [result["experiment1", {"stragglers.p": p}]["error"].above(0.0) for p in ps]
        values = [each.value or None for each in fails]  # no failure is no point on a log axis
        axes.plot(ps, values, look, fillstyle=fill, markersize=size, label=f"{name}, {method}")
        print(f"{name} by {fails[1].method}: {fails[1].low:.6e} to", f"{fails[1].high:.1e}")
    print(f"{name}, closed form: {law(ps[1]):.6e}")
axes.set(xlabel="p, the probability that a worker straggles", ylabel="P(error > 0)")
axes.legend()
pyplot.show()
