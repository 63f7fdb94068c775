"""What many tasks need: pickled once, and restored once in every process that is sent it."""

import pickle
import threading
import zlib
from functools import cache, lru_cache
from typing import Any, Generic, TypeVar

from fastgc.errors import FastgcError
from fastgc.registry.cached import cached_property
from fastgc.version import STREAM_VERSION, __version__
from fastgc_kernels._sources import source_digest

T = TypeVar("T")

#: Contents that a process keeps: it is sent the same few over and over.
KEPT = 32


@cache
def build_fingerprint() -> str:
    """Return a fingerprint of everything that affects results; workers must have the same."""
    return f"fastgc {__version__}, stream version {STREAM_VERSION}, kernels {source_digest()}"


class Payload(Generic[T]):
    """Something that is sent to other processes with every task.

    ``content``: what is sent, as it is now; it is not changed afterwards.
    """

    def __init__(self, content: T) -> None:
        self._opened: tuple[T] | None = (content,)
        self._fingerprint = build_fingerprint()

    def __getstate__(self) -> dict[str, Any]:
        """The content as bytes, and who has made it."""
        return {"_fingerprint": self._fingerprint, "_packed": self._packed}

    def __setstate__(self, state: dict[str, Any]) -> None:
        """Take the bytes; they are restored when the content is asked for."""
        self._opened = None
        self.__dict__.update(state)

    @property
    def content(self) -> T:
        """What was sent; the same object as when it came to this process before.

        Raises FastgcError if another fastgc has sent it, or it has a plug-in that is not here.
        """
        if self._opened is None:
            if self._fingerprint != build_fingerprint():
                raise FastgcError(
                    f"executor: a worker has {build_fingerprint()}, and was sent "
                    f"{self._fingerprint}; install the same one everywhere"
                )
            with _restoring:
                self._opened = (_restored(self._packed),)
        return self._opened[0]

    @cached_property
    def _packed(self) -> bytes:
        return zlib.compress(pickle.dumps(self.content), 1)


def restored(pickled: bytes) -> Any:
    """Restore what another process has pickled.

    Raises FastgcError if it has a plug-in that is not here.
    """
    try:
        return pickle.loads(pickled)
    except (AttributeError, ImportError) as problem:
        raise FastgcError(
            f"executor: a worker lacks a plug-in ({problem}); put it into a module that workers "
            "can import"
        ) from None


_restoring = threading.Lock()


@lru_cache(KEPT)
def _restored(packed: bytes) -> Any:
    return restored(zlib.decompress(packed))
