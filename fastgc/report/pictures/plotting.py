"""``fastgc.plot``: a thing's picture on axes, or in a file."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from fastgc.report.pictures.choosing import of
from fastgc.report.pictures.drawer import matplotlib
from fastgc.report.pictures.drawing import require, save, styled

if TYPE_CHECKING:
    from matplotlib.axes import Axes


def plot(
    thing: Any,
    *,
    kind: str | None = None,
    experiment: str | Sequence[str] = (),
    quantity: str | None = None,
    ax: Axes | None = None,
    style: str | Path | None = None,
    out: str | Path | None = None,
) -> Axes:
    """Draw a result, verdicts or a ranking.

    Parameters
    ----------
    thing : Result, list of Verdict, or Ranking
        What `fastgc.run`, `fastgc.open`, `fastgc.validate` or `fastgc.design` returned.
    kind : str, optional
        Another picture than the one that suits best; a message lists those that there are.
    experiment : str or sequence of str, optional
        Of a result, only these experiments.
    quantity : str, optional
        Of a result, this quantity in place of the first, like ``exact``, ``survivors[3]`` or
        ``time quantile(0.99)``.
    ax : matplotlib Axes, optional
        Where to draw, in the style in force; a new figure of pyplot in fastgc's own style if it is
        left out.
    style : str or Path, optional
        The name of a style of matplotlib, or a file with one, for a new figure or a file.
    out : str or Path, optional
        A file to be written as well, ending in .svg, .png or .pdf; the same bytes each time.

    Returns
    -------
    matplotlib Axes
        On which it was drawn; its ``figure`` can be changed and saved as any other.

    Raises
    ------
    FastgcError
        If matplotlib is not installed, or there is no such picture, style or kind of file.
    StorageError
        If the file cannot be written.

    Examples
    --------
    >>> import fastgc
    >>> result = fastgc.run({"code": {"family": "frc", "n": 8, "d": 2},
    ...                      "stragglers": {"model": "iid", "p": 0.1},
    ...                      "sweep": {"stragglers.p": [0.1, 0.2, 0.3]}})
    >>> import matplotlib.figure
    >>> axes = fastgc.plot(result, ax=matplotlib.figure.Figure().add_subplot())
    >>> axes.get_xlabel(), axes.get_ylabel()
    ('stragglers.p', 'mean error (partitions)')
    """
    require(out)
    picture = of(thing, kind=kind, experiment=experiment, quantity=quantity)[0]
    if out is not None:
        save(picture, out, style)
    if ax is not None:
        picture.draw(ax)
        if (legend := ax.get_legend()) is not None:
            legend.set_loc("best")  # what is above the axes is not ours
            legend.set_bbox_to_anchor(None)
        return ax
    with styled(style):
        _, made = matplotlib("pyplot").subplots(figsize=picture.size, layout="constrained")
        picture.draw(made)
    axes: Axes = made
    return axes
