"""Names in messages: which there are, and which may be meant."""

from __future__ import annotations

from collections.abc import Sequence

from fastgc.registry.complaints import nearest


def some(names: Sequence[str]) -> str:
    """Join names for a sentence, not more than a dozen."""
    return ", ".join(names[:12]) + (", …" if len(names) > 12 else "")


def instead(word: str, known: Sequence[str]) -> str:
    """Return what to write for an unknown name: the nearest one, else what there is."""
    return nearest(word, known) or f"; it has {some(known)}"
