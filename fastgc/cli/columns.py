"""How wide what is printed may be."""

from __future__ import annotations

import shutil


def width() -> int:
    """Columns of the terminal."""
    return shutil.get_terminal_size().columns
