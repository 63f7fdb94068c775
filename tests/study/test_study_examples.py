"""The small study of each member is one that runs: ``fastgc compile`` runs them all."""

import tomllib

import pytest

from fastgc.study.examples import examples
from fastgc.study.study import Study


@pytest.mark.parametrize("name", examples())
def test_it_is_a_study(name: str) -> None:
    assert len(Study.parse(tomllib.loads(examples()[name])).points()) == 1
