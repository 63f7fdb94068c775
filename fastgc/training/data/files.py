"""The user's own data sets, and what of them results carry.

A small file's content is carried in results, so that they can be repeated without it. Of a large
one they carry only what it was: its sizes and the SHA-256 of its numbers.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from fastgc.errors import FastgcError
from fastgc.registry.complaints import show
from fastgc.registry.files import text_of
from fastgc.training.data import csv_files, npz_files
from fastgc.training.data.raw import Raw

#: Results carry files with less than this many bytes of text.
LARGEST_CARRIED = 1_000_000
_BYTES_A_NUMBER = 20


@dataclass(frozen=True)
class Layout:
    """Where in a file the features and the targets are.

    Attributes
    ----------
    target : str or None
        Column of a csv that holds the targets.
    columns : tuple of str or None
        Columns of a csv that hold the features; all others by default.
    x, y : str or None
        Arrays of an npz.
    """

    target: str | None = None
    columns: tuple[str, ...] | None = None
    x: str | None = None
    y: str | None = None


@dataclass(frozen=True)
class Found:
    """A file's data, or where only that was carried, what they were.

    Attributes
    ----------
    raw : Raw or None
    identity : dict
        Sizes and SHA-256 of the numbers.
    layout : Layout
    text : str or None
        Of a csv.
    """

    raw: Raw | None
    identity: dict[str, Any]
    layout: Layout
    text: str | None = None

    def carried(self, path: str) -> dict[str, Any]:
        """Return what results carry in the place of a file, under which name."""
        small = False
        content: Any = self.text
        if self.raw is not None and self.text is not None:
            small = len(self.text) < LARGEST_CARRIED
        elif self.raw is not None:
            small = _BYTES_A_NUMBER * (self.raw.X.size + self.raw.y.size) < LARGEST_CARRIED
            content = dict(zip(self.raw.arrays, (self.raw.X, self.raw.y), strict=True))
        return {path: content} if small else {_description(path, self.layout): self.identity}


def find(path: str, layout: Layout, context: Mapping[str, Any] | None = None) -> Found:
    """Read a data set, from the contents that a study carries or else from its folder.

    Parameters
    ----------
    path : str
        A csv or npz file.
    layout : Layout
    context : mapping, optional
        ``folder``: where relative names start; ``files``: contents that stand in for files.

    Raises
    ------
    FastgcError
        If the file cannot be read, or does not hold what ``layout`` says.
    """
    context = context or {}
    kind = _kind(path, layout)
    carried = context.get("files", {})
    known = carried.get(_description(path, layout))
    if isinstance(known, Mapping):
        return _of_before(path, layout, context, dict(known))
    if kind == ".csv":
        text = text_of(path, context)
        return _found(csv_files.parse(text, path, layout.target, layout.columns), layout, text)
    if path in carried:
        return _found(npz_files.of_arrays(carried[path], path, layout.x, layout.y), layout)
    return _found(npz_files.read(path, context, layout.x, layout.y), layout)


def _found(raw: Raw, layout: Layout, text: str | None = None) -> Found:
    samples, features = raw.X.shape
    identity = {"samples": samples, "features": features, "sha256": raw.digest}
    return Found(raw, identity, layout, text)


def _of_before(
    path: str, layout: Layout, context: Mapping[str, Any], content: dict[str, Any]
) -> Found:
    """Take the file where it still is what it was; else only what is known of it."""
    try:
        found = find(path, layout, {"folder": context.get("folder", Path())})
    except FastgcError:
        return Found(None, content, layout)
    return found if found.identity == content else Found(None, content, layout)


def _description(path: str, layout: Layout) -> str:
    """Name what is taken from a file: two problems may take different columns from one."""
    return f"{path} {json.dumps([layout.target, layout.columns, layout.x, layout.y])}"


def _kind(path: str, layout: Layout) -> str:
    kind = Path(path).suffix.lower()
    if kind not in (".csv", ".npz"):
        raise FastgcError(f"must end in .csv or .npz (got {show(path)})", "file")
    of_csv = [key for key in ("target", "columns") if getattr(layout, key) is not None]
    of_npz = [key for key in ("x", "y") if getattr(layout, key) is not None]
    if kind == ".npz" and of_csv:
        raise FastgcError(f"names columns of a csv, {path} is an npz; use x and y", of_csv[0])
    if kind == ".csv" and of_npz:
        raise FastgcError(
            f"names an array of an npz, {path} is a csv; use target and columns", of_npz[0]
        )
    return kind
