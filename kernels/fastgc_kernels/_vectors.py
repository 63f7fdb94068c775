"""What kernels do with vectors beside arithmetic; `_vec` says what a vector is.

Places are counted in entries from an array's beginning, whatever its shape, and nothing is checked:
who calls sees to it that they lie within. Counts and lanes are constants.
"""

from importlib import import_module
from typing import Any

PACKAGE = __name__.rpartition(".")[0]


class Function:
    """A function that Numba meets in a kernel's code; what writes it is loaded then."""

    def __init__(self, name: str) -> None:
        self._name = name

    @property
    def _numba_type_(self) -> Any:
        return import_module(f"{PACKAGE}._compiling").vector_function(self._name)


#: load(array, place, count): so many entries from a place on.
load: Any = Function("load")
#: pointer(array): its entries by their numbers, for as long as somebody holds the array: a caller,
#: or the function that ends with keep(array), or keep of a tuple of arrays. Tuples of pointers cost
#: nothing, where those of arrays count who holds them.
pointer: Any = Function("pointer")
keep: Any = Function("keep")
#: entry(array, place): one number.
entry: Any = Function("entry")
#: store(array, place, vector), or one number.
store: Any = Function("store")
#: gather(array, place, picks, at, step, count): the entries array[place + picks[at + v] * step].
gather: Any = Function("gather")
#: look_up(array, place, picks): the same of a vector of numbers.
look_up: Any = Function("look_up")
#: as_words(vector), as_doubles(vector): the same bits as numbers of another kind.
as_words: Any = Function("as_words")
as_doubles: Any = Function("as_doubles")
#: scatter(array, picks, vector): stores its lanes v as array[picks[v]].
scatter: Any = Function("scatter")
#: gather_rows(rows, i, picks, j, count, columns, across): the doubles at picks[j + v] of the rows
#: that begin at the addresses rows[i + v]; those of further columns' picks, ``across`` further on.
gather_rows: Any = Function("gather_rows")
#: repeat(vector, times): its lanes, so many times side by side.
repeat: Any = Function("repeat")
#: root(vector): square roots.
root: Any = Function("root")
#: if_wide(a, b): the constant a where registers hold eight doubles, else b.
if_wide: Any = Function("if_wide")
#: numbers(count): 0, 1, 2, … in the lanes.
numbers: Any = Function("numbers")
#: bits(truths): a word with a bit for each lane.
bits: Any = Function("bits")
#: spread(number, count): the same in all lanes.
spread: Any = Function("spread")
#: where(truths, one, other): lane by lane.
where: Any = Function("where")
#: lane(vector, i), and with_lane(vector, i, value)
lane: Any = Function("lane")
with_lane: Any = Function("with_lane")
#: added(vector): half of the lanes and the other half, until one is left; of eight lanes it is
#: ((0 + 4) + (2 + 6)) + ((1 + 5) + (3 + 7)).
added: Any = Function("added")
#: parts_added(vector, count): so many lanes after the other.
parts_added: Any = Function("parts_added")
#: sums(v0, v1, v2, v3): `added` of four vectors of eight.
sums: Any = Function("sums")
