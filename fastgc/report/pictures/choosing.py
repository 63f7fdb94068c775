"""Which pictures there are of a thing, the one that suits it best first."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from fastgc.errors import FastgcError
from fastgc.report.pictures import (
    against,
    comparison,
    descent,
    distribution,
    forest,
    front,
    heat_map,
    ranking,
)
from fastgc.report.pictures.curves import curves
from fastgc.report.pictures.picture import Picture
from fastgc.report.pictures.quantities import first, of_experiments, of_quantity
from fastgc.results.ranking import Ranking
from fastgc.results.rows import Result, Row
from fastgc.results.verdicts import Verdict

#: More curves than this are not drawn over each other, unless they are asked for.
MOST_CURVES = 12


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
    thing : Result, list of Verdict, or Ranking
        What `fastgc.run`, `fastgc.validate` or `fastgc.design` returned.
    kind : str, optional
        Only those of this kind.
    experiment : str or sequence of str, optional
        Of a result, only these experiments.
    quantity : str, optional
        Of a result, this quantity in place of the study's first, like ``exact``, ``survivors[3]``
        or ``time quantile(0.99)``.

    Returns
    -------
    list of Picture

    Raises
    ------
    FastgcError
        If there is nothing to be seen, or not what is asked for.

    Examples
    --------
    >>> import fastgc
    >>> from fastgc.report import pictures
    >>> study = {"code": {"family": "frc", "n": 8, "d": 2},
    ...          "stragglers": {"model": "iid", "p": 0.1},
    ...          "sweep": {"stragglers.p": [0.1, 0.2, 0.3]}}
    >>> [picture.kind for picture in pictures.of(fastgc.run(study))]
    ['sweep', 'comparison']
    """
    names = [experiment] if isinstance(experiment, str) else list(experiment)
    if (names or quantity) and not (isinstance(thing, Result) and not thing.verdicts):
        raise FastgcError("experiment, quantity: only results of studies have them; leave them out")
    if isinstance(thing, Ranking):
        found = list(_of_ranking(thing))
    elif isinstance(thing, Result) and not thing.verdicts:
        found = list(_of_result(thing, names, quantity))
    else:
        found = list(_of_verdicts(thing.verdicts if isinstance(thing, Result) else thing))
    return found if kind is None else _of_kind(found, kind)


def chosen(found: Sequence[Picture], kinds: Sequence[str]) -> list[Picture]:
    """Return the pictures of each kind: of that which suits best, if no kind is named.

    There are several of a kind where one would be too large.

    Raises
    ------
    FastgcError
        If there is none of a kind.
    """
    named = dict.fromkeys(kinds) or [found[0].kind]
    return [picture for kind in named for picture in _of_kind(found, kind)]


def _of_kind(found: Sequence[Picture], kind: str) -> list[Picture]:
    kept = [picture for picture in found if picture.kind == kind]
    if not kept:
        kinds = ", ".join(dict.fromkeys(picture.kind for picture in found))
        raise FastgcError(f"kind: there is no picture {kind!r} of this; there is {kinds}")
    return kept


def _of_ranking(found: Ranking) -> Iterator[Picture]:
    if not len(found):
        raise FastgcError("the ranking has no systems to be drawn")
    yield ranking.picture(found)
    if (loads := front.of_ranking(found)) is not None:
        yield loads


def _of_verdicts(thing: Any) -> Iterator[Picture]:
    verdicts = [thing] if isinstance(thing, Verdict) else list(thing)
    if not verdicts or not all(isinstance(each, Verdict) for each in verdicts):
        raise FastgcError("pictures are made of a result, a list of verdicts, or a ranking")
    yield from forest.pictures(verdicts)


def _of_result(
    result: Result, experiments: Sequence[str], quantity: str | None
) -> Iterator[Picture]:
    rows = of_experiments(result.entries, experiments)
    if not rows:
        raise FastgcError("there are no numbers to be drawn yet")
    falling = next((row for row in rows if row.quantity in descent.FALLING), None)
    if quantity is None and falling is not None and descent.is_curve(falling):
        yield from descent.pictures(rows, falling.quantity)
    chosen = first(rows) if quantity is None else of_quantity(rows, quantity)
    if len({row.index for row in chosen}) > 1:
        if descent.is_curve(chosen[0]):
            yield from descent.pictures(rows, chosen[0].quantity)
        else:
            yield against.against_index(chosen)
    elif chosen:
        yield from _of_one_number(rows, chosen)


def _of_one_number(rows: Sequence[Row], chosen: Sequence[Row]) -> Iterator[Picture]:
    """The pictures of a quantity that has one number a point, of this statistic."""
    name = chosen[0].quantity
    found: list[Picture] = []
    key, keys = against.key_of(chosen), heat_map.keys_of(chosen)
    several = len(curves(chosen)) > 1
    if keys is not None:
        found += heat_map.pictures(chosen, keys)
    if key is not None:
        found.append(against.against_key(chosen, key))
        if len(found) > 2 and len(curves(chosen, [key])) <= MOST_CURVES:
            found.insert(0, found.pop())  # one picture of all experiments before one of each
    if name == "time" and (loads := front.of_rows(rows, chosen)) is not None:
        found.insert(len(found) if key is not None else 0, loads)
    laws = distribution.laws(rows, name)
    spread: list[Picture] = []
    if laws and len(laws) <= MOST_CURVES:
        spread.append(distribution.tail(laws, name))
        if any(law.histogram is not None for law in laws):
            spread.append(distribution.distribution(laws, name))
    if (name == "time" or not several) and any(law.is_well_known for law in laws):
        found += spread
        spread = []
    found.append(comparison.picture(chosen))
    yield from [*found, *spread]
