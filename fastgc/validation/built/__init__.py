"""Finite statements measured on what fastgc builds: its codes, allocations and selections.

An enumeration of `fastgc.validation.enumerations` builds for itself what it measures; here it is
handed fastgc's own. So a statement is held against the product too, not only against brute force.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from fastgc.validation import enumerations, measures
from fastgc.validation.built import (
    binary,
    completion,
    decoding,
    latency,
    layers,
    pieces,
    planning,
    random_numbers,
    runs,
    statistics,
    testing,
    times,
    traces,
    training,
    trees,
)
from fastgc.validation.built.tables import code_of

__all__ = ["code_of", "measure"]


def measure(statement: Mapping[str, Any]) -> float:
    """Measure a finite statement on what fastgc builds.

    Parameters
    ----------
    statement
        ``{"built": name, ...}``: a function of the files here with its arguments; or any
        enumeration that takes a ``code`` or ``codes``, which then get fastgc's encoding matrices.

    Raises
    ------
    FastgcError
        If the name is unknown, or there is no such code.

    Examples
    --------
    >>> measure({"built": "exact_patterns", "survivors": 3,
    ...          "code": {"family": "binary", "n": 11, "s": 3}})
    36.0
    """
    arguments = dict(statement)
    name = arguments.pop("built")
    if name in _BUILT:
        return float(_BUILT[name](**arguments))
    if "code" in arguments:
        arguments["code"] = _matrix(arguments["code"])
    if "codes" in arguments:
        arguments["codes"] = [_matrix(code) for code in arguments["codes"]]
    return enumerations.measure({"finite": name, **arguments})


def _matrix(table: Mapping[str, Any]) -> dict[str, Any]:
    """What fastgc builds of a code's table, as the table of a matrix."""
    return {"family": "matrix", "rows": code_of(table).B.tolist()}


_BUILT = measures.of(
    binary,
    completion,
    decoding,
    latency,
    layers,
    pieces,
    planning,
    random_numbers,
    runs,
    statistics,
    testing,
    times,
    traces,
    training,
    trees,
)
