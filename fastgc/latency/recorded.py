"""What members that read a trace have in common: the keys that say where and how to read it."""

from __future__ import annotations

import functools
from typing import Annotated, Any

import pydantic
from pydantic import Field

from fastgc.latency.traces import Trace, parse
from fastgc.registry import Member
from fastgc.registry.files import text_of

#: All points of a study that use a table in one way share one trace.
_parse = functools.lru_cache(maxsize=16)(parse)


class Recorded(Member):
    """Base of the members that read a trace: the keys that say where it is and how it is laid out.

    Parameters
    ----------
    file : str
        A csv file: a wide table, one column a worker and one line an iteration, or a long one, one
        line a value. Relative names start at the study.
    workers : tuple of int, optional
        Which workers to keep, in this order, counted from 0; all by default.
    worker : str, optional
        Of a long table: the column that says which worker it was.
    iteration : str, optional
        Of a long table: the column that each worker's values are sorted by, and that says which of
        them make a row; without it they come in the order of the lines.
    value : str, optional
        Of a long table: the column that says how long it took.
    """

    file: str
    workers: Annotated[tuple[Annotated[int, Field(ge=0)], ...] | None, Field(min_length=1)] = None
    worker: str | None = None
    iteration: str | None = None
    value: str | None = None
    _text: str = pydantic.PrivateAttr()
    _trace: Trace = pydantic.PrivateAttr()

    @pydantic.field_validator("file")
    @classmethod
    def _readable(cls, file: str, info: pydantic.ValidationInfo) -> str:
        text_of(file, info.context)
        return file

    @pydantic.model_validator(mode="after")
    def _read(self, info: pydantic.ValidationInfo) -> Recorded:
        self._text = text_of(self.file, info.context)
        self._trace = _parse(
            self._text,
            self.file,
            workers=self.workers,
            worker=self.worker,
            iteration=self.iteration,
            value=self.value,
        )
        return self

    @property
    def trace(self) -> Trace:
        """What was read."""
        return self._trace

    def files(self) -> dict[str, Any]:
        """Return the text of the table."""
        return {self.file: self._text}

    def layout_complaints(self, n: int) -> list[tuple[str, str]]:
        """Say how many workers the trace has where it is not n."""
        have = self._trace.n
        if have == n:
            return []
        if self.workers is not None:
            sentence = f"must name one worker of the trace for each of n={n} (got {have})"
            return [("workers", sentence)]
        remedy = f"; choose {n} with workers = [0, …]" if have > n else ""
        return [("file", f"{self.file} has {have} workers, {n} are needed{remedy}")]
