"""
Two printed numbers, and the figure that rests on them
======================================================

Johri, Yardi and Bodas (*Approximate Gradient Coding for Heterogeneous Nodes*) train with eight
workers, some of which stay slow; two workers hold each partition. Their Fig. 2 (a) shows the loss
with fractional repetition (FRC) and with a 0/1 circulant (CRC), with and without shuffling. Study
``agc/fig2a`` repeats it on synthetic data of the same size, for scikit-learn no longer has the
paper's.

Shuffling helps: with FRC the loss ends ``4.2e-04`` above its minimum without it, and ``2.8e-05``
above it with it.
"""

from matplotlib import pyplot

import fastgc

nobody = ["experiment.frc.stragglers.p_slow=0", "experiment.frc.stragglers.p_straggle_active=0"]
full = fastgc.run("agc/fig2a", trials=1, overrides=nobody)["frc", {"shuffle": "none"}]["loss"]
result = fastgc.run("agc/fig2a", trials=1000)

figure, axes = pyplot.subplots(figsize=(4.5, 3.4), layout="constrained")
for code, marker in (("frc", "o"), ("crc", "s")):
    for shuffle, line in (("none", "--"), ("random", "-")):
        loss, name = (
            result[code, {"shuffle": shuffle}]["loss"],
            f"{code.upper()}, shuffle: {shuffle}",
        )
        above = [loss[i].mean.value - full[300].mean.value for i in range(301)]
        axes.semilogy(above, line, marker=marker, markevery=30, label=name)
        error = loss[300].mean.standard_error
        print(f"{name}: {above[300]:.1e} above the minimum, standard error {error:.1e}")
axes.set(xlabel="iteration", ylabel="mean loss above its minimum")
axes.legend()
pyplot.show()

# %%
# Of the two shuffled codes CRC has the larger loss: ``1.0000182(27)`` times that of FRC. The paper
# sees the opposite, and explains it by mean errors of ``1.976`` for FRC and ``0.5173`` for CRC
# (stars). Both numbers are refuted. The exact means, over all patterns of stragglers, are
# ``0.488072`` and ``0.624412`` partitions, in the order of the losses above.

print("CRC/FRC:", result["crc/frc", {"shuffle": "random"}]["loss"].statistic("ratio"))
for found in fastgc.validate(["agc.frc-1.976.printed", "agc.circulant-0.5173.printed"]):
    print(f"{found.claim}: {found.verdict}; {found.theory}, {found.method}: {found.value:.6f}")
shuffled = ["frc-shuffled", "circulant-shuffled"]
fastgc.plot(fastgc.run("agc/main", trials=100_000), quantity="error", experiment=shuffled)
pyplot.show()
