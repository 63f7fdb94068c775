"""Memory that files are made in, one after the other: pages once touched are used again."""

from __future__ import annotations

import io

import numpy as np

#: Bytes beyond those asked for, so that what stands between arrays has room, too.
SPARE = 1 << 20


class Room(io.RawIOBase):
    """A file in memory, which keeps its memory when it is emptied.

    Examples
    --------
    >>> room = Room()
    >>> room.empty(8)
    >>> room.write(b"an image")
    8
    >>> bytes(room.image)
    b'an image'
    """

    def __init__(self) -> None:
        super().__init__()
        self._memory = np.empty(0, np.uint8)
        self._place = 0
        self._end = 0

    def empty(self, size: int) -> None:
        """Begin anew, a file of about so many bytes."""
        self._place = self._end = 0
        if size > self._memory.size:
            self._memory = np.empty(size + SPARE, np.uint8)

    @property
    def image(self) -> memoryview:
        """The file; it changes when the next one is made."""
        return self._memory.data[: self._end]

    def readable(self) -> bool:
        """Return that it can be read."""
        return True

    def writable(self) -> bool:
        """Return that it can be written."""
        return True

    def seekable(self) -> bool:
        """Return that one can go to any place."""
        return True

    def seek(self, offset: int, whence: int = io.SEEK_SET) -> int:
        """Go to a place."""
        base = {io.SEEK_SET: 0, io.SEEK_CUR: self._place, io.SEEK_END: self._end}[whence]
        self._place = base + offset
        return self._place

    def tell(self) -> int:
        """Return the place."""
        return self._place

    def readinto(self, buffer: object) -> int:
        """Read what there is, at most as much as the buffer holds; return how much."""
        out = memoryview(buffer).cast("B")  # type: ignore[arg-type]
        count = min(len(out), max(0, self._end - self._place))
        out[:count] = self._memory.data[self._place : self._place + count]
        self._place += count
        return count

    def write(self, content: object) -> int:
        """Write bytes; what lies between the end and their place becomes 0."""
        given = memoryview(content).cast("B")  # type: ignore[arg-type]
        stop = self._place + len(given)
        if stop > self._end:
            self.truncate(stop, below=self._place)
        self._memory.data[self._place : stop] = given
        self._place = stop
        return len(given)

    def truncate(self, size: int | None = None, /, *, below: int | None = None) -> int:
        """Make the file end at a place; what is new in it, as far as ``below``, becomes 0."""
        end = self._place if size is None else size
        if end > self._memory.size:
            larger = np.empty(end + end // 2, np.uint8)
            larger[: self._end] = self._memory[: self._end]
            self._memory = larger
        self._memory[self._end : end if below is None else below] = 0
        self._end = end
        return end
