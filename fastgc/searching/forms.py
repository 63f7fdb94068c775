"""What a system consists of that can be exchanged: needs of layers, trees, orders, holders.

A form is plain data that says it all. Each kind knows the systems of its family that are known, how
a form is changed a little, and, of small systems, all forms.
"""

import itertools
from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from typing import Any

from fastgc.errors import FastgcError
from fastgc.searching.system_problem import SystemProblem
from fastgc.systems import rules
from fastgc.systems.batches import BatchesSystem
from fastgc.systems.coded_reduce import CodedReduce, trees
from fastgc.systems.hierarchical import Hierarchical
from fastgc.systems.partial import Partial
from fastgc.systems.system import System

Form = tuple[Any, ...]
#: A node of a tree: those below it, in order.
Node = tuple[Any, ...]

#: Random numbers that a change takes.
DRAWS = 6
#: Seeds of random orders and holders.
_SEEDS = (1, 2, 3)
#: Lists of all workers that are gone through to find all forms, at most.
_MOST_LISTS = 50_000


class Kind(ABC):
    """One kind of systems; a FastgcError of ``families`` is of a member that does not fit."""

    def __init__(self, problem: SystemProblem) -> None:
        self.problem = problem

    @abstractmethod
    def families(self) -> Iterator[dict[str, Any]]:
        """Yield the ``system`` tables of members that are known, of which some may not fit."""

    @abstractmethod
    def read(self, table: dict[str, Any]) -> Form:
        """Return the form of a member that is known."""

    @abstractmethod
    def system(self, form: Form) -> System:
        """Return the system of a form."""

    @abstractmethod
    def changed(self, form: Form, u: Sequence[float]) -> Form | None:
        """Return a form that differs a little, by `DRAWS` numbers; None where it does not fit."""

    @abstractmethod
    def everything(self) -> Iterator[Form] | None:
        """Return all forms, up to symmetry or not; None where they are too many."""


class NeedsOfLayers(Kind):
    """Hierarchical: answers that each layer needs, which do not rise: deeper layers come later."""

    def families(self) -> Iterator[dict[str, Any]]:
        own = self.problem
        for rule in rules.RULES:
            yield self._table({"layers": own.layers, "tasks": own.tasks, "rule": rule})

    def read(self, table: dict[str, Any]) -> Form:
        own = self.problem
        system = Hierarchical.model_validate(table)
        settled = system.for_time(own.common(system.share() * own.work))
        assert settled.k is not None
        return settled.k

    def system(self, form: Form) -> System:
        return Hierarchical.model_validate(self._table({"k": form}))

    def _table(self, keys: dict[str, Any]) -> dict[str, Any]:
        own = self.problem
        assert own.tasks is not None
        draws = {} if own.draws == "speed" else {"draws": own.draws}
        return {"family": "hierarchical", "n": own.n} | keys | draws | {"load": 1 / own.tasks}

    def changed(self, form: Form, u: Sequence[float]) -> Form | None:
        k = list(form)
        a, b = int(u[0] * len(k)), int(u[1] * len(k))
        step = 1 if u[2] < 0.7 else 2
        k[a], k[b] = k[a] - step, k[b] + step
        if a == b or k[a] < 0 or k[b] > self.problem.n:
            return None
        return tuple(sorted(k, reverse=True))

    def everything(self) -> Iterator[Form]:
        own = self.problem
        assert own.layers is not None and own.tasks is not None
        return rules.ways(own.tasks, own.layers, own.n)


class Trees(Kind):
    """Coded-reduce: (s, tree), each parent with more than s children, of up to n workers."""

    def families(self) -> Iterator[dict[str, Any]]:
        own = self.problem
        shapes = [(n, 1) for n in range(1, own.n + 1)] + trees(own.n)
        for n, layers in shapes:
            for s in range(n) if own.s is None else [own.s] * (own.s < n):
                yield {"family": "coded-reduce", "n": n, "layers": layers, "s": s}

    def read(self, table: dict[str, Any]) -> Form:
        system = CodedReduce.model_validate(table)
        return system.s, nested(system.structure().parents)

    def system(self, form: Form) -> System:
        s, tree = form
        return CodedReduce(parents=parents_of(tree), s=s)

    def changed(self, form: Form, u: Sequence[float]) -> Form | None:
        s, parents = form[0], list(parents_of(form[1]))
        size = len(parents)
        leaves = [v for v in range(1, size + 1) if v not in parents]
        inner = [v for v in range(1, size + 1) if v in parents]
        kind, v = u[0], 1 + int(u[1] * size)
        if kind < 0.1 and self.problem.s is None:
            s += 1 if u[1] < 0.5 else -1
        elif kind < 0.5:  # a subtree moves to another parent, or is moved under a leaf
            parents[v - 1] = int(u[2] * (size + 1))
        elif kind < 0.65:  # leaves move under another leaf
            first, count = int(u[1] * len(leaves)), s + 1 + int(u[3] * 2)
            turned = leaves[first:] + leaves[:first]
            for leaf in turned[1 : 1 + count]:
                parents[leaf - 1] = turned[0]
        elif kind < 0.8 and inner:  # a node's children move to its parent
            gone = inner[int(u[1] * len(inner))]
            parents = [parents[gone - 1] if parent == gone else parent for parent in parents]
        elif kind < 0.9:
            parents.append(int(u[2] * (size + 1)))
        else:
            return self._checked(s, _without(parents, leaves[int(u[1] * len(leaves))]))
        return self._checked(s, parents)

    def _checked(self, s: int, parents: Sequence[int]) -> Form | None:
        """Return the form of a tree; None where it is none, too large, or a parent has too few."""
        if not 0 < len(parents) <= self.problem.n or s < 0:
            return None
        if any(parents.count(v) <= s for v in {0, *parents}):
            return None
        tree = nested(parents)
        return (s, tree) if _size(tree) == len(parents) else None

    def everything(self) -> Iterator[Form]:
        own = self.problem
        for s in range(own.n) if own.s is None else [own.s]:
            for size in range(s + 1, own.n + 1):
                yield from ((s, tree) for tree in _forests(size, s, size))


class _Lists(Kind):
    """Chunks of each worker: n lists of d of n chunks."""

    copies = 1

    def everything(self) -> Iterator[Form] | None:
        n, d = self.problem.n, self.problem.d or 1
        one = list(self._lists(n, d))
        if len(one) ** n > _MOST_LISTS:
            return None
        every: Iterator[Form] = itertools.product(one, repeat=n)
        if self.problem.common(1.0) is not None:  # who holds which list does not matter
            every = itertools.combinations_with_replacement(one, n)
        return (form for form in every if self._covers(form))

    @abstractmethod
    def _lists(self, n: int, d: int) -> Iterator[tuple[int, ...]]:
        """Return the lists that one worker may have."""

    def _covers(self, form: Form) -> bool:
        counts = [0] * self.problem.n
        for chunk in itertools.chain.from_iterable(form):
            counts[chunk] += 1
        return min(counts) >= self.copies

    def changed(self, form: Form, u: Sequence[float]) -> Form | None:
        lists = [list(own) for own in form]
        n, d = self.problem.n, len(lists[0])
        w, other = int(u[1] * n), int(u[2] * n)
        place, to = int(u[3] * d), int(u[4] * d)
        if u[0] < 0.45:  # two chunks of a worker change places
            lists[w][place], lists[w][to] = lists[w][to], lists[w][place]
        elif u[0] < 0.85:  # two workers exchange chunks
            lists[w][place], lists[other][to] = lists[other][to], lists[w][place]
        else:  # a worker takes another chunk
            lists[w][place] = int(u[5] * n)
        new = tuple(self._ordered(own) for own in lists)
        fits = all(len(set(own)) == d for own in new) and new != form
        return new if fits and self._covers(new) else None

    def _ordered(self, own: Sequence[int]) -> tuple[int, ...]:
        return tuple(own)


class Orders(_Lists):
    """Partial: the chunks of each worker, in the order in which it does them."""

    def __init__(self, problem: SystemProblem) -> None:
        super().__init__(problem)
        self.copies = problem.copies

    def families(self) -> Iterator[dict[str, Any]]:
        for placement in ("cyclic", "frc"):
            for order in ("cyclic", "sorted", "optimal", *_SEEDS):
                own = {"order": order} if isinstance(order, str) else {"order": "random"}
                seed = {} if isinstance(order, str) else {"seed": order}
                yield self._table({"placement": placement} | own | seed)

    def read(self, table: dict[str, Any]) -> Form:
        system = Partial.model_validate(table)
        return system.for_time(self.problem.common(system.share() * self.problem.work)).orders()

    def system(self, form: Form) -> System:
        return Partial.model_validate(self._table({"order": form}))

    def _table(self, keys: dict[str, Any]) -> dict[str, Any]:
        own = self.problem
        more = {"copies": own.copies, "draws": own.draws}
        kept = {key: more[key] for key in more if key in own.model_fields_set}
        return {"family": "partial", "n": own.n, "d": own.d} | keys | kept

    def _lists(self, n: int, d: int) -> Iterator[tuple[int, ...]]:
        return itertools.permutations(range(n), d)


class Holders(_Lists):
    """Batches: the chunks that each worker holds, and answers for at once."""

    def families(self) -> Iterator[dict[str, Any]]:
        for placement in ("cyclic", "disjoint"):
            yield self._table(placement)
        for placement, seed in itertools.product(("random-batches", "random"), _SEEDS):
            yield self._table(placement) | {"seed": seed}

    def read(self, table: dict[str, Any]) -> Form:
        return tuple(map(self._ordered, BatchesSystem.model_validate(table).held()))

    def system(self, form: Form) -> System:
        return BatchesSystem.model_validate(self._table(form))

    def _table(self, placement: Any) -> dict[str, Any]:
        own = self.problem
        return {"family": "batches", "n": own.n, "d": own.d, "placement": placement}

    def _lists(self, n: int, d: int) -> Iterator[tuple[int, ...]]:
        return itertools.combinations(range(n), d)

    def _ordered(self, own: Sequence[int]) -> tuple[int, ...]:
        return tuple(sorted(own))


KINDS: dict[str, type[Kind]] = {
    "hierarchical": NeedsOfLayers,
    "coded-reduce": Trees,
    "partial": Orders,
    "batches": Holders,
}


def known(kind: Kind) -> Iterator[tuple[dict[str, Any], Form]]:
    """Yield the members of a family that fit, and their forms."""
    for table in kind.families():
        try:
            yield table, kind.read(table)
        except (FastgcError, ValueError):
            continue


def nested(parents: Sequence[int]) -> Node:
    """Return a tree as nodes within nodes, larger ones first; what is in a circle is left out.

    >>> nested([0, 0, 1, 1]), nested([0, 0, 2, 2]) == nested([0, 0, 1, 1])
    ((((), ()), ()), True)
    """
    below: list[list[int]] = [[] for _ in range(len(parents) + 1)]
    for node, parent in enumerate(parents, 1):
        below[parent].append(node)

    def of(node: int) -> Node:
        return tuple(sorted(map(of, below[node]), reverse=True))

    return of(0)


def parents_of(tree: Node) -> tuple[int, ...]:
    """Return the parent of each node but the root, layer by layer.

    >>> parents_of((((), ()), ()))
    (0, 0, 1, 1)
    """
    nodes, found = [tree], []
    for number, node in enumerate(nodes):  # which grows
        found += [number] * len(node)
        nodes += node
    return tuple(found)


def _size(tree: Node) -> int:
    return sum(1 + _size(child) for child in tree)


def _without(parents: Sequence[int], leaf: int) -> list[int]:
    kept = [*parents[: leaf - 1], *parents[leaf:]]
    return [parent - (parent > leaf) for parent in kept]


def _forests(size: int, s: int, largest: int, least: int | None = None) -> Iterator[Node]:
    """Yield sets of trees of so many nodes, none or more than s of them, each of ≤ ``largest``."""
    least = s + 1 if least is None else least
    if size < least:
        return
    if size == 0:
        if least <= 0:
            yield ()
        return
    for first in range(min(size, largest), 0, -1):
        if 1 < first < s + 2:
            continue
        below = [()] if first == 1 else list(_forests(first - 1, s, first - 1))
        for count in range(size // first, 0, -1):
            for several in itertools.combinations_with_replacement(below, count):
                for rest in _forests(size - first * count, s, first - 1, least - count):
                    yield tuple(sorted((*several, *rest), reverse=True))


def counted(kind: Kind, most: int) -> int:
    """Return how many forms there are, or more than ``most`` where they are more."""
    every = kind.everything()
    return most + 1 if every is None else sum(1 for _ in itertools.islice(every, most + 1))
