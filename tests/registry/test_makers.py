"""Public functions of members: what they take, say and refuse is what their classes say."""

import importlib
import inspect
import pickle
import re

import pytest

from fastgc import FastgcError, codes, systems
from suite.docstrings import said

FUNCTIONS = {
    codes: "bernoulli bibd binary circulant cyclic cyclic_mds frc graph heterogeneous_binary "
    "matrix sparse_regular uncoded",
    systems: "gradient_code hierarchical ignore_stragglers k_of_n replication ring_all_reduce "
    "uncoded",
}
ALL = [getattr(room, name) for room, names in FUNCTIONS.items() for name in names.split()]


@pytest.mark.parametrize("function", ALL, ids=lambda function: function.__module__)
def test_a_function_says_what_it_takes_and_is_found_where_it_says(function):
    names = list(inspect.signature(function).parameters)
    assert list(said(function)) == names
    for name in names:
        assert re.search(rf"^{name} : \w|^{name} : {{", function.__doc__, re.MULTILINE), name
    module = importlib.import_module(function.__module__)
    assert getattr(module, function.__name__) is function
    assert pickle.loads(pickle.dumps(function)) is function


def test_positions_and_names_are_alike():
    assert systems.replication(6, 2, 1, 0.5) == systems.replication(load=0.5, groups=1, d=2, n=6)
    assert systems.gradient_code(4, 1).load is None
    assert str(inspect.signature(codes.frc)) == "(n: int, d: int) -> fastgc.codes.code.Code"
    assert (codes.frc(4, 2).B == codes.frc(d=2, n=4).B).all()


@pytest.mark.parametrize(("error", "call", "sentence"), [
    (FastgcError, lambda: codes.frc(4), "frc(): missing a required argument: 'd'"),
    (TypeError, lambda: codes.frc(4, 2, 1), "frc(): too many positional arguments"),
    (TypeError, lambda: codes.frc(4, e=2, d=2), "frc: there is no argument 'e'; it takes n, d"),
    (TypeError, lambda: systems.k_of_n(4, 2, n=4), "k_of_n(): multiple values for argument 'n'"),
    (FastgcError, lambda: codes.frc(6, 4), "frc: d: must divide n (got n=6, d=4; 1, 2, 3 or 6 do)"),
    (FastgcError, lambda: codes.sparse_regular(2, 3),
     "sparse-regular: d: must be at most n (got n=2, d=3)"),
])  # fmt: skip
def test_a_call_that_does_not_fit_and_mistakes_name_the_function(error, call, sentence):
    with pytest.raises(error) as caught:
        call()
    assert str(caught.value) == sentence
