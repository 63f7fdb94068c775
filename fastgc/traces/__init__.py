"""Recorded times: recorded here, looked at, fitted, and held against the papers' models."""

from fastgc.traces.dependence import Independence
from fastgc.traces.fitting import Fit, Fitted, fit
from fastgc.traces.parameters import Parameter
from fastgc.traces.recorder import Recorded, record_processes
from fastgc.traces.steps import Recorder, record
from fastgc.traces.summary import Summary, show

__all__ = [
    "Fit",
    "Fitted",
    "Independence",
    "Parameter",
    "Recorded",
    "Recorder",
    "Summary",
    "fit",
    "record",
    "record_processes",
    "show",
]
