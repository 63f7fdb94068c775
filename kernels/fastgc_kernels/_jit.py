"""The one place that names ``numba.njit``: every kernel is compiled with these options.

``error_model="numpy"`` keeps loops free of division checks; there is no ``fastmath``, so that every
processor gives the same bits.

Compiled kernels are kept in a folder named by a hash of all kernel sources, one file a signature:

* Numba alone keys a cached kernel on its own file, and would go on using it after a helper in
  another file has changed.
* Numba alone numbers its files by what an index held when it was read, so that two processes that
  save two signatures of one function at once can leave the machine code of one under the name of
  the other. Here a file is named by the hash of its key, and there is no index.
* Numba alone takes the path of the sources into the name of its folder; here an installation in
  another place finds its kernels again.
* Numba alone fails, or runs what it finds, where a power cut has left a file that is not whole;
  here every file has a checksum.

The classes that this takes from Numba are private. Where they are not as expected, kernels are
kept in Numba's own way, in the same folder.
"""

from __future__ import annotations

import hashlib
import os
import pickle
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import numba

Function = TypeVar("Function", bound=Callable[..., Any])


def source_digest() -> str:
    """Hash of all kernel sources and of what compiles them."""
    folder = Path(__file__).parent
    digest = hashlib.sha256(numba.__version__.encode())
    for path in sorted(folder.rglob("*.py")):
        name = path.relative_to(folder).as_posix()
        digest.update(name.encode() + b"\0" + path.read_bytes() + b"\0")
    return digest.hexdigest()[:16]


SOURCE_DIGEST = source_digest()


def _cache_folder() -> str | None:
    """First writable place for compiled kernels, or None where there is none."""
    roots = []
    if os.environ.get("NUMBA_CACHE_DIR"):
        roots.append(Path(os.environ["NUMBA_CACHE_DIR"]))
    elif os.environ.get("XDG_CACHE_HOME"):
        roots.append(Path(os.environ["XDG_CACHE_HOME"]) / "fastgc")
    else:
        try:
            roots.append(Path.home() / ".cache" / "fastgc")
        except RuntimeError:
            return None
    for root in roots:
        folder = root / SOURCE_DIGEST
        try:
            folder.mkdir(parents=True, exist_ok=True)
            with tempfile.TemporaryFile(dir=folder):
                return str(folder)
        except OSError:
            continue
    return None


CACHE_FOLDER = _cache_folder()
CHECKSUM = 32  # bytes of it


def _checksum(image: bytes) -> bytes:
    return hashlib.sha256(image).digest()


def _safe_cache() -> type | None:
    """Numba's cache of a function with files of its own; None where Numba's classes have changed.

    Only names and calls that exist in the Numba at hand are used, which is tried here with a
    function that is never compiled.
    """
    try:
        from numba.core import caching

        class Place(caching._CacheLocator):
            """Where a kernel is kept: the same for a copy of the sources elsewhere."""

            def __init__(self, function: Callable[..., Any], file: str) -> None:
                self._py_file = file
                self._line = function.__code__.co_firstlineno
                self._module = function.__module__

            @classmethod
            def from_function(cls, function: Callable[..., Any], file: str) -> Any:
                return cls(function, file)

            def get_cache_path(self) -> str:
                return str(CACHE_FOLDER)

            def get_source_stamp(self) -> str:
                return SOURCE_DIGEST

            def get_disambiguator(self) -> str:
                return f"{self._module}-{self._line}"

        class Implementation(caching.CompileResultCacheImpl):
            """How a compiled function is written and read: Numba's own way."""

            _locator_classes = (Place,)

        class Files(caching.IndexDataCacheFile):
            """One file a signature, named by the hash of its key, with a checksum before it."""

            def _name_of(self, key: Any) -> str:
                text = repr((self._version, self._source_stamp, key))
                hashed = hashlib.sha256(text.encode()).hexdigest()[:32]
                return self._index_name.removesuffix(".nbi") + f".{hashed}.nbc"

            def save(self, key: Any, data: Any) -> None:
                self._save_data(self._name_of(key), data)

            def load(self, key: Any) -> Any:
                try:
                    image = Path(self._data_path(self._name_of(key))).read_bytes()
                except OSError:
                    return None
                digest, image = image[:CHECKSUM], image[CHECKSUM:]
                # a file that is not whole, as after a power cut, is compiled and written anew
                return pickle.loads(image) if _checksum(image) == digest else None

            def _dump(self, data: Any) -> bytes:
                image: bytes = super()._dump(data)
                return _checksum(image) + image

            def flush(self) -> None:
                """Nothing is kept apart from the files, and those others may use."""

        class Cache(caching.FunctionCache):
            """The cache of one kernel."""

            _impl_class = Implementation

            def __init__(self, function: Callable[..., Any]) -> None:
                super().__init__(function)
                locator = self._impl.locator
                self._cache_file = Files(
                    locator.get_cache_path(),
                    self._impl.filename_base,
                    locator.get_source_stamp(),
                )

        file = Cache(source_digest)._cache_file
        named = (file._name_of, file._save_data, file._data_path, file._version, file._index_name)
        return Cache if all(named) else None
    except (ImportError, AttributeError, TypeError):
        return None


SafeCache = None if CACHE_FOLDER is None else _safe_cache()


def jit(function: Function) -> Function:
    """Compile a kernel: cached on disk, free of the GIL, bits the same on every processor."""
    compiled: Any = numba.njit(error_model="numpy", nogil=True)(function)
    if SafeCache is not None:
        compiled._cache = SafeCache(function)
    elif CACHE_FOLDER is not None:
        before = numba.config.CACHE_DIR
        numba.config.CACHE_DIR = CACHE_FOLDER
        try:
            compiled.enable_caching()
        finally:
            numba.config.CACHE_DIR = before
    kernel: Function = compiled
    return kernel


def inline(function: Function) -> Function:
    """Compile a small helper so that it is inlined before vectorisation."""
    compiled: Function = numba.njit(error_model="numpy", inline="always")(function)
    return compiled
