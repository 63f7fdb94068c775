"""Rows as JSON and as CSV, for other programs."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Sequence
from typing import Any

Rows = Sequence[dict[str, Any]]


def as_json(data: Any) -> str:
    """Return data as JSON text; raise ValueError at NaN."""
    return json.dumps(data, indent=1, allow_nan=False, ensure_ascii=False)


def as_csv(rows: Rows) -> str:
    """Return rows as CSV, with a column for every swept key."""
    keys = [key for key in dict.fromkeys(key for row in rows for key in row["point"])]
    names = [name for name in rows[0] if name != "point"] if rows else []
    names = list(dict.fromkeys([*names, "note"]))
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow([*names, *keys])
    for row in rows:
        cells = [row.get(name) for name in names]
        writer.writerow(cells + [plain(row["point"].get(key)) for key in keys])
    return out.getvalue().rstrip("\n")


def plain(value: Any) -> Any:
    """Return a value as a cell of a table: lists and tables as JSON."""
    return json.dumps(value) if isinstance(value, list | dict) else value
