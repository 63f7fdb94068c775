"""What fastgc's codes assign, and what its decoders answer."""

import itertools
import math
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fastgc import codes
from fastgc.arrays import Values
from fastgc.codes.code import Code
from fastgc.decoding.decode import decode
from fastgc.decoding.decoder import Decoder
from fastgc.decoding.worst import worst_case
from fastgc.registry import members
from fastgc.registry.complaints import check
from fastgc.validation.finite.brute_force import binary_code

Table = Mapping[str, Any]
_ROUNDING = 1e-9
MOST_SETS = 3_000_000  # looked at; beyond, claims are about what searches find


def code_of(table: Table) -> Code:
    """The code that fastgc builds of a table, as in a study."""
    arguments = dict(table)
    code: Code = getattr(codes, arguments.pop("family").replace("-", "_"))(**arguments)
    return code


def rows_of(table: Table) -> dict[str, Any]:
    """The encoding matrix that fastgc builds of a table, as the table of a matrix."""
    return {"family": "matrix", "rows": code_of(table).B.tolist()}


def recovering_sets(code: Table, survivors: int, decoder: str) -> int:
    """Count the sets of so many survivors from which a decoder recovers the gradient exactly."""
    mine = Decoder(code_of(code), decoder=decoder)
    errors = mine.errors(_packed(code_of(code).n, survivors))
    return int(np.sum(errors <= mine.exact_threshold))


def failing_sets(code: Table, stragglers: int, decoder: str) -> int:
    """Count the sets of so many stragglers from which a decoder does not recover it."""
    n = code_of(code).n
    return math.comb(n, stragglers) - recovering_sets(code, n - stragglers, decoder)


def undecodable_sets(most: int, decoder: str) -> int:
    """Count the sets of s stragglers that break a binary code, for all s < n ≤ most."""
    return sum(
        failing_sets({"family": "binary", "n": n, "s": s}, s, decoder)
        for n in range(1, most + 1)
        for s in range(n)
    )


def guaranteed_survivors(code: Table) -> int:
    """Find the smallest f such that a complete class is found among every f survivors."""
    errors = Decoder(code_of(code), decoder="class").errors_of_all_patterns()
    failed = np.flatnonzero(errors > 0.0)
    return 1 + max((pattern.bit_count() for pattern in failed.tolist()), default=-1)


def wrong_vectors(code: Table, decoder: str) -> int:
    """Count the patterns, out of all 2ⁿ, that are said to be exact and have a vector that is not.

    A vector is wrong, too, if a straggler has weight in it.
    """
    own = code_of(code)
    mine = Decoder(own, decoder=decoder)
    packed = np.arange(2**own.n, dtype=np.uint64)[:, np.newaxis]
    exact = packed[mine.errors(packed) <= mine.exact_threshold]
    vectors = mine.vectors(exact)
    alive = exact >> np.arange(own.n, dtype=np.uint64) & np.uint64(1)
    wrong = np.abs(vectors @ own.B.T - 1.0).max(axis=1) > _ROUNDING
    wrong |= np.any((alive == 0) & (vectors != 0), axis=1)
    return int(np.sum(wrong))


def scaled_entries(code: Table, decoder: str) -> int:
    """Count the entries of the matrix, and of the vectors of all 2ⁿ patterns, not 0 and not 1."""
    own = code_of(code)
    vectors = Decoder(own, decoder=decoder).vectors(np.arange(2**own.n, dtype=np.uint64)[:, None])
    return sum(int(np.sum((entries != 0) & (entries != 1))) for entries in (own.B, vectors))


def vector_weight(code: Table, s: int, residue: int, decoder: str) -> int:
    """Count the answers that are added up when only the workers of one class are there.

    It is 0 where they do not add up to the gradient.
    """
    own = code_of(code)
    found = decode(own, list(range(residue, own.n, s + 1)), decoder)
    if np.any(np.abs(found.residual) > _ROUNDING):
        return 0
    return int(np.sum(np.abs(found.vector) > _ROUNDING))


def broken_shifts(code: Table, s: int, within: bool) -> int:
    """Count the steps from a class's vector to the next one's that are no cyclic shift."""
    own = code_of(code)
    vectors = []
    for residue in range(s + 1):
        vector = np.zeros(own.n)
        members = list(range(residue, own.n, s + 1))
        vector[members] = decode(own, members, "class").vector
        vectors.append(vector.tolist())
    return binary_code.count_broken_shifts(vectors, own.n % (s + 1) if within else 0)


def largest_amplification(code: Table, stragglers: int, decoder: str = "optimal") -> float:
    """Take the largest ‖x‖² of a decoder's vector x over the sets of so many stragglers."""
    own = code_of(code)
    vectors = Decoder(own, decoder=decoder).vectors(_packed(own.n, own.n - stragglers))
    return float(np.max(np.sum(vectors**2, axis=1)))


def amplification_difference(code: Table, other: Table, stragglers: int) -> float:
    """Largest amplification of one code less that of another one."""
    first, second = (largest_amplification(own, stragglers) for own in (code, other))
    return first - second


def unevenness(code: Table, s: int) -> float:
    """Return fastgc's own d_s."""
    return codes.unevenness(code_of(code), s)


def larger_classes(code: Table) -> int:
    """Count the classes with more workers than the smallest has."""
    classes = code_of(code).classes
    assert classes is not None
    sizes = [len(workers) for workers in classes]
    return sum(size > min(sizes) for size in sizes)


def workers_in_class(code: Table, group: int, residue: int) -> int:
    """Count the workers of a group, numbered group by group, in the class of a worker."""
    classes = code_of(code).classes
    assert classes is not None
    (members,) = (workers for workers in classes if residue in workers)
    first = sum(code["workers"][:group])
    return sum(first <= worker < first + code["workers"][group] for worker in members)


def matrix_of(n: int, s: int) -> Values:
    """Return the encoding matrix of fastgc's binary code."""
    return codes.binary(n, s).B


def _packed(n: int, survivors: int) -> NDArray[np.uint64]:
    chosen = itertools.combinations(range(n), survivors)
    return np.array([[sum(1 << j for j in columns)] for columns in chosen], dtype=np.uint64)


def worst_error(code: Mapping[str, Any], stragglers: int) -> float:
    """Largest error of a code that fastgc finds with so many stragglers, without formulas."""
    family, _ = check(members("code")[code["family"]], dict(code))
    assert family is not None
    built = family.build()  # type: ignore[attr-defined]
    found = worst_case(Decoder(built), built, stragglers, most=MOST_SETS, use_formulas=False)
    return found.error


def largest_error_of_pieces(n: int, s: int, m: int) -> float:
    """Take the maximum over all sets of s stragglers; what counts as exact is 0."""
    code = codes.ye_abbe(n=n, s=s, m=m)
    threshold = Decoder(code, use_lookup=False).exact_threshold
    largest = max(
        decode(code, list(chosen)).error for chosen in itertools.combinations(range(n), n - s)
    )
    return largest if largest > threshold else 0.0
