"""How kernels are compiled, and how compiled ones are kept: the one module that imports Numba.

``error_model="numpy"`` keeps loops free of division checks; there is no ``fastmath``, so that every
processor gives the same bits.

`SafeCache` stands in the place of Numba's own cache, whose public means (a folder, and classes that
name folder and stamp) leave what could give a wrong number or run another user's code. With them

* a kernel counts as new when its own file has changed; here so do the files that it imports;
* two processes that save two signatures at once may exchange them, by the index that each has read;
  here a file is named by the hash of its key, and there is no index;
* a file that a power cut left is run, or fails; here every file has a checksum;
* a file that another user can write is run; here it is not loaded.

It also finds the kernels of an installation that was moved, and loads nothing that only compiling
needs. Private of Numba are the dispatcher's attribute ``_cache``, how a compiled function is taken
apart and put together, and the start of the runtime; where one of them is missing, Numba keeps the
kernels in its own way, in a folder for these sources.
"""

import contextlib
import hashlib
import os
import pickle
import uuid
from collections.abc import Callable
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
)
from fastgc_kernels._vec import FUNCTIONS

try:
    from numba.core.compiler import CompileResult
    from numba.core.runtime import rtsys
    from numba.core.serialize import dumps

    PARTS_OF_NUMBA = CompileResult._reduce, CompileResult._rebuild, rtsys.initialize
except (ImportError, AttributeError):
    PARTS_OF_NUMBA = None

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


class SafeCache:
    """The compiled forms of one kernel on disk, a file a signature; a dispatcher asks for them."""

    def __init__(self, function: Callable[..., Any], folder: str) -> None:
        self.cache_path = folder
        self._base = file_base(function.__module__, function.__qualname__)
        cells = tuple(cell.cell_contents for cell in function.__closure__ or ())
        self._code = hashlib.sha256(function.__code__.co_code + dumps(cells)).hexdigest()

    def _path(self, signature: Any, codegen: Any) -> str:
        key = repr((signature, codegen.magic_tuple(), self._code)).encode()
        name = f"{self._base}.{hashlib.sha256(key).hexdigest()[:32]}.nbc"
        return os.path.join(self.cache_path, name)

    def load_overload(self, signature: Any, target_context: Any) -> Any:
        """Return the compiled form for a signature; None where there is none that is whole."""
        # machine code needs the runtime alone; compiling loads the rest itself
        rtsys.initialize(target_context)
        path = self._path(signature, target_context.codegen())
        try:
            with open(path, "rb") as stream:
                if not is_own(os.fstat(stream.fileno())):
                    return refuse(path, "this kernel is compiled and written anew")
                digest, image = stream.read(CHECKSUM), stream.read()
        except OSError:
            return None
        if hashlib.sha256(image).digest() != digest:
            return None
        return CompileResult._rebuild(target_context, *pickle.loads(image))

    def save_overload(self, signature: Any, compiled: Any) -> None:
        """Write a compiled form; where the folder is full or can only be read, nothing is kept."""
        if compiled.library.has_dynamic_globals:  # addresses of this process
            return
        image = dumps(compiled._reduce())
        path = self._path(signature, compiled.codegen)
        draft = f"{path}.{uuid.uuid4().hex}"
        with contextlib.suppress(OSError):
            try:
                with open(draft, "xb", opener=_opened) as stream:
                    stream.write(hashlib.sha256(image).digest() + image)
                os.replace(draft, path)
            except OSError:
                os.unlink(draft)

    def flush(self) -> None:
        """Nothing is kept apart from the files, and those others may use."""


def _opened(path: str, flags: int) -> int:
    return os.open(path, flags, 0o644)  # no other user may write it, whatever the umask: `is_own`


def compiled(function: Callable[..., Any]) -> Any:
    """Compile a kernel: cached on disk, free of the GIL, bits the same on every processor."""
    if numba.config.DISABLE_JIT:  # vector code is written for a compiler
        raise ImportError("fastgc compiles its kernels; unset NUMBA_DISABLE_JIT")
    dispatcher: Any = numba.njit(error_model="numpy", nogil=True)(function)
    folder = cache_folder() if PARTS_OF_NUMBA else cache_folder(source_digest())
    if folder is not None and PARTS_OF_NUMBA:
        dispatcher._cache = SafeCache(function, folder)
    elif folder is not None:
        _keep_by_numba(dispatcher, folder)
    return dispatcher


def _keep_by_numba(dispatcher: Any, folder: str) -> None:
    for each in os.scandir(folder):
        if not is_own(each.stat()):  # Numba looks at no owner
            return refuse(each.path, "kernels are compiled and not kept; remove the file")
    before = numba.config.CACHE_DIR
    numba.config.CACHE_DIR = folder
    try:
        dispatcher.enable_caching()
    finally:
        numba.config.CACHE_DIR = before


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
