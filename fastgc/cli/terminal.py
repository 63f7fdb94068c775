"""How wide the terminal is."""

from __future__ import annotations

import os
import shutil
import sys


def table_width() -> int | None:
    """Return the columns that a table may take: ``COLUMNS``, or those of the terminal.

    None where there is no terminal: a file, or a program that reads on, gets lines whole.
    """
    if os.environ.get("COLUMNS", "").isdigit() or sys.stdout.isatty():
        return shutil.get_terminal_size().columns or None
    return None
