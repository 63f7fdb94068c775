"""The shares of a point's patterns that slower algorithms than the fastest decode."""

from collections.abc import Callable, Mapping

import numpy as np

from fastgc.decoding.decoder import Decoder
from fastgc.draws.patterns import Patterns
from fastgc.draws.streams import WORD, Batch

#: Number of workers, batch → patterns.
Draw = Callable[[int, Batch], Patterns]

PATTERNS = 256
_MOST_ITERATIONS = PATTERNS // WORD
#: What slower algorithms are called where people read of them.
_SAID = {"gram-schmidt": "the orthogonalising tier", "orthogonal": "the slow pivoted tier"}


def shares(
    decoder: Decoder, draw: Draw, n: int, iterations: int = 1, shuffle: str = "none"
) -> dict[str, float]:
    """Return the share of patterns that each algorithm decodes, the fastest first.

    They are measured on some patterns of their own, which are always the same, so that they depend
    on neither seed, trials nor threads. Patterns are distinguished without what takes long: those
    of the slowest algorithm are not decoded.

    ``draw``: gives the patterns of n workers in a batch; ``n``: workers; ``iterations``,
    ``shuffle``: those of the experiment.
    """
    if len(decoder.tiers) == 1:
        return {decoder.tiers[0]: 1.0}
    length = min(iterations, _MOST_ITERATIONS)
    batch = Batch(0, "tiers", 0, PATTERNS // (WORD * length), length)
    patterns = draw(n, batch).shuffled(shuffle)
    tier = decoder.tier_of(patterns.packed)
    counts = np.bincount(tier, minlength=len(decoder.tiers)) / tier.size
    return dict(zip(decoder.tiers, counts.tolist(), strict=True))


def said(found: Mapping[str, float]) -> str | None:
    """Return the shares of slower algorithms as text for people, None where they have none."""
    parts = [
        (f"about {100 * found[name]:.0f} %" if found[name] >= 0.01 else "less than 1 %", tier)
        for name, tier in _SAID.items()
        if found.get(name, 0.0) > 0
    ]
    if not parts:
        return None
    (first, tier), *others = parts
    text = f"{first} of the patterns decoded by {tier}"
    return ", ".join([text, *(f"{share} by {name}" for share, name in others)])
