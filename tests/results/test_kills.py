"""Kills at any moment and at every step, power cuts and other faults: short forms of the bench."""

import re
import sys

import pytest

from conftest import ROOT, ran
from suite.checks import every


def bench(name, *arguments):
    return ran(sys.executable, "-m", f"bench.{name}", *arguments, cwd=ROOT)


SCENES = ["run", "extension", "validate", "merge"]


def table(printed, title):
    """Lines of a table, by what stands first: the numbers that follow."""
    part = printed.split(title)[1].split("\nkilled")[0].split("\npower")[0]
    lines = re.findall(r"^(\w.*?) {3,}(\d+) +(\d+) (.*)", part, re.M)
    return {name: (int(a), int(b), rest) for name, a, b, rest in lines}


@pytest.mark.night
def test_kills_and_power_cuts(tmp_path):
    """At any moment, at each of some steps, and what the disk then holds."""
    parts = [word for part in ("moments", "steps", "power") for word in ("--part", part)]
    chosen = [word for scene in SCENES for word in ("--scene", scene)]
    sizes = ("--kills", 20, "--blocks", 3, "--every", 60)
    done = bench("kills", *parts, *chosen, *sizes, "--folder", tmp_path)
    assert (done.returncode, done.stderr) == (0, "")
    [kills, writing] = map(int, re.findall(r"(\d+) kills, (\d+) of them", done.stdout)[0])
    assert kills >= 12 and writing >= 4
    steps = table(done.stdout, "killed before each step")
    assert list(steps) == SCENES and sum(kills for _, kills, _ in steps.values()) >= 2
    assert every(re.search(r"\d+ fsync, .*\d+ replace, ", calls) for *_, calls in steps.values())
    cuts = table(done.stdout, "power cut before each step")
    assert list(cuts) == SCENES and sum(states for _, states, _ in cuts.values()) >= 5
    assert list(tmp_path.iterdir()) == []


@pytest.mark.night
def test_a_disk_that_syncs_nothing_is_found_out(tmp_path):
    """The check itself can fail."""
    parts = ("--part", "power", "--scene", "run", "--every", 40, "--deaf")
    done = bench("kills", *parts, "--folder", tmp_path)
    assert done.returncode == 1
    assert "does not fit its checksum" in done.stderr and "blocks are lost" in done.stderr


@pytest.mark.night
def test_faults(tmp_path):
    """Damage, full disks, folders that go, writers at once: each refused, nothing lost."""
    done = bench("faults", "--size", 0.01, "--folder", tmp_path)
    assert (done.returncode, done.stderr) == (0, "")
    tried = re.findall(r"^(\w.*?) {3,}(\d+)  0 wrong; (.*)", done.stdout, re.M)
    assert len(tried) == len(done.stdout.splitlines()) == 5
    assert every(int(number) > 0 for _, number, _ in tried)
    assert list(tmp_path.iterdir()) == []
