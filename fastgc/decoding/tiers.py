"""The share of a point's patterns that the slow, pivoted algorithm decodes."""

from __future__ import annotations

from collections.abc import Callable

from fastgc.decoding.decoder import Decoder
from fastgc.draws.patterns import Patterns
from fastgc.draws.streams import WORD, Batch

#: Number of workers, batch → patterns.
Draw = Callable[[int, Batch], Patterns]

PATTERNS = 256
_MOST_ITERATIONS = PATTERNS // WORD


def pivoted_share(
    decoder: Decoder, draw: Draw, n: int, iterations: int = 1, shuffle: str = "none"
) -> float:
    """Return the share of patterns that take a pivoted factorization of their own.

    It is measured on some patterns of its own, which are always the same, so that it depends on
    neither seed, trials nor threads. They are told apart but not decoded, which takes little time
    where decoding takes long.

    Parameters
    ----------
    decoder : Decoder
    draw : callable
        Gives the patterns of n workers in a batch.
    n : int
        Workers.
    iterations, shuffle
        Those of the experiment.
    """
    if not decoder.may_pivot:
        return 0.0
    length = min(iterations, _MOST_ITERATIONS)
    batch = Batch(0, "tiers", 0, PATTERNS // (WORD * length), length)
    patterns = draw(n, batch).shuffled(shuffle)
    return float(decoder.pivoted(patterns.packed).mean())


def said(share: float) -> str:
    """Return a share as text for people."""
    percent = f"about {100 * share:.0f} %" if share >= 0.01 else "less than 1 %"
    return f"{percent} of the patterns decoded by the slow pivoted tier"
