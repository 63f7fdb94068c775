"""Claims of paper codedreduce on its Examples 1 and 2."""

from __future__ import annotations

from functools import partial

from fastgc.theory import codedreduce
from fastgc.theory.cases.completion import CODEDREDUCE
from fastgc.theory.cases.finite import finite
from fastgc.theory.papers.claim import Claim, eager

_claim = partial(eager, paper="codedreduce", relation="=")

_PAIRS = ([1, 2], [1, 3], [2, 3])


def example_claims() -> tuple[Claim, ...]:
    """Claims on the matrices (4) and the (3,2)-regular tree that is coded with them."""
    return (
        _claim(
            id="codedreduce.example1.printed",
            statement=(
                "With the matrices (4) any two of three workers give the sum of all three partial "
                "gradients (largest deviation of a coefficient from 1)"
            ),
            citation=f"{CODEDREDUCE}, Example 1 and (4)",
            expected="confirmed",
            cases=tuple(finite("example_error", 0, straggler=straggler) for straggler in (1, 2, 3)),
        ),
        _claim(
            id="codedreduce.example2.printed",
            statement=(
                "On the (3,2)-regular tree with load 4/15 all 256 patterns of at most one "
                "straggler per parent give the exact sum (patterns, failures, load)"
            ),
            citation=f"{CODEDREDUCE}, Example 2",
            expected="confirmed",
            cases=(
                finite("example_patterns", 256),
                finite("example_failures", 0, scale=256),
                finite("example_load", codedreduce.tree_load(3, 2, 1)),
            ),
        ),
        _claim(
            id="codedreduce.example2.rows.printed",
            statement=(
                "Children 1 and 2 are decoded with the first row of A, 1 and 3 with the second, 2 "
                "and 3 with the first (its zero is at child 1)"
            ),
            citation=f"{CODEDREDUCE}, Example 2",
            expected="refuted",
            cases=tuple(
                finite("example_row", row, survivors=pair)
                for pair, row in zip(_PAIRS, (1, 2, 1), strict=True)
            ),
        ),
        _claim(
            id="codedreduce.example2.rows.corrected",
            statement="Children 1 and 2 are decoded with the third row of A, [2, -1, 0]",
            citation=f"{CODEDREDUCE}, Example 2, corrected",
            expected="confirmed",
            cases=tuple(
                finite("example_row", row, survivors=pair)
                for pair, row in zip(_PAIRS, (3, 2, 1), strict=True)
            ),
        ),
    )
