"""Workers that are the stages of pipelines: which they are, by their names or as it is said."""

import re
from collections.abc import Sequence

from fastgc.errors import FastgcError
from fastgc.registry.complaints import show

#: Of a worker that is a stage of a pipeline: which.
_STAGE = re.compile(r"(?:pp|stage)[_-]?(\d+)", re.IGNORECASE)
_FIELDS = ("{stage}", "{rank}")


def stages_of(names: Sequence[str]) -> dict[str, tuple[int, ...]]:
    """Return the workers of each stage of a pipeline, by its number; empty where names say none.

    >>> stages_of(("pp0dp0", "pp0dp1", "pp1dp0", "pp1dp1"))
    {'0': (0, 1), '1': (2, 3)}
    >>> stages_of(("pp0dp0", "pp0dp1")), stages_of(("w0", "w1"))
    ({}, {})
    """
    found: dict[str, list[int]] = {}
    for j, name in enumerate(names):
        match = _STAGE.search(name)
        if match is None:
            return {}
        found.setdefault(match[1], []).append(j)
    return {each: tuple(own) for each, own in found.items()} if len(found) > 1 else {}


def stages_said(groups: str | int, names: Sequence[str]) -> dict[str, tuple[int, ...]]:
    """Return the workers of each stage, numbered from 0, where it is said which they are.

    ``groups``: what workers are called, as ``"pp{stage}dp{rank}"``: workers of one rank are the
    stages of one pipeline. Or how many stages there are, whose workers come stage by stage.

    Raises FastgcError if ``groups`` does not name a stage, or workers are not all stages of
    pipelines of one length.

    >>> stages_said("s{stage}r{rank}", ["s0r0", "s0r1", "s1r0", "s1r1"])
    {'0': (0, 1), '1': (2, 3)}
    """
    if isinstance(groups, str) and groups.isdecimal():
        groups = int(groups)
    found = _counted(groups, names) if isinstance(groups, int) else _named(groups, names)
    return {str(stage): tuple(own) for stage, own in enumerate(found)}


def _counted(stages: int, names: Sequence[str]) -> list[list[int]]:
    if isinstance(stages, bool) or stages < 1:
        raise FastgcError(f"groups: must be 1 stage or more (got {stages})")
    ranks, left = divmod(len(names), stages)
    if left or not ranks:
        raise FastgcError(f"groups: {len(names)} workers are not {stages} stages of as many each")
    return [list(range(p * ranks, (p + 1) * ranks)) for p in range(stages)]


def _named(groups: str, names: Sequence[str]) -> list[list[int]]:
    if any(groups.count(field) != 1 for field in _FIELDS):
        raise FastgcError(
            "groups: must be what workers are called, with {stage} and {rank} once each "
            f"like pp{{stage}}dp{{rank}}, or a number of stages (got {show(groups)})"
        )
    pattern = re.escape(groups)
    for field in _FIELDS:
        pattern = pattern.replace(re.escape(field), f"(?P<{field[1:-1]}>[0-9]+)")
    found: dict[tuple[int, int], int] = {}
    for j, name in enumerate(names):
        match = re.fullmatch(pattern, name)
        if match is None:
            raise FastgcError(f"groups: worker {show(name)} is not called {groups}")
        key = int(match["stage"]), int(match["rank"])
        if key in found:
            raise FastgcError(
                f"groups: workers {show(names[found[key]])} and {show(name)} are both "
                f"stage {key[0]} of rank {key[1]}"
            )
        found[key] = j
    stages, ranks = (sorted({key[i] for key in found}) for i in (0, 1))
    for p in stages:
        for d in ranks:
            if (p, d) not in found:
                raise FastgcError(f"groups: rank {d} has no worker for stage {p}; others do")
    return [[found[p, d] for d in ranks] for p in stages]
