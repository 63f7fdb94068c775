"""
A batch run that is killed, and resumed by the same command
===========================================================

A long run meets its time limit: the queue sends SIGTERM. fastgc saves what it has, and exits with
code ``75`` (stopped early); the same command goes on from there, and exits with ``0`` when all is
done. In the end the mean error is ``1.8106(12)``, and all numbers in the file have the same bits
as those of a run without interruption. Threads change no number either: the first command had one.
The picture has the 95 % intervals of what was kept.
"""

import subprocess
import sys
import tempfile
import time

from matplotlib import pyplot

import fastgc

folder = tempfile.mkdtemp()
with open(f"{folder}/study.toml", "w") as file:
    file.write('experiment = [{ code = { family = "cyclic", n = 24, d = 5 }, stragglers = 0.2 }]')
command = [sys.executable, "-c", "from fastgc.cli.main import main; main()"]
command += ["run", "study.toml", "--trials", "2500000", "--log", "text", "-o"]
how = {"cwd": folder, "stdout": subprocess.DEVNULL, "stderr": subprocess.PIPE}

first = subprocess.Popen([*command, "batch.h5", "--threads", "1"], **how)
first.stderr.readline()  # it has begun
time.sleep(1)
first.terminate()
print("after SIGTERM, exit code", first.wait())
results = {"killed": fastgc.open(f"{folder}/batch.h5.part")}
for name, file in (("resumed", "batch.h5"), ("at once", "whole.h5")):
    print(f"{name}: exit code", subprocess.run([*command, file], **how).returncode)
    results[name] = fastgc.open(f"{folder}/{file}")

figure, axes = pyplot.subplots(figsize=(4.5, 2.6), layout="constrained")
for name, result in results.items():
    mean = result["experiment1"]["error"].mean
    label = f"{name}:\n{mean.trials:,} trials"
    axes.errorbar(mean.value, label, xerr=1.96 * mean.standard_error, fmt="o", capsize=4)
    print(f"{name}: {mean}")
print("all numbers have the same bits:", results["resumed"].rows() == results["at once"].rows())
axes.set(xlabel="mean error (partitions), 95 %", xticks=[1.8, 1.81, 1.82], ylim=(-0.5, 2.5))
pyplot.show()
