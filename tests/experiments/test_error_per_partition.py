"""The error divided by the partitions: by every method, and where codes of different k meet."""

import pytest

import fastgc
from fastgc.report import pictures

IID = {"model": "iid", "p": 0.3}
FRC = {"family": "frc", "n": 12, "d": 3}
FANO = {"family": "bibd", "name": "fano"}
CODES = [
    (12, FRC),
    (7, FANO),
    (6, {"family": "cyclic", "n": 6, "d": 2, "seed": 1}),
    (5, {"family": "circulant", "n": 5, "d": 2}),
    (10, {"family": "graph", "name": "petersen"}),
    (5, {"family": "graph", "name": "cycle", "vertices": 5}),
    (4, {"family": "graph", "edges": [[0, 1], [1, 2], [2, 3]]}),
    (4, {"family": "matrix", "rows": [[1, 0.5, 0], [0, 2, 1], [1, 1, 0], [0, 0, 1]]}),
]


def of_method(study, method, **more):
    rows = fastgc.run(study, **more).rows()
    return {(row["quantity"], row["statistic"]): row for row in rows if row["method"] == method}


@pytest.mark.parametrize(("k", "code"), CODES)
@pytest.mark.parametrize("method", ["exact", "monte-carlo", "closed-form"])
def test_it_is_the_error_divided_by_the_partitions(k, code, method):
    study = {"code": code, "stragglers": IID, "measure": ["error", "error_per_partition"]}
    study |= {"method": "both", "quantiles": [0.9], "variance_reduction": False}
    found = of_method(study, method, trials=2000)
    own = {statistic: row for (name, statistic), row in found.items() if name != "error"}
    assert set(own) == {statistic for name, statistic in found if name == "error"}
    assert own or code["family"] in ("matrix", "cyclic", "graph", "bibd")
    for statistic, row in own.items():
        scale = k**2 if statistic == "variance" else k
        sampled_in_bins = method == "monte-carlo" and statistic == "quantile(0.9)"
        wide = 2**-6 if sampled_in_bins else 1e-9  # bins of both are 2⁻⁷ wide
        expected = found["error", statistic]["value"] / scale
        assert row["value"] == pytest.approx(expected, rel=wide, abs=1e-15)
        assert row["unit"] == "1"
        assert method == "closed-form" or 0 <= row["value"] <= 1


def test_thresholds_are_those_of_a_partition():
    study = {"code": FRC, "stragglers": IID, "measure": ["error", "error_per_partition"]}
    found = of_method(study | {"method": "exact", "thresholds": [0.25, 3.0]}, "exact")
    own, whole = (
        [found[name, f"P(>{threshold})"]["value"] for threshold in (0.25, 3.0)]
        for name in ("error_per_partition", "error")
    )
    assert own == [whole[1], 0.0] and 0 < whole[1] < whole[0]


@pytest.mark.night
def test_rare_thresholds_are_those_of_a_partition():
    code = {"family": "frc", "n": 30, "d": 3}
    study = {"code": code, "stragglers": {"model": "iid", "p": 0.01}, "method": "rare"}
    one = of_method(study | {"measure": ["error"], "thresholds": [3.0]}, "exact")
    own = {"measure": ["error_per_partition"], "thresholds": [0.1]}
    other = of_method(study | own, "exact")
    value = one["error", "P(>3.0)"]["value"]
    assert 1e-11 < value < 1e-10
    assert other["error_per_partition", "P(>0.1)"]["value"] == value


# ---- codes of different k


def two(measure, first=FANO, second=FRC):
    return {
        "common_random_numbers": True,
        "ratio": [["a", "b"]],
        "experiment": [
            {"name": "a", "code": first, "stragglers": IID, "measure": [measure]},
            {"name": "b", "code": second, "stragglers": IID, "measure": [measure]},
        ],
    }


@pytest.mark.parametrize(
    ("measure", "first", "is_said"),
    [
        ("error", FANO, True),
        ("error", {"family": "circulant", "n": 12, "d": 3}, False),
        ("norm", FANO, True),
        ("error_per_partition", FANO, False),
        ("exact", FANO, False),
    ],
)
def test_pictures_and_ratios_say_that_partitions_differ(measure, first, is_said):
    result = fastgc.run(two(measure, first), trials=1000)
    said = "Codes have 7 and 12 partitions: errors compare only per partition"
    for picture in pictures.of(result):
        assert (said in picture.caption) is is_said
    [ratio] = [row for row in result.rows() if row["statistic"] == "ratio"]
    assert ("of codes with 7 and 12 partitions" in ratio.get("note", "")) is is_said
