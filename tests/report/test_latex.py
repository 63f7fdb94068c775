"""LaTeX: what is escaped, and the lines of verdicts."""

import re

import pytest

import fastgc
from fastgc import report
from fastgc.report import latex

CLAIM = {
    "id": "mine.bound",
    "statement": "At most 50 % of n_k are lost: p^2 <= 1/2 & so on",
    "theory": "n * p**d",
    "relation": "<=",
    "quantity": "error",
    "experiment": {
        "code": {"family": "frc", "n": 8, "d": 2},
        "stragglers": {"model": "iid", "p": 0.1},
        "sweep": {"stragglers.p": [0.5, 0.25]},
    },
}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a_b & 5 % of #1 for $2 {x}", r"a\_b \& 5 \% of \#1 for \$2 \{x\}"),
        ("p^2 ~ \\x", r"p\textasciicircum{}2 \textasciitilde{} \textbackslash{}x"),
        ("n < 3 ≤ m", r"n \textless{} 3 \(\le\) m"),
    ],
)
def test_escaped(text, expected):
    assert latex.escaped(text) == expected


def test_numbers():
    assert latex.num(None) == "--"
    assert latex.num(0.1 + 0.2) == r"\num{0.3}"
    assert latex.num(0.488072, 0.000303) == r"\num{0.48807(30)}"
    assert latex.num(1.82e15, 1.4e15) == r"\num{1.8(14)e15}"


def test_a_line_for_every_case():
    found = fastgc.validate({"claim": [CLAIM]}, method="exact")
    lines = report.verdict_lines(found).splitlines()
    assert lines[2] == "% mine.bound"
    first, second = lines[3:]
    assert first == (
        r"At most 50 \% of n\_k are lost: p\textasciicircum{}2 \textless{}= 1/2 \& so on "
        r"& n = 8, d = 2, p = 0.5 & $\le$ & \num{2} & \num{2} & confirmed \\"
    )
    assert second.startswith(" & n = 8, d = 2, p = 0.25 & ") and r"\num{0.5}" in second


def test_a_sample_says_within_what():
    found = fastgc.validate({"claim": [CLAIM]}, method="monte-carlo", trials=2_000_000)
    lines = report.verdict_lines(found).splitlines()
    assert re.search(r"\\num\{\d\.\d+\(\d+\)\}", lines[3])
    assert re.search(r"confirmed to \\qty\{0\.\d\}\{\\percent\}|undecided", lines[3])
