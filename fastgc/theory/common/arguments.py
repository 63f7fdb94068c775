"""How closed forms take their arguments: scalars or arrays in, floats out, mistakes named."""

from __future__ import annotations

import inspect
import math
from collections.abc import Callable
from functools import wraps
from typing import Any

import numpy as np

from fastgc.errors import FastgcError


def elementwise(function: Callable[..., float]) -> Callable[..., Any]:
    """Let a function of scalars take arrays that broadcast; strings and None pass untouched."""
    signature = inspect.signature(function)

    @wraps(function)
    def broadcast(*args: Any, **kwargs: Any) -> Any:
        bound = signature.bind(*args, **kwargs)
        bound.apply_defaults()
        plain = {k: v for k, v in bound.arguments.items() if v is None or isinstance(v, str)}
        names = [name for name in bound.arguments if name not in plain]
        try:
            arrays = np.broadcast_arrays(*(bound.arguments[name] for name in names))
        except ValueError:
            shapes = ", ".join(f"{name} {np.shape(bound.arguments[name])}" for name in names)
            raise FastgcError(
                f"{function.__name__}: shapes {shapes} do not broadcast; give scalars or arrays of "
                "one shape"
            ) from None
        rows = zip(*(array.ravel().tolist() for array in arrays), strict=True)
        values = [float(function(**plain, **dict(zip(names, row, strict=True)))) for row in rows]
        shape = arrays[0].shape
        return np.array(values).reshape(shape) if shape else values[0]

    return broadcast


def check_probabilities(**values: float) -> None:
    """Refuse a probability outside [0, 1]."""
    for name, value in values.items():
        if not 0.0 <= value <= 1.0:
            raise FastgcError(f"{name}: got {value}, but a probability lies in [0, 1]")


def check_not_negative(**values: float) -> None:
    """Refuse what is below 0, infinite or no number."""
    for name, value in values.items():
        if not 0.0 <= value < math.inf:
            raise FastgcError(f"{name}: got {value}, but a finite number of at least 0 is needed")


def check_positive(**values: float) -> None:
    """Refuse what is not above 0, infinite or no number."""
    for name, value in values.items():
        if not 0.0 < value < math.inf:
            raise FastgcError(f"{name}: got {value}, but a finite number above 0 is needed")


def check_count(name: str, value: int, low: int, high: int | None = None) -> None:
    """Refuse what is not a whole number in low … high."""
    if value != int(value) or value < low or (high is not None and value > high):
        allowed = f"at least {low}" if high is None else f"in {low} … {high}"
        raise FastgcError(f"{name}: got {value}, but a whole number {allowed} is needed")


def check_code(n: int, d: int) -> None:
    """Refuse a replication that n workers cannot have."""
    check_count("n", n, 1)
    check_count("d", d, 1, n)


def check_groups(n: int, d: int) -> None:
    """Refuse a fractional repetition code whose groups do not come out even."""
    check_code(n, d)
    if n % d:
        raise FastgcError(f"frc: d = {d} does not divide n = {n}; choose a divisor of n")


def one_of(survivors: int | None, p: float | None) -> None:
    """Refuse anything but exactly one of two ways to say who survives."""
    if (survivors is None) == (p is None):
        raise FastgcError(
            "survivors, p: give exactly one, the number of survivors or the probability to straggle"
        )


def check_given(n: int, survivors: int | None, p: float | None) -> None:
    """Refuse anything but one way to say who survives: how many of n workers, or with which p."""
    one_of(survivors, p)
    if p is not None:
        check_probabilities(p=p)
    else:
        assert survivors is not None
        check_count("survivors", survivors, 0, n)


def check_shuffle(shuffle: str) -> None:
    """Refuse an unknown name of a shuffle."""
    if shuffle not in ("none", "random", "cyclic"):
        raise FastgcError(f"shuffle: got {shuffle!r}, allowed are 'none', 'random', 'cyclic'")
