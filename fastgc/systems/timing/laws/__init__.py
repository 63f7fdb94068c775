"""Exact distributions of completion times, by dynamic programmes instead of sampling.

`distribution` returns the `CompletionLaw` of a structure, `tail` what knows P(C > t) alone.
"""

from fastgc.systems.timing.laws.completion_law import CompletionLaw
from fastgc.systems.timing.laws.structure_law import distribution, tail_index
from fastgc.systems.timing.laws.tail import Union, tail

__all__ = ["CompletionLaw", "Union", "distribution", "tail", "tail_index"]
