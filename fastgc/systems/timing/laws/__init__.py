"""Exact distributions of completion times, by dynamic programmes instead of sampling.

`distribution` returns the `CompletionLaw` of a structure.
"""

from fastgc.systems.timing.laws.completion_law import CompletionLaw
from fastgc.systems.timing.laws.structure_law import distribution

__all__ = ["CompletionLaw", "distribution"]
