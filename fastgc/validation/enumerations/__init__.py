"""Finite statements measured by brute force: every word, every pattern, nothing assumed.

A finite statement is about a matrix, a count or a sum, so it is decided without sampling. Nothing
here is shared with the theory that it tests, nor with the codes of a study.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from fastgc.errors import FastgcError
from fastgc.validation import measures
from fastgc.validation.enumerations import (
    binary_decoding,
    binary_divisions,
    binary_encoding,
    coded_training,
    coded_trees,
    decoding,
    descent,
    layers,
    paths,
    pieces,
    printed_sizes,
    rings,
    runs,
    selection,
    sharing,
    straggler_sets,
    times,
    tree_times,
    trees,
    words,
)

__all__ = ["measure"]


def measure(finite: Mapping[str, Any]) -> float:
    """Measure a finite statement.

    Parameters
    ----------
    finite
        ``{"finite": name, ...}``: a public function of the files here, with its arguments. A
        ``code`` is a table as in a study, of a family that
        `fastgc.validation.enumerations.matrices` builds.

    Returns
    -------
    float
        Exact for counts and sums of exact terms; errors are good to 1e-10 × partitions.

    Raises
    ------
    FastgcError
        If the name is unknown.

    Examples
    --------
    >>> measure({"finite": "cycle_classes", "n": 8, "weight": 4, "order": 8})
    8.0
    >>> measure({"finite": "exact_patterns", "survivors": 3,
    ...          "code": {"family": "binary", "n": 11, "s": 3}})
    36.0
    """
    arguments = dict(finite)
    name = arguments.pop("finite", None)
    if name not in _ENUMERATIONS:
        raise FastgcError(f"finite: got {name!r}, allowed are {', '.join(sorted(_ENUMERATIONS))}")
    return float(_ENUMERATIONS[name](**arguments))


_ENUMERATIONS = measures.of(
    binary_decoding,
    binary_divisions,
    binary_encoding,
    coded_training,
    coded_trees,
    decoding,
    descent,
    layers,
    paths,
    pieces,
    printed_sizes,
    rings,
    runs,
    selection,
    sharing,
    straggler_sets,
    times,
    tree_times,
    trees,
    words,
)
