"""The library of HDF5, imported when a file is first opened: most commands open none."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

__all__ = ["h5py"]

if TYPE_CHECKING:
    import h5py
else:

    class _Later:
        """A module that is imported when something of it is asked for."""

        def __getattr__(self, name: str) -> Any:
            import h5py as module

            return getattr(module, name)

    h5py = _Later()
