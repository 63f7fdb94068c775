"""
A tree of coded workers: a paper's figure, and its speed-ups
============================================================

Reisizadeh, Prakash, Pedarsani and Avestimehr (*CodedReduce*) let workers pass coded gradients up a
tree (CR). Their Fig. 10 shows linear regression against time on 84 workers, beside uncoded work
with one master (UMW), a gradient code (GC), rounds that ignore stragglers (SGD) and ring
all-reduce (RAR). They measured it on machines whose speeds they do not print. Study
``codedreduce/fig10`` repeats it on smaller data, with the times of the paper's simulation: a node
receives one message at a time, each in 0.05 s.

The tree is far ahead of all that send to one master, for messages take nearly all of the time. A
ring that sends the gradient in 84 pieces is faster still, if a piece takes an 84th of that time.
"""

from matplotlib import pyplot

import fastgc

result = fastgc.run("codedreduce/fig10", trials=16)
axes = fastgc.plot(result, kind="clock")
axes.set(ylabel="mean normalized error rate", xscale="log", xlim=(5, 1500))
pyplot.show()

# %%
# Section IV-B prints its parameters, and speed-ups of CR on 156 workers: ``6.6`` over UMW, ``4.8``
# over GC, ``4.0`` over SGD. If an iteration is the computation and the messages to parents and
# nothing else, they are ``6.89``, ``4.95`` and ``4.02``. One more message in every iteration would
# explain the first two. The ``1.8`` over RAR rests on the time of a piece, which is not printed:
# with a 156th of a message CR takes longer than RAR.

printed = {"UMW": 6.6, "GC": 4.8, "SGD": 4.0, "RAR": 1.8}
study = fastgc.run("codedreduce/simulation", trials=20_000)
ratios = [study[f"{name}/CR"]["time"].statistic("ratio") for name in printed]
for (name, number), ratio in zip(printed.items(), ratios, strict=True):
    error = f"standard error {ratio.standard_error:.4f}"
    print(f"{name}/CR: {number} printed, {ratio.value:.2f} simulated, {error}")
figure, axes = pyplot.subplots(figsize=(4.5, 2.8), layout="constrained")
axes.plot(printed.values(), list(printed), "k*", markersize=13, fillstyle="none", label="printed")
axes.plot([ratio.value for ratio in ratios], list(printed), "o", label="simulated")
axes.axvline(1, linestyle=":", color="black", label="as fast as CR")
axes.set(xlabel="mean time of an iteration over that of CR", xlim=(0, 8), ylim=(-0.5, 3.5))
axes.legend(loc="upper right")
pyplot.show()
