"""Closed forms with citations and, beside each, the claims that test them; a folder a paper.

>>> from fastgc import theory
>>> theory.paper_names()
('agc', 'codedreduce', 'binary', 'hierarchical', 'gcada', 'literature')
>>> theory.agc.frc_mean_error(n=8, d=2, survivors=5)
0.8571428571428571
"""

import functools
from collections.abc import Mapping
from importlib import import_module
from types import ModuleType
from typing import Any

from fastgc.errors import public
from fastgc.theory.papers.claim import Case, Claim, ClosedForm, Paper

__all__ = ["CORE", "Case", "Claim", "ClosedForm", "Paper", "claims", "closed_forms", "paper_names"]

#: The five papers that fastgc was written for, whose statements are counted apart.
CORE = ("agc", "codedreduce", "binary", "hierarchical", "gcada")
_PAPERS = (*CORE, "literature")


def paper_names() -> tuple[str, ...]:
    """Names of the papers whose theory is here; ``fastgc.theory.NAME`` is the module of each.

    Returns
    -------
    tuple of str

    Examples
    --------
    >>> "agc" in paper_names()
    True
    """
    return _PAPERS


def paper(name: str) -> Paper:
    """A paper by its name, with its formulas and its claims.

    >>> "theorem1" in paper("agc").formulas
    True
    """
    found: Paper = import_module(f"fastgc.theory.{name}").paper
    return found


@functools.cache
def claims() -> tuple[Claim, ...]:
    """All claims of the papers, in their order.

    Returns
    -------
    tuple of Claim

    Examples
    --------
    >>> any(claim.id == "agc.theorem1.printed" for claim in claims())
    True
    """
    return tuple(claim for name in _PAPERS for claim in paper(name).claims)


@public
def closed_forms(experiment: Mapping[str, Any]) -> list[ClosedForm]:
    """Every closed form that applies to an experiment.

    Parameters
    ----------
    experiment : mapping
        A table ``[[experiment]]`` of a study, as data.

    Returns
    -------
    list of ClosedForm
        Each with its value; empty where none is known.

    Examples
    --------
    >>> code, stragglers = {"family": "graph", "name": "petersen"}, {"model": "iid", "p": 0.1}
    >>> forms = closed_forms({"code": code, "stragglers": stragglers})
    >>> round(next(f.value for f in forms if f.quantity == "error"), 7)
    0.0121778
    """
    known: Any = import_module("fastgc.theory.formula_choice")
    forms: list[ClosedForm] = known.closed_forms(experiment)
    return forms


def __getattr__(name: str) -> ModuleType:
    if name in _PAPERS:
        return import_module(f"fastgc.theory.{name}")
    raise AttributeError(f"module 'fastgc.theory' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted([*globals(), *_PAPERS])
