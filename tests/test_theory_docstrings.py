"""Every example in the docstrings of the theory."""

import doctest
import importlib
import pkgutil

import pytest

from fastgc import theory
from fastgc.theory import by_name

MODULES = sorted(
    module.name
    for module in pkgutil.walk_packages(theory.__path__, "fastgc.theory.")
    if not module.ispkg
)


def _examples(name):
    found = doctest.DocTestFinder().find(importlib.import_module(name))
    return sum(len(test.examples) for test in found)


@pytest.mark.parametrize("name", [name for name in MODULES if _examples(name)])
def test_docstrings(name):
    failed, tried = doctest.testmod(importlib.import_module(name))
    assert failed == 0 and tried > 0


def test_every_formula_has_an_example():
    for name in by_name.names():
        paper, own = name.split(".")
        assert ">>>" in (getattr(getattr(theory, paper), own).__doc__ or ""), name
