"""The studies that come with fastgc: the papers' own parameters."""

from __future__ import annotations

from importlib import resources
from importlib.resources.abc import Traversable


def packaged() -> dict[str, Traversable]:
    """Return the packaged studies' files by name, like ``agc/main``.

    Examples
    --------
    >>> "agc/main" in packaged()
    True
    """
    return {
        f"{folder.name}/{file.name.removesuffix('.toml')}": file
        for folder in resources.files("fastgc.study.packaged").iterdir()
        if folder.is_dir()
        for file in folder.iterdir()
        if file.name.endswith(".toml")
    }
