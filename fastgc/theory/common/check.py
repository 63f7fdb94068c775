"""Refusals of arguments that a closed form cannot take, each with one sentence."""

import math
from typing import Any

from fastgc.errors import FastgcError

#: The least whole number that a word is wherever it is an argument, the most, and how much less.
_WHOLE: dict[str, tuple[int, str | int | None, int]] = {
    "n": (1, None, 0),
    "d": (1, "n", 0),
    "slow": (0, "n", 0),
    "survivors": (0, "n", 0),
    "slow_holders": (0, "d", 0),
    "iterations": (1, None, 0),
    "lag": (0, None, 0),
    "layers": (1, 64, 0),  # a deeper tree has more workers than can be counted
    "layer": (1, "layers", 0),
    "s": (0, "n", 1),
    "window": (1, None, 0),
    "batch": (1, None, 0),
    "tasks": (1, None, 0),
}


def arguments(**values: Any) -> dict[str, Any]:
    """Refuse what a word cannot be; whole numbers come back as such."""
    for number in ("survivors", "stragglers"):
        if {number, "p"} <= set(values) and (values[number] is None) == (values["p"] is None):
            raise FastgcError(
                f"{number}, p: give exactly one, the number of {number} or the probability to "
                "straggle"
            )
    checked = dict(values)
    for name, value in values.items():
        if name == "shuffle" and value not in ("none", "random", "cyclic"):
            raise FastgcError(f"shuffle: got {value!r}, allowed are 'none', 'random', 'cyclic'")
        if value is None:
            continue
        if name in _WHOLE:
            least, most, less = _WHOLE[name]
            bound = values.get(most) if isinstance(most, str) else most
            count(name, value, least, None if bound is None else bound - less)
            checked[name] = int(value)
        for names, refuse in _REAL:
            if name in names:
                refuse(**{name: value})
    return checked


def probabilities(**values: float) -> None:
    """Refuse a probability outside [0, 1]."""
    for name, value in values.items():
        if not 0.0 <= value <= 1.0:
            raise FastgcError(f"{name}: got {value}, but a probability lies in [0, 1]")


def not_negative(**values: float) -> None:
    """Refuse what is below 0, infinite or no number."""
    for name, value in values.items():
        if not 0.0 <= value < math.inf:
            raise FastgcError(f"{name}: got {value}, but a finite number of at least 0 is needed")


def positive(**values: float) -> None:
    """Refuse what is not above 0, infinite or no number."""
    for name, value in values.items():
        if not 0.0 < value < math.inf:
            raise FastgcError(f"{name}: got {value}, but a finite number above 0 is needed")


def count(name: str, value: int, low: int, high: int | None = None) -> None:
    """Refuse what is not a whole number in low … high."""
    if value != int(value) or value < low or (high is not None and value > high):
        allowed = f"at least {low}" if high is None else f"in {low} … {high}"
        raise FastgcError(f"{name}: got {value}, but a whole number {allowed} is needed")


def groups(n: int, d: int) -> None:
    """Refuse a fractional repetition code whose groups do not come out even."""
    if n % d:
        raise FastgcError(f"frc: d = {d} does not divide n = {n}; choose a divisor of n")


_REAL = (
    (("p", "p_slow", "p_straggle_slow", "p_straggle_active", "a", "b", "late"), probabilities),
    (("mean", "load"), positive),
    (
        ("shift", "receive", "above", "t", "epsilon", "selected", "smoothness", "c", "x"),
        not_negative,
    ),
)
