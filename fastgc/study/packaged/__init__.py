"""The studies that come with fastgc, the papers' own parameters: files, titles and texts."""

import re
import tomllib
from importlib import resources
from importlib.resources.abc import Traversable

from fastgc.errors import FastgcError


def packaged() -> dict[str, Traversable]:
    """Return the packaged studies' files by name, like ``agc/main``, Figure 2 before Figure 10."""
    found = {
        f"{folder.name}/{file.name.removesuffix('.toml')}": file
        for folder in resources.files("fastgc.study.packaged").iterdir()
        if folder.is_dir()
        for file in folder.iterdir()
        if file.name.endswith(".toml")
    }
    parts = {name: re.split(r"(\d+)", name) for name in found}
    in_order = sorted(
        found, key=lambda name: [p.zfill(9) if p.isdigit() else p for p in parts[name]]
    )
    return {name: found[name] for name in in_order}


def titles() -> dict[str, str]:
    """Return the title of every packaged study by its name."""
    return {name: tomllib.loads(text(name))["title"] for name in packaged()}


def text(name: str) -> str:
    """Return a packaged study as it is written.

    Raises FastgcError if there is none of this name.
    """
    known = packaged()
    if name not in known:
        # only where it is needed: the shell's completion loads neither NumPy nor Pydantic
        from fastgc.registry.complaints import nearest, show

        near = nearest(name, known) or "; `fastgc help studies` lists them"
        raise FastgcError(f"there is no packaged study {show(name)}{near}")
    return known[name].read_text(encoding="utf-8")
