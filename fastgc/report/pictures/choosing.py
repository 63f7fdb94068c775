"""Which pictures there are of a thing, the one that suits it best first."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from fastgc.errors import FastgcError
from fastgc.report.pictures import against_key
from fastgc.report.pictures.picture import Picture
from fastgc.report.pictures.quantities import first, of_experiments, of_quantity
from fastgc.results.rows import Result, Row


def of(
    thing: Any,
    *,
    kind: str | None = None,
    experiment: str | Sequence[str] = (),
    quantity: str | None = None,
) -> list[Picture]:
    """Return the pictures of a thing, the one that suits it best first.

    Parameters
    ----------
    thing : Result
    kind : str, optional
        Only those of this kind.
    experiment : str or sequence of str, optional
        Only these experiments.
    quantity : str, optional
        This quantity in place of the study's first, like ``exact``, ``survivors[3]`` or
        ``time quantile(0.99)``.

    Raises
    ------
    FastgcError
        If there is nothing to be seen, or not what is asked for.
    """
    names = [experiment] if isinstance(experiment, str) else list(experiment)
    found = list(_of_result(thing, names, quantity))
    kinds = ", ".join(dict.fromkeys(picture.kind for picture in found))
    kept = [picture for picture in found if kind is None or picture.kind == kind]
    if not kept:
        raise FastgcError(f"kind: there is no picture {kind!r} of this; there is {kinds}")
    return kept


def _of_result(
    result: Result, experiments: Sequence[str], quantity: str | None
) -> Iterator[Picture]:
    rows = of_experiments(result.entries, experiments)
    if not rows:
        raise FastgcError("there are no numbers to be drawn yet")
    chosen = first(rows) if quantity is None else of_quantity(rows, quantity)
    yield from _swept(chosen)


def _swept(rows: Sequence[Row]) -> Iterator[Picture]:
    key = against_key.key_of(rows)
    if key is not None:
        yield against_key.picture(rows, key)
