"""Every other kind of picture: what stands on its axes, and which is taken first."""

import numpy as np
import pytest
from matplotlib import rcParams

import fastgc
from fastgc.report import pictures
from fastgc.report.pictures.picture import styled
from fastgc.statistics import shares
from suite.studies import descent

CODE = {"code": {"family": "frc", "n": 8, "d": 2}, "stragglers": {"model": "iid", "p": 0.2}}


def axes_of(thing, kind=None):
    picture = pictures.of(thing, kind=kind)[0]
    return pictures.figure(picture).axes, picture


@pytest.fixture(scope="module")
def systems():
    table = {
        "kind": "completion",
        "latency": {"distribution": "exponential", "shift": 0.1, "mean": 1.0},
        "method": "monte-carlo",
        "measure": ["time", "load"],
        "quantiles": [0.5, 0.99],
    }
    named = [
        table | {"name": name, "system": {"family": "gradient-code", "n": 12, "s": s}}
        for name, s in (("uncoded", 0), ("coded", 2), ("loaded", 6))
    ]
    return fastgc.run({"experiment": named}, trials=2000)


def test_the_tail_falls_from_one_to_the_largest_time(systems):
    [axes], _ = axes_of(systems, "tail")
    assert axes.get_yscale() == "log"
    assert (axes.get_xlabel(), axes.get_ylabel()) == ("time t (s)", "P(time > t)")
    [line] = [line for line in axes.lines if line.get_label() == "coded"]
    x, y = line.get_xdata(), line.get_ydata()
    assert y[0] == 1.0 and (np.diff(y) <= 0).all() and (np.diff(x) >= 0).all()
    times = systems["coded"]["time"]
    assert x[-1] == times.statistic("maximum").value
    # it meets the quantile that was asked for, to a bin of the histogram
    assert np.interp(-0.5, -y, x) == pytest.approx(times.quantile(0.5).value, rel=0.02)
    assert axes.get_ylim()[0] == 0.5 / 2000
    assert len([each for each in axes.collections if each.get_alpha()]) == 3


def test_the_band_of_a_tail_is_the_interval_of_each_share(systems):
    """2000 trials, whatever the number of bins: the ends at three shares."""
    [axes], _ = axes_of(systems, "tail")
    band = next(each for each in axes.collections if each.get_alpha())  # of the first line
    line = next(line for line in axes.lines if line.get_drawstyle() == "steps-post")
    x, larger = line.get_xdata(), line.get_ydata()
    corners = band.get_paths()[0].vertices
    for share in (0.9, 0.5, 0.01):
        place = int(np.abs(larger - share).argmin())
        p = larger[place]
        assert 0.8 * share < p < 1.1 * share
        ends = shares.interval(p, (p * (1 - p) / 1999) ** 0.5, 2000, 1.959964)
        drawn = corners[np.isclose(corners[:, 0], x[place], rtol=1e-12), 1]
        for end in ends:
            assert np.abs(drawn - end).min() < 1e-6 * end


def test_tails_of_different_depth_all_end_below_the_axis():
    """Where nothing was larger there is no share to show, not even a small one."""
    keys = {"method": "both", "thresholds": [4.0]}
    named = [CODE | keys | {"name": f"p={p}", "stragglers": p} for p in (0.5, 0.05)]
    [axes], _ = axes_of(fastgc.run({"experiment": named}, trials=2000), "tail")
    lines = [line for line in axes.lines if line.get_drawstyle() == "steps-post"]
    assert len(lines) == 2
    for line in lines:
        assert line.get_ydata()[-1] < axes.get_ylim()[0]


@pytest.mark.parametrize("levels", [[0.5, 0.99], [0.5, 0.9, 0.99, 0.999]])
def test_quantiles_of_an_exact_law_are_a_tail(levels):
    table = {
        "kind": "completion",
        "system": {"family": "uncoded", "n": 4},
        "latency": {"distribution": "exponential", "mean": 1.0},
        "quantiles": levels,
    }
    result = fastgc.run(table)
    kinds = [each.kind for each in pictures.of(result)]
    assert kinds == (["comparison", "tail"] if len(levels) == 2 else ["tail", "comparison"])
    [axes], _ = axes_of(result, "tail")
    [line] = axes.lines
    assert list(line.get_ydata()) == pytest.approx([1 - level for level in levels])
    times = [result["experiment1"]["time"].quantile(level).value for level in levels]
    assert list(line.get_xdata()) == times


def test_experiments_are_compared_by_name():
    named = [CODE | {"name": n, "method": m} for n, m in (("a", "exact"), ("b", "monte-carlo"))]
    result = fastgc.run({"experiment": named}, trials=500)
    [axes], picture = axes_of(result)
    assert picture.kind == "comparison"
    assert [tick.get_text() for tick in axes.get_xticklabels()] == ["a", "b"]
    assert [text.get_text() for text in axes.get_legend().texts] == ["closed form"]
    low, high = result["b"]["error"].mean.interval()
    bar = axes.containers[0].lines[2][0].get_segments()[1]
    assert bar[:, 1] == pytest.approx([low, high])


def test_descent_against_iterations_and_the_clock():
    study = descent(6, 60, 3, 20) | {
        "name": "experiment1",
        "latency": {"distribution": "exponential", "mean": 0.5},
        "measure": ["loss", "time"],
        "sweep": {"shuffle": ["none", "random"]},
    }
    result = fastgc.run(study, trials=64)
    [axes], picture = axes_of(result)
    assert picture.kind == "clock"
    assert axes.get_xlabel() == "mean time since the beginning (s)"
    [line] = [line for line in axes.lines if line.get_label() == "none"]
    point = result["experiment1", {"shuffle": "none"}]
    times = [point["time"][index].mean.value for index in range(21)]
    losses = [point["loss"][index].mean.value for index in range(21)]
    assert list(line.get_xdata()) == times and list(line.get_ydata()) == losses
    assert len([each for each in axes.collections if each.get_alpha()]) == 2
    [axes], _ = axes_of(result, "iterations")
    assert list(axes.lines[0].get_xdata()) == list(range(21))
    assert axes.get_xlabel() == "iterations" and axes.get_ylabel() == "mean loss"
    both = pictures.chosen(pictures.of(result), ["iterations", "clock"])
    below = [each.get_xlabel()[:9] for each in pictures.figure(both).axes]
    assert below == ["iteration", "mean time"]


def test_two_swept_keys_are_a_map():
    sweep = {"stragglers.p": [0.1, 0.2, 0.3], "code.d": [1, 2, 4, 8]}
    result = fastgc.run(CODE | {"sweep": sweep})
    [axes, bar], picture = axes_of(result)
    assert picture.kind == "heat-map"
    assert (axes.get_xlabel(), axes.get_ylabel()) == ("replication d", "straggler probability p")
    assert bar.get_ylabel() == "mean error (partitions)"
    fields = axes.images[0].get_array()
    assert fields.shape == (3, 4)
    value = result["experiment1", {"stragglers.p": 0.2, "code.d": 4}]["error"].mean.value
    assert fields[1, 2] == value
    assert [each.kind for each in pictures.of(result)][:2] == ["heat-map", "sweep"]


def test_curves_are_distinct_without_colours():
    names = [f"c{number}" for number in range(9)]
    named = [CODE | {"name": name, "sweep": {"stragglers.p": [0.1, 0.3]}} for name in names]
    [axes], _ = axes_of(fastgc.run({"experiment": named}))
    lines = [line for line in axes.lines if line.get_label() in names]
    assert len({(line.get_marker(), line.get_linestyle()) for line in lines}) == 9
    assert len({line.get_color() for line in lines}) == 7


@pytest.mark.parametrize("keys", [{"sweep": {"stragglers.p": [0.1, 0.3]}}, {}])
def test_nothing_is_cut_at_the_width_of_a_column(keys):
    names = [f"{number}: a rather long name" for number in ["one", "two", "three", "four", "five"]]
    named = [CODE | keys | {"name": name} for name in names]
    picture = pictures.of(fastgc.run({"experiment": named}))[0]
    assert picture.kind == ("sweep" if keys else "comparison")
    figure = pictures.figure(picture)
    with styled():
        assert figure.get_size_inches()[0] == 3.4 and rcParams["font.size"] >= 7
    figure.draw_without_rendering()
    inside = figure.get_tightbbox()
    assert inside.x0 >= 0 and inside.x1 <= 3.4
    assert inside.y0 >= 0 and inside.y1 <= picture.size[1]
