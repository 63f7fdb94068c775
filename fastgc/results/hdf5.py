"""The library of HDF5, imported when a file is first opened: most commands open none."""

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


def write_text(group: "h5py.Group", name: str, text: str) -> None:
    """Write a text as bytes of UTF-8 of a fixed length with a zero after them.

    GNU Octave reads no other text; the netCDF library takes one byte for a character, not for text.
    """
    content = text.encode()
    form = h5py.h5t.C_S1.copy()
    form.set_size(max(len(content) + 1, 2))
    dataset = group.create_dataset(name, (), dtype=h5py.Datatype(form))
    dataset[()] = content


def read_text(dataset: "h5py.Dataset") -> str:
    """Return the text that a dataset holds."""
    return bytes(dataset[()]).decode()
