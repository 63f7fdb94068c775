"""Whether what an HDF5 file says it holds is in it: a file may lie, or lead to others."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import h5py

#: Bytes that gzip makes of one at most.
_GZIP = 1032


def is_inside(found: h5py.Dataset) -> bool:
    """Whether a dataset's data are in its own file, and no more than the file has room for."""
    if found.shape is None or found.is_virtual or found.external or found.dtype.kind == "O":
        return False
    held = min(found.id.get_storage_size(), found.file.id.get_filesize())
    return bool(found.nbytes <= held * (1 if found.chunks is None else _GZIP))
