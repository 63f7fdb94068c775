"""The short form of ``python -m bench.pictures``, and what it would complain of."""

import pytest
from matplotlib.figure import Figure

from bench.pictures import complaints, main


@pytest.mark.night
def test_pictures_of_packaged_studies_are_in_order(tmp_path, capsys):
    assert main([str(tmp_path), "agc/shuffling", "codedreduce/simulation", "--trials", "200"]) == 0
    said = capsys.readouterr().out
    assert said.count(": fine") == len(list(tmp_path.glob("*.png"))) == 3
    assert "codedreduce-simulation-0-tail.png: fine" in said


def test_what_is_amiss_is_found():
    figure = Figure(figsize=(2, 1))
    axes = figure.add_subplot()
    axes.set_xticks([0.0, 0.01], ["a long name", "another long name"])
    axes.set_ylabel("far too long for such a low picture, for any reader")
    said = " ".join(complaints(figure))
    for words in ("is cut", "nothing on its axes", "'a long name' and 'another long name'"):
        assert words in said
    assert "without names" not in said
