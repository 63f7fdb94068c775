"""Rows as JSON and as CSV, for other programs; files written as a whole."""

import csv
import io
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from fastgc.errors import StorageError
from fastgc.registry.complaints import one_line
from fastgc.results import frames, image

Rows = Sequence[dict[str, Any]]


def as_json(data: Any) -> str:
    """Return data as JSON text; raise ValueError at NaN."""
    return json.dumps(data, indent=1, allow_nan=False, ensure_ascii=False)


def as_csv(rows: Rows) -> str:
    """Return rows as CSV, with a column for every swept key."""
    found = frames.flat(rows)
    out = io.StringIO()
    names = list(found[0]) if found else []
    writer = csv.DictWriter(out, names, lineterminator="\n")
    writer.writeheader()
    writer.writerows(found)
    return out.getvalue().rstrip("\n")


def as_csv_table(lines: Sequence[Sequence[Any]]) -> str:
    """Return lines of cells as CSV."""
    out = io.StringIO()
    csv.writer(out, lineterminator="\n").writerows(lines)
    return out.getvalue().rstrip("\n")


def plain(value: Any) -> Any:
    """Return a value as a cell of a table: lists and tables as JSON."""
    return frames.column(value)


def write(path: Path, content: bytes) -> None:
    """Write a file as a whole; what was there stays until then.

    Raises StorageError if that cannot be done.
    """
    try:
        if path.exists() and not path.is_file():  # a pipe or a terminal is not replaced
            path.write_bytes(content)
        else:
            image.replace(path.resolve(), memoryview(content))
    except OSError as error:
        reason = error.strerror or str(error)
        raise StorageError(f"{one_line(str(path))}: cannot be written ({reason})") from None
