"""Exact distributions of completion times: programmes over thresholds, no sampling.

`distribution` is the door; a `CompletionLaw` is what comes out.
"""

from fastgc.systems.timing.laws.completion_law import CompletionLaw
from fastgc.systems.timing.laws.roads import distribution

__all__ = ["CompletionLaw", "distribution"]
