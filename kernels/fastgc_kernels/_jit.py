"""The decorators of kernels: compiled when they are called, and Numba loaded for that.

Numba takes longer to load, and a kernel longer to compile, than a small study to run. The kernels
that a first study calls therefore have a fallback with the same bits, in NumPy or as they are
written (`fastgc_kernels.fallbacks`), which serves while there is little to do. Once it was given
more, and where there is none, the kernel is compiled or read from disk (see `_compiling`); results
do not depend on which of the two ran.
"""

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cached_property, partial, update_wrapper
from importlib import import_module
from typing import Any, TypeVar, cast

import numpy as np

from fastgc_kernels._sources import is_kept

Function = TypeVar("Function", bound=Callable[..., Any])

PACKAGE = __name__.rpartition(".")[0]
COMPILING = f"{PACKAGE}._compiling"
#: Entries of arrays that a fallback is given in all before its kernel is compiled: most take about
#: as long then as compiling would.
ENOUGH = 1 << 25
#: The same where the compiled kernel has only to be loaded.
ENOUGH_IF_KEPT = 1 << 22
#: What a call costs beside, and a microsecond of Python, in entries.
A_CALL, A_MICROSECOND = 1 << 12, 1 << 4


class Fallbacks:
    """Whether fallbacks may serve, and the thread that runs one: they run one at a time."""

    def __init__(self) -> None:
        self.wanted = True
        self.lock = threading.RLock()
        self.thread = 0

    def run(self, fallback: Callable[..., Any], arguments: tuple[Any, ...]) -> Any:
        """Run a fallback; kernels that it calls are the functions they are written as."""
        with self.lock, np.errstate(all="ignore"):
            self.thread = threading.get_ident()
            try:
                return fallback(*arguments)
            finally:
                self.thread = 0


FALLBACKS = Fallbacks()
_MAKING = threading.RLock()  # not that of fallbacks, which may themselves call what is compiled


def compile_at_once() -> None:
    """Use no fallbacks in this process: for tests of kernels, and for measuring their speed."""
    FALLBACKS.wanted = False


@contextmanager
def compiled_only() -> Iterator[None]:
    """Use no fallbacks for a while."""
    before, FALLBACKS.wanted = FALLBACKS.wanted, False
    try:
        yield
    finally:
        FALLBACKS.wanted = before


class Kernel:
    """A function that is compiled at its first call, unless its fallback serves.

    Where Numba meets it in the code of another kernel, it is Numba's dispatcher.
    """

    def __init__(self, function: Callable[..., Any], how: str) -> None:
        update_wrapper(self, function)
        self.py_func = function
        self.how = how
        self._name = f"{self.__module__.removeprefix(f'{PACKAGE}.')}.{self.__name__}"
        self._compiled: Any = None
        self._entries = 0

    def __call__(self, *arguments: Any) -> Any:
        if FALLBACKS.thread and FALLBACKS.thread == threading.get_ident():
            # a fallback gives arrays to what is compiled for numbers by now, perhaps
            return self._in_fallback(*arguments)
        if self._compiled is not None:
            return self._compiled(*arguments)
        kept = self._entries >= ENOUGH_IF_KEPT and is_kept(self.__module__, self.__qualname__)
        if FALLBACKS.wanted and self._entries < ENOUGH and not kept and self.fallback is not None:
            self._entries += A_CALL + sum(getattr(each, "size", 1) for each in arguments)
            result = FALLBACKS.run(self.fallback, arguments)
            if result is not NotImplemented:
                return result
        return self.dispatcher(*arguments)

    @cached_property
    def fallback(self) -> Any:
        """The function in NumPy that gives the same bits; None where there is none.

        It gives NotImplemented, with nothing touched, where it has too much to do.
        """
        if self.how != "compiled" or not self.__module__.startswith(f"{PACKAGE}."):
            return None
        room = import_module(f"{PACKAGE}.fallbacks")
        if self._name in room.AS_WRITTEN:
            return partial(self._as_written, room.AS_WRITTEN[self._name])
        home = room.MODULES.get(self._name)
        return home and getattr(import_module(f"{PACKAGE}.fallbacks.{home}"), self.__name__)

    @cached_property
    def _in_fallback(self) -> Callable[..., Any]:
        quick = import_module(f"{PACKAGE}.fallbacks.decode_fallbacks").QUICK
        return cast(Callable[..., Any], quick.get(self._name, self.py_func))

    def _as_written(self, microseconds: Callable[..., int], *arguments: Any) -> Any:
        self._entries += A_MICROSECOND * microseconds(*arguments)
        most = ENOUGH_IF_KEPT if is_kept(self.__module__, self.__qualname__) else ENOUGH
        return self.py_func(*arguments) if self._entries < most else NotImplemented

    @property
    def dispatcher(self) -> Any:
        """The compiled form, which serves from now on."""
        if self._compiled is None:
            with _MAKING:
                if self._compiled is None:
                    try:
                        made = getattr(import_module(COMPILING), self.how)(self.py_func)
                    except (
                        AttributeError
                    ) as error:  # of a property it is asked of __getattr__ again
                        name = self.__qualname__
                        raise ImportError(f"Numba cannot compile {name}: {error}") from error
                    self._compiled = made
        return self._compiled

    @property
    def _numba_type_(self) -> Any:
        return import_module(COMPILING).type_of(self.dispatcher)

    def __reduce__(self) -> tuple[Any, ...]:
        """Sent to other processes by name."""
        return _named, (self.__module__, self.__name__)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return getattr(self.dispatcher, name)


def _named(module: str, name: str) -> Any:
    return getattr(import_module(module), name)


def jit(function: Function) -> Function:
    """Compile a kernel: cached on disk, free of the GIL, bits the same on every processor."""
    return cast(Function, Kernel(function, "compiled"))


def inline(function: Function) -> Function:
    """Compile a small helper so that it is inlined before vectorisation."""
    return cast(Function, Kernel(function, "inlined"))
