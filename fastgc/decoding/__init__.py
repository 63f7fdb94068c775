"""Decoding: errors and decoding vectors of straggler patterns.

A decoder of one's own is a `DecodingRule`.
"""

from fastgc.decoding.rule import DecodingRule, Ridge

__all__ = ["DecodingRule", "Ridge"]
