"""Constructors of public classes say what is wrong as a study does."""

import pytest

from fastgc import FastgcError, Study, latency, stragglers
from fastgc.errors import ArgumentError


@pytest.mark.parametrize(("cls", "given", "sentence"), [
    (latency.Exponential, {"mean": -1}, "Exponential: mean: must be more than 0 (got -1)"),
    (latency.Exponential, {"men": 1}, "Exponential: men: unknown key; did you mean 'mean'?"),
    (latency.Pareto, {"shape": 1.0, "scale": "a"}, "Pareto: scale: must be a number (got 'a')"),
    (stragglers.Iid, {"p": 1.1}, "Iid: p: must be at most 1 (got 1.1)"),
    (Study, {"experiments": []}, "unknown key; did you mean 'experiment'?"),
])  # fmt: skip
def test_what_is_wrong_is_said_with_its_key(cls, given, sentence):
    with pytest.raises(FastgcError) as caught:
        cls(**given)
    assert sentence in str(caught.value) and "pydantic" not in str(caught.value)


def test_arguments_are_named_and_lists_fit():
    with pytest.raises(ArgumentError, match="named: distribution, mean, shift"):
        latency.Exponential(1.0)
    assert stragglers.Iid(p=[0.1, 0.2]) == stragglers.Iid(p=(0.1, 0.2))
