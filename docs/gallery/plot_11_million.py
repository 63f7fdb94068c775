"""
A million workers
=================

How large is a round's error with a million workers, of whom each straggles with probability 0.1?
Two workers hold each partition, by fractional repetition (frc) or around a circle (circulant). As
a share of the partitions, the mean error of frc is ``0.01`` for any number of workers (the line);
but rounds differ less and less. Of 512 rounds with 100 workers the middle 95 % lie between
``0.00000`` and ``0.04000``, of 512 with a million workers between ``0.00966`` and ``0.01024``.

The mean over the rounds with a million workers is ``0.010002 ± 0.000006`` with frc and
``0.016350 ± 0.000004`` with the circulant: frc is better here, and it is known to have the
smallest mean of all codes whose partitions have two holders.
"""

from matplotlib import pyplot

import fastgc

sizes = [100, 1_000, 10_000, 100_000, 1_000_000]
figure, axes = pyplot.subplots(figsize=(4.5, 3.4), layout="constrained")
for family, look, beside in (("frc", "C0o", 0.9), ("circulant", "C1s", 1.1)):
    for n in sizes:
        study = {
            "code": {"family": family, "n": n, "d": 2},
            "stragglers": 0.1,
            "method": "monte-carlo",
            "quantiles": [0.025, 0.975],
        }
        error = fastgc.run(study, trials=512)["experiment1"]["error"]
        low, high = error.quantile(0.025).value / n, error.quantile(0.975).value / n
        axes.plot([beside * n] * 2, [low, high], look[:2] + "_-")
        axes.plot(beside * n, error.mean.value / n, look, label=family if n == 100 else None)
        mean = f"{error.mean.value / n:.6f} ± {error.mean.standard_error / n:.6f}"
        print(f"{family}, {n}: {low:.5f} to {high:.5f}, mean {mean}")
print("frc, closed form:", f"{fastgc.theory.agc.frc_mean_error(n=n, d=2, p=0.1) / n:.2f}")
axes.axhline(0.01, color="black", linewidth=0.8)
axes.set(xscale="log", xlabel="workers", ylabel="error, as a share of the partitions")
axes.legend()
pyplot.show()
