"""Values of options and arguments, read from the command line's words."""

from __future__ import annotations

from typing import Any

import click


def trace_of(file: str | None, columns: tuple[str, ...]) -> dict[str, str] | None:
    """Return a trace as `fastgc.validate` takes it: a file, and the columns that are named."""
    if file is None:
        if columns:
            raise click.BadParameter("belongs to --trace", param_hint="'--column'")
        return None
    named = {key: name for key, _, name in (column.partition("=") for column in columns)}
    if not all(named.values()) or not named.keys() <= {"worker", "value", "iteration"}:
        raise click.BadParameter(
            "must be worker=NAME, value=NAME or iteration=NAME", param_hint="'--column'"
        )
    return {"file": file} | named


def number_or_text(text: str | None) -> float | str | None:
    """Read a number where it is one, else leave the text."""
    try:
        return None if text is None else float(text)
    except ValueError:
        return text


def point_of(text: str) -> tuple[str, Any]:
    """Return a swept key and its value."""
    from fastgc.registry import toml

    key, equals, value = text.partition("=")
    if not equals:
        raise click.BadParameter(f"must be KEY=VALUE (got {text!r})", param_hint="'--point'")
    try:
        return key, toml.value_of(value)
    except ValueError as problem:
        raise click.BadParameter(f"{key}: {problem}", param_hint="'--point'") from None


def shard_of(text: str | None) -> tuple[int, int]:
    """Return which of how many parts: "i/N"."""
    if text is None:
        return 0, 1
    own, _, shards = text.partition("/")
    if not (own.isdigit() and shards.isdigit() and int(own) < int(shards)):
        raise click.BadParameter(
            f"must be i/N with 0 ≤ i < N (got {text!r})", param_hint="'--shard'"
        )
    return int(own), int(shards)
