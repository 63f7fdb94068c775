"""``fastgc.error``: one number for one matrix."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from fastgc.errors import FastgcError
from fastgc.registry.given import plain
from fastgc.runs.run import run
from fastgc.statistics.estimates import Estimate


def error(
    code: Any, p: Any = None, *, stragglers: Any = None, decoder: Any = "optimal", **options: Any
) -> Estimate:
    """Return the mean decoding error of a code: min ‖B[:, survivors] x − 1‖², from 0 to k.

    Parameters
    ----------
    code : array_like (k, n), Code, sparse matrix, networkx graph, file, or table of a study
        The encoding matrix, partitions × workers; the edges of a graph are its workers.
    p : float or array_like (n,), optional
        Probability to straggle, of every worker or one for each; they straggle independently.
    stragglers : int or table, optional
        In place of p: exactly so many stragglers, every set of them alike; or any other model.
    decoder : str or table
        "optimal" (least squares, the default), "one-step", or any other of a study.
    **options
        Any other key of an experiment, and options of `fastgc.run`, like ``method="exact"`` or
        ``trials=10**7``.

    Returns
    -------
    Estimate
        ``value``, 95 % interval ``low`` … ``high``, and ``method``, how it was found: exact where
        that takes no more patterns than the trials asked for, else sampled. ``float()`` of it is
        the value.

    Raises
    ------
    FastgcError
        For every mistake in what is given.

    Examples
    --------
    >>> import fastgc
    >>> B = [[1, 1, 0, 0], [1, 1, 0, 0], [0, 0, 1, 1], [0, 0, 1, 1]]
    >>> found = fastgc.error(B, p=0.1)
    >>> found, found.method, round(float(fastgc.error(B, stragglers=2)), 9)
    (0.04, 'exact', 0.666666667)
    """
    if (p is None) == (stragglers is None):
        got = "neither" if p is None else "both"
        raise FastgcError(f"error: give either p or stragglers (got {got})")
    stragglers = plain(stragglers)[0]
    if isinstance(stragglers, bool | str):
        raise FastgcError(f"must be a number or a table (got {stragglers!r})", "stragglers")
    if p is not None:
        stragglers = {"model": "iid", "p": p}
    if isinstance(stragglers, Mapping) and stragglers.get("model") == "adversarial":
        raise FastgcError(
            "adversarial ones have no mean; fastgc.inspect says the worst cases of a code, and "
            'fastgc.run(…)["error"].statistic("maximum") one of them',
            "stragglers",
        )
    result = run(code=code, stragglers=stragglers, decoder=decoder, **options)
    return result["error"].mean  # type: ignore[no-any-return]
