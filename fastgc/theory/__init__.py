"""Closed forms with citations and, beside each, the claims that test them; one paper a module.

>>> from fastgc import theory
>>> theory.paper_names()
('agc',)
>>> theory.agc.frc_mean_error(n=8, d=2, survivors=5)
0.8571428571428571
"""

from __future__ import annotations

from importlib import import_module
from types import ModuleType

from fastgc.theory.claims import Case, Claim, ClosedForm

__all__ = ["Case", "Claim", "ClosedForm", "claims", "paper_names"]

_PAPERS = ("agc",)


def paper_names() -> tuple[str, ...]:
    """Names of the papers whose theory is here; ``fastgc.theory.NAME`` is the module of each."""
    return _PAPERS


def claims() -> tuple[Claim, ...]:
    """All claims of all papers, in the order of the papers.

    >>> any(claim.id == "agc.theorem1.printed" for claim in claims())
    True
    """
    modules = (import_module(f"fastgc.theory.{paper}_claims") for paper in _PAPERS)
    return tuple(claim for module in modules for claim in module.claims())


def __getattr__(name: str) -> ModuleType:
    if name in _PAPERS:
        return import_module(f"fastgc.theory.{name}")
    raise AttributeError(f"module 'fastgc.theory' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted([*globals(), *_PAPERS])
