"""Recorded times: recorded here, looked at, fitted, and held against the papers' models."""

from fastgc.traces.fits import Fit, Fitted, Independence, Parameter
from fastgc.traces.fitting import fit
from fastgc.traces.recorder import Recorded, record
from fastgc.traces.summary import Summary, show

__all__ = [
    "Fit",
    "Fitted",
    "Independence",
    "Parameter",
    "Recorded",
    "Summary",
    "fit",
    "record",
    "show",
]
