"""Refusals of arguments that a closed form cannot take, each with one sentence."""

import math

from fastgc.errors import FastgcError


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


def code(n: int, d: int) -> None:
    """Refuse a replication that n workers cannot have."""
    count("n", n, 1)
    count("d", d, 1, n)


def groups(n: int, d: int) -> None:
    """Refuse a fractional repetition code whose groups do not come out even."""
    code(n, d)
    if n % d:
        raise FastgcError(f"frc: d = {d} does not divide n = {n}; choose a divisor of n")


def given(n: int, survivors: int | None, p: float | None) -> None:
    """Refuse anything but one way to say who survives: how many of n workers, or with which p."""
    if (survivors is None) == (p is None):
        raise FastgcError(
            "survivors, p: give exactly one, the number of survivors or the probability to straggle"
        )
    if p is not None:
        probabilities(p=p)
    if survivors is not None:
        count("survivors", survivors, 0, n)


def shuffle(shuffle: str) -> None:
    """Refuse an unknown name of a shuffle."""
    if shuffle not in ("none", "random", "cyclic"):
        raise FastgcError(f"shuffle: got {shuffle!r}, allowed are 'none', 'random', 'cyclic'")
