"""Jobs of a user of Slurm: in which states they are, and what they have printed."""

import time

import pytest

from suite.waiting import HUNG


def states(queue):
    """State of every job and task in the queue, and why it waits."""
    listed = queue.run("squeue", "--noheader", "--array", "--format=%i %T %r").out
    return {line.split()[0]: line.split()[1:] for line in listed.splitlines()}


def wait(queue, slurm):
    """Wait for the queue to be empty; return all states that were seen."""
    seen, end = [], time.monotonic() + HUNG
    while now := states(queue):
        if not seen or now != seen[-1]:
            seen.append(now)
        if time.monotonic() > end:
            pytest.fail(f"{seen}\n{outputs(queue)}\n{slurm.logs()}")
        time.sleep(0.1)
    return seen


def outputs(queue):
    """What all jobs have printed."""
    return "\n".join(
        f"{path.name}:\n{path.read_text()}" for path in sorted(queue.folder.glob("slurm-*.out"))
    )
