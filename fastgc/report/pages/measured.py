"""What a page on a run or a validation is made of."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from fastgc.results.rows import Result
from fastgc.study.study import Study


@dataclass(frozen=True)
class Measured:
    """A result with what its file says of how it came about.

    Attributes
    ----------
    result : Result
    seed : int
    provenance : mapping
        Versions, the stream's among them, and when the file was written.
    study : Study or None
        None for a validation.
    trials : int
        Of all points together.
    origin : str
        Whether it is a shard or was merged, in a sentence; else empty.
    """

    result: Result
    seed: int
    provenance: Mapping[str, Any]
    study: Study | None = None
    trials: int = 0
    origin: str = ""
