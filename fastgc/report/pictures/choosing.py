"""Which pictures there are of a thing, the one that suits it best first; ``fastgc.plot``."""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from fastgc.errors import FastgcError, public
from fastgc.registry.complaints import unknown
from fastgc.report import tables
from fastgc.report.pictures import curve, distribution, heat_map
from fastgc.report.pictures.curve import is_per_round
from fastgc.report.pictures.picture import Axes, Picture, matplotlib, require, save, styled
from fastgc.results.rows import Result, Row

#: More curves than this are not drawn over each other, unless they are asked for.
MOST_CURVES = 12


def of(
    thing: Any,
    *,
    kind: str | None = None,
    experiment: str | Sequence[str] = (),
    quantity: str | None = None,
) -> list[Picture]:
    """Return the pictures of a result, the one that suits it best first.

    The arguments are those of `plot`, which also says what is refused.
    """
    names = [experiment] if isinstance(experiment, str) else list(experiment)
    if not isinstance(thing, Result) or thing.verdicts:
        raise FastgcError("pictures are made of the result of a study")
    known = list(dict.fromkeys(row.experiment for row in thing.entries))
    for name in names:
        if name not in known:
            raise FastgcError(f"experiment: {unknown('experiment', name, known)}")
    rows = [row for row in thing.entries if not names or row.experiment in names]
    found = list(_row_pictures(rows, quantity)) if rows else []
    if not found:
        raise FastgcError("there are no numbers to be drawn yet")
    return found if kind is None else chosen(found, [kind])


def chosen(found: Sequence[Picture], kinds: Sequence[str]) -> list[Picture]:
    """Return the pictures of each kind: of that which suits best, if no kind is named.

    There may be several of a kind. FastgcError names the kinds there are where there is none.
    """
    known = list(dict.fromkeys(picture.kind for picture in found))
    named = list(dict.fromkeys(kinds)) or known[:1]
    for kind in named:
        if kind not in known:
            raise FastgcError(f"kind: {unknown('picture', kind, known)}")
    return [picture for kind in named for picture in found if picture.kind == kind]


def _row_pictures(rows: Sequence[Row], quantity: str | None) -> Iterator[Picture]:
    falling = [row.quantity for row in rows if row.quantity in curve.FALLING and is_per_round(row)]
    if quantity is None and falling:
        yield from curve.descents(rows, falling[0])
    own = rows if quantity else [row for row in rows if not is_per_round(row)]
    if not own:
        return
    known = [(row.quantity, row.statistic, row.index) for row in own]
    chosen = [own[place] for place in tables.chosen(known, quantity or own[0].quantity)]
    if quantity is None and falling and not any(row.estimate.value for row in chosen):
        return  # beside descents, none of which diverged, zeros say nothing
    name = chosen[0].quantity
    if len({row.index for row in chosen}) > 1:
        if is_per_round(chosen[0]):
            yield from curve.descents(rows, name)
        else:
            yield curve.against_index(chosen)
        return
    key, keys = curve.key_of(chosen), heat_map.keys_of(chosen)
    several = len(curve.curves(chosen))
    found = [] if keys is None else heat_map.pictures(chosen, keys)
    if key is not None:
        found.append(curve.against_key(chosen, key))
        if len(found) > 2 and len(curve.curves(chosen, [key])) <= MOST_CURVES:
            found.insert(0, found.pop())  # one picture of all experiments before one of each
    laws = distribution.laws(rows, name)
    spread = [distribution.tail(laws, name)] if 0 < len(laws) <= MOST_CURVES else []
    comparison = [curve.by_name(chosen)] if key is None else []
    enough = any(law.sampled or len(law.asked) >= distribution.ENOUGH for law in laws)
    yield from found
    if enough and (name == "time" or several < 2):
        yield from [*spread, *comparison]
    else:
        yield from [*comparison, *spread]


@public
def plot(
    thing: Result,
    *,
    kind: str | None = None,
    experiment: str | Sequence[str] = (),
    quantity: str | None = None,
    ax: Axes | None = None,
    out: str | Path | None = None,
) -> Axes:
    """Draw the result of a study.

    Parameters
    ----------
    thing : Result
        What `fastgc.run` or `fastgc.open` returned.
    kind : str, optional
        Another picture than the one that suits best; a message lists those that there are.
    experiment : str or sequence of str, optional
        Only these experiments.
    quantity : str, optional
        This quantity in place of the first, like ``exact``, ``survivors[3]`` or
        ``time quantile(0.99)``.
    ax : matplotlib Axes, optional
        Where to draw, in the style in force; a new figure of pyplot in fastgc's own style if it is
        left out.
    out : str or Path, optional
        A file to be written as well, ending in .svg, .png or .pdf; the same bytes each time.

    Returns
    -------
    matplotlib Axes
        On which it was drawn: labels, limits, scales and its ``figure`` can be changed as usual.

    Raises
    ------
    FastgcError
        If matplotlib is not installed, or there is no such picture or kind of file.
    StorageError
        If the file cannot be written.

    Examples
    --------
    >>> import fastgc
    >>> sweep = {"stragglers.p": [0.1, 0.2, 0.3]}
    >>> result = fastgc.run(code=fastgc.codes.frc(n=8, d=2), stragglers=0.1, sweep=sweep)
    >>> import matplotlib.figure
    >>> axes = fastgc.plot(result, ax=matplotlib.figure.Figure().add_subplot())
    >>> axes.get_xlabel(), axes.get_ylabel()
    ('straggler probability p', 'mean error (partitions)')
    """
    require(out)
    picture = of(thing, kind=kind, experiment=experiment, quantity=quantity)[0]
    if out is not None:
        save(picture, out)
    if ax is not None:
        picture.draw(ax)
        if (legend := ax.get_legend()) is not None:
            legend.set_loc("best")  # what is above the axes is not ours
            legend.set_bbox_to_anchor(None)
        return ax
    with styled():
        _, made = matplotlib("pyplot").subplots(figsize=picture.size, layout="constrained")
        picture.draw(made)
    axes: Axes = made
    return axes
