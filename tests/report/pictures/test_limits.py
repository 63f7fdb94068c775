"""Upper limits of what no trial saw, hollow marks, and rows too many for one picture."""

from statistics import NormalDist

import pytest

import fastgc
from fastgc.report import pictures
from fastgc.report.pictures import draw, words
from suite.checks import every

P = [0.001, 0.003, 0.01, 0.03]


def table(name, family, method, **keys):
    study = {"name": name, "code": {"family": family, "n": 12, "d": 3}, "method": method}
    swept = {"stragglers": 0.1, "measure": ["survivors"], "sweep": {"stragglers.p": P}}
    return study | swept | keys


def axes_of(thing, **how):
    picture = pictures.of(thing, quantity="survivors[9]", **how)[0]
    return pictures.figure(picture).axes[0]


def test_what_no_trial_saw_is_an_upper_limit():
    """Wilson's upper end of no such trial in 3000; the bar of a zero would hide the figure."""
    named = [table("frc", "frc", "both"), table("circulant", "circulant", "monte-carlo")]
    axes = axes_of(fastgc.run({"experiment": named}, trials=3000))
    z = NormalDist().inv_cdf(0.975)
    assert axes.get_yscale() == "log"
    limits = [line for line in axes.lines if line.get_marker() == "v" and len(line.get_xdata())]
    assert list(limits[-1].get_xdata()) == P[:3]
    assert every(y >= 0.999 * z * z / (3000 + z * z) for y in limits[-1].get_ydata())
    legend = [text.get_text() for text in axes.get_legend().texts]
    assert {"circulant", draw.LIMIT, draw.BESIDE, draw.CLOSED_FORM} <= set(legend)
    unseen = table("circulant", "circulant", "monte-carlo", sweep={"stragglers.p": P[:2]})
    axes = axes_of(fastgc.run({"experiment": [unseen, table("frc", "frc", "exact")]}, trials=50))
    assert {"circulant", "frc"} <= {text.get_text() for text in axes.get_legend().texts}
    assert words.cut("a" * 20 + "b" * 20, 34) == "a" * 17 + "…" + "b" * 16


@pytest.mark.night
def test_many_rows_are_a_sweep_or_several_pictures():
    keys = {"stragglers.p": [k / 100 for k in range(1, 23)]}
    swept = fastgc.run(table("frc", "frc", "exact", measure=["exact"], sweep=keys))
    assert "comparison" not in [each.kind for each in pictures.of(swept)]
    codes = [
        table(f"c{n}", "frc", "exact", sweep={}, code={"family": "frc", "n": n, "d": 1})
        | {"measure": ["exact"]}
        for n in range(2, 24)
    ]
    found = pictures.of(fastgc.run({"experiment": codes}), kind="comparison")
    ticks = [len(pictures.figure(each).axes[0].get_yticks()) for each in found]
    assert ticks == [11, 11] and found[0].title.endswith("compared, 1 of 2")
