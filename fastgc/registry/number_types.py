"""Whole numbers: as sentences have them, as people write them, and as parameters."""

from collections.abc import Callable, Sequence
from decimal import Decimal
from typing import Annotated, Any

import pydantic

_MOST_DIGITS = 40


def spaced(count: int) -> str:
    """Return a whole number with its digits in groups of three."""
    return f"{count:,}".replace(",", " ")


def counted(count: int, plural: str) -> str:
    """Return so many of what a regular plural names."""
    return f"{spaced(count)} {plural.removesuffix('s') if count == 1 else plural}"


def broken_by(workers: Sequence[int] | None) -> str:
    """Return who breaks a tolerance, to be said after it; nothing where that is not known."""
    who, many = ", ".join(map(str, workers or ())), "s" * (len(workers or ()) > 1)
    return f", broken by worker{many} {who}" if who else ""


def count_of(value: Any) -> int | None:
    """Return the whole number that a float is, as it is printed; None where it is none."""
    number = Decimal(repr(value)) if isinstance(value, float) else Decimal("NaN")
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


def limited(fits: Callable[[int, int], bool], said: str) -> pydantic.AfterValidator:
    """Return what refuses a parameter that stands after n, and does not fit it."""

    def check(value: int, info: pydantic.ValidationInfo) -> int:
        n = info.data.get("n")
        if n is not None and not fits(value, n):
            raise ValueError(f"{said} (got n={n}, {info.field_name}={value})")
        return value

    return pydantic.AfterValidator(check)


AtMostN = limited(lambda value, n: value <= n, "must be at most n")
BelowN = limited(lambda value, n: value < n, "must be less than n")
