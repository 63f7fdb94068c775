"""Codes whose workers send an m-th as much, as fastgc builds and decodes them."""

from __future__ import annotations

import itertools

from fastgc import codes
from fastgc.decoding.decoder import Decoder, decode


def largest_error_of_pieces(n: int, s: int, m: int) -> float:
    """Take the maximum over all sets of s stragglers; what counts as exact is 0."""
    code = codes.ye_abbe(n=n, s=s, m=m)
    threshold = Decoder(code, use_lookup=False).exact_threshold
    largest = max(
        decode(code, list(chosen)).error for chosen in itertools.combinations(range(n), n - s)
    )
    return largest if largest > threshold else 0.0
