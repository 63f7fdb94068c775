"""Decoding: errors and decoding vectors of straggler patterns.

A decoder of one's own is a `DecodingRule`.
"""

from fastgc.errors import lazily

__getattr__, __dir__, __all__ = lazily(__name__, __file__)
