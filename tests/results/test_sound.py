"""Files of results that were changed and sealed again: damaged, in one sentence."""

import contextlib
import io
import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import h5py
import numpy as np
import pytest

import fastgc
from fastgc.draws import streams
from fastgc.errors import FastgcError
from fastgc.registry.files import USER_BLOCK, seal
from fastgc.results import sound, store
from fastgc.results.stored import Merger
from fastgc.results.verdict_data import Verdict
from suite.checks import refusal
from suite.studies import ring

STUDY = {"stop": {"trials": 300}, "experiment": [ring(quantiles=[0.5])]}
MORE = {"stop": {"trials": 400}}
Change = Callable[[h5py.File], None]


@pytest.fixture(scope="module")
def image(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    path = tmp_path_factory.mktemp("sound") / "a.h5"
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(streams, "LARGEST_BLOCK", 128)
        fastgc.run(STUDY, out=path, threads=1)
    return path.read_bytes()


@pytest.fixture(scope="module")
def begun(image: bytes, tmp_path_factory: pytest.TempPathFactory) -> bytes:
    path = tmp_path_factory.mktemp("begun") / "a.h5"
    path.write_bytes(image)
    store.save(path, replace(store.load(path), complete=False))
    return path.read_bytes()


def changed(image: bytes, change: Change, path: Path) -> Path:
    """Write the file with a change, sealed again."""
    stream = io.BytesIO(image)
    with h5py.File(stream, "r+") as file:
        change(file)
    inside = stream.getvalue()[USER_BLOCK:]
    path.write_bytes(seal(memoryview(inside)) + inside)
    return path


def said(name: str, change: Callable[[object], object]) -> Change:
    def applied(file: h5py.File) -> None:
        data = json.loads(bytes(file[name][()]))
        made = change(data)
        put(name, np.bytes_(json.dumps(data if made is None else made).encode()))(file)

    return applied


def put(name: str, value: object = None, **more: object) -> Change:
    def applied(file: h5py.File) -> None:
        if name in file:
            del file[name]
        if more:
            file.create_dataset(name, **more)
        elif value is not None:
            file[name] = value

    return applied


def attribute(group: str, name: str, value: object) -> Change:
    return lambda file: file[group].attrs.__setitem__(name, value)


def virtual(file: h5py.File) -> None:
    layout = h5py.VirtualLayout((1,), "u8")
    layout[:] = h5py.VirtualSource("other.h5", "x", (1,))
    del file["tallies/0/digests"]
    file.create_virtual_dataset("tallies/0/digests", layout)


DIGESTS, SUMS, KEY = "tallies/0/digests", "tallies/0/blocks/sums", "tallies/0/key"
CHANGES: dict[str, Change] = {
    "no rows": put("rows"),
    "rows are no JSON": put("rows", np.bytes_(b"{")),
    "rows nested deeply": put("rows", np.bytes_(b"[" * 200_000)),
    "rows are a number": put("rows", np.bytes_(b"3")),
    "a row is a text": said("rows", lambda rows: [*rows, "x"]),
    "a row without a value": said("rows", lambda rows: rows[0].pop("value") and None),
    "a value is a text": said("rows", lambda rows: rows[0].update(value="1")),
    "a value is nan": said("rows", lambda rows: rows[0].update(value=float("nan"))),
    "trials are true": said("rows", lambda rows: rows[0].update(trials=True)),
    "a verdict of nothing": said("verdicts", lambda verdicts: [{}]),
    "no version": said("provenance", lambda said: said.pop("fastgc") and None),
    "written never": said("provenance", lambda said: said.update(written="never")),
    "shard 3 of 2": lambda file: file.attrs.__setitem__("shard", [3, 2]),
    "no attribute": lambda file: file.attrs.__delitem__("complete"),
    "no group of a tally": put("tallies/0/blocks"),
    "more done than digests": attribute("tallies/0", "done", 10**12),
    "done is negative": attribute("tallies/0", "done", -1),
    "blocks of nothing": attribute("tallies/0", "block", 0),
    "done is a text": attribute("tallies/0", "done", "x"),
    "sums of other size": put(SUMS, np.zeros((3, 5), np.int64)),
    "sums of another type": put(SUMS, np.zeros((3, 69))),
    "10¹² digests": put(DIGESTS, shape=(10**12,), dtype="u8", chunks=True),
    "10⁹ digests": put(DIGESTS, shape=(10**9,), dtype="u8"),
    "10¹⁰ bins": put("tallies/0/blocks/histogram0/bin", shape=(10**10,), dtype="i8", chunks=True),
    "an external link": put(DIGESTS, h5py.ExternalLink("other.h5", "x")),
    "an external file": put(DIGESTS, shape=(1,), dtype="u8", external=[("/etc/passwd", 0, 8)]),
    "a virtual dataset": virtual,
    "a circle of links": put(DIGESTS, h5py.SoftLink("/tallies/0/digests")),
    "a text of numbers": put(KEY, shape=(10**6, 69), dtype="i8", compression="gzip"),
    "a link inside": put("rows", h5py.SoftLink("/verdicts")),
    "merged from nothing": put("merged", np.bytes_(b'{"shards": 2, "parts": []}')),
}


def test_the_file_is_sound_without_a_change(image: bytes, tmp_path: Path) -> None:
    path = changed(image, lambda file: None, tmp_path / "a.h5")
    assert store.load(path).units
    assert fastgc.open(path).rows()


UNFINISHED: dict[str, Change] = {
    "a shorter array": put("unfinished/digests", np.zeros(1, np.uint64)),
    "sums of other size (unfinished)": put("unfinished/sums", np.zeros((3, 5), np.int64)),
    "blocks of nothing (unfinished)": put("unfinished/units", np.array([[0, 2, 1]])),
    "less than none": put("unfinished/tallies", np.full((2, 3), -1)),
    "three parts": put("unfinished/units", np.array([[128, 2, 2]])),
    "no unit's key": said("unfinished/keys", lambda keys: []),
}


@pytest.mark.parametrize("name", [*CHANGES, *UNFINISHED])
def test_it_is_damaged(image: bytes, begun: bytes, name: str, tmp_path: Path) -> None:
    content, change = (image, CHANGES.get(name)), (begun, UNFINISHED.get(name))
    whole, own = content if content[1] is not None else change
    assert own is not None
    path = changed(whole, own, tmp_path / "a.h5")
    assert refusal(store.load, path) == (
        f"{path}: is damaged: what it holds is not as fastgc writes it; {store.REMEDY}"
    )


def test_studies_and_identities_that_are_none(image: bytes, tmp_path: Path) -> None:
    for text in (b"[", b"a = 1", b'title = "\\u0000"', b"x" * 50):
        path = changed(image, put("study", np.bytes_(text)), tmp_path / "a.h5")
        for use in (fastgc.open, fastgc.runs.audit):
            with contextlib.suppress(FastgcError):  # and no other error
                use(path)
    for text in (b"[", b"[]", b'{"seed": "x"}', b'{"seed": 1, "points": [3]}'):
        path = changed(image, put("identity", np.bytes_(text)), tmp_path / "a.h5")
        with pytest.raises(FastgcError, match="is damaged"):
            store.load(path).identified()


def test_a_tally_of_another_form_is_not_gone_on_with(image: bytes, tmp_path: Path) -> None:
    def change(file: h5py.File) -> None:
        for part in ("blocks", "partial"):
            put(f"tallies/0/{part}/sums", np.zeros((3, 69), np.int64))(file)

    path = changed(image, change, tmp_path / "a.h5")
    assert store.load(path).units[0].tally.shape == (3, 1)
    for use in (lambda: fastgc.open(path), lambda: fastgc.run(STUDY | MORE, out=path, threads=1)):
        with pytest.raises(FastgcError, match="its tallies do not fit"):
            use()
    assert not fastgc.runs.audit(path, threads=1).passed


def test_data_become_what_annotations_say() -> None:
    for data, hint, value in (
        ([0.5, 1], tuple[float, float] | None, (0.5, 1)),
        ({"7": 1}, dict[int, int], {7: 1}),
        ({"shards": 2, "parts": []}, Merger, Merger(2, ())),
    ):
        assert sound.typed(data, hint) == value
    for data, hint in ((True, float), ([1, "x"], list[int]), ({}, Verdict), ({"parts": 1}, Merger)):
        with pytest.raises((TypeError, ValueError)):
            sound.typed(data, hint)
