"""What the names of an expression stand for: each by its path, or by its end where that is one."""

from __future__ import annotations

import math
from collections.abc import Mapping

from fastgc.errors import FastgcError
from fastgc.registry.complaints import alternatives, nearest
from fastgc.study.expressions.arithmetic import Value

_CONSTANTS: dict[str, Value] = {"pi": math.pi, "e": math.e}


class Names:
    """Values by their paths, like ``code.n``; ``n`` will do where no other path ends so.

    Parameters
    ----------
    values : mapping of str to number, text or list
        ``pi`` and ``e`` are known beside them.
    against : Names, optional
        Those of a second experiment, after ``against.``.

    Examples
    --------
    >>> names = Names({"code.n": 8, "stragglers.p": 0.2})
    >>> names.value_of("n"), names.value_of("stragglers.p")
    (8, 0.2)
    """

    def __init__(self, values: Mapping[str, Value], against: Names | None = None) -> None:
        self._values = dict(values)
        self._against = against
        self._paths: dict[str, list[str]] = {}
        for path in self._values:
            parts = path.split(".")
            for start in range(len(parts)):
                self._paths.setdefault(".".join(parts[start:]), []).append(path)

    def __contains__(self, name: str) -> bool:
        """Whether a name, or the end of one, is taken."""
        return name in self._paths or (name == "against" and self._against is not None)

    def value_of(self, name: str) -> Value:
        """Return a name's value.

        Raises
        ------
        FastgcError
            If there is none, saying which names there are; or if it ends more than one path.
        """
        if name in self._values:
            return self._values[name]
        table, _, rest = name.partition(".")
        if table == "against" and rest and self._against is not None:
            return self._against.value_of(rest)
        paths = self._paths.get(name, [])
        if len(paths) == 1:
            return self._values[paths[0]]
        if paths:
            raise FastgcError(f"{name} stands in several tables; write {alternatives(paths)}")
        if name in _CONSTANTS:
            return _CONSTANTS[name]
        known = self.shortest
        raise FastgcError(
            f"there is no {name[:60]} here{nearest(name, known) or ';'} "
            f"names: {', '.join(known) or 'none'}"
        )

    @property
    def shortest(self) -> list[str]:
        """Every name of numbers, as short as it is clear."""
        return [
            self.short(path) for path, value in self._values.items() if not isinstance(value, str)
        ]

    def short(self, path: str) -> str:
        """Return the shortest end of a path that no other path has, or the path."""
        parts = path.split(".")
        ends = (".".join(parts[start:]) for start in range(len(parts) - 1, 0, -1))
        return next((end for end in ends if self._clear(end)), path)

    def _clear(self, end: str) -> bool:
        return end not in self._values and len(self._paths[end]) == 1

    def adding(self, name: str, value: Value) -> Names:
        """Return these names and one more."""
        return Names({**self._values, name: value}, self._against)
