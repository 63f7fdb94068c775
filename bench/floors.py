"""How the house stands: ``python -m bench.floors [CHECKOUT]``.

A room is a folder or a loose module directly under ``fastgc``, ``fastgc/__init__`` (the face), and
the kernels as one room. An arrow from one room to another stands for any import of it, inside
functions too, but for those that only type checkers see. A room's floor is one above the highest
room that it imports; a circle is a set of files, or of rooms, each of which reaches all others.
"""

from __future__ import annotations

import ast
import sys
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

import networkx

Graph = dict[str, set[str]]

FACE = "fastgc"
KERNELS = "fastgc_kernels"
#: Folders of a checkout that hold packages.
ROOTS = ("", "kernels")


def modules(checkout: Path) -> dict[str, Path]:
    """Every module of the two packages by its dotted name; a package by its ``__init__``."""
    found = {}
    for root in ROOTS:
        for package in (FACE, KERNELS):
            folder = checkout / root / package
            for path in sorted(folder.rglob("*.py")):
                parts = path.relative_to(checkout / root).with_suffix("").parts
                name = ".".join(parts[:-1] if parts[-1] == "__init__" else parts)
                found[name] = path
    return found


def imports(checkout: Path) -> Graph:
    """Which modules each module imports, by name."""
    known = modules(checkout)
    return {
        name: {other for other in _imported(ast.parse(path.read_text()), known) if other != name}
        for name, path in known.items()
    }


def _imported(tree: ast.Module, known: Mapping[str, Path]) -> Iterator[str]:
    hidden = {
        inside
        for node in ast.walk(tree)
        if isinstance(node, ast.If) and "TYPE_CHECKING" in ast.unparse(node.test)
        for inside in ast.walk(node)
    }
    for node in ast.walk(tree):
        if node in hidden:
            continue
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names if alias.name in known)
        elif isinstance(node, ast.ImportFrom) and node.module is not None:
            for alias in node.names:
                full = f"{node.module}.{alias.name}"
                if full in known:
                    yield full
                elif node.module in known:
                    yield node.module


def room_of(module: str) -> str:
    """The room a module is in: the second part of its name; the kernels are one room."""
    top, *parts = module.split(".")
    return KERNELS if top == KERNELS else parts[0] if parts else FACE


def rooms(graph: Mapping[str, Iterable[str]]) -> Graph:
    """Arrows between rooms."""
    found: Graph = {}
    for module, others in graph.items():
        arrows = found.setdefault(room_of(module), set())
        arrows |= {room_of(other) for other in others} - {room_of(module)}
    return found


def circles(graph: Mapping[str, Iterable[str]]) -> list[list[str]]:
    """Sets of names that all reach each other."""
    found = networkx.strongly_connected_components(networkx.DiGraph(graph))
    return sorted(sorted(circle) for circle in found if len(circle) > 1)


def floors(graph: Mapping[str, Iterable[str]]) -> dict[str, int]:
    """Each room's floor, from 1; rooms of a circle stand on one floor."""
    below = networkx.condensation(networkx.DiGraph(graph).reverse())
    found: dict[int, int] = {}
    for node in networkx.topological_sort(below):
        found[node] = 1 + max((found[other] for other in below.predecessors(node)), default=0)
    return {name: found[node] for node, data in below.nodes(data=True) for name in data["members"]}


def lines_under(folder: Path) -> int:
    """Lines of Python below a folder."""
    return sum(len(path.read_text().splitlines()) for path in folder.rglob("*.py"))


def lines(checkout: Path) -> dict[str, int]:
    """Lines of each room."""
    found: Counter[str] = Counter()
    for name, path in modules(checkout).items():
        found[room_of(name)] += len(path.read_text().splitlines())
    return found


def main() -> None:
    checkout = Path(sys.argv[1] if len(sys.argv) > 1 else ".")
    graph = imports(checkout)
    between = rooms(graph)
    standing = floors(between)
    sizes = lines(checkout)
    for level in range(max(standing.values()), 0, -1):
        here = sorted(room for room, floor in standing.items() if floor == level)
        print(f"{level:3} ", " · ".join(f"{room} {sizes[room]}" for room in here))
    print(f"{len(between)} rooms, {len(circles(graph))} circles, {sum(sizes.values())} lines")


if __name__ == "__main__":
    main()
