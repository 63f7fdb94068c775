"""What families of codes refuse: the key, the rule, and what was found."""

from typing import Any

import numpy as np
import pytest

from fastgc import codes
from fastgc.codes import code_of
from suite.checks import refusal

EVEN = "must be even where n is and odd where n is, else no real cyclic MDS code holds the all-ones"
NEAR = "(got n=8, d=3; d=2 or d=4, n=7 or n=9, or"
SEED = 'seed: must be an integer or "trial" (got'
TYPES = {"workers": [2, 4], "times": [1, 2], "s": 1}
#: The family, its keys, and what is said of them.
CASES: list[tuple[str, dict[str, Any], str]] = [
    ("frc", {"n": 8, "d": 3}, "d: must divide n (got n=8, d=3; 1, 2, 4 or 8 do)"),
    ("frc", {"n": 8.5, "d": 2}, "n: must be an integer (got 8.5)"),
    ("frc", {"n": 15120, "d": 11}, "d: must divide n (got n=15120, d=11; 8, 9, 10 or 12 do)"),
    ("frc", {"n": True, "d": 1}, "n: must be an integer (got true)"),
    ("uncoded", {"n": 10**9}, "n: must be at most 4194304 (got 1000000000)"),
    ("circulant", {"n": 4, "d": 5}, "d: must be at most n (got n=4, d=5)"),
    ("binary", {"n": 3, "s": 3}, "s: must be less than n (got n=3, s=3)"),
    ("binary", {"n": 0, "s": "x"}, "s: must be an integer (got 'x')"),
    ("cyclic", {"n": 16384, "d": 9000}, "d: n (d − 1)³ must be at most 10¹² (got n=16384, d=9000)"),
    ("cyclic_mds", {"n": 8, "d": 3}, f"d: {EVEN}"),
    ("cyclic_mds", {"n": 8, "d": 3}, NEAR),
    ("cyclic_mds", {"n": 100, "d": 34}, "d: must give a condition number of at most 1e+09, beyond"),
    ("bernoulli", {"n": 2000, "density": 0.1, "seed": "trial"}, 'seed: "trial" needs n·k ≤'),
    ("bernoulli", {"n": 4, "density": 0.1, "seed": "trail"}, f"{SEED} 'trail')"),
    ("sparse_regular", {"n": 4, "d": 2, "seed": "trial"}, "seed: must be an integer (got 'trial')"),
    ("heterogeneous_binary", TYPES | {"times": [1]}, "times: must be one for each type of worker"),
    ("heterogeneous_binary", TYPES | {"times": [0, 1]}, "times[0]: must be more than 0 (got 0)"),
    ("heterogeneous_binary", TYPES | {"s": 6}, "s: must be less than all workers together (got"),
    ("heterogeneous_binary", TYPES | {"workers": [16000, 1000]}, "workers: must add up to at most"),
    ("bibd", {"name": "pg(2,4)"}, "name: must be 'fano', 'pg(2,3)', 'ag(2,3)' or 'paley-11' (got"),
    ("bibd", {"name": "pg(2,4)"}, "(got 'pg(2,4)'); did you mean 'pg(2,3)'?"),
    ("graph", {}, "give either name or edges (got neither)"),
    ("graph", {"name": "cycle", "edges": [[0, 1]]}, "give either name or edges (got both)"),
    ("graph", {"name": "cycl"}, "name: must be 'cycle', 'complete', 'petersen' or"),
    ("graph", {"name": "cycle"}, 'vertices is missing; name = "cycle" needs it'),
    ("graph", {"name": "cycle", "vertices": 2}, 'vertices must be at least 3 for "cycle" (got 2)'),
    ("graph", {"name": "petersen", "vertices": 11}, "vertices must be 10 or left out for the"),
    ("graph", {"name": "complete", "vertices": 5000}, "a graph must have at most 4194304 edges"),
    ("graph", {"name": "random-regular", "vertices": 5, "degree": 3}, "× degree must be even"),
    ("graph", {"name": "random-regular", "vertices": 5, "degree": 5}, "degree must be less than"),
    ("graph", {"name": "random-regular", "vertices": 5}, "degree is missing; name = "),
    ("graph", {"name": "cycle", "vertices": 5, "seed": 1}, 'seed goes with name ='),
    ("graph", {"edges": [[0, 0]]}, "edges: must join different vertices (got [0, 0] as edge 0)"),
    ("graph", {"edges": [[0, -1]]}, "edges[0][1]: must be at least 0 (got -1)"),
    ("graph", {"edges": [[0, 3]], "vertices": 2}, "vertices must be more than 3, an end of an"),
    ("graph", {"edges": [[0, 1]], "seed": 3}, "degree and seed go with name, not with edges"),
    ("ye_abbe", {"n": 5, "s": 3, "m": 3}, "m: s + m must be at most n (got n=5, s=3, m=3)"),
    ("ye_abbe", {"n": 5, "s": 1, "m": 2, "d": 2}, "d: must be from s + m = 3 to n = 5 (got 2)"),
    ("ye_abbe", {"n": 500, "s": 1, "m": 2}, "n must be at most 200 and n·m at most 2000"),
]  # fmt: skip


@pytest.mark.parametrize(("family", "given", "says"), CASES)
def test_a_family_says_what_it_refuses(family: str, given: dict[str, Any], says: str) -> None:
    text = refusal(getattr(codes, family), **given)
    assert text.startswith(f"{family.replace('_', '-')}: ") and says in text


@pytest.mark.parametrize(("call", "says"), [
    (lambda: codes.unevenness(np.eye(2), s=1), "unevenness: code must be a Code (got ndarray)"),
    (lambda: codes.unevenness(codes.uncoded(2), s=2), "unevenness: s must be an integer, 0 ≤"),
    (lambda: code_of([[1, 2], [3]]), "matrix: must be a table of numbers, partitions ×"),
    (lambda: code_of([[1, complex("nan")]]), "matrix: every entry must be finite (got"),
    (lambda: code_of([[1, 2]], pieces=2), "matrix: pieces must divide the rows of the matrix"),
    (lambda: code_of("x"), "matrix: must be a table of numbers, partitions × workers, with"),
])  # fmt: skip
def test_what_is_no_matrix_is_refused(call: Any, says: str) -> None:
    assert refusal(call).startswith(says)
