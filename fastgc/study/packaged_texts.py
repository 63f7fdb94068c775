"""Titles and texts of the packaged studies."""

from __future__ import annotations

import tomllib

from fastgc.errors import FastgcError
from fastgc.registry.complaints import nearest, show
from fastgc.study.packaged import packaged


def titles() -> dict[str, str]:
    """Return the title of every packaged study by its name, in alphabetical order.

    Examples
    --------
    >>> titles()["comparison/eight-codes"]
    'Eight codes at equal load'
    """
    return {name: tomllib.loads(text(name))["title"] for name in sorted(packaged())}


def text(name: str) -> str:
    """Return a packaged study as it is written.

    Raises FastgcError if there is none of this name.
    """
    known = packaged()
    if name not in known:
        near = nearest(name, known) or "; `fastgc studies` lists them"
        raise FastgcError(f"there is no packaged study {show(name)}{near}")
    return known[name].read_text(encoding="utf-8")
