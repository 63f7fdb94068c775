"""What a type checker and an IDE see: stubs, keys as arguments, and two users' programs."""

import inspect
import re
import shutil
import sys
import venv
from itertools import chain

import pytest

import fastgc
from conftest import ROOT, ran
from fastgc.experiments.table import KINDS, ExperimentKeys
from fastgc.searching.problem import SearchKeys, SearchTable
from fastgc.study.claims.claim_table import ClaimKeys, ClaimTable

PROGRAMS = ROOT / "tests" / "house" / "programs"


@pytest.mark.parametrize("room", ["", "codes", "latency", "runs", "systems", "traces"])
def test_a_stub_says_what_there_is_with_its_signature(room):
    module, said = getattr(fastgc, room, fastgc), {}
    exec((ROOT / "fastgc" / room / "__init__.pyi").read_text(), said)
    for name in module.__all__:
        own = getattr(module, name)
        assert said[name] is own or inspect.signature(own) == inspect.signature(said[name]), name


def test_keys_as_arguments_are_those_of_the_tables():
    fields = set(chain.from_iterable(KINDS[kind].table.model_fields for kind in KINDS))
    assert set(ExperimentKeys.__annotations__) == fields - {"method"}
    assert set(SearchKeys.__annotations__) == set(SearchTable.model_fields)
    own = {"id", "quantity", "theory", "experiment", "sweep"}
    assert set(ClaimKeys.__annotations__) ^ set(ClaimTable.model_fields) == own


@pytest.mark.night
def test_programs_are_checked_against_the_installed_package(tmp_path):
    venv.create(tmp_path / "venv", symlinks=True)
    [site] = (tmp_path / "venv").glob("lib/*/site-packages")
    for package in (ROOT / "fastgc", ROOT / "kernels" / "fastgc_kernels"):
        shutil.copytree(package, site / package.name)
    (site / "others.pth").write_text("\n".join(sys.path))
    for program in PROGRAMS.iterdir():
        shutil.copy(program, tmp_path / f"{program.stem}.py")
    how = "--strict", "--python-executable=venv/bin/python", "sound.py", "wrong.py"
    said = ran(sys.executable, "-m", "mypy", *how, cwd=tmp_path).stdout
    lines = (PROGRAMS / "wrong.txt").read_text().splitlines()
    wrong = [f"wrong.py:{at}" for at, line in enumerate(lines, 1) if line.endswith("# wrong")]
    assert re.findall(r"^(\S+:\d+): error", said, re.MULTILINE) == wrong, said
