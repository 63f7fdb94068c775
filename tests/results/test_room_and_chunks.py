"""Segments are made by hand in memory that is used again; byte for byte as HDF5 makes them."""

import io

import h5py
import numpy as np
import pytest

from fastgc.results import segments
from fastgc.results.segments import Chunks, Memory


def by_hdf5(blocks):
    """The file of raw samples as HDF5 writes whole arrays."""
    file = io.BytesIO()
    with h5py.File(file, "w", libver="v110") as out:
        for place, member in enumerate(blocks[0]):
            for key in member:
                array = np.concatenate([block[place][key] for block in blocks])
                chunk = (min(len(array), segments.SAMPLES_A_CHUNK), *array.shape[1:])
                out.create_dataset(f"{place}/{key}", data=array, chunks=chunk, fletcher32=True)
    return file.getvalue()


def drawn(rng, sizes, *inner):
    return [
        [
            {
                "error": rng.random((size, *inner)),
                "patterns": rng.integers(0, 2**63, (size, *inner, 2), dtype=np.uint64),
                "odd": rng.integers(0, 255, (size, *inner), dtype=np.uint8),
            },
            {"time": np.where(rng.random((size, *inner)) < 0.5, np.inf, 1.0)},
        ]
        for size in sizes
    ]


@pytest.mark.parametrize(
    ("sizes", "inner"),
    [([64], (1,)), ([256] * 9, (1,)), ([300, 1000, 24, 7], (3,)), ([1024, 512, 512, 3], (2,))],
)
def test_a_segment_is_what_hdf5_makes_of_its_arrays(monkeypatch, sizes, inner):
    monkeypatch.setattr(segments, "SAMPLES_A_CHUNK", 512)
    memory = Memory()
    memory.write(np.full(100_000, 255, np.uint8))  # what lies there from the file before
    blocks = drawn(np.random.default_rng(3), sizes, *inner)
    for _ in range(2):
        shapes, image = segments.image_of(blocks, memory)
        assert image.tobytes() == by_hdf5(blocks)
    assert shapes[0]["patterns"] == ((sum(sizes), *inner, 2), "<u8")


@pytest.mark.parametrize("words", [1, 255, 256, 257, 65_536, 65_537, 200_000])
@pytest.mark.parametrize("fill", ["drawn", "zero", "full"])
def test_checksums_are_hdf5s(words, fill):
    values = {
        "drawn": np.random.default_rng(words).integers(0, 2**64, words, dtype=np.uint64),
        "zero": np.zeros(words, np.uint64),
        "full": np.full(words, 2**64 - 1, np.uint64),
    }[fill]
    with h5py.File("x", "w", driver="core", backing_store=False) as file:
        made = file.create_dataset("d", data=values, chunks=values.shape, fletcher32=True)
        _, chunk = made.id.read_direct_chunk((0,))
    assert Chunks().checksum(values) == int.from_bytes(chunk[-4:], "little")


def test_a_room_is_a_file():
    memory, file = Memory(), io.BytesIO()
    for each in (memory, file):
        each.write(b"abc")
        each.seek(10)
        each.write(b"def")
        each.seek(-2, io.SEEK_END)
        assert each.read(9) == b"ef"
        each.truncate(5)
        each.seek(0, io.SEEK_END)
        each.write(b"!" * 70)
        each.seek(3)
    assert memory.image.tobytes() == file.getvalue()
    assert memory.read(1) == file.read(1)
    assert memory.tell() == file.tell()
