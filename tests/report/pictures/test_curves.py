"""Curves, their names and units; upper limits of what no trial saw; too many rows for one."""

import math
import xml.dom.minidom
from statistics import NormalDist

import pytest

import fastgc
from fastgc.report import pictures
from fastgc.report.pictures import draw
from suite.checks import every

P = [0.05, 0.1, 0.2, 0.4]


def decoding(**sweep):
    return {"code": {"family": "frc", "n": 12, "d": 3}, "stragglers": 0.1, "sweep": sweep}


SWEPT = decoding(**{"stragglers.p": P})
CIRCULANT = {"code": {"family": "circulant", "n": 12, "d": 3}, "method": "monte-carlo"}
STUDY = {
    "experiment": [
        SWEPT | {"name": "frc", "method": "both"},
        SWEPT | {"name": "circulant"} | CIRCULANT,
    ]
}


def drawn(study, kind=None, trials=2000, **asked):
    picture = pictures.of(fastgc.run(study, trials=trials), kind=kind, **asked)[0]
    return pictures.figure(picture).axes, picture


def marked(axes, marker="o"):
    [line] = [line for line in axes.lines if line.get_marker() == marker]
    return line


def test_error_against_a_swept_key():
    result = fastgc.run(STUDY, trials=4000)
    picture = pictures.of(result)[0]
    assert picture.kind == "sweep"
    assert "frc and circulant" in picture.caption and "4 000 trials" in picture.caption
    [axes] = pictures.figure(picture).axes
    assert axes.get_xlabel() == "straggler probability p"
    assert axes.get_ylabel() == "mean error (partitions)"
    assert axes.get_yscale() == "log" and axes.get_xscale() == "linear"
    lines = {line.get_label(): line for line in axes.lines}
    assert list(lines["frc"].get_xdata()) == P
    exact = [result["frc", {"stragglers.p": p}]["error"].mean.value for p in P]
    assert list(lines["frc"].get_ydata()) == exact
    assert list(lines["closed form"].get_xdata()) == P
    [band] = [each for each in axes.collections if each.get_alpha()]
    low, high = result["circulant", {"stragglers.p": 0.4}]["error"].mean.interval()
    edges = band.get_paths()[0].vertices
    assert {low, high} <= set(edges[edges[:, 0] == 0.4][:, 1])
    legend = [text.get_text() for text in axes.get_legend().texts]
    assert legend == ["frc", "circulant", "closed form", "sample beside it"]


@pytest.mark.night
def test_where_only_theory_is_known_the_curve_is_the_closed_form_with_its_own_look():
    rows = [row for row in fastgc.run(SWEPT | {"method": "both"}, trials=2000).entries]
    known = [
        row for row in rows if row.method == "closed-form" or row.point["stragglers.p"] == P[0]
    ]
    picture = pictures.of(fastgc.results.rows.Result(known))[0]
    [axes] = pictures.figure(picture).axes
    [dotted] = [line for line in axes.lines if line.get_label() == "closed form"]
    own = [line for line in axes.lines if line.get_marker() == "o" and len(line.get_xdata()) > 1]
    assert [list(line.get_xdata()) for line in [dotted, *own]] == [P, P]
    assert "dotted over curves" in picture.caption


def test_bands_are_named_where_they_are_seen():
    for trials, said in ((1000, "Bands"), (10**7, "narrower than lines")):
        study = decoding(**{"stragglers.p": [0.1, 0.4]}) | {"method": "monte-carlo"}
        assert said in drawn(study, trials=trials)[1].caption


def test_an_svg_stands_alone():
    picture = pictures.of(fastgc.run(STUDY, trials=500))[0]
    text = pictures.svg(picture)
    document = xml.dom.minidom.parseString(text)
    assert picture.caption in text and 'role="img"' in text
    assert ">circulant</text>" in text
    ids = [node.getAttribute("id") for node in document.getElementsByTagName("*")]
    known = [name for name in ids if name]
    assert len(set(known)) == len(known) and len({name[:9] for name in known}) == 1


def test_zeros_are_seen_on_an_axis_of_decades():
    [axes], _ = drawn(decoding(**{"stragglers.p": [0.0, 0.001, 0.1, 0.5]}))
    assert axes.get_yscale() == "symlog"
    errors = marked(axes).get_ydata()
    low, high = axes.get_ylim()
    assert low <= errors[0] == 0.0 and high > max(errors)
    [axes], _ = drawn(decoding(**{"stragglers.p": [0.001, 0.01, 0.1]}))
    assert axes.get_xscale() == "log"


def test_swept_words_are_ticks_and_no_line_joins_their_marks():
    [axes], picture = drawn(decoding(shuffle=["none", "random"]) | {"method": "monte-carlo"})
    assert [tick.get_text() for tick in axes.get_xticklabels()] == ["none", "random"]
    assert picture.kind == "sweep"
    [bars] = axes.containers
    assert bars.lines[0].get_linestyle() == "None"
    assert len(bars.lines[2][0].get_segments()) == 2
    laws = [{"model": "iid", "p": 0.1}, {"model": "iid", "p": 0.2}]
    [axes], _ = drawn(decoding(stragglers=[*laws, {"model": "uniform", "stragglers": 1}]))
    said = [tick.get_text() for tick in axes.get_xticklabels()]
    assert said == ["iid(p=0.1)", "iid(p=0.2)", "uniform"]


def test_an_experiment_without_the_key_is_a_level_line():
    study = {"experiment": [SWEPT | {"name": "swept"}, decoding() | {"name": "fixed"}]}
    [axes], picture = drawn(study)
    assert "Level lines are of experiments with one straggler" in picture.caption
    [level] = [line for line in axes.lines if line.get_label() == "fixed"]
    assert list(level.get_xdata()) == [P[0], P[-1]]
    assert len(set(level.get_ydata())) == 1
    # keys that are swept together are one curve
    [axes], _ = drawn(decoding(**{"code.n, stragglers.p": [[6, 0.1], [9, 0.2], [12, 0.3]]}))
    assert axes.get_xlabel() == "number of workers n, with straggler probability p"
    assert list(marked(axes).get_xdata()) == [6, 9, 12]


def test_a_measure_of_several_numbers_stands_against_its_index():
    [axes], picture = drawn(decoding() | {"measure": ["survivors"]})
    assert picture.kind == "index"
    assert (axes.get_xlabel(), axes.get_ylabel()) == ("survivors", "probability")
    assert list(marked(axes).get_xdata()) == list(range(13))
    assert math.isclose(sum(marked(axes).get_ydata()), 1.0)


def test_what_is_infinite_stands_at_the_edge_and_in_the_legend():
    study = {
        "kind": "completion",
        "system": {"family": "uncoded", "n": 4},
        "latency": {"distribution": "pareto", "shape": 2.0, "scale": 1.0},
        "sweep": {"latency.shape": [0.9, 1.5, 2.0, 3.0]},
    }
    [axes], _ = drawn(study, "sweep")
    said = [text.get_text() for text in axes.get_legend().texts]
    assert "infinite (at the edge)" in said
    assert axes.get_ylabel() == "mean time (s)"
    [line] = [line for line in axes.lines if line.get_linestyle() == "-"]
    assert 0.9 not in line.get_xdata() and len(line.get_xdata()) == 3


SMALL = [0.001, 0.003, 0.01, 0.03]


def table(name, family, method, **keys):
    study = {"name": name, "code": {"family": family, "n": 12, "d": 3}, "method": method}
    swept = {"stragglers": 0.1, "measure": ["survivors"], "sweep": {"stragglers.p": SMALL}}
    return study | swept | keys


def axes_of(thing, **how):
    picture = pictures.of(thing, quantity="survivors[9]", **how)[0]
    return pictures.figure(picture).axes[0]


def test_what_no_trial_saw_is_an_upper_limit():
    # Wilson's upper end of no such trial in 3000; the bar of a zero would hide the figure
    named = [table("frc", "frc", "both"), table("circulant", "circulant", "monte-carlo")]
    axes = axes_of(fastgc.run({"experiment": named}, trials=3000))
    z = NormalDist().inv_cdf(0.975)
    assert axes.get_yscale() == "log"
    limits = [line for line in axes.lines if line.get_marker() == "v" and len(line.get_xdata())]
    assert list(limits[-1].get_xdata()) == SMALL[:3]
    assert every(y >= 0.999 * z * z / (3000 + z * z) for y in limits[-1].get_ydata())
    legend = [text.get_text() for text in axes.get_legend().texts]
    assert {"circulant", draw.LIMIT, draw.BESIDE, draw.CLOSED_FORM} <= set(legend)
    unseen = table("circulant", "circulant", "monte-carlo", sweep={"stragglers.p": SMALL[:2]})
    axes = axes_of(fastgc.run({"experiment": [unseen, table("frc", "frc", "exact")]}, trials=50))
    assert {"circulant", "frc"} <= {text.get_text() for text in axes.get_legend().texts}
