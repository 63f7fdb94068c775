"""Every system that fits the workers, scheme by scheme."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from fastgc.planning.table import DesignTable
from fastgc.systems.coded_reduce import CodedReduce
from fastgc.systems.gradient_code import GradientCode
from fastgc.systems.hierarchical import Hierarchical
from fastgc.systems.ignore_stragglers import IgnoreStragglers
from fastgc.systems.k_of_n import KOfN
from fastgc.systems.replication import Replication
from fastgc.systems.ring_all_reduce import RingAllReduce
from fastgc.systems.rules import RULES
from fastgc.systems.system import System
from fastgc.systems.uncoded import Uncoded


@dataclass(frozen=True)
class Line:
    """Systems of a scheme that differ in one parameter, in its order.

    Attributes
    ----------
    scheme : str
    systems : tuple of System
    kind : str
        Of the lines of one kind the best system is listed.
    """

    scheme: str
    systems: tuple[System, ...]
    kind: str = ""


def lines(table: DesignTable) -> list[Line]:
    """Return every system of the schemes asked for."""
    return [line for scheme in table.wanted for line in _MAKERS[scheme](table)]


def trees(workers: int) -> list[tuple[int, int]]:
    """Return (n, layers) of all regular trees with n ≥ 2 and layers ≥ 2 that so many workers make.

    Workers that a shape leaves over stay idle: where a port or depth costs more than work, the best
    tree need not be the largest.

    Examples
    --------
    >>> trees(20)
    [(2, 2), (3, 2), (4, 2), (2, 3)]
    """
    found = []
    layers = 2
    while _size(2, layers) <= workers:
        n = 2
        while _size(n, layers) <= workers:
            found.append((n, layers))
            n += 1
        layers += 1
    return found


def _size(n: int, layers: int) -> int:
    return sum(n**layer for layer in range(1, layers + 1))


def _uncoded(table: DesignTable) -> Iterator[Line]:
    yield Line("uncoded", (Uncoded(n=table.workers),))


def _ignore_stragglers(table: DesignTable) -> Iterator[Line]:
    assert table.stragglers is not None
    system = IgnoreStragglers(n=table.workers, stragglers=table.stragglers)
    yield Line("ignore-stragglers", (system,))


def _gradient_code(table: DesignTable) -> Iterator[Line]:
    n = table.workers
    yield Line("gradient-code", tuple(GradientCode(n=n, s=s) for s in range(n)))


def _replication(table: DesignTable) -> Iterator[Line]:
    n = table.workers
    divisors = [d for d in range(1, n + 1) if n % d == 0]
    yield Line("replication", tuple(Replication(n=n, d=d) for d in divisors))


def _k_of_n(table: DesignTable) -> Iterator[Line]:
    n = table.workers
    yield Line("k-of-n", tuple(KOfN(n=n, k=k) for k in range(1, n + 1)))


def _ring_all_reduce(table: DesignTable) -> Iterator[Line]:
    yield Line("ring-all-reduce", (RingAllReduce(n=table.workers),))


def _coded_reduce(table: DesignTable) -> Iterator[Line]:
    for n, layers in trees(table.workers):
        systems = tuple(CodedReduce(n=n, layers=layers, s=s) for s in range(n))
        yield Line("coded-reduce", systems, f"{layers} layers")


def _hierarchical(table: DesignTable) -> Iterator[Line]:
    assert table.layers is not None and table.tasks is not None
    for rule in RULES:
        system = Hierarchical.model_validate(
            {
                "n": table.workers,
                "layers": table.layers,
                "tasks": table.tasks,
                "rule": rule,
                "load": 1 / table.tasks,
            }
        )
        yield Line("hierarchical", (system,), rule)


_MAKERS: dict[str, Callable[[DesignTable], Iterator[Line]]] = {
    "uncoded": _uncoded,
    "ignore-stragglers": _ignore_stragglers,
    "gradient-code": _gradient_code,
    "replication": _replication,
    "k-of-n": _k_of_n,
    "ring-all-reduce": _ring_all_reduce,
    "coded-reduce": _coded_reduce,
    "hierarchical": _hierarchical,
}
