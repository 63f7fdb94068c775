"""The one place that names ``numba.njit``: every kernel is compiled with these options.

``error_model="numpy"`` keeps loops free of division checks; there is no ``fastmath``, so that every
processor gives the same bits.

Compiled kernels are kept one file a signature, named by a hash of all sources they are made from:

* Numba alone keys a cached kernel on its own file, and would go on using it after a helper in
  another file has changed. Here the files that it imports count too, and no others: a change
  compiles anew only what it touches.
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
import re
import tempfile
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any, TypeVar

import numba

Function = TypeVar("Function", bound=Callable[..., Any])


FOLDER = Path(__file__).parent
PACKAGE = FOLDER.name
_IMPORT = re.compile(
    rf"^from ({PACKAGE}(?:\.\w+)*) import (?:\(([^)]*)\)|([^\n#]*))", flags=re.MULTILINE
)


def imported(text: str) -> set[str]:
    """Modules of this package that a source may import: also names that turn out to be none."""
    found = set()
    for home, several, one in _IMPORT.findall(text):
        names = re.findall(r"\w+", several or one)
        found |= {home, *(f"{home}.{name}" for name in names)}
    return found


class Sources:
    """The sources of all kernels, and digests of them."""

    def __init__(self) -> None:
        self._texts = {_module_of(path): path.read_bytes() for path in sorted(FOLDER.rglob("*.py"))}
        self._of: dict[str, str] = {}

    def digest(self) -> str:
        """Hash of all of them and of what compiles them."""
        return self._hashed(self._texts)

    def digest_of(self, module: str) -> str:
        """Hash of a module, of all that it imports, and of what compiles them.

        A module outside the package counts with all of the package.
        """
        if module not in self._of:
            self._of[module] = self._hashed(self.behind(module))
        return self._of[module]

    def behind(self, module: str) -> set[str]:
        """A module and all modules of the package that it imports, directly or not."""
        found: set[str] = set()
        fresh = {module, f"{PACKAGE}._jit"} if module in self._texts else set(self._texts)
        while fresh:
            found |= fresh
            texts = (self._texts[each].decode() for each in fresh)
            fresh = (set().union(*map(imported, texts)) & self._texts.keys()) - found
        return found

    def _hashed(self, modules: Iterable[str]) -> str:
        digest = hashlib.sha256(numba.__version__.encode())
        for module in sorted(modules):
            digest.update(module.encode() + b"\0" + self._texts[module] + b"\0")
        return digest.hexdigest()[:16]


def _module_of(path: Path) -> str:
    return ".".join((PACKAGE, *path.relative_to(FOLDER).with_suffix("").parts)).removesuffix(
        ".__init__"
    )


SOURCES = Sources()
SOURCE_DIGEST = SOURCES.digest()


def _cache_folder(name: str) -> str | None:
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
        folder = root / name
        try:
            folder.mkdir(parents=True, exist_ok=True)
            with tempfile.TemporaryFile(dir=folder):
                return str(folder)
        except OSError:
            continue
    return None


CACHE_FOLDER = _cache_folder("kernels")
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
                return f"{self._module} {SOURCES.digest_of(self._module)}"

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

        file = Cache(_module_of)._cache_file
        named = (file._name_of, file._save_data, file._data_path, file._version, file._index_name)
        return Cache if all(named) else None
    except (ImportError, AttributeError, TypeError):
        return None


SafeCache = None if CACHE_FOLDER is None else _safe_cache()
if CACHE_FOLDER is not None and SafeCache is None:
    CACHE_FOLDER = _cache_folder(SOURCE_DIGEST)


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
