"""Finite statements measured on what fastgc builds: its codes, allocations and selections.

An enumeration of `fastgc.validation.enumerations` builds for itself what it measures; here it is
handed fastgc's own. So a statement is held against the product too, not only against brute force.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from fastgc import codes
from fastgc.codes.code import Code
from fastgc.validation import enumerations
from fastgc.validation.built import times, training, trees

__all__ = ["measure"]


def measure(statement: Mapping[str, Any]) -> float:
    """Measure a finite statement on what fastgc builds.

    Parameters
    ----------
    statement
        ``{"built": name, ...}``: a function of the files here with its arguments; or any
        enumeration that takes a ``code``, which then gets fastgc's encoding matrix.

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
        rows = code_of(arguments["code"]).B.tolist()
        arguments["code"] = {"family": "matrix", "rows": rows}
    return enumerations.measure({"finite": name, **arguments})


def code_of(table: Mapping[str, Any]) -> Code:
    """The code that fastgc builds of a table, as in a study."""
    arguments = dict(table)
    code: Code = getattr(codes, arguments.pop("family").replace("-", "_"))(**arguments)
    return code


_BUILT: dict[str, Callable[..., Any]] = {
    function.__name__: function
    for function in (
        times.least_path,
        times.longest_path_delay,
        times.mean_time,
        times.messages_received,
        times.port_delay,
        trees.decoded_sets,
        trees.fewest_that_break,
        trees.largest_share,
        trees.samples_held,
        trees.undecoded_patterns,
        trees.whole_samples,
        trees.workers,
        training.coded_distance,
        training.coded_gradient_error,
        training.coded_loss,
        training.standardized_loss,
        training.step_defect,
    )
} | training.STATEMENTS
