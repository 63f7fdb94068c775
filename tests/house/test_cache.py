"""The cache of compiled kernels: never an old number, and no need of a place to write."""

import ast
import hashlib
import os
import pickle
import re
import shutil
import stat
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

import fastgc_kernels
from conftest import ROOT, environment, ran
from fastgc_kernels import _compiling, _sources
from fastgc_kernels.draw import philox
from suite.waiting import HUNG

#: Prints the digest of the sources and where the cache is.
STAMP = """
from fastgc_kernels import _sources
print(_sources.source_digest(), _sources.cache_folder(), sep="|", end="|")
"""
#: The same, and what two compiled kernels give: a random word, and an error.
PROGRAM = STAMP + textwrap.dedent("""
    import numpy as np
    from fastgc_kernels import _jit
    _jit.compile_at_once()
    from fastgc_kernels.decode import graphs
    from fastgc_kernels.draw import philox
    words = np.empty((1, 4), np.uint64)
    philox.words(np.zeros((1, 4), np.uint64), np.uint64(0), words)
    error = np.empty(1)
    cycle = np.array([[j, (j + 1) % 6] for j in range(6)])
    graphs.component_errors(np.array([[0b110110]], np.uint64), cycle, 6, error)
    print(words[0, 0], error[0], sep="|")
""")
NUMBERS = [str(0x6627E8D5), str(2 / 3)]


def printed(program, folder, **changes):
    """What a program prints, from the kernels in a folder."""
    # Python's own cache goes by length and time as well, which an edit here keeps
    own = environment(**changes) | {"PYTHONPATH": str(folder), "PYTHONDONTWRITEBYTECODE": "1"}
    done = ran(sys.executable, "-c", program, env=own)
    assert done.returncode == 0, done.stderr
    return done.stdout.strip().split("|")


def numbers(folder, **changes):
    """Digest, cache folder, and the numbers, from the kernels in a folder."""
    digest, cache, *found = printed(PROGRAM, folder, **changes)
    return digest, cache, found


@pytest.fixture
def kernels(tmp_path):
    """A copy of the kernels, to be edited."""
    source = Path(fastgc_kernels.__file__).parent
    copy = tmp_path / "copy" / "fastgc_kernels"
    shutil.copytree(source, copy, ignore=shutil.ignore_patterns("__pycache__"))
    return copy


def edit(file, old, new):
    text = file.read_text()
    assert text.count(old) >= 1
    # the same length and time of change: what Numba's own stamp looks at
    times = file.stat()
    file.write_text(text.replace(old, new))
    os.utime(file, ns=(times.st_atime_ns, times.st_mtime_ns))


@pytest.mark.night
def test_a_changed_helper_gives_the_new_number_and_old_sources_the_old_one(kernels, tmp_path):
    cache = {"NUMBA_CACHE_DIR": str(tmp_path / "cache")}
    digest, folder, first = numbers(kernels.parent, **cache)
    assert first == NUMBERS
    assert Path(folder).is_relative_to(tmp_path / "cache")
    compiled = sorted(Path(folder).rglob("*.nbc"))
    assert compiled
    # once more: from the cache, and the same
    assert numbers(kernels.parent, **cache) == (digest, folder, first)
    assert sorted(Path(folder).rglob("*.nbc")) == compiled
    # components, in another file, counts with this: now every survivor seems to be worker 1
    edit(kernels / "draw" / "bits.py", "return popcount(low - ONE)", "return popcount(low)      ")
    other, elsewhere, second = numbers(kernels.parent, **cache)
    assert other != digest and elsewhere == folder
    assert second == [first[0], "4.0"]
    # what does not import the helper is not compiled anew
    fresh = set(Path(folder).rglob("*.nbc")) - set(compiled)
    assert {file.name.split(".cpython")[0] for file in fresh} == {"decode.graphs.component_errors"}
    # and back: the old sources find their old kernels again
    edit(kernels / "draw" / "bits.py", "return popcount(low)      ", "return popcount(low - ONE)")
    assert numbers(kernels.parent, **cache) == (digest, folder, first)
    # as they do elsewhere
    moved = tmp_path / "moved" / "fastgc_kernels"
    shutil.copytree(kernels, moved)
    stamps = [file.stat().st_mtime_ns for file in compiled]
    assert numbers(moved.parent, **cache) == (digest, folder, first)
    assert set(Path(folder).rglob("*.nbc")) == {*compiled, *fresh}
    assert [file.stat().st_mtime_ns for file in compiled] == stamps


@pytest.mark.night
def test_a_kernel_counts_with_all_that_it_imports():
    """By the syntax tree, which shares nothing with how the digest finds imports."""
    source = Path(fastgc_kernels.__file__).parent
    own = {}
    for path in source.rglob("*.py"):
        parts = path.relative_to(source.parent).with_suffix("").parts
        named = ast.walk(ast.parse(path.read_text()))
        found = {
            name
            for node in named
            if isinstance(node, ast.ImportFrom) and node.module.startswith("fastgc_kernels")
            for name in (node.module, *(f"{node.module}.{each.name}" for each in node.names))
        }
        own[".".join(parts).removesuffix(".__init__")] = found
        assert "import fastgc_kernels" not in path.read_text(), path
    for module in own:
        behind, fresh = set(), {module, "fastgc_kernels._compiling"}
        while fresh:
            behind |= fresh
            fresh = {each for name in fresh for each in own[name] if each in own} - behind
            fresh -= {"fastgc_kernels._jit", "fastgc_kernels._sources"}
        assert _sources.sources().behind(module) == behind
    assert len(_sources.sources().behind("fastgc_kernels.decode.least_squares")) > 4


@pytest.mark.night
def test_nowhere_to_write(kernels):
    # no home, no cache folder: nothing under a device can be made
    nowhere = {"HOME": "/dev/null", "XDG_CACHE_HOME": None, "NUMBA_CACHE_DIR": None}
    _, folder, found = numbers(kernels.parent, **nowhere)
    assert folder == "None" and found == NUMBERS
    assert not list(kernels.rglob("*.nbc")), "nothing beside the sources"
    for changes in ("NUMBA_CACHE_DIR", "XDG_CACHE_HOME"):
        # nothing is compiled for this
        assert printed(STAMP, kernels.parent, **nowhere | {changes: "/dev/null/cache"})[1] == "None"


def test_the_command_without_a_place_to_write(command, monkeypatch):
    monkeypatch.setattr("fastgc_kernels._sources.cache_folder", lambda *_: None)
    code, out, said = command("help", "versions")
    assert code == 0, said
    assert re.search("^kernel cache .*none", out, re.MULTILINE)


def test_the_cache_is_no_part_of_the_sources():
    assert not [path for path in (ROOT / "kernels").rglob("*.nb[ci]")]


def half(image):
    return image[: len(image) // 2]


@pytest.mark.night
def test_kernels_that_are_not_whole_are_compiled_anew(kernels, tmp_path):
    """A power cut may leave nothing, half, or zeros of a file whose name was written before."""
    cache = {"NUMBA_CACHE_DIR": str(tmp_path / "cache")}
    found = numbers(kernels.parent, **cache)
    files = sorted((tmp_path / "cache").rglob("*.nbc"))
    assert len(files) == 2
    for damages in (lambda _: b"", half), (half, lambda all: half(all).ljust(len(all), b"\0")):
        whole = [file.stat().st_size for file in files]
        for damage, file in zip(damages, files, strict=True):
            file.write_bytes(damage(file.read_bytes()))
        damaged = [file.read_bytes() for file in files]
        assert numbers(kernels.parent, **cache) == found
        for file, image, size in zip(files, damaged, whole, strict=True):
            assert file.read_bytes() != image
            assert file.stat().st_size == pytest.approx(size, rel=0.1)


#: Doubles a number, as int64 or as float64, while another process does the other: each has read
#: what is cached before either writes, and the first data that were begun are written last.
RACE = textwrap.dedent("""
    import sys, time
    from pathlib import Path
    from numba.core import caching
    from fastgc_kernels import _compiling

    who, kind, folder = sys.argv[1], sys.argv[2], Path(sys.argv[3])
    if kind == "numba":
        _compiling.PARTS_OF_NUMBA = None
    from doubled import doubled

    def mark(name):
        (folder / name).touch()

    def wait(name):
        end = time.monotonic() + 120
        while not (folder / name).exists() and time.monotonic() < end:
            time.sleep(0.01)

    files = caching.IndexDataCacheFile
    save_index, save_data = files._save_index, files._save_data
    save_safely = _compiling.SafeCache.save_overload
    other = {"int": "float", "float": "int"}.get(who)

    def index_in_turn(self, overloads):
        mark(f"{who} has read")
        wait(f"{other} has read")
        if who == "float":
            wait("int has its index")
        save_index(self, overloads)
        mark(f"{who} has its index")

    def data_in_turn(self, name, data):
        if who == "int":
            wait("float has its data")
        save_data(self, name, data)
        mark(f"{who} has its data")

    def safely_in_turn(self, signature, compiled):
        mark(f"{who} has read")
        wait(f"{other} has read")
        if who == "int":
            wait("float has its data")
        save_safely(self, signature, compiled)
        mark(f"{who} has its data")

    if other is not None:
        _compiling.SafeCache.save_overload = safely_in_turn
        files._save_index, files._save_data = index_in_turn, data_in_turn
    print(doubled(4 if who == "int" else 4.0))
""")


@pytest.mark.night
@pytest.mark.parametrize("kind", ["safe", "numba"])
def test_two_processes_save_two_signatures_at_once(tmp_path, kind):
    """The interleaving that gave 8.0 as another number with Numba's own files."""
    (tmp_path / "doubled.py").write_text(
        "from fastgc_kernels import _jit\n\n@_jit.jit\ndef doubled(x):\n    return x + x\n"
    )
    (tmp_path / "race.py").write_text(RACE)
    env = environment(NUMBA_CACHE_DIR=str(tmp_path / "cache"))
    env["PYTHONPATH"] += f"{os.pathsep}{tmp_path}"

    def start(who):
        command = [sys.executable, tmp_path / "race.py", who, kind, tmp_path]
        return subprocess.Popen(command, env=env, stdout=subprocess.PIPE, text=True)

    pair = [start("int"), start("float")]
    assert [process.communicate(timeout=HUNG)[0].strip() for process in pair] == ["8", "8.0"]
    # a third process reads what the two have left
    third = start("third").communicate(timeout=HUNG)[0].strip()
    assert (third == "8.0") == (kind == "safe"), third


def test_the_safe_cache_fits_the_numba_at_hand():
    assert _compiling.PARTS_OF_NUMBA is not None
    assert type(philox.words._cache) is _compiling.SafeCache


@pytest.mark.night
def test_where_numbas_classes_have_changed_its_own_cache_serves(kernels, tmp_path):
    named = "from numba.core.{} import rtsys\n"
    edit(kernels / "_compiling.py", named.format("runtime"), named.format("nothing"))
    cache = {"NUMBA_CACHE_DIR": str(tmp_path / "cache")}
    found = numbers(kernels.parent, **cache)
    assert list((tmp_path / "cache").rglob("*.nbi"))
    assert numbers(kernels.parent, **cache) == found


@pytest.mark.night
def test_many_processes_fill_an_empty_cache_at_once(kernels, tmp_path):
    """As the ranks of a job do that share a file system."""
    env = environment(NUMBA_CACHE_DIR=str(tmp_path / "cache")) | {"PYTHONPATH": str(kernels.parent)}
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE}

    def start():
        return subprocess.Popen([sys.executable, "-c", PROGRAM], env=env, **pipes)

    ranks = [start() for _ in range(3)]
    done = [(*rank.communicate(timeout=HUNG), rank.returncode) for rank in ranks]
    assert done == [done[0]] * 3
    assert done[0][1:] == (b"", 0)
    files = sorted(path for path in (tmp_path / "cache").rglob("*") if path.is_file())
    assert {path.suffix for path in files} == {".nbc"}, "no part of a file, and no index"
    stamps = [file.stat().st_mtime_ns for file in files]
    assert start().communicate(timeout=HUNG) == done[0][:2]
    assert [file.stat().st_mtime_ns for file in files] == stamps


# ---- kernels that others could have written: a pickle, and loading one runs it


def compiled(root: Path, umask: int = 0o022) -> tuple[str, str]:
    """The folder that is used where kernels lie below this one, and what is said."""
    own = environment(NUMBA_CACHE_DIR=str(root))
    done = ran(sys.executable, "-c", PROGRAM, env=own, umask=umask)
    _, folder, *found = done.stdout.strip().split("|")
    assert found == NUMBERS
    return folder, done.stderr


class Forged:
    """What runs a command when it is loaded."""

    def __init__(self, marker: Path) -> None:
        self.marker = marker

    def __reduce__(self):
        return os.mkdir, (str(self.marker),)


def forge(file: Path, marker: Path) -> None:
    """Put code of one's own in the place of a kernel, with the checksum that it needs."""
    image = pickle.dumps(Forged(marker))
    file.write_bytes(hashlib.sha256(image).digest() + image)


@pytest.fixture(scope="module")
def kept(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder of kernels, to be copied."""
    root = tmp_path_factory.mktemp("kept")
    compiled(root)
    return root / "kernels"


@pytest.mark.night
def test_a_folder_that_others_can_write_is_not_used(tmp_path: Path) -> None:
    folder = tmp_path / "kernels"
    folder.mkdir()
    folder.chmod(0o775)
    used, said = compiled(tmp_path)
    assert used == "None"
    assert list(folder.iterdir()) == []
    assert said.count("KernelCacheWarning") == 1
    assert f"{folder} belongs to another user or can be written by others" in said


@pytest.mark.night
@pytest.mark.parametrize("umask", [0o002, 0o077])
def test_own_kernels_are_kept_whatever_the_umask(tmp_path: Path, umask: int) -> None:
    folder = tmp_path / "kernels"
    assert compiled(tmp_path, umask) == (str(folder), "")
    file, _ = folder.iterdir()
    stamp = file.stat()
    assert not stat.S_IMODE(stamp.st_mode) & 0o022
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700 & ~umask
    assert compiled(tmp_path, umask) == (str(folder), "")
    assert file.stat().st_mtime_ns == stamp.st_mtime_ns


@pytest.mark.night
def test_a_forged_kernel_that_others_can_write_is_not_loaded(tmp_path: Path, kept: Path) -> None:
    folder, marker = tmp_path / "kernels", tmp_path / "ran"
    shutil.copytree(kept, folder)
    file, _ = sorted(folder.iterdir())
    forge(file, marker)
    file.chmod(0o646)
    used, said = compiled(tmp_path)
    assert used == str(folder)
    assert not marker.exists()
    assert said.count("KernelCacheWarning") == 1 and str(file) in said
    # it was written anew, and serves from now on
    assert compiled(tmp_path) == (str(folder), "")


@pytest.mark.night
def test_what_only_its_owner_can_write_is_loaded(tmp_path: Path, kept: Path) -> None:
    """That forging works at all: else the tests above would show nothing."""
    shutil.copytree(kept, tmp_path / "kernels")
    file, _ = sorted((tmp_path / "kernels").iterdir())
    forge(file, tmp_path / "ran")
    ran(sys.executable, "-c", PROGRAM, env=environment(NUMBA_CACHE_DIR=str(tmp_path)))
    assert (tmp_path / "ran").exists()


@pytest.mark.parametrize(("owner", "mode", "own"), [
    (1000, 0o700, True), (1000, 0o755, True), (0, 0o755, True), (1001, 0o700, False),
    (1001, 0o755, False), (1000, 0o775, False), (1000, 0o757, False), (0, 0o777, False),
])  # fmt: skip
def test_whose_a_folder_is(
    monkeypatch: pytest.MonkeyPatch, owner: int, mode: int, own: bool
) -> None:
    monkeypatch.setattr(os, "geteuid", lambda: 1000)
    status = os.stat_result((stat.S_IFDIR | mode, 1, 1, 2, owner, 1000, 4096, 0, 0, 0))
    assert _sources.is_own(status) is own


def test_a_folder_that_can_only_be_read_serves_where_it_holds_kernels(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path))
    monkeypatch.setattr(_sources, "_is_writable", lambda folder: False)
    look = _sources.cache_folder.__wrapped__
    assert look() is None
    (tmp_path / "kernels" / "decode.errors.nbc").touch()
    assert look() == str(tmp_path / "kernels")
