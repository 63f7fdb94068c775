"""`python -m bench.bits`: every method is taken, a bit that differs is seen."""

import json
import math
import re
import sys
import tomllib
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

from bench import bits
from conftest import ROOT, environment, ran
from fastgc.registry import GROUPS, members
from fastgc.registry.plugin_groups import REGISTRY
from fastgc.study.examples import examples

ROW = json.dumps(["frc", {}, "error", "mean", None, "exact"])


def _tables(value: Any) -> Iterator[dict[str, Any]]:
    if isinstance(value, dict):
        yield value
    for each in value.values() if isinstance(value, dict) else value:
        if isinstance(each, dict | list):
            yield from _tables(each)


@pytest.mark.parametrize(
    "group", ["code", "stragglers", "latency", "system", "problem", "optimizer", "selection"]
)
def test_every_member_of_a_registry_is_in_the_studies(
    group: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    key = GROUPS[group].key
    study = tomllib.loads(bits.STUDY.read_text(encoding="utf-8"))
    names = [each.get("name", f"experiment{i}") for i, each in enumerate(study["experiment"])]
    assert sorted(set(names)) == sorted(names)
    own = {name for name, model in members(group).items() if model.__module__.startswith("fastgc.")}
    unnamed = [tomllib.loads(text) for text in bits.unnamed_members()]
    assert own and own <= {str(table.get(key)) for table in _tables([study, *unnamed])}
    monkeypatch.setattr(bits, "STUDY", tmp_path / "none.toml")
    bits.STUDY.write_text("")
    unnamed = [tomllib.loads(text) for text in bits.unnamed_members()]
    assert own - {"term"} <= {str(table.get(key)) for table in _tables(unnamed)}


def test_a_new_member_needs_no_study_but_its_example(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    check, text = test_every_member_of_a_registry_is_in_the_studies, ROOT / "CONTRIBUTING.md"
    code = re.findall(r"```python\n(.*?)```", text.read_text(), re.DOTALL)[0]
    code = code.replace('"mirror"', '"mirrored"')  # that it may be pasted into the tree
    own = '[[experiment]]\ncode = { family = "mirrored", n = 30 }\nstragglers = 0.1'
    with REGISTRY.restored():
        exec(code, {**vars(import_module("fastgc.codes.binary"))})
        with pytest.raises(AssertionError):
            check("code", monkeypatch, tmp_path)
        monkeypatch.setattr(bits, "examples", lambda: examples() | {"code mirrored": own})
        check("code", monkeypatch, tmp_path)


def test_what_differs_is_named() -> None:
    before = {"digests": ["0"], ROW: {"value": (0.1).hex(), "low": (0.1).hex()}}
    now = {"digests": ["0"], ROW: {"value": (0.1).hex(), "low": math.nextafter(0.1, 1.0).hex()}}
    bit = f"{ROW}: low 0x1.999999999999ap-4, now 0x1.999999999999bp-4"
    for one, other, said in (
        (before, json.loads(json.dumps(before)), []),
        (before, now, [bit]),
        (before, {"digests": ["0"]}, [f"{ROW}: only before"]),
        ({"digests": ["0"]}, before, [f"{ROW}: only now"]),
        (before, before | {"digests": ["1"]}, ["digests: blocks of trials differ"]),
    ):
        assert bits.differences(one, other) == said


@pytest.mark.night
def test_the_plain_environment_keeps_numpy_and_numba_from_wide_registers() -> None:
    program = (
        "from bench.bits import plain; import numpy as np, numba.core.codegen as codegen\n"
        "from numba.core.registry import cpu_target\n"
        "try: from numpy._core._multiarray_umath import __cpu_features__ as has\n"
        "except ImportError: from numpy.core._multiarray_umath import __cpu_features__ as has\n"
        "print(any(has[name] for name in plain()['NPY_DISABLE_CPU_FEATURES'].split()))\n"
        "print(cpu_target.target_context.codegen().magic_tuple())\n"
    )
    own = environment(**bits.plain())
    own["PYTHONPATH"] += f":{ROOT}"
    done = ran(sys.executable, "-c", program, env=own, cwd=ROOT)
    assert done.returncode == 0, done.stderr
    features, kernels = done.stdout.splitlines()
    assert features == "False"
    assert "nehalem" in kernels and "avx" not in kernels
