"""
A tree or a ring: it depends on the size of the gradient
========================================================

Each of 156 workers takes 10 ms, and an exponential time of mean 10 ms, for its part of the work.
Ring all-reduce waits for all, and then passes the gradient round in 156 pieces: 310 messages, one
after the other. In a tree of coded workers a gradient has a short way, and a node does not wait
for the last of its 12 children; but workers have ``3.71`` times as much to do, and a node receives
whole gradients. A message takes 1 ms and what its bytes take.

So the tree is faster for small gradients and the ring for large ones. Where a gradient takes 10
ms, the mean time of an iteration is ``0.279`` s with the tree and ``0.396`` s with the ring; where
it takes 50 ms, ``1.159`` s and ``0.476`` s. A gradient code whose workers all send to one master
is slower than the tree throughout. Times are exact means of this model, which knows no congestion.
"""

from matplotlib import pyplot

import fastgc

transfers = [0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2]  # seconds that a gradient takes
systems = {
    "tree": {"family": "coded-reduce", "n": 12, "layers": 2, "s": 1},
    "ring": {"family": "ring-all-reduce", "n": 156},
    "one master": {"family": "gradient-code", "n": 156, "s": 13},
}
figure, axes = pyplot.subplots(figsize=(4.5, 3.4), layout="constrained")
for (name, system), look in zip(systems.items(), ("o-", "s--", "^:"), strict=True):
    pieces = 156 if name == "ring" else 1  # the port's time is that of all pieces of a gradient
    ports = [pieces * 0.001 + each for each in transfers]
    result = fastgc.run(
        system=system,
        work=156,
        latency={"distribution": "exponential", "shift": 0.01, "mean": 0.01},
        port={"receive": 0.0},
        measure=["time", "load"],
        sweep={"port.receive": ports},
    )
    points = [result["experiment1", {"port.receive": port}] for port in ports]
    means = [point["time"].mean for point in points]
    axes.loglog(transfers, [mean.value for mean in means], look, label=name)
    ends = ", ".join(f"{means[place].value:.3f} s at {transfers[place]} s" for place in (3, 5))
    work = 156 * points[0]["load"].mean.value
    print(f"{name}: {ends} ({means[3].method}); {work:.2f} times the work of uncoded workers")
axes.set(xlabel="time that a whole gradient takes (s)", ylabel="mean time of an iteration (s)")
axes.legend()
pyplot.show()
