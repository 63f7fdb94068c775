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
How much CR gains depends on the machines: with its own the paper reports speed-ups of up to 24.1
over UMW and 3.0 over RAR; here the ratios of the times to a loss of 0.2 are ``8.80118(21)`` and
``0.26375(54)``.
"""

from matplotlib import pyplot

import fastgc

result = fastgc.run("codedreduce/fig10", trials=16)
for name in ("UMW/CR", "GC/CR", "SGD/CR", "RAR/CR"):
    print(f"{name}: {result[name]['time_to_loss'].statistic('ratio')}, times to a loss of 0.2")
axes = fastgc.plot(result, kind="clock")
axes.set(ylabel="mean normalized error rate", xscale="log", xlim=(5, 1500))
pyplot.show()

# %%
# Section IV-B prints its parameters, and that CR is up to 6.6, 4.8, 4.0 and 1.8 times as fast as
# UMW, GC, SGD and RAR, with 156 workers (stars). If an iteration is the computation and the
# messages to parents and nothing else, the ratios of mean times are ``6.8882(11)``,
# ``4.94640(76)``, ``4.02402(62)`` and ``0.18135(13)``. One more message in every iteration would
# explain the first two. The last one rests on the time of a piece, which is not printed: where it
# is a 156th of a message's, RAR is faster than CR.

study = fastgc.run("codedreduce/simulation", trials=20_000)
for name in ("UMW/CR", "GC/CR", "SGD/CR", "RAR/CR"):
    print(f"{name}: {study[name]['time'].statistic('ratio')}, mean times of an iteration")
axes = fastgc.plot(study, kind="comparison", quantity="time ratio")
axes.set_ylabel("mean time of an iteration,\nover that of CR")
pyplot.show()
