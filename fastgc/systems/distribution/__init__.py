"""Exact distributions of completion times: programmes over thresholds, no sampling.

`distribution` is the door; a `CompletionLaw` is what comes out.
"""

from fastgc.systems.distribution.completion_law import CompletionLaw
from fastgc.systems.distribution.roads import distribution

__all__ = ["CompletionLaw", "distribution"]
