"""The unit of a swept key: what its documentation says of it."""

from __future__ import annotations

import re

from fastgc import registry
from fastgc.registry import documented

_SECONDS = re.compile(r"\b(^Seconds|in seconds)\b")


def of_key(key: str) -> str | None:
    """Return the unit of a key of studies, like ``latency.mean``; None where it has none.

    >>> of_key("latency.mean"), of_key("stragglers.deadline"), of_key("stragglers.p")
    ('seconds', 'seconds', None)
    """
    *above, last = key.split(".")
    room = above[-1] if above else ""
    if room == "port" and last == "receive":  # no member of a room
        return "seconds"
    if room not in registry.ROOMS:
        return None
    said = [documented.keys(member).get(last) for member in registry.members(room).values()]
    known = [text for text in said if text is not None]
    return "seconds" if known and all(map(_SECONDS.search, known)) else None
