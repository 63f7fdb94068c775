"""Names and coordinates in files, whatever words, values and experiments are called."""

import re

import h5py
import numpy as np
import pytest

from fastgc.results import frames
from fastgc.results.frames import group_names, identifier
from fastgc.results.sound import read_text
from suite.checks import every


@pytest.mark.parametrize(("words", "name"), [
    ("error mean monte-carlo", "error_mean_monte_carlo"),
    ("time quantile(0.99) exact low", "time_quantile_0_99_exact_low"),
    ("error P(>-1e-09) lower-bound", "error_above_minus_1e_minus_09_lower_bound"),
    ("2nd try", "x2nd_try"),
    ("stragglers.p", "stragglers_p"),
    ("≥", "x"),
])  # fmt: skip
def test_words_become_one_name(words, name):
    assert identifier(words) == name


def test_names_that_must_differ_do():
    values = [1.0, -1.0, 10.0, 1e-9, -1e-9, 1e20, 1e-20, 0.1, 1.5]
    made = {identifier(f"error P(>{value!r}) exact") for value in values}
    assert len(made) == len(values)
    assert every(re.fullmatch(r"[A-Za-z][A-Za-z0-9_]*", name) for name in made)
    named = group_names(["a b", "a_b", "a/b", "a over b", "agc.lemma1", "ö", "?", " .. ", "a b"])
    assert named["a b"] == "a_b" and named["agc.lemma1"] == "agc.lemma1" and named["ö"] == "ö"
    assert group_names(["star/my tree"]) == {"star/my tree": "star_over_my_tree"}
    assert len(set(named.values())) == len(named) == 8
    assert not any(re.search(r"[\s/\\]", name) or name.strip(".") == "" for name in named.values())


def row(point, **more):
    given = {"experiment": "a", "quantity": "error", "statistic": "mean", "index": None}
    given |= {"value": 0.5, "standard_error": 0.0, "low": 0.5, "high": 0.5, "theory": None}
    return given | {"method": "exact", "unit": None, "point": point} | more


@pytest.mark.parametrize(("values", "numbers", "labels"), [
    ([2, 1], [2, 1], None),
    ([2, 0.5], [2.0, 0.5], None),
    ([True, False], [1, 0], None),
    ([2, None], [2.0, np.nan], None),
    (["cyclic", "none", "cyclic"], [0, 1, 0], ["cyclic", "none"]),
    (["1.5 median", 3, None], [0, 1, -1], ["1.5 median", "3"]),
    ([[1, 2], "two\nlines"], [0, 1], ["[1, 2]", '"two\\nlines"']),
    ([1 << 70, 1], [0, 1], [str(1 << 70), "1"]),
])  # fmt: skip
def test_swept_values_are_numbers_or_labels(tmp_path, values, numbers, labels):
    points = [{"i": i} if value is None else {"i": i, "k": value} for i, value in enumerate(values)]
    with h5py.File(tmp_path / "a.h5", "w") as file:
        frames.fill_results(file, [row(point) for point in points])
        swept = file["a/k"]
        np.testing.assert_array_equal(swept[()], numbers)
        assert swept.dtype in (np.int64, np.float64) and swept.attrs["long_name"] == "k"
        if labels is None:
            assert "k_labels" not in file["a"] and "flag_values" not in swept.attrs
        else:
            assert read_text(file["a/k_labels"]).split("\n") == labels
            words = swept.attrs["flag_meanings"].split(" ")
            assert words == [label.replace(" ", "_") for label in labels]
            assert swept.attrs["flag_values"].tolist() == list(range(len(labels)))
        assert file["a/error_mean_exact"].attrs["coordinates"] == "i k"
