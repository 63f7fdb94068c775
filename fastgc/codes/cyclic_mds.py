"""The cyclic code that a Reed–Solomon code gives: every worker's column is one, rotated."""

import decimal
import math
from decimal import Decimal
from typing import Annotated, Literal

import numpy as np
import pydantic

from fastgc.codes.code import Code, code_of
from fastgc.codes.family import SizedFamily, at_most_n
from fastgc.registry import register
from fastgc.registry.complaints import alternatives
from fastgc.registry.makers import maker
from fastgc.registry.numbers import LARGEST, Size

_DIGITS = 60
_LARGEST_CONDITION = 1e9  # beyond it no threshold tells exact recovery from rounding


@register("code")
class CyclicMDS(SizedFamily):
    """The cyclic MDS gradient codes of Raviv, Tamo, Tandon and Dimakis (1707.03858).

    Column j of B is the generator polynomial of a cyclic [n, n − s] MDS code, s = d − 1, shifted j
    times: its roots are the s consecutive n-th roots of unity around −1, and leave out 1, so that
    the all-ones word is in the code. They come in conjugate pairs, and the polynomial is real,
    exactly when n − d is even; for n − d odd no real cyclic MDS code has that word, but a complex
    one, whose roots lie half a step off.

    Coefficient i is Π_{m ≤ i} sin(π(s + 1 − m)/n)/sin(πm/n): positive, and 1 at both ends; of the
    complex code times exp(iπ(s − i)/n). Exact with up to d − 1 stragglers; for d = 2 it is the 0/1
    circulant, up to weights of size 1.

    * ``d`` (int): Replication, at most n, with n − d even where the field is real; or 1, the
      uncoded matrix.
    * ``field`` ({"real", "complex"}): The numbers that entries may be; complex ones where n − d is
      odd. "real" by default.

    Raises FastgcError if not 1 ≤ d ≤ n, if n − d is odd in the real field, or if the condition
    number of B, over the singular values that are not 0, is more than 1e9.

    >>> cyclic_mds(n=6, d=4).B[:, 0].round(12).tolist()
    [1.0, 2.0, 2.0, 1.0, 0.0, 0.0]
    >>> cyclic_mds(n=4, d=3, field="complex").B[:, 0].round(3).tolist()
    [1j, (1+1j), (1+0j), 0j]
    """

    family: Literal["cyclic-mds"] = "cyclic-mds"
    field: Literal["real", "complex"] = "real"
    d: Annotated[Size, pydantic.AfterValidator(at_most_n)]

    @pydantic.field_validator("d")
    @classmethod
    def _exists(cls, d: int, info: pydantic.ValidationInfo) -> int:
        n = info.data.get("n")
        if n is None:
            return d
        if d > 1 and (n - d) % 2 and info.data.get("field") == "real":
            near = alternatives([f"d={d - 1}", f"d={d + 1}"])
            sizes = alternatives(f"n={m}" for m in (n - 1, n + 1) if m <= LARGEST)
            raise ValueError(
                f"must be even where n is and odd where n is, else no real cyclic MDS code holds "
                f"the all-ones word (got n={n}, d={d}; {near}, {sizes}, or "
                'field="complex", would do)'
            )
        if 1 < d < n:
            found = _condition(n, d)
            if found > math.log10(_LARGEST_CONDITION):
                raise ValueError(
                    f"must give a condition number of at most {_LARGEST_CONDITION:.0e}, beyond "
                    f"which rounding spoils the code (got 1e{found:.0f} for n={n}, d={d}; take d "
                    f"nearer to 1 or to n)"
                )
        return d

    def build(self) -> Code:
        # Why n − d odd is impossible, with s = d − 1 roots that come in conjugate pairs and are not
        # 1: n and s odd would need a real root; for n and s even −1 is none, and the s columns of
        # the check matrix at 0, n/2 and (s − 2)/2 pairs ±t hold s/2 + 1 even vectors in the s/2
        # dimensions of the cosines, so that some codeword has weight at most s.
        n, d = self.n, self.d
        odd = d > 1 and (n - d) % 2 == 1
        B = np.zeros((n, n), np.complex128 if odd else np.float64)
        workers = np.arange(n)
        for i, number in enumerate(_generator(n, d - 1) if d > 1 else [1.0]):
            B[(workers + i) % n, workers] = number * _turn(n, d - 1 - i) if odd else number
        classes = (tuple(range(n)),) if d == 1 else None
        said = "" if self.field == "real" else ", field=complex"
        return code_of(B, f"cyclic-mds(n={n}, d={d}{said})", d - 1, classes)


cyclic_mds = maker(CyclicMDS, build=True)


def _turn(n: int, steps: int) -> complex:
    # exp(iπ · steps/n), rounded correctly
    with decimal.localcontext(decimal.Context(prec=_DIGITS)):
        angle = _pi() * steps / n
        parts = [Decimal(0), Decimal(0)]
        term = Decimal(1)
        for power in range(1, 6 * _DIGITS):
            parts[(power - 1) % 2] += term if (power - 1) % 4 < 2 else -term
            term *= angle / power
        return complex(float(parts[0]), float(parts[1]))


def _generator(n: int, s: int) -> list[float]:
    # Coefficients of Π (x + exp(2πi o/n)), o = −(s−1)/2 … (s−1)/2, by the q-binomial theorem.
    # Decimal arithmetic is the same on every machine; sines of a library are not.
    with decimal.localcontext(decimal.Context(prec=_DIGITS)):
        sines = _sines(n, s)
        product = Decimal(1)
        coefficients = [product]
        for m in range(1, s + 1):
            product = product * sines[s + 1 - m] / sines[m]
            coefficients.append(product)
        return [float(each) for each in coefficients]


def _sines(n: int, most: int) -> list[Decimal]:
    # of πm/n for m = 0 … most < n, up to a common factor, by their recurrence
    angle = _pi() / n
    term = Decimal(1)
    cosine = Decimal(0)
    for i in range(2, 4 * _DIGITS, 2):
        cosine += term
        term *= -angle * angle / (i * (i - 1))
    # sin((m+1)a) = 2 cos a sin(ma) − sin((m−1)a) loses no more than m² units in the last place.
    sines = [Decimal(0), Decimal(1)]
    while len(sines) <= most:
        sines.append(2 * cosine * sines[-1] - sines[-2])
    return sines


def _pi() -> Decimal:
    """π by Machin's formula."""

    def arctangent_of_inverse(x: int) -> Decimal:
        power = Decimal(1) / x
        total = power
        for i in range(3, 4 * _DIGITS, 2):
            power /= -x * x
            total += power / i
        return total

    return 4 * (4 * arctangent_of_inverse(5) - arctangent_of_inverse(239))


def _condition(n: int, d: int) -> float:
    """Decimal logarithm of B's condition number over the singular values that are not 0."""
    s = d - 1
    # |g(ω^j)| = Π 2|sin(π(j − z)/n)| over the roots z = first … first + s − 1
    first = (n - s + 1) // 2
    logarithms = np.log10(2.0 * np.abs(np.sin(np.pi * np.arange(1, n) / n)))
    sums = np.concatenate(([0.0], np.cumsum(np.concatenate((logarithms, [0.0], logarithms)))))
    others = np.array([j for j in range(n) if not first <= j < first + s])
    # the differences j − z run over s consecutive residues; n − 1 is where residue 0 would be
    low = (others - (first + s - 1)) % n
    values = sums[low - 1 + s] - sums[low - 1]
    return float(values.max() - values.min())
