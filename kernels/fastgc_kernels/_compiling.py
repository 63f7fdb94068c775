"""How kernels are compiled, and how compiled ones are kept: the one module that imports Numba.

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
* Numba alone loads all that it needs to compile before it looks for a compiled kernel.
* Numba alone runs what another user has put there; here a file that others can write is not loaded.

The classes that this takes from Numba are private. Where they are not as expected, kernels are
kept in Numba's own way, in the same folder.
"""

import contextlib
import hashlib
import os
import pickle
from collections.abc import Callable, Iterator
from typing import Any

import numba
from numba import extending
from numba.core import event
from numba.core.registry import cpu_target

from fastgc_kernels._sources import (
    COMPILING_NOW,
    cache_folder,
    file_base,
    is_own,
    refuse,
    source_digest,
    sources,
)
from fastgc_kernels._vec import FUNCTIONS

CHECKSUM = 32  # bytes of it


class _Compiling(event.Listener):
    # keeps the names of what is compiled; a kernel that is read from disk is none of them

    def on_start(self, event: event.Event) -> None:
        COMPILING_NOW.append(event.data["dispatcher"].__name__)

    def on_end(self, event: event.Event) -> None:
        name = event.data["dispatcher"].__name__
        if name in COMPILING_NOW:  # not what was begun before anybody listened: a caller's
            COMPILING_NOW.remove(name)


event.register("numba:compile", _Compiling())


def _checksum(image: bytes) -> bytes:
    return hashlib.sha256(image).digest()


def _safe_cache() -> type | None:
    # None where Numba's classes have changed: only names and calls that exist in the Numba at hand
    # are used, which is tried here with a function that is never compiled
    try:
        from numba.core import caching
        from numba.core.runtime import rtsys

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
                return str(cache_folder())

            def get_source_stamp(self) -> str:
                return f"{self._module} {sources().digest_of(self._module)}"

            def get_disambiguator(self) -> str:
                return f"{self._module}-{self._line}"

        class Implementation(caching.CompileResultCacheImpl):
            _locator_classes = (Place,)

        class Files(caching.IndexDataCacheFile):
            """One file a signature, named by the hash of its key, with a checksum before it."""

            def _name_of(self, key: Any) -> str:
                text = repr((self._version, self._source_stamp, key))
                hashed = hashlib.sha256(text.encode()).hexdigest()[:32]
                return f"{self._index_name.removesuffix('.nbi')}.{hashed}.nbc"

            def save(self, key: Any, data: Any) -> None:
                self._save_data(self._name_of(key), data)

            def load(self, key: Any) -> Any:
                path = self._data_path(self._name_of(key))
                try:
                    with open(path, "rb") as stream:
                        if not is_own(os.fstat(stream.fileno())):
                            return refuse(path, "this kernel is compiled and written anew")
                        image = stream.read()
                except OSError:
                    return None
                digest, image = image[:CHECKSUM], image[CHECKSUM:]
                # a file that is not whole, as after a power cut, is compiled and written anew
                return pickle.loads(image) if _checksum(image) == digest else None

            def _dump(self, data: Any) -> bytes:
                image: bytes = super()._dump(data)
                return _checksum(image) + image

            @contextlib.contextmanager
            def _open_for_write(self, path: str) -> Iterator[Any]:
                with super()._open_for_write(path) as stream:
                    mode = os.fstat(stream.fileno()).st_mode
                    os.chmod(stream.name, mode & 0o755)  # whatever the umask: see `is_own`
                    yield stream

            def flush(self) -> None:
                """Nothing is kept apart from the files, and those others may use."""

        class Cache(caching.FunctionCache):
            _impl_class = Implementation

            def __init__(self, function: Callable[..., Any]) -> None:
                super().__init__(function)
                locator = self._impl.locator
                base = file_base(function.__module__, function.__qualname__)
                stamp = locator.get_source_stamp()
                self._cache_file = Files(locator.get_cache_path(), base, stamp)

            def load_overload(self, signature: Any, target_context: Any) -> Any:
                # machine code needs the runtime alone; compiling loads the rest itself
                rtsys.initialize(target_context)
                with self._guard_against_spurious_io_errors():
                    return self._load_overload(signature, target_context)

            def save_overload(self, signature: Any, data: Any) -> None:
                # a folder that can only be read, or is full: the kernel serves, and is not kept
                with contextlib.suppress(OSError):
                    super().save_overload(signature, data)

        cache = Cache(_safe_cache)
        file = cache._cache_file
        named = (file._name_of, file._save_data, file._data_path, file._open_for_write)
        named = (*named, file._version, file._index_name)
        return Cache if all((*named, cache._load_overload, rtsys.initialize)) else None
    except (ImportError, AttributeError, TypeError):
        return None


SafeCache = None if cache_folder() is None else _safe_cache()


def compiled(function: Callable[..., Any]) -> Any:
    """Compile a kernel: cached on disk, free of the GIL, bits the same on every processor."""
    if numba.config.DISABLE_JIT:  # vector code is written for a compiler
        raise ImportError("fastgc compiles its kernels; unset NUMBA_DISABLE_JIT")
    dispatcher: Any = numba.njit(error_model="numpy", nogil=True)(function)
    if SafeCache is not None:
        dispatcher._cache = SafeCache(function)
        return dispatcher
    folder = cache_folder(source_digest())
    # Numba looks at no owner
    strange = (
        [each.path for each in os.scandir(folder) if not is_own(each.stat())] if folder else []
    )
    for path in strange[:1]:
        refuse(path, "kernels are compiled and not kept; remove the file")
    if folder is not None and not strange:
        before = numba.config.CACHE_DIR
        numba.config.CACHE_DIR = folder
        try:
            dispatcher.enable_caching()
        finally:
            numba.config.CACHE_DIR = before
    return dispatcher


def inlined(function: Callable[..., Any]) -> Any:
    """Compile a small helper so that it is inlined before vectorisation."""
    return numba.njit(error_model="numpy", inline="always")(function)


def vector_function(name: str) -> Any:
    """Numba's type of a function of vectors."""
    return type_of(FUNCTIONS[name])


def type_of(dispatcher: Any) -> Any:
    """Numba's type of a compiled kernel, or of an intrinsic."""
    if isinstance(dispatcher, extending._Intrinsic):
        context = cpu_target.typing_context
        context.refresh()
        return context.resolve_value_type(dispatcher)
    return numba.typeof(dispatcher)
