"""Kills at any moment and at every step, power cuts and other faults: short forms of the bench."""

import re
import sys

import pytest

from conftest import ROOT, ran
from suite.checks import every


def bench(name, *arguments):
    return ran(sys.executable, "-m", f"bench.{name}", *arguments, cwd=ROOT)


SCENES = ["run", "extension", "validate", "merge"]


def table(printed, part):
    lines = re.findall(rf"^{part} +(\w+) +0 wrong; (.*)", printed, re.M)
    counts = {name: re.findall(r"(\d+) ([^,]+)", said) for name, said in lines}
    return {name: {how: int(n) for n, how in each} for name, each in counts.items()}


def total(counted, how):
    return sum(each.get(how, 0) for each in counted.values())


@pytest.mark.night
def test_kills_and_power_cuts(tmp_path):
    parts = [word for part in ("steps", "power") for word in ("--part", part)]
    chosen = [word for scene in SCENES for word in ("--scene", scene)]
    done = bench("kills", *parts, *chosen, "--every", 60, "--folder", tmp_path)
    assert (done.returncode, done.stderr) == (0, "")
    steps, cuts = (table(done.stdout, part) for part in ("steps", "power"))
    assert list(steps) == list(cuts) == SCENES
    assert total(steps, "kills") >= 2 and total(cuts, "kills") >= 5
    assert every(each["fsync"] and each["replace"] for each in steps.values())
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
    done = bench("faults", "--size", 0.01, "--folder", tmp_path)
    assert (done.returncode, done.stderr) == (0, "")
    tried = re.findall(r"^(\w.*?) {3,}(\d+)  0 wrong; (.*)", done.stdout, re.M)
    assert len(tried) == len(done.stdout.splitlines()) == 4
    assert every(int(number) > 0 for _, number, _ in tried)
    assert list(tmp_path.iterdir()) == []
