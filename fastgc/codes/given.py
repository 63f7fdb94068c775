"""What stands for a code: an array, a graph, a file's name or a table, in Python as in a study."""

from typing import Any

import numpy as np

from fastgc import registry
from fastgc.arrays import Values
from fastgc.codes.code import Code, code_of
from fastgc.codes.per_trial import CodeOfTrials
from fastgc.errors import FastgcError, FastgcWarning
from fastgc.registry.complaints import check, lines, unknown
from fastgc.registry.given import IN_FULL, plain

_LARGEST_CHECKED = 1 << 18  # entries of a matrix that is looked at for a transposed one
_EXACT = 1e-6  # of the error of all workers
_LOST = 0.01  # less may be rounding of an ill-conditioned matrix


def in_full(code: Any) -> Any:
    """Return the ``code`` table of a study for what is written in place of one, as plain data.

    A list of rows is a matrix, and text is the file that holds one.
    """
    if isinstance(code, list):
        warn_of(code)
    return IN_FULL["code"](code)


def code_given(code: Any, name: str = "matrix") -> Code:
    """Return the code that a caller means; messages call a matrix ``name``.

    It is a Code, or its matrix, partitions × workers, as an array or sparse; a networkx graph,
    whose edges are the workers; the file of a matrix; or the ``code`` table of a study.
    """
    if isinstance(code, Code | CodeOfTrials):
        return code  # type: ignore[return-value]
    if isinstance(code, list | tuple) or hasattr(code, "__array__"):
        return code_of(code, name)
    found, complaints = plain(code)
    if isinstance(found, list):  # of a sparse matrix
        return code_of(found, name)
    table = in_full(found)
    members = registry.members("code")
    family = str(table.get("family")) if isinstance(table, dict) else ""
    if not complaints and family not in members:
        raise FastgcError(f"{name}: {unknown('family', family, members)}")
    member, wrong = (None, []) if complaints else check(members[family], table)
    if member is None:
        raise FastgcError("; ".join(f"{name}: {line}" for line in lines(complaints + wrong)))
    return member.built()  # type: ignore[attr-defined, no-any-return]


def warn_of(rows: Any) -> None:
    """Warn where a matrix is none of a code that can decode, and its transpose is."""
    try:
        if np.iscomplexobj(rows):
            return
        B = np.asarray(rows, np.float64)
    except (TypeError, ValueError):
        return  # complex entries in texts, or refused in a sentence of its own
    if B.ndim != 2 or not 0 < B.size <= _LARGEST_CHECKED or not np.isfinite(B).all():
        return
    error = _error_of_all(B)
    if error > _LOST and _error_of_all(B.T) <= _EXACT:
        said = f"all {B.shape[1]} workers together leave an error of {error:.4g}"
        turned = "rows must be partitions and columns workers; is this the transpose of B?"
        FastgcWarning.warn(f"matrix: {said}; {turned}")
    elif not B.any(axis=1).all():
        row = int(np.flatnonzero(~B.any(axis=1))[0])
        said = f"no worker holds partition {row} (a row of zeros), so nothing decodes exactly"
        FastgcWarning.warn(f"matrix: {said}")


def _error_of_all(B: Values) -> float:
    ones = np.ones(len(B))
    return float(np.square(B @ np.linalg.lstsq(B, ones, rcond=None)[0] - ones).sum())
