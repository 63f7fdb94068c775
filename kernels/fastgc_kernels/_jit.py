"""The decorators of kernels: compiled when they are called, and Numba loaded for that.

Numba takes longer to load, and a kernel longer to compile, than a small study to run. Many a kernel
therefore has a stand-in in NumPy that gives the same bits (`fastgc_kernels.stand_ins`, under the
same module and name), which serves while there is little to do. Once it has taken as long as
compiling would, and where there is none, the kernel is compiled or read from disk (see
`_compiling`); what comes out does not show who has done it.
"""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache, update_wrapper
from importlib import import_module
from typing import Any, TypeVar, cast

import numpy as np

from fastgc_kernels._sources import is_kept, prepare

Function = TypeVar("Function", bound=Callable[..., Any])

PACKAGE = __name__.rpartition(".")[0]
COMPILING = f"{PACKAGE}._compiling"
#: Seconds that a stand-in may take in all before its kernel is compiled: about what that takes. A
#: module of stand-ins may have a number of its own.
PATIENCE = 1.0
#: The same where the compiled kernel has only to be loaded.
PATIENCE_IF_KEPT = 0.1


class StandIns:
    """Who runs one at the moment: they run one at a time."""

    def __init__(self) -> None:
        self.wanted = True
        self.lock = threading.RLock()
        self.thread = 0

    def run(self, stand_in: Callable[..., Any], arguments: tuple[Any, ...]) -> Any:
        """What a stand-in gives; kernels that it calls are the functions they are written as."""
        with self.lock, np.errstate(all="ignore"):
            self.thread = threading.get_ident()
            try:
                return stand_in(*arguments)
            finally:
                self.thread = 0


STAND_INS = StandIns()
_MAKING = threading.RLock()  # not that of stand-ins, which may themselves call what is compiled


def compile_at_once() -> None:
    """Use no stand-ins in this process: for tests of kernels, and for measuring their speed."""
    STAND_INS.wanted = False


@contextmanager
def compiled_only() -> Iterator[None]:
    """Use no stand-ins for a while."""
    before, STAND_INS.wanted = STAND_INS.wanted, False
    try:
        yield
    finally:
        STAND_INS.wanted = before


class Kernel:
    """A function that is compiled at its first call, unless its stand-in serves.

    Numba's dispatcher takes its place wherever a module of kernels has it, so that it costs nothing
    afterwards; where Numba meets it in the code of another kernel, it is that dispatcher.
    """

    def __init__(self, function: Callable[..., Any], how: str) -> None:
        update_wrapper(self, function)
        self.py_func = function
        self.how = how
        self._compiled: Any = None
        self._spent = 0.0

    def __call__(self, *arguments: Any) -> Any:
        """Run the kernel or its stand-in."""
        # a stand-in gives arrays to what is compiled for numbers by now, perhaps
        if STAND_INS.thread == threading.get_ident():
            return self.py_func(*arguments)
        if self._compiled is not None:
            return self._compiled(*arguments)
        if STAND_INS.wanted and self.how == "compiled":
            result = self._by_stand_in(arguments)
            if result is not NotImplemented:
                return result
        return self.dispatcher(*arguments)

    def _by_stand_in(self, arguments: tuple[Any, ...]) -> Any:
        stand_in, patience = _stand_in(self.__module__.removeprefix(PACKAGE), self.__name__)
        if stand_in is None or self._spent >= patience:
            return NotImplemented
        if self._spent >= PATIENCE_IF_KEPT and is_kept(self.__module__, self.__qualname__):
            return NotImplemented
        begun = time.thread_time()
        try:
            return STAND_INS.run(stand_in, arguments)
        finally:
            self._spent += time.thread_time() - begun

    @property
    def stand_in(self) -> Any:
        """The function in NumPy that gives the same bits; None where there is none.

        It gives NotImplemented, with nothing touched, where it has too much to do.
        """
        return _stand_in(self.__module__.removeprefix(PACKAGE), self.__name__)[0]

    @property
    def dispatcher(self) -> Any:
        """The compiled form, from now on in the place of this object."""
        if self._compiled is None:
            with _MAKING:
                if self._compiled is None:
                    if COMPILING not in sys.modules:
                        prepare()
                    found = self._made()
                    if self.how == "compiled":  # stand-ins call helpers as they are written
                        self._put(found)
                    self._compiled = found
        return self._compiled

    def _made(self) -> Any:
        try:
            return getattr(import_module(COMPILING), self.how)(self.py_func)
        except AttributeError as error:  # a property that raises one is asked of __getattr__ again
            raise ImportError(f"Numba cannot compile {self.__qualname__}: {error}") from error

    def _put(self, found: Any) -> None:
        spaces = [self.py_func.__globals__]
        for name, module in list(sys.modules.items()):
            if name.startswith(PACKAGE):
                spaces.append(vars(module))
        for space in spaces:
            for name, value in list(space.items()):
                if value is self:
                    space[name] = found

    @property
    def _numba_type_(self) -> Any:
        """What Numba takes this for where it compiles a caller."""
        return import_module(COMPILING).type_of(self.dispatcher)

    def __reduce__(self) -> tuple[Any, ...]:
        """Sent to other processes by name."""
        return _named, (self.__module__, self.__name__)

    def __getattr__(self, name: str) -> Any:
        """Look up everything else at the compiled form."""
        if name.startswith("__"):
            raise AttributeError(name)
        return getattr(self.dispatcher, name)


@cache
def _stand_in(module: str, name: str) -> tuple[Any, float]:
    """The stand-in of a kernel, and the seconds that it may take in all; helpers have none."""
    if name.startswith("_"):
        return None, 0.0
    try:
        home = import_module(f"{PACKAGE}.stand_ins{module}")
    except ModuleNotFoundError:
        return None, 0.0
    return getattr(home, name, None), getattr(home, "PATIENCE", PATIENCE)


def _named(module: str, name: str) -> Any:
    return getattr(import_module(module), name)


def jit(function: Function) -> Function:
    """Compile a kernel: cached on disk, free of the GIL, bits the same on every processor."""
    return _decorated(function, "compiled")


def inline(function: Function) -> Function:
    """Compile a small helper so that it is inlined before vectorisation."""
    return _decorated(function, "inlined")


def _decorated(function: Function, how: str) -> Function:
    kernel: Any = Kernel(function, how)
    return cast(Function, kernel)
