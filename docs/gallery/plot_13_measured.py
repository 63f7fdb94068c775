"""
A real run against its prediction
=================================

Four workers, processes of the machine that made this page, compute real gradients for 100 rounds
with a gradient code that tolerates one straggler; each sleeps until a time drawn from the study's
law is over. By that law the mean round takes ``0.031250`` s. ``fastgc.measure`` says which part of
the prediction held: the *structure* (a round ends when three workers have answered; what is beyond
is overhead), the *law* of their times, and *learning* (losses are those of the simulation).

Seconds differ from run to run and from machine to machine, and so may the first two verdicts,
which are printed below. In the picture each round is a point: above the line is what sending,
decoding and waiting for a processor add.
"""

import textwrap

from matplotlib import pyplot

import fastgc

study = {
    "kind": "completion",
    "system": {"family": "gradient-code", "n": 4, "s": 1},
    "latency": {"distribution": "exponential", "shift": 0.03, "mean": 0.03},
    "measure": ["time"],
}
law = fastgc.run(study)["experiment1"]["time"].mean
found = fastgc.measure({"experiment": [study], "measure": {"rounds": 100}})
for each in found.verdicts:
    print(textwrap.fill(f"{each['comparison']}: {each['verdict']}; {each['sentence']}"))
measured = [row["measured"] for row in found.rounds]
print(
    f"mean round by the law {law.value:.6f} s ({law.method}), measured {sum(measured) / 100:.4f} s"
)
figure, axes = pyplot.subplots(figsize=(4.5, 3.6), layout="constrained")
axes.plot([row["predicted"] for row in found.rounds], measured, "o", label="a round")
axes.axline((0.05, 0.05), slope=1, color="black", label="as predicted")
axes.set(xlabel="predicted from the workers' own seconds (s)", ylabel="measured (s)")
axes.legend()
pyplot.show()
