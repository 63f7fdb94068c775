"""The study of a system that a design ranks: what is to be run for real."""

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from fastgc import planning
from fastgc.errors import FastgcError
from fastgc.study import design
from fastgc.study.source import Source
from fastgc.study.study import Study

#: Keys of a design that an experiment has, too.
_SHARED = ("latency", "work", "scaling", "port")


def _design(source: Study | Mapping[str, Any] | str | Path) -> Mapping[str, Any] | None:
    """Return what a study says that has a table ``[design]``; None for any other."""
    given = {} if isinstance(source, Study) else Source.of(source).data
    return given if "design" in given else None


def many(source: Study | Mapping[str, Any] | str | Path, top: int | None) -> int:
    """Return how many systems are run: of a design the ``top`` ones, else one for each point."""
    if _design(source) is not None:
        return top or 1
    if top is not None:
        raise FastgcError("top: is for studies with a table [design], whose systems are ranked")
    return len(Study.parse(source).points())


def ranked(
    source: Study | Mapping[str, Any] | str | Path,
    places: Sequence[int],
    interrupted: Callable[[], str | None] = lambda: None,
) -> list[tuple[Study | Mapping[str, Any] | str | Path, int]]:
    """Return the studies of the systems at some places, from 1, of a design's ranking, and a place.

    That is 1; a study without a table ``[design]`` stays as it is, with its places. Raises
    FastgcError if so many systems are not ranked.
    """
    given = _design(source)
    if given is None:
        return [(source, place) for place in places]
    assert not isinstance(source, Study)
    ranking = planning.design(source, interrupted=interrupted)
    if max(places) > len(ranking):
        raise FastgcError(f"top: the design ranks {len(ranking)} systems (got {max(places)})")
    table = design.parse(source)
    return [(_of_place(given, table, place, ranking[place - 1].system), 1) for place in places]


def _of_place(
    given: Mapping[str, Any], table: design.DesignTable, place: int, found: Mapping[str, Any]
) -> dict[str, Any]:
    """Return the study of a system that a design has found."""
    own, system = given["design"], dict(found)
    family = str(system["family"])
    experiment = {"name": f"place {place}", "kind": "completion", "system": system}
    experiment |= {key: own[key] for key in _SHARED if key in own}
    law = own["latency"]
    rows = isinstance(law, Mapping) and law.get("order") == "rows"
    if rows and design.schemes()[family].LOOKS_BACK:  # as the design does
        experiment["latency"] = {**law, "order": "replay"}
    files = dict(given.get("files", {}))
    for law in table.latency:
        files |= law.files()
    return {
        "title": str(given.get("title", "")),
        "seed": table.seed,
        "experiment": [experiment],
        "measure": given.get("measure", {}),
        "files": files,
    }
