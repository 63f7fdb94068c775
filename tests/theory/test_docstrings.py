"""Every example in the docstrings of the theory and of statistics."""

import doctest
import importlib
import pkgutil

import pytest

from fastgc import statistics, theory

MODULES = [
    "fastgc.theory",
    *("fastgc.arrays", "fastgc.results.rows"),
    "fastgc.report.latex",
    *(
        module.name
        for room in (theory, statistics)
        for module in pkgutil.walk_packages(room.__path__, f"{room.__name__}.")
        if not module.ispkg
    ),
]


def _examples(name):
    found = doctest.DocTestFinder().find(importlib.import_module(name))
    return sum(len(test.examples) for test in found)


@pytest.mark.parametrize("name", [name for name in MODULES if _examples(name)])
def test_docstrings(name):
    failed, tried = doctest.testmod(importlib.import_module(name))
    assert failed == 0 and tried > 0


def test_every_formula_says_what_it_is():
    for paper in theory.paper_names():
        for name, formula in theory.paper(paper).formulas.items():
            assert len((formula.__doc__ or "").split()) > 4, f"{paper}.{name}"
