"""The examples of the room's documentation say what happens."""

import doctest
import importlib

import pytest

MODULES = ("dependence", "fitting", "laws", "piece", "recorder", "shifted", "summary")


@pytest.mark.parametrize("module", MODULES)
def test_examples(module):
    failed, tried = doctest.testmod(importlib.import_module(f"fastgc.traces.{module}"))
    assert tried and not failed
