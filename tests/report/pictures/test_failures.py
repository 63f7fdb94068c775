"""Probabilities near 1 as failures, upper limits, hollow marks, and names that agree."""

from statistics import NormalDist

import pytest
from matplotlib.figure import Figure

import fastgc
from fastgc.report import pictures
from fastgc.report.pictures import draw, words
from suite.checks import every

P = [0.001, 0.003, 0.01, 0.03]


def table(name, family, method, **keys):
    study = {"name": name, "code": {"family": family, "n": 12, "d": 3}, "method": method}
    return study | {"stragglers": 0.1, "measure": ["exact"], "sweep": {"stragglers.p": P}} | keys


@pytest.fixture(scope="module")
def likely():
    named = [table("frc", "frc", "both"), table("circulant", "circulant", "monte-carlo")]
    return fastgc.run({"experiment": named}, trials=3000)


def axes_of(thing, **how):
    return pictures.figure(pictures.of(thing, **how)[0]).axes[0]


def named(axes, label):
    return next(line for line in axes.lines if line.get_label() == label)


def test_a_probability_near_1_is_drawn_as_failures(likely):
    axes = axes_of(likely)
    assert axes.get_ylabel().split() == ["probability", "of", "failure,", "1", "−", "P(exact)"]
    assert axes.get_yscale() == "log"
    exact = [1 - likely["frc", {"stragglers.p": p}]["exact"].mean.value for p in P]
    assert list(named(axes, "frc").get_ydata()) == pytest.approx(exact, rel=1e-9, abs=0)
    sampled = likely["circulant", {"stragglers.p": 0.03}]["exact"].mean
    [bars] = [each for each in axes.containers if each.get_label() == "circulant"]
    ends = bars.lines[2][0].get_segments()[0][:, 1]
    assert ends == pytest.approx([1 - sampled.high, 1 - sampled.low], abs=1e-15)
    assert "Probability of failure" in pictures.of(likely)[0].caption
    plain = likely.plot(ax=Figure().add_subplot(), plain=True)
    assert (plain.get_ylabel(), plain.get_yscale()) == ("P(exact)", "linear")


def test_what_no_trial_saw_is_an_upper_limit(likely):
    """Wilson's upper end of no failure in 3000 trials; the bar of a zero would hide the figure."""
    axes = axes_of(likely)
    z = NormalDist().inv_cdf(0.975)
    limits = [line for line in axes.lines if line.get_marker() == "v" and len(line.get_xdata())]
    assert list(limits[-1].get_xdata()) == P[:3]
    assert every(y >= 0.999 * z * z / (3000 + z * z) for y in limits[-1].get_ydata())
    legend = [text.get_text() for text in axes.get_legend().texts]
    assert {"circulant", draw.LIMIT, draw.BESIDE, draw.CLOSED_FORM} <= set(legend)
    unseen = table("circulant", "circulant", "monte-carlo", sweep={"stragglers.p": P[:2]})
    axes = axes_of(fastgc.run({"experiment": [unseen, table("frc", "frc", "exact")]}, trials=50))
    assert {"circulant", "frc"} <= {text.get_text() for text in axes.get_legend().texts}


@pytest.mark.parametrize(("ps", "failure"), [([0.1, 0.3, 0.5], False), ([0.0], False), (P, True)])
def test_only_what_is_mostly_near_1_and_not_all_1_is_a_failure(ps, failure):
    result = fastgc.run(table("frc", "frc", "exact", sweep={"stragglers.p": ps}))
    assert ("failure" in pictures.of(result)[0].caption) is failure


def test_a_failure_too_rare_for_1_less_it_keeps_its_interval():
    rare = fastgc.statistics.estimates.Estimate(1.0, 0.0, 100, failure=(1e-20, 3e-20))
    row = fastgc.results.rows.Row("a", {}, "exact", "mean", None, "union-sampling", rare)
    axes = axes_of(fastgc.results.rows.Result([row, row]))
    [bar] = axes.containers
    assert bar.lines[2][0].get_segments()[0][:, 0] == pytest.approx([1e-20, 3e-20], abs=0)


@pytest.mark.night
def test_names_are_shortened_where_they_agree():
    sizes = (6, 12)
    study = [
        table(f"code n={n} d=3", "frc", "exact", code={"family": "frc", "n": n, "d": 3})
        for n in sizes
    ]
    result = fastgc.run({"experiment": study})
    [sweep, comparison, *_] = pictures.of(result)
    legend = pictures.figure(sweep).axes[0].get_legend()
    assert legend.get_title().get_text() == "code d=3"
    assert [text.get_text() for text in legend.texts][:2] == ["n=6", "n=12"]
    assert "for code d=3: n=6 and n=12" in sweep.caption
    assert pictures.figure(comparison).axes[0].get_ylabel() == "code"
    assert words.shortened(["frc", "frc shuffled"]) == (["frc", "frc shuffled"], "")
    assert words.cut("a" * 20 + "b" * 20, 34) == "a" * 17 + "…" + "b" * 16


@pytest.mark.night
def test_many_rows_are_a_sweep_or_several_pictures():
    keys = {"stragglers.p": [k / 100 for k in range(1, 23)]}
    swept = fastgc.run(table("frc", "frc", "exact", sweep=keys))
    assert "comparison" not in [each.kind for each in pictures.of(swept)]
    codes = [
        table(f"c{n}", "frc", "exact", sweep={}, code={"family": "frc", "n": n, "d": 1})
        for n in range(2, 24)
    ]
    found = pictures.of(fastgc.run({"experiment": codes}), kind="comparison")
    ticks = [len(pictures.figure(each).axes[0].get_yticks()) for each in found]
    assert ticks == [11, 11] and found[0].title.endswith("compared, 1 of 2")
