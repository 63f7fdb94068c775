"""Tables of codes, stragglers and decoding experiments as plain data, as a study has them."""

from __future__ import annotations

from typing import Any

Table = dict[str, Any]


def frc(n: int, d: int) -> Table:
    """Table of a fractional repetition code."""
    return {"family": "frc", "n": n, "d": d}


def circulant(n: int, d: int) -> Table:
    """Table of a 0/1 circulant."""
    return {"family": "circulant", "n": n, "d": d}


def binary(n: int, s: int, k: int | None = None) -> Table:
    """Table of a binary gradient code; k = n by default."""
    return {"family": "binary", "n": n, "s": s} | ({} if k is None else {"k": k})


def bibd(name: str) -> Table:
    """Table of a block design."""
    return {"family": "bibd", "name": name}


def graph(name: str, vertices: int | None = None) -> Table:
    """Table of a named graph code."""
    return {"family": "graph", "name": name} | ({} if vertices is None else {"vertices": vertices})


def edges(*pairs: tuple[int, int]) -> Table:
    """Table of a graph code given by its edges."""
    return {"family": "graph", "edges": [list(pair) for pair in pairs]}


def iid(p: float) -> Table:
    """Table of independent stragglers."""
    return {"model": "iid", "p": p}


def two_class(straggle: tuple[float, float], **classes: float | int | list[float]) -> Table:
    """Table of two-class stragglers: (p_straggle_slow, p_straggle_active), and p_slow or slow."""
    return {
        "model": "two-class",
        **classes,
        "p_straggle_slow": straggle[0],
        "p_straggle_active": straggle[1],
    }


def uniform(stragglers: int) -> Table:
    """Table of exactly so many stragglers, all patterns alike."""
    return {"model": "uniform", "stragglers": stragglers}


def decoding(
    measure: str,
    code: Table,
    stragglers: Table,
    iterations: int = 1,
    shuffle: str = "none",
    **more: Any,
) -> Table:
    """Table of a decoding experiment with one measure; ``more`` are other keys, as decoder."""
    return {
        "kind": "decoding",
        "code": code,
        "stragglers": stragglers,
        "iterations": iterations,
        "shuffle": shuffle,
        **more,
        "measure": [measure],
    }


def point_of(experiment: Table) -> Table:
    """Parameters of an experiment in one flat table, for people."""
    point: Table = {}
    for table in (experiment["code"], experiment["stragglers"]):
        point |= {key: value for key, value in table.items() if key not in ("family", "model")}
    if experiment["iterations"] > 1:
        point["iterations"] = experiment["iterations"]
    return point
