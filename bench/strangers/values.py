"""Values that a stranger puts in the place of others, and changes of bytes and of data."""

import copy
import random
from typing import Any

#: Values of all kinds and sizes, some of which no place takes.
VALUES: tuple[Any, ...] = (
    0, 1, -1, 2, 3, 63, 64, 65, 2**31, 2**53 + 1, 2**63, 10**12, 10**30, -(2**63),
    0.0, -0.0, 0.5, 1.0, 1e-320, 1e308, -1e300, float("inf"), float("-inf"), float("nan"),
    True, False, "", "nan", "error", "mean", "\x1b[31mred\x1b[0m", "a\rb\x00c\x9b5m",
    "../../etc/passwd",
    "x" * 5000, "1_0", "\u0661", [], {}, [[]], [0.5, "x"], {"a": 1}, [1] * 200, [[1, 2], [3]],
)  # fmt: skip
_PIECES = [*b"1e999 \x1b[2J - 99999999999999999999 1_0 \xff , nan \xd9\xa1 \x00".split(b" "), b"\n"]


def changed(data: Any, generator: random.Random, extra: tuple[Any, ...] = ()) -> Any:
    """Return data with one place of it changed: another value, or less or more of it."""
    data = copy.deepcopy(data)
    places = _places(data)
    if not places:
        return generator.choice(VALUES)
    home, key = generator.choice(places)
    how = generator.randrange(8)
    if how == 0:
        del home[key]
    elif how == 1 and isinstance(home, dict):
        home[f"{key}{generator.choice(['', ' ', '_', 's'])}x"] = home[key]
    elif how == 2 and isinstance(home, list):
        home.insert(key, home[key])
    elif how == 3:
        home[key] = copy.deepcopy(generator.choice(places)[0])
    elif how == 4 and isinstance(home[key], int | float):
        home[key] = home[key] * generator.choice([-1, 10, 1000, 1e9, 1e-9])
    else:
        home[key] = copy.deepcopy(generator.choice(VALUES + extra))
    return data


def _places(data: Any) -> list[tuple[Any, Any]]:
    found = []
    own = data.items() if isinstance(data, dict) else enumerate(data)
    for key, value in own:
        found.append((data, key))
        if isinstance(value, dict | list):
            found += _places(value)
    return found


def disturbed(content: bytes, generator: random.Random) -> bytes:
    """Return bytes of which some are changed, left out, doubled, or cut off."""
    made = bytearray(content)
    for _ in range(generator.choice([1, 1, 2, 8])):
        place = generator.randrange(len(made) + 1)
        length = generator.choice([1, 1, 4, 40])
        how = generator.randrange(5)
        if how == 0:
            made[place : place + length] = generator.randbytes(min(length, len(made) - place))
        elif how == 1:
            del made[place : place + length]
        elif how == 2:
            made[place:place] = made[place : place + length]
        elif how == 3:
            made[place : place + length] = generator.choice(_PIECES)
        elif made:
            made = made[: generator.randrange(len(made)) + 1]
    return bytes(made)
