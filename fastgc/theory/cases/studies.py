"""Tables of codes, stragglers, systems and laws as plain data, as a study has them."""

from collections.abc import Callable, Sequence
from typing import Any

Table = dict[str, Any]


def maker(tag: str, name: str, *keys: str) -> Callable[..., Table]:
    """Return a function that makes a table of values for these keys; the last may be left out."""

    def make(*values: Any) -> Table:
        return {tag: name} | dict(zip(keys[: len(values)], values, strict=True))

    return make


frc = maker("family", "frc", "n", "d")
circulant = maker("family", "circulant", "n", "d")
cyclic = maker("family", "cyclic", "n", "d", "seed")
cyclic_mds = maker("family", "cyclic-mds", "n", "d")
binary = maker("family", "binary", "n", "s", "k")
bibd = maker("family", "bibd", "name")
graph = maker("family", "graph", "name", "vertices")
matrix = maker("family", "matrix", "rows")
tree = maker("family", "coded-reduce", "n", "layers", "s")
star = maker("family", "gradient-code", "n", "s")
answers = maker("family", "k-of-n", "n", "k")
replication = maker("family", "replication", "n", "d")
uncoded = maker("family", "uncoded", "n")
ring = maker("family", "ring-all-reduce", "n")
iid = maker("model", "iid", "p")
#: Exactly so many stragglers, all patterns alike.
uniform = maker("model", "uniform", "stragglers")
descent = maker("method", "gradient-descent", "step")


def edges(*pairs: tuple[int, int]) -> Table:
    """Table of a graph code given by its edges."""
    return {"family": "graph", "edges": [list(pair) for pair in pairs]}


def two_class(law: Sequence[float], **classes: float | int | list[float]) -> Table:
    """Table of two-class stragglers.

    ``law`` is p_straggle_slow and p_straggle_active, before them p_slow unless ``classes`` says
    who is slow.
    """
    *p_slow, slow, active = law
    if p_slow:
        classes["p_slow"] = p_slow[0]
    return {"model": "two-class", **classes, "p_straggle_slow": slow, "p_straggle_active": active}


def layered(n: int, *k: int) -> Table:
    """Table of layers that need k_1, k_2, … answers."""
    return {"family": "hierarchical", "n": n, "k": list(k)}


def whole(system: Table) -> Table:
    """The same system with a worker's whole task as the unit of time: ``load`` = 1."""
    return system | {"load": 1.0}


def exponential(mean: float = 1.0, shift: float = 0.0) -> Table:
    """Table of exponential times."""
    return {"distribution": "exponential", "mean": mean, "shift": shift}
