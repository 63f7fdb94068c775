"""Axes as they are wanted: labels, limits, scales and width."""

from __future__ import annotations

from typing import Any

import pytest

import fastgc
from fastgc import FastgcError
from fastgc.report import pictures

figures = pytest.importorskip("matplotlib.figure")


def test_axes_are_as_they_are_wanted(command: Any, tmp_path: Any) -> None:
    study = {
        "code": {"family": "frc", "n": 8, "d": 2},
        "stragglers": 0.1,
        "sweep": {"stragglers.p": {"from": 0.01, "to": 0.5, "count": 5}},
    }
    result = fastgc.run(study, out=tmp_path / "r.h5")
    look = pictures.Look(
        xlabel="straggler probability $p$",
        xlim=(0.01, 0.5),
        yscale="log",
        ylim=(1e-4, 2.0),
        width=6.8,
    )
    [picture, *_] = pictures.of(result)
    wanted = look.on(picture)
    axes = figures.Figure().add_subplot()
    wanted.draw(axes)
    assert (axes.get_xlabel(), axes.get_xlim()) == (look.xlabel, look.xlim)
    assert (axes.get_yscale(), axes.get_ylim()) == ("log", look.ylim)
    assert wanted.size == (6.8, picture.size[1] * 6.8 / picture.size[0])
    words = ["--xlabel", "$p$", "--xlim", "0.01,0.5", "--yscale", "log", "--width", "5"]
    file = tmp_path / "r.svg"
    code, _, _ = command("plot", str(tmp_path / "r.h5"), "-o", str(file), *words)
    assert code == 0 and 'width="360pt"' in file.read_text()
    code, _, said = command("plot", str(tmp_path / "r.h5"), "-o", str(file), "--ylim", "2,1")
    assert code == 2 and "ylim: must be two numbers, the smaller first" in said
    for words, remedy in (
        (["--xlim", "0,1", "--xscale", "log"], 'xlim: must lie above 0 on an axis of scale "log"'),
        (["--xlabel", r"$\frac{$"], "xlabel: must have formulas that matplotlib reads"),
    ):
        code, _, said = command("plot", str(tmp_path / "r.h5"), "-o", str(file), *words)
        assert code == 2 and remedy in said
    for wrong in ("1", "a,b", "1,2,3", "0.1,inf", "nan,1"):
        with pytest.raises(FastgcError, match="two numbers"):
            pictures.Look(xlim=wrong)
