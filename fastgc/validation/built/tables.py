"""What a table of a study stands for, built as a study builds it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from fastgc import codes
from fastgc.codes.code import Code


def code_of(table: Mapping[str, Any]) -> Code:
    """The code that fastgc builds of a table, as in a study."""
    arguments = dict(table)
    code: Code = getattr(codes, arguments.pop("family").replace("-", "_"))(**arguments)
    return code
