"""Ferdinand, Draper: Hierarchical Coded Computation (paper ``hierarchical``).

The paper's letters in fastgc's words: n workers do ``layers`` = r tasks each, one after the other;
layer j has an (n, k_j) MDS code, and k = Σ k_j ``tasks`` make the job. A task takes worker i the
time X_i = ``shift`` (α) plus an exponential time of mean ``mean`` (1/μ), so that its j-th is done
at j X_i. The text ends before its theorem: what is derived here is not quoted.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from fastgc.theory.hierarchical.paper import paper


def __getattr__(name: str) -> Callable[..., Any]:
    return paper.__getattr__(name)


def __dir__() -> list[str]:
    return sorted(paper.formulas)
