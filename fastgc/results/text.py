"""Text in files of results, as every program reads it."""

from __future__ import annotations

from fastgc.results.hdf5 import h5py


def write_text(group: h5py.Group, name: str, text: str) -> None:
    """Write a text as bytes of UTF-8 of a fixed length with a zero after them.

    GNU Octave reads no other text; the netCDF library takes one byte for a character, not for text.
    """
    content = text.encode()
    form = h5py.h5t.C_S1.copy()
    form.set_size(max(len(content) + 1, 2))
    dataset = group.create_dataset(name, (), dtype=h5py.Datatype(form))
    dataset[()] = content


def read_text(dataset: h5py.Dataset) -> str:
    """Return the text that a dataset holds."""
    return bytes(dataset[()]).decode()
