"""The examples in docstrings say what happens, in whole rooms and in the bases of plug-ins."""

import doctest
import importlib
import pkgutil
from pathlib import Path

import pytest

ROOMS = ("codes", "latency", "registry", "stragglers", "traces", "training")
BASES = ("decoding.decoder", "decoding.decode", "decoding.rule")
BASES += ("experiments.decoding.measures.own", "systems.schemes", "systems.system")


def _modules() -> list[str]:
    names = [f"fastgc.{name}" for name in BASES]
    for room in ROOMS:
        package = importlib.import_module(f"fastgc.{room}")
        names += [each.name for each in pkgutil.walk_packages(package.__path__, f"fastgc.{room}.")]
    return [name for name in names if ">>> " in _source(name)]


def _source(name: str) -> str:
    return Path(str(importlib.import_module(name).__file__)).read_text(encoding="utf-8")


@pytest.mark.parametrize("name", _modules())
def test_examples(name: str) -> None:
    found = doctest.testmod(importlib.import_module(name), optionflags=doctest.ELLIPSIS)
    assert found.failed == 0


def test_most_modules_have_examples() -> None:
    assert len(_modules()) > 30
