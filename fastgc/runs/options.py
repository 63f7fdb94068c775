"""Options that a run and a dry run have in common."""

from __future__ import annotations

from fastgc.errors import FastgcError


def require_options(shard: tuple[int, int], keep: str | None) -> None:
    """Refuse what names no shard, and nothing that is kept.

    Raises
    ------
    FastgcError
        For the first of them.
    """
    own, shards = shard
    if not 0 <= own < shards:
        raise FastgcError(f"shard: must be i/N with 0 ≤ i < N (got {own}/{shards})")
    if keep not in (None, "samples"):
        raise FastgcError(f'keep: must be "samples" (got {keep!r})')
