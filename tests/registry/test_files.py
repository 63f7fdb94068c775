"""Files that a study names, by the two readers that read them: matrices and times."""

import re
from pathlib import Path

import h5py
import numpy as np
import pytest

from fastgc import FastgcError
from fastgc.codes.matrix import Matrix
from fastgc.registry.complaints import check, lines
from fastgc.registry.files import find, hdf5
from fastgc.registry.given import plain
from fastgc.stragglers import Trace
from suite import checks


@pytest.fixture(autouse=True)
def _in_an_empty_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def read(cls, context=None, **table):
    """The member that a study's table makes of a file."""
    member, complaints = check(cls, plain(table)[0], context)
    if member is None:
        raise FastgcError("; ".join(lines(complaints)))
    return member


def matrix(file, **more):
    return read(Matrix, more, family="matrix", file=file).build().B.tolist()


def recorded(file, context=None, **keys):
    return read(Trace, context, model="trace", file=file, threshold=1.0, **keys)


def times(file, **more):
    return recorded(file, more).trace.rows.tolist()


READERS = [(matrix, ""), (times, "a,b\n")]
readers = pytest.mark.parametrize(("reader", "header"), READERS, ids=["matrix", "times"])


def refusal(reader, file):
    return checks.refusal(reader, file).removeprefix("file: ")


@readers
@pytest.mark.parametrize("text", [
    "1,2\n3,4\n", "1, 2 \r\n\r\n3,4", "1,2\r3,4\r", "1,2\n   \n\t\n3,4\n",
    "1,2\n# by me\n  # and you\n3,4\n", '1,2\n"# by me, and you"\n3,4\n',
    '1,2\n# "today, by me\n3,4\n', '1,2\n# by me, "today\n3,4\n',
    '1,2\n# "by", "me" today, "a" b\n3,4\n', '"1",2\n3,"4"\n', "1,2\n3,4\x0c\n",
])  # fmt: skip
@pytest.mark.parametrize("mark", ["", "\ufeff"])
def test_a_table_of_numbers(reader, header, text, mark):
    Path("t.csv").write_bytes((mark + header + text).encode())
    assert reader("t.csv") == [[1, 2], [3, 4]]


def test_a_quoted_name_may_hold_a_line_that_looks_like_a_comment():
    Path("t.csv").write_text('"a\n# x",b\n1,2\n')
    assert times("t.csv") == [[1, 2]]
    Path("t.csv").write_text('"a\n# x",b\n1,2\n3,y\n')
    assert refusal(times, "t.csv").startswith("t.csv: line 4, column 'b': must be")


def test_results_carry_the_text_as_it_is():
    text = '"a\r\nz",b\r\n1,2\r\n'
    Path("t.csv").write_bytes(text.encode())
    found = recorded("t.csv")
    assert found.files() == {"t.csv": text}
    assert found.trace.workers == ("a\r\nz", "b")
    assert recorded("t.csv", {"files": {"t.csv": text}}).trace.digest == found.trace.digest


@readers
@pytest.mark.parametrize(("text", "line", "reason"), [
    ('1,"2"3\n', 1, "',' expected after '\"'"),
    ('1,2\n# more\n\n3,"4\n', 4, "unexpected end of data"),
])  # fmt: skip
def test_quotes_that_do_not_fit(reader, header, text, line, reason):
    Path("t.csv").write_text(header + text)
    line += len(header.splitlines())
    assert (
        refusal(reader, "t.csv")
        == f"t.csv: line {line}: is no csv ({reason}); write numbers between commas"
    )


@readers
@pytest.mark.parametrize("before", ["", "# one\n\n  \n", "1,2\x0c\n", "1,2\u2028\n", "1,\x852\n"])
def test_the_line_of_a_bad_cell(reader, header, before):
    """Lines are counted as editors do: by their ends, also those that are skipped."""
    Path("t.csv").write_text(f"{header}{before}x,1\n", encoding="utf-8")
    line = (header + before).count("\n") + 1
    assert f"line {line}, column " in refusal(reader, "t.csv")


@pytest.mark.parametrize(("reader", "name"), [
    *((reader, "a.csv") for reader, _ in READERS),
    *((matrix, name) for name in ("a.npy", "a.mtx")),
])  # fmt: skip
def test_files_that_are_not_there(reader, name):
    assert refusal(reader, name) == f"there is no file {name}"
    with pytest.raises(FastgcError, match=f"there is no file sub/{name}"):
        reader(name, folder=Path("sub"))
    Path(name).mkdir()
    assert refusal(reader, name) == f"{name} is a directory; name a file in it"
    Path(name).rmdir()
    Path(name).symlink_to(name)
    assert refusal(reader, name) == f"{name} cannot be read: Too many levels of symbolic links"
    Path(name).unlink()
    Path(name).write_text("")
    inside = f"{name}/x{Path(name).suffix}"
    assert refusal(reader, inside) == f"{inside} cannot be read: Not a directory"
    # the reason is Python's own, and each version words it otherwise
    said = refusal(reader, "\0" + name)
    assert re.fullmatch(rf"\\x00{re.escape(name)} cannot be read: .*embedded null .*", said)


def test_a_file_is_read_again_when_it_changes():
    for reader, header in READERS:
        for cells in ([1, 2], [33, 4]):
            Path("t.csv").write_text(f"{header}{cells[0]},{cells[1]}\n")
            assert reader("t.csv") == [cells]


def dataset(name):
    return hdf5(find("a.h5"), name, f"a.h5:{name}", lambda own: None)


def test_no_permission(monkeypatch):
    """The reason alone, also where a library tells it in a page of its own."""

    def closed(*_args, **_keys):
        raise PermissionError("Unable to synchronously open file (errno = 13, flags = 0)")

    Path("a.h5").write_text("")
    monkeypatch.setattr(h5py, "File", closed)
    assert refusal(dataset, "B") == "a.h5:B cannot be read: Permission denied"


def test_hdf5_that_leads_elsewhere_or_is_cut_short():
    with h5py.File("other.h5", "w") as file:
        file["B"] = np.ones((4, 6))
    Path("raw").write_bytes(bytes(192))
    layout = h5py.VirtualLayout((4, 6), "f8")
    layout[:] = h5py.VirtualSource("other.h5", "B", (4, 6))
    with h5py.File("a.h5", "w") as file:
        file["own"] = np.ones((4, 6))
        file["same"] = h5py.SoftLink("/own")
        file["linked"] = h5py.ExternalLink("other.h5", "B")
        file["group"] = h5py.ExternalLink("other.h5", "/")
        file["circle"] = h5py.SoftLink("/circle")
        file["nowhere"] = h5py.SoftLink("/gone")
        file.create_dataset("raw", (4, 6), "f8", external=[("raw", 0, 192)])
        file.create_dataset("empty", (16384, 16384), "f8", chunks=True)
        file.create_dataset("large", (10**9, 2), "f8", chunks=True)
        file.create_virtual_dataset("virtual", layout)
    assert dataset("own").tolist() == dataset("same").tolist() == np.ones((4, 6)).tolist()
    for names, said in (
        ("linked group/B raw virtual", "its numbers are in another file"),
        ("circle nowhere", "its links lead nowhere"),
        ("empty large", "are not in the file"),
        ("gone", "unknown dataset"),
        ("/", "is a group"),
    ):
        for name in names.split():
            assert said in refusal(dataset, name)
    whole = Path("a.h5").read_bytes()
    for content in (whole[: len(whole) // 2], b"", b"1,2\n"):
        Path("a.h5").write_bytes(content)
        assert refusal(dataset, "own") == "a.h5:own: not an HDF5 file, or cut short; save it again"
