"""Axes as they are wanted: the same labels, limits, scales and widths in Python and the shell."""

import pytest

import fastgc
from fastgc.report import pictures
from suite.checks import refusal


@pytest.fixture(scope="module")
def result(tmp_path_factory):
    study = {
        "code": {"family": "frc", "n": 8, "d": 2},
        "stragglers": 0.1,
        "measure": ["error", "exact"],
        "sweep": {"stragglers.p": {"from": 0.01, "to": 0.5, "count": 5}},
    }
    return fastgc.run(study, out=tmp_path_factory.mktemp("axes") / "r.h5")


def drawn(command, result, how):
    """What the command says of options that are these keywords, and its file."""
    file = result.path.with_suffix(".svg")
    text = {key: ",".join(map(str, each)) if isinstance(each, tuple) else each for key, each in how}
    options = [f"--{key}={each}" for key, each in text.items()]
    return *command("plot", str(result.path), "-o", str(file), *options), file


@pytest.mark.night
def test_axes_are_as_they_are_wanted(result, command):
    how = {"xlabel": "probability $p$", "xlim": (0.01, 0.5), "yscale": "log", "width": 6.8}
    axes = result.plot(**how, ylim="1e-4,2")
    assert (axes.get_xlabel(), axes.get_xlim()) == (how["xlabel"], how["xlim"])
    assert (axes.get_yscale(), axes.get_ylim()) == ("log", (1e-4, 2.0))
    usual = pictures.of(result)[0].size
    assert tuple(axes.figure.get_size_inches()) == (6.8, usual[1] * 6.8 / usual[0])
    code, _, _, file = drawn(command, result, (how | {"width": 5}).items())
    assert code == 0 and 'width="360pt"' in file.read_text()


@pytest.mark.parametrize(
    ("how", "said"),
    [
        ({"xscale": "cubic"}, "xscale: must be one of linear, log"),
        ({"width": 0.5}, "width: must be from 1 to 40 inches"),
        ({"ylabel": r"$\frac{$"}, "ylabel: must have formulas that matplotlib reads"),
        ({"width": "wide"}, "wide"),
        ({"yscale": "logit"}, 'yscale: "logit" is for values between 0 and 1 (they are from 0'),
        ({"xlim": (0, 1), "xscale": "log"}, 'xlim: must lie above 0 on an axis of scale "log"'),
        *(
            ({"ylim": ends}, "ylim: must be two numbers, the smaller first")
            for ends in ((2, 1), (1,), ("a", "b"), (1, 2, 3), (0.1, float("inf")), "nan,1", 3)
        ),
    ],
)
def test_axes_that_cannot_be_are_refused(result, command, how, said):
    assert said in refusal(fastgc.plot, result, **how)
    code, _, err, _ = drawn(command, result, how.items())
    assert code == 2 and said in err


@pytest.mark.night
def test_a_scale_begins_at_values_and_not_at_0(result):
    axes = result.plot(quantity="error", kind="sweep", yscale="log")
    assert axes.get_ylim()[0] > 1e-5
    odds = result.plot(quantity="exact", kind="sweep", yscale="logit")
    odds.figure.savefig(result.path.with_suffix(".png"))
    low, high = odds.get_ylim()
    assert 0 < low < high < 1
    with pytest.raises(fastgc.FastgcError, match="xlabel: must be text"):
        result.plot(xlabel=3)


def test_fields_of_a_map_have_no_limits_and_scales():
    sweep = {"stragglers.p": [0.1, 0.2, 0.3], "code.d": [1, 2, 4]}
    found = fastgc.run(code=fastgc.codes.frc(n=8, d=2), stragglers=0.1, sweep=sweep)
    assert found.plot(kind="heat-map", xlabel="p", width=5).get_xlabel() == "p"
    for how in ({"ylim": (0, 1)}, {"xscale": "logit"}):
        with pytest.raises(fastgc.FastgcError, match="a heat-map has fields; take kind"):
            found.plot(kind="heat-map", **how)
