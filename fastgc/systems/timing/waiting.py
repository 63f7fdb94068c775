"""Who waits for whom: gates, of which equal ones are kept once, with how many there are of each."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from fastgc.errors import FastgcError
from fastgc.systems.timing.terms import Term


@dataclass(frozen=True)
class Gate:
    """Waits for ``need`` of its children, 0 for a leaf, and for its own work.

    ``own`` is the class of the worker whose work it is, None where there is none; ``children`` are
    the numbers of the children's gates and how many of each.
    """

    own: int | None
    need: int
    children: tuple[tuple[int, int], ...]


@dataclass
class Gates:
    """Distinct gates, children before parents; the last is the master."""

    gates: list[Gate] = field(default_factory=list)
    _known: dict[Gate, int] = field(default_factory=dict)

    def add(self, own: int | None, need: int, children: Sequence[int] = ()) -> int:
        """Return the number of a gate with these children, new or known."""
        if need == 0:
            children = ()
        counts: dict[int, int] = {}
        for child in sorted(children):
            counts[child] = counts.get(child, 0) + 1
        gate = Gate(own, need, tuple(counts.items()))
        if gate not in self._known:
            self._known[gate] = len(self.gates)
            self.gates.append(gate)
        return self._known[gate]

    def add_master(self, need: int, children: Sequence[int]) -> None:
        """Add the master as the last gate, even if there is an equal one already."""
        last = self.add(None, need, children)
        if last != len(self.gates) - 1:
            self.gates.append(self.gates[last])

    def add_enough(self, need: int, classes: Sequence[int]) -> None:
        """Add a master who waits for ``need`` workers, of whom the j-th is of ``classes[j]``."""
        leaf = {own: self.add(own, 0) for own in dict.fromkeys(classes)}
        self.add_master(need, [leaf[own] for own in classes])

    def add_term(self, term: Term, class_of: Callable[[Term], int | None]) -> None:
        """Add a term's gates, the term's own last; a constant has the class None: it always comes.

        Raises FastgcError where a worker is waited for at several places: such gates depend on each
        other.
        """
        if term.repeats:
            raise FastgcError("workers who are waited for at several places have no exact law")
        number: dict[Term, int] = {}
        for each in term.inner:
            if each.of:
                number[each] = self.add(None, each.k, [number[child] for child in each.of])
            else:
                number[each] = self.add(class_of(each), 0)
        self.add_master(1, [number[term]])
