"""Functions of vectors that kernels import from here; `_vec` says what a vector is.

Places are counted in entries from an array's beginning, whatever its shape, and nothing is checked:
who calls sees to it that they lie within. Counts and lanes are constants. A pointer does as an
array; tuples of pointers cost nothing, where those of arrays count who holds them.

* load(array, place, count), store(array, place, vector or number), entry(array, place)
* gather(array, place, picks, at, step, count): the entries array[place + picks[at + v] * step]
* look_up(array, place, picks): those of a vector of numbers
* scatter(array, picks, vector): stores lanes v as array[picks[v]]
* gather_rows(rows, i, picks, j, count, columns, across): the doubles at picks[j + v] of the rows
  that begin at the addresses rows[i + v]; those of further columns' picks, ``across`` further on
* pointer(array): its entries by their numbers, for as long as somebody holds the array: a caller,
  or the function that ends with keep(array), or keep of a tuple of arrays
* spread(number, count): the same in all lanes; numbers(count): 0, 1, 2, …
* repeat(vector, times): its lanes, so many times side by side
* where(truths, one, other), bits(truths): a word with a bit for each lane
* lane(vector, i), with_lane(vector, i, value), root(vector)
* added(vector): half of the lanes and the other half, until one is left; of eight lanes it is
  ((0 + 4) + (2 + 6)) + ((1 + 5) + (3 + 7)). sums(v0, v1, v2, v3): those of four vectors of eight
* parts_added(vector, count): so many lanes after the other
* as_words(vector), as_doubles(vector): the same bits as numbers of another kind
* if_wide(a, b): the constant a where registers hold eight doubles, else b
"""

from functools import cached_property
from importlib import import_module
from typing import Any

PACKAGE = __name__.rpartition(".")[0]


class Function:
    """What Numba meets in a kernel's code, and Python calls; what it stands for is loaded then."""

    def __init__(self, name: str) -> None:
        self._name = name

    @cached_property
    def _in_numpy(self) -> Any:
        return import_module(f"{PACKAGE}.fallbacks.decode_fallbacks").VECTORS[self._name]

    def __call__(self, *arguments: Any) -> Any:
        return self._in_numpy(*arguments)

    @property
    def _numba_type_(self) -> Any:
        return import_module(f"{PACKAGE}._compiling").vector_function(self._name)


def __getattr__(name: str) -> Any:
    if name.startswith("_"):
        raise AttributeError(name)
    return Function(name)
