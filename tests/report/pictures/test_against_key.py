"""A quantity against a swept key: what is drawn, on which axes, and how it is called."""

import xml.dom.minidom

import fastgc
from fastgc.report import pictures

STUDY = {
    "experiment": [
        {
            "name": "frc",
            "code": {"family": "frc", "n": 12, "d": 3},
            "stragglers": {"model": "iid", "p": 0.1},
            "method": "both",
            "sweep": {"stragglers.p": [0.05, 0.1, 0.2, 0.4]},
        },
        {
            "name": "circulant",
            "code": {"family": "circulant", "n": 12, "d": 3},
            "stragglers": {"model": "iid", "p": 0.1},
            "method": "monte-carlo",
            "sweep": {"stragglers.p": [0.05, 0.1, 0.2, 0.4]},
        },
    ]
}


def test_error_against_a_swept_key():
    result = fastgc.run(STUDY, trials=4000)
    picture = pictures.of(result)[0]
    assert picture.kind == "sweep"
    assert "frc and circulant" in picture.caption and "4 000 trials" in picture.caption
    [axes] = pictures.figure(picture).axes
    assert axes.get_xlabel() == "stragglers.p"
    assert axes.get_ylabel() == "mean error (partitions)"
    assert axes.get_yscale() == "log" and axes.get_xscale() == "linear"
    lines = {line.get_label(): line for line in axes.lines}
    assert list(lines["frc"].get_xdata()) == [0.05, 0.1, 0.2, 0.4]
    exact = [result["frc", {"stragglers.p": p}]["error"].mean.value for p in (0.05, 0.1, 0.2, 0.4)]
    assert list(lines["frc"].get_ydata()) == exact
    assert list(lines["closed form"].get_xdata()) == [0.05, 0.1, 0.2, 0.4]
    [band] = [each for each in axes.collections if each.get_alpha()]
    low, high = result["circulant", {"stragglers.p": 0.4}]["error"].mean.interval()
    edges = band.get_paths()[0].vertices
    assert {low, high} <= set(edges[edges[:, 0] == 0.4][:, 1])
    assert [text.get_text() for text in axes.get_legend().texts] == [
        "frc",
        "closed form",
        "circulant",
    ]


def test_an_svg_stands_alone_and_is_the_same_each_time():
    picture = pictures.of(fastgc.run(STUDY, trials=500))[0]
    text = pictures.svg(picture)
    assert text == pictures.svg(picture)
    document = xml.dom.minidom.parseString(text)
    assert picture.caption in text and 'role="img"' in text
    assert ">circulant</text>" in text
    ids = [node.getAttribute("id") for node in document.getElementsByTagName("*")]
    known = [name for name in ids if name]
    assert len(set(known)) == len(known) and len({name[:9] for name in known}) == 1
