"""fastgc: a Monte Carlo engine for gradient coding.

Samples straggler patterns and completion times by the million, measures the decoding error of each
pattern, and says of every theorem whether the measurement agrees.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

import fastgc_kernels
from fastgc.version import __version__

if TYPE_CHECKING:
    from fastgc import codes as codes
    from fastgc import latency as latency
    from fastgc import registry as registry
    from fastgc import stragglers as stragglers
    from fastgc import systems as systems
    from fastgc import theory as theory
    from fastgc import traces as traces
    from fastgc.decoding.decode import decode as decode
    from fastgc.decoding.inspection import inspect as inspect
    from fastgc.errors import FastgcError as FastgcError
    from fastgc.measuring.measurement import measure as measure
    from fastgc.planning import design as design
    from fastgc.planning.advice import advise as advise
    from fastgc.planning.code_search import search as search
    from fastgc.registry.activity import Batch as Batch
    from fastgc.report.pictures import plot as plot
    from fastgc.runs.audit import audit as audit
    from fastgc.runs.dry_run import dry_run as dry_run
    from fastgc.runs.merge import merge as merge
    from fastgc.runs.run import error as error
    from fastgc.runs.run import open as open
    from fastgc.runs.run import replay as replay
    from fastgc.runs.run import run as run
    from fastgc.study.study import Study as Study
    from fastgc.systems.timing.completing import complete as complete
    from fastgc.traces import steps
    from fastgc.validation.reports import errata as errata
    from fastgc.validation.validate import claim as claim
    from fastgc.validation.validate import validate as validate

    trace = steps

# A plain install and a run from the source tree can pair two versions, which would mix numbers.
if fastgc_kernels.__version__ != __version__:
    raise ImportError(
        f"fastgc {__version__} in {__path__[0]} found kernels {fastgc_kernels.__version__} in "
        f"{fastgc_kernels.__path__[0]}; install both anew from one place"
    )

#: Where each public name lives; nothing is imported before it is used, so that ``fastgc --help``
#: loads neither numba nor h5py nor pydantic.
_HOMES = {
    "Batch": "fastgc.registry.activity",
    "FastgcError": "fastgc.errors",
    "Study": "fastgc.study.study",
    "advise": "fastgc.planning.advice",
    "audit": "fastgc.runs.audit",
    "claim": "fastgc.validation.validate",
    "complete": "fastgc.systems.timing.completing",
    "decode": "fastgc.decoding.decode",
    "design": "fastgc.planning",
    "dry_run": "fastgc.runs.dry_run",
    "errata": "fastgc.validation.reports",
    "error": "fastgc.runs.run",
    "inspect": "fastgc.decoding.inspection",
    "measure": "fastgc.measuring.measurement",
    "merge": "fastgc.runs.merge",
    "open": "fastgc.runs.run",
    "plot": "fastgc.report.pictures",
    "replay": "fastgc.runs.run",
    "run": "fastgc.runs.run",
    "search": "fastgc.planning.code_search",
    "validate": "fastgc.validation.validate",
}

#: Where each public module lies.
_ROOMS = ("codes", "latency", "registry", "stragglers", "systems", "theory", "traces")
_MODULES = {name: f"fastgc.{name}" for name in _ROOMS} | {"trace": "fastgc.traces.steps"}


__all__ = sorted([*_HOMES, *_MODULES])


def __getattr__(name: str) -> Any:
    if name in _HOMES:
        return getattr(import_module(_HOMES[name]), name)
    if name in _MODULES:
        return import_module(_MODULES[name])
    raise AttributeError(f"module 'fastgc' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted([*__all__, "__doc__", "__file__", "__name__", "__path__", "__version__"])
