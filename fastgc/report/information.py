"""Versions, places and members of the installation, for bug reports."""

from __future__ import annotations

import platform
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

import fastgc_kernels
from fastgc import registry, theory
from fastgc import version as own
from fastgc.engine.executors import cores
from fastgc.study import packaged
from fastgc_kernels import _sources

PACKAGES = ("numba", "llvmlite", "numpy", "h5py", "pydantic", "click", "tqdm")
#: Titles under which the members of each room are listed.
ROOMS = {
    "codes": "code",
    "stragglers": "stragglers",
    "systems": "system",
    "latency laws": "latency",
    "own decoders": "decoder",
    "own measures": "measure",
    "problems": "problem",
    "optimizers": "optimizer",
    "selections": "selection",
}


def collect() -> dict[str, Any]:
    """Return the versions, places, members, studies and papers of this installation."""
    return {
        "fastgc": f"{own.__version__} in {Path(own.__file__).parent}",
        "kernels": f"{fastgc_kernels.__version__} in {Path(fastgc_kernels.__file__).parent}",
        "kernel cache": _sources.cache_folder() or "none: no folder that this user alone can write",
        "stream version": str(own.STREAM_VERSION),
        "python": platform.python_version(),
        "platform": platform.platform(),
        "cores": str(cores.available_cores()),
        **{name: _version(name) for name in PACKAGES},
        **{
            title: list(registry.members(room))
            for title, room in ROOMS.items()
            if registry.members(room)
        },
        "studies": sorted(packaged.packaged()),
        "papers": list(theory.paper_names()),
    }


def _version(name: str) -> str:
    try:
        return version(name)
    except PackageNotFoundError:
        return "not installed"
