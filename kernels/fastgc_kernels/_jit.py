"""The decorators of kernels: compiled when they are called, and Numba loaded for that.

Numba takes longer to load, and a kernel longer to compile, than a small study to run. Many a kernel
therefore has a stand-in in NumPy that gives the same bits (`fastgc_kernels.stand_ins`, under the
same module and name), which serves while there is little to do. Stand-ins have a second or so
together in a process. After that, and where a kernel has no stand-in, kernels are compiled or read
from disk (see `_compiling`); what comes out does not show who has done it.
"""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import Callable
from functools import cache, update_wrapper
from importlib import import_module
from typing import Any, TypeVar, cast

import numpy as np

Function = TypeVar("Function", bound=Callable[..., Any])

PACKAGE = __name__.rpartition(".")[0]
COMPILING = f"{PACKAGE}._compiling"
#: Seconds that stand-ins may take together; a kernel compiles in 1 on average.
PATIENCE = 1.0


class StandIns:
    """What stand-ins have taken in this process; they run one at a time."""

    def __init__(self) -> None:
        self.seconds = 0.0
        self.lock = threading.RLock()
        self.thread = 0  # that is running one

    def run(self, stand_in: Callable[..., Any], arguments: tuple[Any, ...]) -> Any:
        """What a stand-in gives; kernels that it calls are the functions they are written as."""
        with self.lock, np.errstate(all="ignore"):
            begun = time.thread_time()
            self.thread = threading.get_ident()
            try:
                return stand_in(*arguments)
            finally:
                self.thread = 0
                self.seconds += time.thread_time() - begun


STAND_INS = StandIns()


class Kernel:
    """A function that is compiled at its first call, unless its stand-in serves.

    Numba's dispatcher takes its place wherever a module of kernels has it, so that it costs nothing
    afterwards; where Numba meets it in the code of another kernel, it is that dispatcher.
    """

    def __init__(self, function: Callable[..., Any], how: str) -> None:
        update_wrapper(self, function)
        self.py_func = function
        self._how = how
        self._compiled: Any = None

    def __call__(self, *arguments: Any) -> Any:
        """Run the kernel or its stand-in."""
        if self._compiled is not None:
            return self._compiled(*arguments)
        if STAND_INS.thread == threading.get_ident():
            return self.py_func(*arguments)
        if COMPILING not in sys.modules and STAND_INS.seconds < PATIENCE:
            result = STAND_INS.run(self.stand_in, arguments)
            if result is not NotImplemented:
                return result
        return self.dispatcher(*arguments)

    @property
    def stand_in(self) -> Any:
        """The function in NumPy that gives the same bits.

        It gives NotImplemented, with nothing touched, where it has too much to do.
        """
        return _stand_in(self.__module__.removeprefix(PACKAGE), self.__name__)

    @property
    def dispatcher(self) -> Any:
        """The compiled form, from now on in the place of this object."""
        if self._compiled is None:
            with STAND_INS.lock:
                if self._compiled is None:
                    found = getattr(import_module(COMPILING), self._how)(self.py_func)
                    self._put(found)
                    self._compiled = found
        return self._compiled

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
def _stand_in(module: str, name: str) -> Any:
    try:
        return getattr(import_module(f"{PACKAGE}.stand_ins{module}"), name, _none)
    except ModuleNotFoundError:
        return _none


def _named(module: str, name: str) -> Any:
    return getattr(import_module(module), name)


def _none(*_: Any) -> Any:
    """Stand in for kernels that have none."""
    return NotImplemented


def jit(function: Function) -> Function:
    """Compile a kernel: cached on disk, free of the GIL, bits the same on every processor."""
    return _decorated(function, "compiled")


def inline(function: Function) -> Function:
    """Compile a small helper so that it is inlined before vectorisation."""
    return _decorated(function, "inlined")


def _decorated(function: Function, how: str) -> Function:
    kernel: Any = Kernel(function, how)
    return cast(Function, kernel)
