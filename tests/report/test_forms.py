"""Pages as HTML and tables as LaTeX: what is escaped, that it can be read, and is written whole."""

import re

import pytest

import fastgc
from fastgc import FastgcError, report
from fastgc.errors import StorageError
from fastgc.report import html, latex, pages
from fastgc.report.document import (
    Code,
    Document,
    Figure,
    Interval,
    Items,
    Number,
    Paragraph,
    Section,
    Table,
)  # fmt: skip
from fastgc.report.html import table
from report.reading import set_by_latex
from suite.checks import every

NASTY = r"<b>&amp; 50 % of $n_1^2$ #1 {a} \b ~ 'q' | `c` * [x](y) ≤ ∞ ²"
ENDS = [[Interval(0.5, 0.75), Number(None)], [Interval(1, float("inf")), ""]]
DOCUMENT = Document(
    NASTY,
    [NASTY],
    [
        Section(
            "one",
            NASTY,
            [
                Paragraph(NASTY, "Head"),
                Items([NASTY, "- more"]),
                Table(NASTY, ["where", NASTY], [[NASTY, Number(0.488072, 0.000303)]]),
                Table("ends", ["a", "b"], ENDS, heads=0),
                Code("fastgc run 'a b' -o x.h5\n  --set a=1"),
                Section("two", "inside", [Paragraph("1. no list")]),
            ],
        )
    ],
    contents=True,
)


@pytest.mark.parametrize(("low", "high", "text"), [
    (0.0791279, 0.0826321, "[0.07912, 0.08264]"), (0.1, 0.2, "[0.100, 0.200]"),
    (-1.66e-9, 1.6e-6, "[-0.01e-6, 1.60e-6]"), (1.1e13, 2e13, "[1.100e13, 2.000e13]"),
    (123456.0, 765432.0, "[123456, 765432]"), (2.0, 2.0, "[2, 2]"), (None, 2.5, "[…, 2.5]"),
    (1.0, float("inf"), "[1, ∞]"), (0.5, 0.5 + 1e-14, "[0.5, 0.50000000000001]"),
])  # fmt: skip
def test_intervals_are_rounded_outwards(low, high, text):
    assert str(Interval(low, high)) == text
    if low is not None and high is not None and high - low > 1e-12:
        ends = [float(each.replace("∞", "inf")) for each in text.strip("[]").split(", ")]
        assert ends[0] <= low and ends[1] >= high, "it never says more than it is"


def test_latex_can_be_set():
    text = latex.tables([*DOCUMENT.tables(), Paragraph("50 %")])
    assert len(DOCUMENT.tables()) == 2 and text.endswith(r"50 \%")
    assert r"\num{0.48807(30)}" in text and r"{[}\num{0.500}, \num{0.750}{]} & --" in text
    assert r"{[}\num{1}, \(\infty\){]}" in text
    found = re.findall(r"\\begin\{tabular\}\{(.*?)\}\n(.*?)\\end", text, re.DOTALL)
    assert len(found) == 2
    for heads, body in found:
        columns = len(re.findall(r"p\{[^}]*\}|[lr]", heads.replace("@{}", "")))
        rows = [line for line in body.splitlines() if line.endswith(r"\\")]
        assert rows and every(len(re.findall(r"(?<!\\)&", row)) == columns - 1 for row in rows)
        assert all(rule in body for rule in (r"\toprule", r"\midrule", r"\bottomrule"))


@pytest.mark.night
def test_real_latex_takes_it(tmp_path):
    study = SWEPT | {"name": "frc_1/3 & co", "sweep": {"stragglers.p": [0.1, 0.2]}}
    pivot = report.pivot(fastgc.run(study).rows(), "error.mean")
    set_by_latex(latex.tables([*DOCUMENT.tables(), pivot]), tmp_path)


@pytest.mark.parametrize(("text", "said"), [
    (r"""<b>"50 %" & $n_1^2$ #1 {a}""", r"\textless{}b\textgreater{}{\char34}50 \%{\char34} \& "
     r"\$n\_1\textasciicircum{}2\$ \#1 \{a\}"),
    (r"\b ~ 'q' |", r"\textbackslash{}b \textasciitilde{} 'q' \textbar{}"),
    ("– -- a---b é λ ≤ ∞", r"-- -{}- a-{}-{}-b é \(\lambda\) \(\le\) \(\infty\)"),
])  # fmt: skip
def test_latex_escapes(text, said):
    assert latex.escaped(text) == said


def test_every_number_is_one_that_siunitx_takes():
    values = [0.0, -0.5, 1e-31, 1.82e15, 123456789.0, float("inf"), None]
    cells = [[Number(value, error)] for value in values for error in (None, 0.25)]
    text = latex.table(Table("", ["value"], cells))
    taken = re.findall(r"\\num\{([^}]*)\}", text)
    assert len(taken) == 10
    assert latex.num(1.82e15, 1.4e15) == r"\num{1.8(14)e15}"
    assert every(re.fullmatch(r"-?\d+(\.\d+)?(\(\d+\))?(e[+-]?\d+)?", each) for each in taken)


def test_html_escapes_and_names_rows_and_columns():
    text = table(["a", "b"], [["<x", Number(1.5)]], "c & d")
    assert '<th scope="row">&lt;x</th>' in text and '<td class="number">1.5</td>' in text
    assert "<caption>c &amp; d</caption>" in text
    remark = "rests on about 18 events in 400 000 trials"
    assert f'<td class="words">{remark}</td>' in table(["a", "b"], [["x", remark]], "wide")
    assert '<th scope="row"' not in table(["a"], [["x"]], "none", heads=0)
    text = html.as_html(DOCUMENT)
    assert "<b>" not in text and text.count("&lt;b&gt;&amp;amp;") == 11
    assert '<a href="#one">' in text


def test_a_page_is_an_html_file(tmp_path):
    with pytest.raises(FastgcError, match=r"a\.txt: a page's name must end in \.html"):
        pages.require_html(tmp_path / "a.txt")
    with pytest.raises(StorageError, match="cannot be written"):
        pages.save(DOCUMENT, tmp_path / "no" / "a.html")


@pytest.mark.night
def test_pictures_are_in_the_page(tmp_path):
    pictures = pytest.importorskip("fastgc.report.pictures")
    drawn = pictures.Picture("kind", "a <title>", "what is seen", lambda axes: axes.plot([0, 1]))
    figure = Figure(drawn)
    text = html.as_html(Document("t", [], [Section("s", "s", [figure, figure])]))
    assert text.count("<svg ") == 2 and text.count('role="img"') == 2
    assert "<desc>what is seen</desc>" in text and "purl.org" not in text


SWEPT = {"code": {"family": "frc", "n": 8, "d": 2}, "stragglers": {"model": "iid", "p": 0.1}}
