"""Whole numbers: as sentences have them, as people write them, and as parameters of codes."""

import re
from decimal import Decimal
from typing import Annotated, Any

import pydantic

_SCIENTIFIC = re.compile(r"\d{1,40}(\.\d{1,40})?[eE]\+?\d{1,9}")
_POWER = re.compile(r"(\d{1,40})\s*(?:\*\*|\^)\s*(\d{1,40})")
#: Text that `count_of` reads, but for 1.5e0 and the like.
COUNT = rf"^\s*({_SCIENTIFIC.pattern}|{_POWER.pattern})\s*$"
_MOST_DIGITS = 40


def spaced(count: int) -> str:
    """Return a whole number with its digits in groups of three.

    >>> spaced(3000000)
    '3 000 000'
    """
    return f"{count:,}".replace(",", " ")


def counted(count: int, plural: str) -> str:
    """Return so many of what a regular plural names.

    >>> counted(1, "points"), counted(0, "points"), counted(2000, "points")
    ('1 point', '0 points', '2 000 points')
    """
    return f"{spaced(count)} {plural.removesuffix('s') if count == 1 else plural}"


def count_of(value: Any) -> int | None:
    """Return the whole number that a float is, or that a text like ``1e9`` or ``10**9`` means.

    None where it is no whole number, or an integer already. A float is taken as it is printed.

    >>> count_of(1e9), count_of("2.5e3"), count_of("10**9"), count_of(1e28) == 10**28
    (1000000000, 2500, 1000000000, True)
    >>> count_of(1.5), count_of("1.5e0"), count_of("12"), count_of(float("nan"))
    (None, None, None, None)
    """
    if isinstance(value, float):
        return _whole(repr(value))
    if not isinstance(value, str):
        return None
    text = value.strip()
    power = _POWER.fullmatch(text)
    if power is None:
        return _whole(text) if _SCIENTIFIC.fullmatch(text) else None
    base, exponent = int(power[1]), int(power[2])
    if base < 2:
        return base if exponent else 1
    found: int = base**exponent if len(power[1]) * exponent <= 4 * _MOST_DIGITS else 0
    return found or None


def _whole(text: str) -> int | None:
    number = Decimal(text)
    if not number.is_finite() or number.adjusted() > _MOST_DIGITS:
        return None
    # a remainder would need as many digits as the number has
    return int(number) if number == number.to_integral_value() else None


#: B is made as a dense matrix: 16 384 × 16 384 float64 are 2 GiB.
LARGEST = 16_384
#: Workers, or partitions, of codes that are known by their columns.
MOST = 1 << 22

Size = Annotated[int, pydantic.Field(ge=1, le=LARGEST)]
Many = Annotated[int, pydantic.Field(ge=1, le=MOST)]
Seed = Annotated[int, pydantic.Field(ge=0, lt=2**64)]
