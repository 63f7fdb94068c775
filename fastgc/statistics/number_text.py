"""Numbers as text, with their standard error in the last digits."""

import math
import sys

MOST_DIGITS = 17  # with so many, floats that differ are different texts
_ROUNDING = 2.0**-52  # of a probability near 1
_LARGEST, _SMALLEST = 1e12, 1e-4  # beyond them a power of ten is written


def number(value: float | None, standard_error: float | None = None) -> str:
    """Return a number with its standard error in the last digits: ``0.48807(30)``.

    Of a positive one that is less than the smallest with all digits, this alone is said.

    >>> number(0.488072, 0.000303)
    '0.48807(30)'
    >>> number(0.0000008, 0.00000041)
    '8.0(41)e-07'
    """
    if value is None:
        return "–"
    if 0.0 < value < sys.float_info.min:
        return f"< {sys.float_info.min:.2g}"
    if not standard_error or not math.isfinite(standard_error):
        return f"{value:.9g}"
    size = max(abs(value), standard_error)
    if abs(value) >= _LARGEST or size < _SMALLEST:
        power = math.floor(math.log10(size))
        scaled = number(value / 10.0**power, standard_error / 10.0**power)
        return f"{scaled}e{power}" if power > 0 else f"{scaled}e-{-power:02}"
    digits = 1 - math.floor(math.log10(standard_error))
    if digits <= 0:
        return f"{value:.0f}({standard_error:.0f})"
    if digits > 15:
        return f"{value:.9g}"
    last = round(standard_error * 10**digits)
    if last == 100:  # 0.0996 is 0.10, not 0.100
        digits, last = digits - 1, 10
    return f"{value:.{digits}f}({last})"


def failures(value: float, standard_error: float | None = None) -> str:
    """Return a probability near 1 by that of its failure: ``1 − 4.0(20)e-06``.

    >>> failures(0.999996, 2e-6)
    '1 − 4.0(20)e-06'
    """
    failure = 1 - value
    if standard_error:
        return f"1 − {number(failure, standard_error)}"
    digits = min(9, max(1, math.floor(math.log10(failure / _ROUNDING))))
    return f"1 − {failure:.{digits}g}"


def apart(theory: float, value: float | None, digits: int = 9) -> tuple[str, str]:
    """Return two numbers with as many digits as it takes to tell them apart, and no fewer.

    >>> apart(0.62086411, 0.62086394, 6)
    ('0.6208641', '0.6208639')
    """
    if value is None or value == theory:
        return f"{theory:.{digits}g}", number(value)
    while f"{theory:.{digits}g}" == f"{value:.{digits}g}" and digits < MOST_DIGITS:
        digits += 1
    return f"{theory:.{digits}g}", f"{value:.{digits}g}"
