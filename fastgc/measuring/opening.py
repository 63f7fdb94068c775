"""The carrier that a user names."""

from __future__ import annotations

from collections.abc import Sequence

from fastgc.engine.executors import DASK, MPI, PINNED, PROCESSES
from fastgc.errors import FastgcError
from fastgc.measuring.carrier import Carrier
from fastgc.measuring.dask import Dask
from fastgc.measuring.processes import Processes
from fastgc.measuring.ranks import Ranks
from fastgc.measuring.worker import Piece


def opened(name: str, address: str, pieces: Sequence[Piece], parameters: int) -> Carrier:
    """Start the workers of a carrier, one a piece; ``address`` is that of a scheduler of Dask.

    Raises FastgcError if they cannot be used here.
    """
    if name == PROCESSES and not address:
        return Processes(pieces, parameters)
    if name == MPI and not address:
        return Ranks(pieces, parameters)
    if name == DASK:
        return Dask(pieces, address)
    given = f"{name}:{address}" if address else name
    raise FastgcError(f"executor: must be one of {', '.join(PINNED)} (got {given!r})")
