"""Files of results as their readers' own programs see them: the same numbers, to the last bit.

One run, its merged shards and one validation are read by h5ls, h5dump, ncdump, GNU Octave, xarray
and pandas; the lines of the handbook run as they stand there.
"""

import json
import re
from collections import Counter, defaultdict

import numpy as np
import pytest

import fastgc
from conftest import COMMAND, ROOT, program, ran
from fastgc.results.frames import identifier
from suite.checks import close
from suite.studies import descent, groups, ring

pytestmark = pytest.mark.night

FRC = groups(name="frc", code={"family": "frc", "n": 20, "d": 5}, method="both") | {
    "measure": ["error", "exact", "survivors"],
    **{"quantiles": [0.5], "thresholds": [1.0], "sweep": {"stragglers.p": [0.1, 0.2, 0.3]}},
}
SWEEP = {"shuffle": ["none", "cyclic"], "stragglers.p": [0.1, 0.3]}
RING = ring(p=0.3, name="a small ring", iterations=2, sweep=SWEEP)
TREE = {"name": "tree", "kind": "completion", "method": "monte-carlo", "quantiles": [0.99]} | {
    "system": {"family": "coded-reduce", "n": 3, "layers": 2, "s": 1},
    "latency": {"distribution": "exponential", "shift": 1.0, "mean": 0.5},
}
DESCENT = descent(4, 40, 3, 5) | {"measure": ["loss"]}
STUDY = {"title": "Read – by others", "seed": 7, "experiment": [FRC, RING, TREE, DESCENT]}
CLAIMS = ["agc.remark2.corrected", "binary.stability.float32.derived"]
TRIALS = 400


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("others")
    fastgc.run(STUDY, out=folder / "result.h5", trials=TRIALS)
    parts = [folder / f"part{own}.h5" for own in range(2)]
    for own, part in enumerate(parts):
        fastgc.run(STUDY, out=part, trials=TRIALS, batch=fastgc.runs.Batch(shard=(own, 2)))
    fastgc.runs.merge(parts, folder / "merged.h5")
    fastgc.validate(CLAIMS, out=folder / "claims.h5", trials=2_000)
    return folder


@pytest.fixture(scope="module")
def rows(folder):
    """What ``fastgc show --json`` prints of the run, and the rows of the other files."""
    shown = run([*COMMAND, "show", "result.h5", "--json"], folder)
    opened = {name: fastgc.open(folder / name).rows() for name in ("merged.h5", "claims.h5")}
    return {"result.h5": json.loads(shown)} | opened


def run(command, folder):
    done = ran(*command, cwd=folder)
    assert done.returncode == 0, done.stderr
    return done.stdout


def block(language, heading):
    """Code of this language below this heading of the handbook's page on the file."""
    text = (ROOT / "fastgc" / "handbook" / "file.md").read_text()
    [section] = re.findall(rf"^## {heading}\n(.*?)(?:^## |\Z)", text, re.DOTALL | re.MULTILINE)
    [found] = re.findall(rf"```{language}\n(.*?)```", section, re.DOTALL)
    return found


def lines(name):
    """Lines that begin with this program in the page's shell commands."""
    return [line for line in block("sh", "The shell").splitlines() if line.split()[0] == name]


def exact_error(rows, p):
    [value] = [
        row["value"]
        for row in rows["result.h5"]
        if (row["experiment"], row["quantity"], row["statistic"], row["method"])
        == ("frc", "error", "mean", "exact")
        and row["point"] == {"stragglers.p": p}
    ]
    assert value == close(20 * p**5)
    return value


def expected(rows):
    """All numbers that rows name: by group and variable, an array by point and perhaps index."""
    points, indices, turns, arrays = defaultdict(dict), defaultdict(dict), Counter(), {}
    for row in rows:
        points[row["experiment"]].setdefault(json.dumps(row["point"]), None)
        if row["index"] is not None:
            indices[row["experiment"], row["quantity"]].setdefault(row["index"], None)
    for row in rows:
        experiment, point = row["experiment"], json.dumps(row["point"])
        name = identifier(f"{row['quantity']} {row['statistic']} {row['method']}")
        address = experiment, name, point, row["index"]
        turns[address] += 1
        if turns[address] > 1:
            name += f"_{turns[address]}"
        known = list(indices[experiment, row["quantity"]])
        shape = len(points[experiment]), *([len(known)] if known else [])
        at = list(points[experiment]).index(point)
        at = (at, known.index(row["index"])) if known else at
        parts = {"": "value"}
        if row["method"] == "monte-carlo" and row["statistic"] == "mean":
            parts |= {f"_{part}": part for part in ("standard_error", "low", "high")}
        if row.get("relation"):
            parts["_theory"] = "theory"
        for suffix, part in parts.items():
            place = experiment.replace(" ", "_"), name + suffix
            array = arrays.setdefault(place, np.full(shape, np.nan))
            array[at] = np.nan if row[part] is None else row[part]
    assert arrays
    return arrays


def same(found, wanted):
    assert found.dtype == np.float64 and found.shape == wanted.shape
    np.testing.assert_array_equal(found, wanted)


FILES = ["result.h5", "merged.h5", "claims.h5"]


# ---- the shell


def test_h5ls_h5dump_and_ncdump_as_the_handbook_says(folder, rows):
    truth = [exact_error(rows, p) for p in (0.1, 0.2, 0.3)]
    listed, dumped, dump = (
        run(["bash", "-c", line], folder)
        for name in ("h5ls", "h5dump", "ncdump")
        if program(name)
        for line in lines(name)
    )
    assert "\\" not in listed, "h5ls escapes blanks"
    sizes = dict(re.findall(r"^/(\S+)\s+Dataset \{(.*)\}$", listed, re.MULTILINE))
    assert sizes["frc/stragglers_p"] == "3" and sizes["descent/loss_mean_monte_carlo"] == "1, 6"
    for (group, name), array in expected(rows["result.h5"]).items():
        assert sizes[f"{group}/{name}"] == ", ".join(map(str, array.shape))
    [values] = re.findall(r"DATA \{\n(.*?)\}", dumped.split("ATTRIBUTE")[0], re.DOTALL)
    assert [float(text) for text in re.sub(r"\(\d+\):", "", values).split(",")] == truth
    assert '"partitions"' in dumped and '"error mean exact"' in dumped
    study = run(["h5dump", "-d", "/study", "claims.h5"], folder)
    assert "STRPAD H5T_STR_NULLTERM" in study
    dump = " ".join(dump.split())
    [values] = re.findall(r" error_mean_exact = ([^;]*) ;", dump)
    assert list(map(float, values.split(","))) == truth
    for said in (
        "double survivors_mean_exact(point, survivors_index) ;",
        'error_mean_exact:units = "partitions" ;',
        'error_mean_exact:coordinates = "stragglers_p" ;',
        'time_quantile_0_99_monte_carlo:units = "s" ;',
        'shuffle:flag_meanings = "none cyclic" ;',
    ):
        assert said in dump


# ---- GNU Octave


def octave(script, folder):
    (folder / "script.m").write_text(script)
    done = ran(program("octave-cli"), "script.m", cwd=folder)
    assert done.returncode == 0, done.stderr
    # Octave 7 says that it ends, whatever it ran
    assert not re.sub(r"error: ignoring const execution_exception.*", "", done.stderr).strip()
    return done.stdout


@pytest.mark.parametrize("name", FILES)
def test_octave_loads_the_whole_file(folder, rows, name):
    wanted = expected(rows[name])
    script = [f'r = load("{name}");']
    for (group, variable), array in wanted.items():
        path = f"r.results.{re.sub('[.-]', '_', group)}.{variable}" + "'" * (array.ndim == 1)
        script.append(f'printf("%.17g ", {path}); printf("\\n");')
    printed = octave("\n".join(script), folder).splitlines()
    for line, array in zip(printed, wanted.values(), strict=True):
        same(np.array([float(text) for text in line.split()]).reshape(array.shape), array)


def test_octave_as_the_handbook_says(folder, rows):
    script = block("octave", "GNU Octave") + 'printf("%.17g\\n", mean_error);\n'
    script += 'r = load("merged.h5"); ring = r.results.a_small_ring;\n'
    script += 'printf("%s\\n", strsplit(ring.shuffle_labels, "\\n"){ring.shuffle + 1});\n'
    script += 'printf("%s\\n", r.study);\n'
    said, *printed = octave(script, folder).splitlines()
    assert said.startswith("mean_error = 6.4000e-03")
    assert float(printed[0]) == exact_error(rows, 0.2)
    assert printed[1:5] == ["none", "none", "cyclic", "cyclic"]
    assert "Read – by others" in "\n".join(printed)


# ---- xarray, pandas, h5py


@pytest.mark.parametrize("engine", ["h5netcdf", "netcdf4"])
@pytest.mark.parametrize("name", FILES)
def test_xarray_has_every_number_as_an_attribute(folder, rows, name, engine):
    import xarray

    with xarray.open_datatree(folder / name, group="results", engine=engine) as tree:
        for (group, variable), array in expected(rows[name]).items():
            found = getattr(tree[group].to_dataset(), variable)
            same(found.values, array)
            assert found.dims[0] == "point"
            assert array.ndim == 1 or found.dims[1].endswith("_index")


@pytest.mark.parametrize("engine", ["h5netcdf", "netcdf4"])
def test_xarray_knows_swept_keys_and_units(folder, rows, engine):
    import xarray

    path = folder / "merged.h5"
    with xarray.open_dataset(path, group="results/frc", engine=engine) as frc:
        assert list(frc.error_mean_exact.coords) == ["point", "stragglers_p"]
        survivors = frc.survivors_mean_exact
        assert survivors.survivors_index.values.tolist() == list(range(21))
        assert survivors.attrs == {"long_name": "survivors mean exact", "units": "1"}
    with xarray.open_dataset(path, group="results/a_small_ring", engine=engine) as ring:
        grid = ring.set_index(point=["shuffle", "stragglers_p"]).unstack()
        for row in rows["merged.h5"]:
            named = row["experiment"], row["statistic"], row["method"]
            if named == ("a small ring", "mean", "monte-carlo"):
                at = {"shuffle": ["none", "cyclic"].index(row["point"]["shuffle"])}
                at["stragglers_p"] = row["point"]["stragglers.p"]
                assert grid.error_mean_monte_carlo.sel(at).item() == row["value"]
    with xarray.open_dataset(path, group="results/tree", engine=engine) as tree:
        assert tree.time_mean_monte_carlo.dtype == np.float64, "not a span of nanoseconds"


def test_python_as_the_handbook_says(folder, rows, monkeypatch):
    monkeypatch.chdir(folder)
    [line] = lines("fastgc")
    (folder / "rows.csv").write_text(run([*COMMAND, *line.split()[1:4]], folder))
    assert line.split()[4:] == [">", "rows.csv"]
    names = {}
    exec(block("python", "Python without fastgc"), names)
    assert names["mean_error"] == exact_error(rows, 0.2)
    assert names["frc"].error_mean_exact.units == "partitions"
    names["frc"].close()
    frame = names["rows"]
    for found in (frame, names["pandas"].DataFrame(fastgc.open("result.h5").rows())):
        assert len(found) == len(rows["result.h5"])
        for part in ("value", "standard_error", "low", "high"):
            wanted = [np.nan if row[part] is None else row[part] for row in rows["result.h5"]]
            same(found[part].to_numpy(float), np.array(wanted, float))
