"""Rows in pandas and xarray, as these packages themselves find them."""

import io
import json
import sys

import numpy as np
import pytest

import fastgc
from fastgc import report
from fastgc.errors import FastgcError
from fastgc.results import frames

pytestmark = pytest.mark.night

CODE = {"code": {"family": "frc", "n": 4, "d": 2}, "stragglers": {"model": "iid", "p": 0.3}}
GROUPS = {"method": "both", "measure": ["error", "exact", "survivors"], "quantiles": [0.99]} | {
    "thresholds": [1.0],
    "sweep": {"code.d": [1, 2], "stragglers.p": [0.1, 0.3]},
}
STUDY = {
    "experiment": [
        CODE | {"name": "groups"} | GROUPS,
        CODE | {"name": "alone", "measure": ["error"]},
    ]
}
TOGETHER = CODE | {"sweep": {"code.n, code.d": [[4, 2], [9, 3]], "stragglers.p": [0.1, 0.2]}}


@pytest.fixture(scope="module")
def result():
    return fastgc.run(STUDY, trials=400)


@pytest.fixture(scope="module")
def dataset(result):
    return result.to_xarray()


def test_every_row_is_in_the_dataset_where_sel_finds_it(result, dataset):
    assert set(dataset.dims) == {"experiment", "road", "code_d", "stragglers_p", "survivors_index"}
    names = {"quantile(0.99)": "quantile_0_99", "P(>1.0)": "above_1_0"}
    for row in result.rows():
        statistic = row["statistic"]
        variable = f"{row['quantity']}_{names.get(statistic, statistic)}"
        place = {"experiment": row["experiment"], "road": row["method"]}
        place["code_d"] = row["point"].get("code.d", np.nan)
        place["stragglers_p"] = row["point"].get("stragglers.p", np.nan)
        if row["index"] is not None:
            place["survivors_index"] = row["index"]
        for part in ("", "_standard_error", "_low", "_high"):
            expected = row["value" if not part else part[1:]]
            found = float(dataset[variable + part].sel(place))
            assert found == expected or (expected is None and np.isnan(found))
    cells = np.isfinite(dataset.error_mean.values).sum()
    means = [r for r in result.rows() if (r["quantity"], r["statistic"]) == ("error", "mean")]
    assert cells == len(means)
    found = dataset.error_mean.sel(experiment="groups", road="exact", code_d=2, stragglers_p=0.3)
    assert float(found) == pytest.approx(0.36)
    assert dataset.stragglers_p.attrs["long_name"] == "stragglers.p"
    assert dataset.error_mean_low.attrs == {"long_name": "error mean low", "units": "partitions"}
    assert set(result.to_xarray("alone").error_mean.dims) == {"experiment", "road"}


def test_what_is_no_dataset_is_refused(result, monkeypatch):
    with pytest.raises(FastgcError, match="there is no experiment 'other'; there is groups, alone"):
        result.to_xarray("other")
    twice = [*result.rows(), result.rows()[0]]
    with pytest.raises(FastgcError, match="two rows of error mean at one point; take to_pandas"):
        frames.to_xarray(twice)
    assert len(frames.to_pandas(twice)) == len(twice)
    monkeypatch.setattr(frames, "MOST_CELLS", 10)
    with pytest.raises(FastgcError, match=r"54 cells for 14 rows; name one .* to_xarray\("):
        result.to_xarray()


def test_the_dataset_can_be_kept_and_read_again(dataset, tmp_path):
    import xarray

    dataset.to_netcdf(tmp_path / "a.nc", engine="h5netcdf")
    with xarray.open_dataset(tmp_path / "a.nc", engine="h5netcdf") as again:
        assert dataset.identical(again.load())


def test_words_tables_and_lists_are_labels():
    models = [{"model": "iid", "p": 0.1}, {"model": "uniform", "stragglers": 1}]
    sweep = {"stragglers": models, "shuffle": ["none", "cyclic"]}
    found = fastgc.run(CODE | {"sweep": sweep}).to_xarray()
    value = found.error_mean.sel(
        experiment="experiment1", road="exact", stragglers=json.dumps(models[1]), shuffle="none"
    )
    assert value.item() == 0


def test_keys_that_are_swept_together_are_one_dimension():
    found = fastgc.run(TOGETHER).to_xarray()
    assert found.error_mean.dims == ("experiment", "road", "code_n", "stragglers_p")
    assert found.code_d.dims == ("code_n",) and found.code_d.values.tolist() == [2, 3]
    exact = found.error_mean.sel(experiment="experiment1", road="exact", code_n=9)
    assert exact.sel(stragglers_p=0.2).item() == pytest.approx(9 * 0.2**3)
    assert np.isfinite(found.error_mean.sel(road="exact").values).all()
    # those of which neither follows the other keep their own
    found = fastgc.run(CODE | {"sweep": {"code.n, code.d": [[4, 2], [4, 4], [8, 2]]}}).to_xarray()
    cells = found.error_mean.sel(road="exact", experiment="experiment1")
    assert (found.sizes["code_n"], found.sizes["code_d"]) == (2, 2)
    assert np.isnan(cells.sel(code_n=8, code_d=4)) and not np.isnan(cells.sel(code_n=4, code_d=4))


def test_a_data_frame_a_csv_and_json_have_the_same_rows(result):
    frame = result.to_pandas()
    rows = result.rows()
    assert len(frame) == len(rows)
    assert list(frame.columns[-3:]) == ["at_most", "code.d", "stragglers.p"]
    pandas = pytest.importorskip("pandas")
    roads = fastgc.run(CODE | {"sweep": {"method": ["exact", "monte-carlo"]}}, trials=100)
    swept = roads.to_pandas()  # a swept road hides no column
    assert set(swept[swept["point.method"] == "monte-carlo"]["method"]) == {
        "monte-carlo",
        "closed-form",
    }
    read = pandas.read_csv(io.StringIO(report.as_csv(rows)))
    assert list(read.columns) == list(frame.columns)
    for key in ("value", "low", "high", "standard_error", "trials", "stragglers.p"):
        np.testing.assert_array_equal(read[key].astype(float), frame[key].astype(float))
    for key in ("experiment", "quantity", "statistic", "method"):
        assert read[key].tolist() == frame[key].tolist() == [row[key] for row in rows]
    back = pandas.read_json(io.StringIO(report.as_json(rows)), precise_float=True)
    assert back["value"].tolist() == [row["value"] for row in rows]


@pytest.mark.parametrize("package", ["xarray", "pandas"])
def test_without_the_package_a_sentence_says_how_to_get_it(result, monkeypatch, package):
    monkeypatch.setitem(sys.modules, package, None)
    with pytest.raises(FastgcError, match=rf"pip install 'fastgc-sim\[{package}\]'"):
        getattr(result, f"to_{package}")()
