"""The decorators of kernels: compiled when they are called, and Numba loaded for that.

Numba takes longer to load than a small study to run. Many a kernel therefore has a twin in NumPy
that gives the same bits (`fastgc_kernels.twins`, under the same module and name), which serves
while there is little to do. Twins have a second or so together in a process. After that, and
where a kernel has no twin, kernels are compiled or read from disk (see `_compiling`); what is
drawn does not show which of the two has done it.
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
#: Seconds that twins may take together: loading Numba takes .5, compiling a kernel 1 on average.
PATIENCE = 1.0


class Twins:
    """What twins have taken in this process; they run one at a time."""

    def __init__(self) -> None:
        self.seconds = 0.0
        self.lock = threading.RLock()
        self.thread = 0  # that is running one

    def run(self, twin: Callable[..., Any], arguments: tuple[Any, ...]) -> Any:
        """What a twin gives. Kernels that it calls are the functions that they are written as."""
        with self.lock, np.errstate(all="ignore"):
            begun = time.thread_time()
            self.thread = threading.get_ident()
            try:
                return twin(*arguments)
            finally:
                self.thread = 0
                self.seconds += time.thread_time() - begun


TWINS = Twins()


class Kernel:
    """A function that is compiled at its first call, unless its twin serves.

    Numba's dispatcher takes its place wherever a module of kernels has it, so that it costs nothing
    afterwards; where Numba meets it in the code of another kernel, it is that dispatcher.
    """

    def __init__(self, function: Callable[..., Any], how: str) -> None:
        update_wrapper(self, function)
        self.py_func = function
        self._how = how
        self._compiled: Any = None

    def __call__(self, *arguments: Any) -> Any:
        """Run the kernel or its twin."""
        if self._compiled is not None:
            return self._compiled(*arguments)
        if TWINS.thread == threading.get_ident():
            return self.py_func(*arguments)
        if COMPILING not in sys.modules and TWINS.seconds < PATIENCE and self.twin is not None:
            result = TWINS.run(self.twin, arguments)
            if result is not NotImplemented:
                return result
        return self.dispatcher(*arguments)

    @property
    def twin(self) -> Any:
        """The function in NumPy that gives the same bits; None where there is none.

        It gives NotImplemented, with nothing touched, where it has too much to do.
        """
        return _twin(self.__module__.removeprefix(PACKAGE), self.__name__)

    @property
    def dispatcher(self) -> Any:
        """The compiled form, from now on in the place of this object."""
        if self._compiled is None:
            with TWINS.lock:
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

    def __getattr__(self, name: str) -> Any:
        """Look up everything else at the compiled form."""
        if name.startswith("__"):
            raise AttributeError(name)
        return getattr(self.dispatcher, name)


@cache
def _twin(module: str, name: str) -> Any:
    try:
        return getattr(import_module(f"{PACKAGE}.twins{module}"), name, None)
    except ModuleNotFoundError:
        return None


def jit(function: Function) -> Function:
    """Compile a kernel: cached on disk, free of the GIL, bits the same on every processor."""
    return _decorated(function, "compiled")


def inline(function: Function) -> Function:
    """Compile a small helper so that it is inlined before vectorisation."""
    return _decorated(function, "inlined")


def _decorated(function: Function, how: str) -> Function:
    kernel: Any = Kernel(function, how)
    return cast(Function, kernel)
