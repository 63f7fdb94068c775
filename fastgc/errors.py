"""The errors that fastgc raises: one sentence each, with the place and the remedy."""

from __future__ import annotations


class FastgcError(ValueError):
    """A mistake by the user: what is wrong, where, and what to do instead."""


class StudyError(FastgcError):
    """Every mistake found in a study, one line each in ``complaints``."""

    def __init__(self, complaints: list[str]) -> None:
        super().__init__("\n".join(complaints))
        self.complaints = complaints


class StoppedError(FastgcError):
    """A run was asked to stop before it was done (exit code 75, or 130 after Ctrl-C)."""


class StorageError(FastgcError):
    """A file of results could not be written or read (exit code 74)."""
