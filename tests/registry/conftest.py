"""What tests of the registry share: it is left as it was."""

from collections.abc import Iterator

import pytest

from fastgc import registry
from fastgc.registry import members, rooms


@pytest.fixture(autouse=True)
def _fresh(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Leave the registry as it was."""
    kept = {room: members(room) for room in registry.ROOMS}
    yield
    monkeypatch.undo()
    rooms._loaded.update(registry.ROOMS)
    for room, known in kept.items():
        rooms._members[room] = known
