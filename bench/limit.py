"""The handbook's array of shards under a real time limit: ``python -m bench.limit``, two minutes.

The tests have Slurm send the signal that it would send before the limit; here the limit itself
comes: a minute, the least that Slurm has, with the signal 45 seconds before. Prints what the
queue went through, what the jobs said, and whether the merged file is that of one process. Needs
Slurm (Debian: slurmctld, slurmd, slurm-client, munge) and ``fastgc`` on the PATH.
"""

import os
import re
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import fastgc
from bench import slurm
from fastgc.results import store

MOST_SECONDS = 600.0
POLL_SECONDS = 0.3
#: Long enough that no shard is done before its first limit; another number is the one argument.
STUDY = """
[stop]
trials = {trials}

[[experiment]]
name = "ring"
code = {{ family = "cyclic", n = 24, d = 5, seed = 3 }}
stragglers = {{ model = "iid", p = 0.2 }}
method = "monte-carlo"
"""
TRIALS = 60_000_000


def scripts() -> tuple[str, str]:
    """The handbook's script of the array, and the commands that submit it and its merge."""
    text = (Path(__file__).parents[1] / "fastgc" / "handbook" / "slurm.md").read_text()
    section = text.partition("\n## Slurm\n")[2].partition("\n## ")[0]
    script, submit = re.findall(r"^```sh\n(.*?)^```$", section, re.DOTALL | re.MULTILINE)
    return script, submit.replace(
        "sbatch --parsable", "sbatch --parsable --time=1 --signal=TERM@45"
    )


def watch(queue: slurm.Slurm) -> None:
    """Print every change of the queue until it is empty."""
    started, before = time.monotonic(), None
    while time.monotonic() - started < MOST_SECONDS:
        now = sorted(queue.ask("squeue", "-h", "-r", "-o", "%i %T %r").splitlines())
        if now != before:
            print(f"{time.monotonic() - started:4.0f} s  {'; '.join(now)}", flush=True)
        if not now:
            return
        before = now
        time.sleep(POLL_SECONDS)
    raise SystemExit(f"the queue is not empty after {MOST_SECONDS:.0f} s\n{queue.logs()}")


def main() -> None:
    """Run it; exit with 1 if the merged file differs, or no task was requeued."""
    script, submit = scripts()
    trials = int(sys.argv[1]) if len(sys.argv) > 1 else TRIALS
    with tempfile.TemporaryDirectory() as name, slurm.running() as queue:
        folder = Path(name)
        (folder / "study.toml").write_text(STUDY.format(trials=trials))
        (folder / "shards.sh").write_text(script)
        env = os.environ | queue.environment
        subprocess.run(["bash", "-ec", submit], cwd=folder, env=env, check=True)
        watch(queue)
        said = "".join(path.read_text() for path in sorted(folder.glob("slurm-*.out")))
        print(*(line for line in said.splitlines() if ": " in line), sep="\n")
        merged = store.load(folder / "all.h5")
        fastgc.run(folder / "study.toml", out=folder / "one.h5")
        alone = store.load(folder / "one.h5")
        same = merged.rows == alone.rows and all(
            a.tally.sums.limbs().tobytes() == b.tally.sums.limbs().tobytes()
            and a.digests.tobytes() == b.digests.tobytes()
            for a, b in zip(merged.units, alone.units, strict=True)
        )
        requeued = said.count("stopped early by SIGTERM")
        print(f"{requeued} tasks requeued; {'equal to' if same else 'DIFFERS from'} one process")
        raise SystemExit(0 if same and requeued else 1)


if __name__ == "__main__":
    main()
