"""Codes on cyclic supports: Tandon's, and Raviv's by algebra."""

import decimal
import math
from decimal import Decimal
from typing import Annotated, Literal

import numpy as np
import pydantic

from fastgc.arrays import Values
from fastgc.codes.code import Code, code_of
from fastgc.codes.columns import Columns
from fastgc.codes.family import SizedFamily
from fastgc.draws.streams import uniforms
from fastgc.errors import FastgcError
from fastgc.registry import register
from fastgc.registry.complaints import alternatives
from fastgc.registry.makers import maker
from fastgc.registry.number_types import LARGEST, AtMostN, Seed, Size, limited
from fastgc_kernels.decode import elimination

_ATTEMPTS = 100
_MOST_OPERATIONS = 10**12  # n eliminations of d³/3: some ten minutes


@register("code")
class Cyclic(SizedFamily):
    """The random cyclic code of Tandon et al. (1612.03301), Algorithm 2.

    With s = d − 1, worker j holds partitions j, …, j + s (mod n): column j of B is the vector with
    that support and a 1 in row j that a random s × n matrix H with H·1 = 0 sends to 0. Entries of H
    are sums of twelve uniforms, normal for all practical purposes, so that no library of functions
    decides a bit. Exact with up to d − 1 stragglers.

    * ``d`` (int): Replication, 1 ≤ d ≤ n.
    * ``seed`` (int): Of the random H, 0 ≤ seed < 2⁶⁴; 1 by default.

    Raises FastgcError if not 1 ≤ d ≤ n.

    >>> cyclic(n=5, d=3, seed=7).loads.tolist()
    [3, 3, 3, 3, 3]
    """

    family: Literal["cyclic"] = "cyclic"
    d: Annotated[
        Size,
        AtMostN,
        limited(
            lambda d, n: n * (d - 1) ** 3 <= _MOST_OPERATIONS, "n (d − 1)³ must be at most 10¹²"
        ),
    ]
    seed: Seed = 1

    def build(self) -> Code:
        n, d, seed = self.n, self.d, self.seed
        name = f"cyclic(n={n}, d={d}, seed={seed})"
        if d in (1, n):  # every H decides the same then, and no rounding is needed
            if d == 1:
                one_each = Columns.from_ones(n, np.arange(n + 1), np.arange(n))
                return code_of(one_each, name, 0, [range(n)])
            return code_of(np.ones((n, n)), name, d - 1)
        for attempt in range(_ATTEMPTS):
            found = _encoding(_null_of_ones(n, d - 1, seed, attempt))
            if found is not None:
                return Code(name, found, None, d - 1)
        raise FastgcError(f"{name}: all of {_ATTEMPTS} draws are singular; take a smaller d")


cyclic = maker(Cyclic, build=True)


def _null_of_ones(n: int, s: int, seed: int, attempt: int) -> Values:
    draws = uniforms(seed, f"cyclic/{n}/{s}/{attempt}", 12 * s * (n - 1)).reshape(12, s, n - 1)
    H = np.zeros((s, n))
    H[:, :-1] = draws[0] - 6.0
    for part in draws[1:]:  # one by one: the order of a library's sum is its own
        H[:, :-1] += part
    H[:, -1] = [-math.fsum(row) for row in H[:, :-1]]
    return H


def _encoding(H: Values) -> Columns | None:
    # None where H has singular blocks
    s, n = H.shape
    weights = np.ones((n, s + 1))
    x = np.empty(s)
    places = (np.arange(n)[:, np.newaxis] + np.arange(s + 1)) % n
    for worker, others in enumerate(places[:, 1:]):
        if not elimination.solve(np.ascontiguousarray(H[:, others]), -H[:, worker], x):
            return None
        weights[worker, 1:] = x
    workers = np.repeat(np.arange(n), s + 1)
    return Columns.from_entries(n, n, workers, places.reshape(-1), weights.reshape(-1))


# ---- By a Reed–Solomon code: every worker's column is one, rotated


_DIGITS = 60
_PI = Decimal("3.1415926535897932384626433832795028841971693993751058209749445923078164")
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
    """

    family: Literal["cyclic-mds"] = "cyclic-mds"
    field: Literal["real", "complex"] = "real"
    d: Annotated[Size, AtMostN]

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
        for i, number in enumerate(_generator(n, d - 1)):
            turn = complex(*map(float, _turn(n, d - 1 - i))) if odd else 1.0
            B[(workers + i) % n, workers] = number * turn
        classes = (tuple(range(n)),) if d == 1 else None
        said = "" if self.field == "real" else ", field=complex"
        return code_of(B, f"cyclic-mds(n={n}, d={d}{said})", d - 1, classes)


cyclic_mds = maker(CyclicMDS, build=True)


def _generator(n: int, s: int) -> list[float]:
    # Coefficients of Π (x + exp(2πi o/n)), o = −(s−1)/2 … (s−1)/2, by the q-binomial theorem.
    sines = [_turn(n, m)[1] for m in range(s + 1)]
    with decimal.localcontext(decimal.Context(prec=_DIGITS)):
        coefficients = [Decimal(1)]
        for m in range(1, s + 1):
            coefficients.append(coefficients[-1] * sines[s + 1 - m] / sines[m])
        return [float(each) for each in coefficients]


def _turn(n: int, steps: int) -> tuple[Decimal, Decimal]:
    # cos and sin of π · steps/n: decimal arithmetic is the same on every machine
    with decimal.localcontext(decimal.Context(prec=_DIGITS)):
        angle = _PI * steps / n
        parts = [Decimal(0), Decimal(0)]
        term = Decimal(1)
        for power in range(1, 6 * _DIGITS):
            parts[(power - 1) % 2] += term if (power - 1) % 4 < 2 else -term
            term *= angle / power
        return parts[0], parts[1]


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
