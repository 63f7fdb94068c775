"""Kernels as NumPy calls, with the same bits, for studies too small to load a compiler for.

The kernels that a first study calls have one: each saves 0.1 to 7 s, and as long as no other kernel
is called, also the second that the compiler takes to load. A fallback has the arguments of its
kernel. It returns NotImplemented, with nothing touched, where it would take long. Kernels that it
calls run as the Python functions that they are written as, and helpers without branches work on
arrays. Tests hold each kernel and its fallback against each other, to the last bit.
"""

from collections.abc import Callable
from importlib import import_module
from typing import Any

#: Module here → the kernels, by module and name, that have fallbacks there under the same name.
_KERNELS = {
    "completion": (
        "complete.crossing.cross",
        "complete.networks.selection",
        "complete.parts.count",
        "complete.parts.groups",
        "complete.parts.serve",
    ),
    **{name: (f"decode.{name}.errors",) for name in ("components", "cycle_gaps", "intervals")},
    "elementary": tuple(
        f"draw.elementary.{name}"
        for name in ("exps", "expm1s", "logs", "log1ps", "normals", "powers")
    ),
    "elimination": ("decode.elimination.solve",),
    "gram_schmidt": ("decode.gram_schmidt.by_rows",),
    "groups": (
        "decode.groups.errors",
        "decode.groups.lost_groups",
        "decode.lost_partitions.lost_partitions",
    ),
    "least_squares": ("decode.least_squares.dependent", "decode.least_squares.normalise"),
    "orthogonal": (
        "decode.jacobi.combine",
        "decode.jacobi.gram",
        "decode.jacobi.orthogonalise",
        "decode.jacobi.svd",
        "decode.orthogonal.factor",
        "decode.orthogonal.ranks",
    ),
    "patterns": (
        "draw.patterns.addresses",
        "draw.patterns.bernoulli",
        "draw.patterns.count_survivors",
        "draw.patterns.pack",
        "draw.patterns.subsets",
        "draw.patterns.unpack",
        "draw.philox.words",
    ),
    "sums": (
        "tally.strata.by_survivors",
        "tally.sums.excesses",
        "tally.sums.histogram",
        "tally.sums.powers",
    ),
    "worst_subsets": ("decode.worst_subsets.search_dependent",),
    "times": (
        "draw.law_numbers.invert",
        "draw.pairs.exponentials",
        "draw.pairs.uniforms",
        "draw.times.draw",
    ),
}
#: The module here of each kernel that has a fallback.
MODULES = {kernel: module for module, kernels in _KERNELS.items() for kernel in kernels}


def fallback(kernel: str) -> Callable[..., Any] | None:
    """Return the fallback of a kernel, named as ``decode.groups.errors``; None without one."""
    if kernel not in MODULES:
        return None
    home = import_module(f"{__name__}.{MODULES[kernel]}")
    found: Callable[..., Any] = getattr(home, kernel.rpartition(".")[2])
    return found
