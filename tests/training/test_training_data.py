"""Data that models learn from: made, from scikit-learn, from files, and what is refused."""

import builtins
import io
import json
import tomllib
import zipfile
from importlib import util

import numpy as np
import pytest

from fastgc import registry
from fastgc.draws.streams import normals
from fastgc.errors import FastgcError
from fastgc.registry import arrays, toml
from fastgc.registry.complaints import check, lines
from fastgc.registry.given import plain
from fastgc.registry.tables import INDEX
from fastgc.training import problems
from fastgc.training.data import files, preparing, scikit
from fastgc.training.data.data import Raw
from fastgc.training.problems import Linear, Logistic, Softmax

needs_scikit = pytest.mark.skipif(util.find_spec("sklearn") is None, reason="needs scikit-learn")


class Study(registry.Table):
    problem: registry.union("problem")


def problem(folder=None, carried=None, **table):
    """A problem as a study reads it, with its files in ``folder`` or carried."""
    context = {"files": carried or {}} | ({"folder": folder} if folder else {})
    study, found = check(Study, {"problem": table}, context)
    if study is None:
        raise FastgcError("\n".join(lines(found)))
    return study.problem


def complaint(folder=None, **table):
    with pytest.raises(FastgcError) as caught:
        problem(folder, **table)
    (line,) = str(caught.value).splitlines()
    return line


# --- made ----------------------------------------------------------------------------------------


def test_normal_numbers_are_normal():
    found = normals(1, "a test", 200_001)
    assert found.mean() == pytest.approx(0, abs=0.01)
    assert found.var() == pytest.approx(1, abs=0.02)
    assert (found**4).mean() == pytest.approx(3, abs=0.1)
    ranks = np.sort(np.abs(found))
    assert ranks[int(0.95 * found.size)] == pytest.approx(1.96, abs=0.02)
    assert abs((found[1:] * found[:-1]).mean()) < 0.01


def test_normal_numbers_are_named_by_seed_and_purpose():
    assert (normals(1, "a", 70_000)[:9] == normals(1, "a", 9)).all()
    assert (normals(1, "a", 9) != normals(1, "b", 9)).any()
    assert (normals(1, "a", 9) != normals(2, "a", 9)).any()
    assert normals(1, "a", 0).size == 0


def test_synthetic_linear_data_are_those_of_codedreduce():
    data = Linear(samples=4000, features=5, noise=0.5).load()
    noise = data.y - data.X @ data.best
    assert noise.std() == pytest.approx(0.5, rel=0.05)
    assert data.X.std() == pytest.approx(1.0, rel=0.02)
    assert data.X.shape == (4000, 5) and data.X.flags.c_contiguous and data.classes == 0
    exact = Linear(samples=20, features=5, noise=0.0).load()
    np.testing.assert_allclose(exact.y, exact.X @ exact.best, atol=1e-13)


def test_more_samples_begin_with_the_same_ones():
    few, many = (Linear(samples=N, features=3).load() for N in (10, 50))
    assert (many.X[:10] == few.X).all() and (many.y[:10] == few.y).all()
    assert (Linear(samples=10, features=3, seed=2).load().X != few.X).any()


def test_the_same_data_everywhere():
    data = Linear(samples=3, features=2).load()
    assert [x.hex() for x in data.X[0]] == ["0x1.61d36e055a735p-3", "0x1.43219c279a1c8p+0"]
    assert data.y[2].hex() == "-0x1.db1c950a344aap-1"


def test_an_intercept_comes_last_and_belongs_to_the_true_model():
    data = Linear(samples=30, features=2, noise=0.0, intercept=True).load()
    assert data.X.shape == (30, 3) and (data.X[:, 2] == 1).all()
    np.testing.assert_allclose(data.y, data.X @ data.best, atol=1e-13)


def test_synthetic_classes():
    signs = Logistic(samples=500, features=3, noise=0.0).load()
    assert set(signs.y.tolist()) == {-1.0, 1.0} and signs.classes == 0
    data = Softmax(samples=500, features=6, classes=5).load()
    assert data.classes == 5 and set(data.y.tolist()) == {0, 1, 2, 3, 4}
    assert Softmax(samples=50, features=6).load().classes == 3


# --- scikit-learn --------------------------------------------------------------------------------


@pytest.mark.night
@needs_scikit
@pytest.mark.parametrize("name", scikit.SETS)
def test_facts_of_the_sets_are_true(name):
    raw, facts = scikit.read(name), scikit.SETS[name]
    assert raw.X.shape == (facts.samples, facts.features)
    if facts.classes:
        assert set(raw.y.tolist()) == set(range(facts.classes))


@pytest.mark.night
@needs_scikit
def test_diabetes_is_cut_at_its_median_for_logistic_regression():
    raw = scikit.read("diabetes")
    data = Logistic(data="diabetes").load()
    assert ((data.y == 1) == (raw.y > np.median(raw.y))).all()
    assert (Linear(data="diabetes").load().y == raw.y).all()
    assert set(Linear(data="diabetes", binarize=200.0).load().y.tolist()) == {-1.0, 1.0}


@pytest.mark.night
@needs_scikit
def test_real_data_are_standardized_and_get_an_intercept():
    data = Softmax(data="iris").load()
    assert data.X.shape == (150, 5) and data.classes == 3 and data.best is None
    np.testing.assert_allclose(data.X[:, :4].mean(axis=0), 0, atol=1e-13)
    np.testing.assert_allclose(data.X[:, :4].std(axis=0), 1)
    assert (data.X[:, 4] == 1).all()
    plain_data = Softmax(data="iris", standardize=False, intercept=False).load()
    assert (plain_data.X == scikit.read("iris").X).all()


@pytest.mark.night
@needs_scikit
def test_labels_choose_and_number_the_classes():
    raw = scikit.read("iris")
    data = Logistic(data="iris", labels=(2, 0)).load()
    assert data.samples == 100
    assert ((data.y == 1) == (raw.y[raw.y != 1] == 0)).all()
    classes = Softmax(data="digits", labels=(7, 1, 3), samples=300).load()
    assert classes.classes == 3 and classes.samples == 300


@pytest.mark.night
@needs_scikit
def test_a_random_order_keeps_samples_with_their_targets():
    given, mixed = (
        Softmax(data="iris", order=order, standardize=False).load() for order in ("given", "random")
    )
    rows = sorted(zip(mixed.X.tolist(), mixed.y.tolist(), strict=True))
    assert rows == sorted(zip(given.X.tolist(), given.y.tolist(), strict=True))
    assert len(set(mixed.y[:50].tolist())) == 3 and not given.y[:50].any()
    other = Softmax(data="iris", order="random", standardize=False, seed=2).load()
    assert (other.X != mixed.X).any()


@pytest.mark.night
@needs_scikit
def test_distances_are_measured_from_the_least_squares():
    data = Linear(data="digits").load()
    np.testing.assert_allclose(data.best, np.linalg.pinv(data.X) @ data.y, rtol=1e-8, atol=1e-11)


@pytest.mark.night
@needs_scikit
@pytest.mark.parametrize(
    ("table", "sentence"),
    [
        ({"model": "logistic", "data": "iris"}, "problem: logistic regression needs two classes"),
        ({"model": "softmax", "data": "diabetes"}, "problem: diabetes has no classes for"),
        ({"model": "softmax", "data": "iris", "labels": [0, 3]}, "problem.labels: iris has the"),
        ({"model": "softmax", "data": "iris", "labels": [0, 0]}, "problem.labels: must name each"),
        (
            {"model": "linear", "data": "diabetes", "labels": [0, 1]},
            "problem.labels: diabetes has no classes to choose; binarize makes two (got [0, 1])",
        ),
        ({"model": "softmax", "data": "iris", "samples": 151}, "problem.samples: iris has 150"),
        (
            {"model": "softmax", "data": "iris", "binarize": 0.5},
            "problem.binarize: goes with linear and logistic only, whose targets it makes −1 and "
            "+1; choose classes by labels (got 0.5)",
        ),
        ({"model": "softmax", "data": "iris", "classes": 3}, "problem.classes: goes with data ="),
    ],
)
def test_mistakes_with_the_sets(table, sentence):
    assert complaint(**table).startswith(sentence)


def test_a_missing_extra_is_named(monkeypatch):
    monkeypatch.setattr(scikit, "installed", lambda: False)
    assert complaint(model="softmax", data="iris") == (
        "problem.data: iris comes with scikit-learn, which is not installed; install the extra "
        "data: pip install 'fastgc-sim[data]'"
    )


@pytest.mark.night
@needs_scikit
def test_results_are_looked_at_without_the_extra(monkeypatch):
    carried = plain(problem(model="softmax", data="iris").files())[0]
    monkeypatch.setattr(scikit, "installed", lambda: False)
    there = problem(model="softmax", data="iris", samples=77, carried=carried)
    assert not there.available and there.files() == carried


def test_scikit_learn_is_not_imported_before_it_is_needed(monkeypatch):
    real = builtins.__import__

    def refuse(name, *args, **kwargs):
        assert not name.startswith("sklearn")
        return real(name, *args, **kwargs)

    monkeypatch.setattr(scikit, "installed", lambda: True)
    monkeypatch.setattr(builtins, "__import__", refuse)
    assert problem(model="softmax", data="iris").available


# --- files ---------------------------------------------------------------------------------------

TABLE = """# three features and what they are worth
"rooms","age",near,price
6.5,65.2,1,24
6.4,78.9,0,21.6

7.2,61.1,1,34.7
7.0,45.8,0,33.4
"""


@pytest.fixture
def table(tmp_path):
    (tmp_path / "houses.csv").write_text(TABLE)
    return tmp_path


def houses(folder, **more):
    return problem(folder, **{"model": "linear", "data": "file", "file": "houses.csv"} | more)


def test_a_csv(table):
    data = houses(table, target="price", standardize=False).load()
    assert data.X[:, :3].tolist() == [[6.5, 65.2, 1], [6.4, 78.9, 0], [7.2, 61.1, 1], [7, 45.8, 0]]
    assert data.y.tolist() == [24, 21.6, 34.7, 33.4] and (data.X[:, 3] == 1).all()
    some = houses(table, target="price", columns=["near", "rooms"], standardize=False).load()
    assert some.X[:, :2].tolist() == [[1, 6.5], [0, 6.4], [1, 7.2], [0, 7]]
    split = houses(table, target="price", model="logistic", binarize="median").load()
    assert split.y.tolist() == [-1, -1, 1, 1]
    low = houses(table, target="near", model="logistic").load()
    assert low.y.tolist() == [1, -1, 1, -1]


def test_names_of_classes(tmp_path):
    (tmp_path / "f.csv").write_text("size,kind\n1,setosa\n2,virginica\n3,setosa\n4,versicolor\n")
    keys = {"data": "file", "file": "f.csv", "target": "kind"}
    data = problem(tmp_path, model="softmax", **keys).load()
    assert data.y.tolist() == [0, 2, 0, 1] and data.classes == 3
    two = problem(tmp_path, model="logistic", labels=["virginica", "setosa"], **keys).load()
    assert two.y.tolist() == [1, -1, 1]
    assert complaint(tmp_path, model="linear", **keys).startswith(
        "problem: f.csv: targets must be numbers (got 'setosa'); names of classes go with"
    )
    assert complaint(tmp_path, model="softmax", labels=["setosa", "virginca"], **keys) == (
        "problem.labels: f.csv has no target 'virginca'; did you mean 'virginica'?"
    )
    assert complaint(tmp_path, model="softmax", labels=[1, 2], **keys) == (
        "problem.labels: f.csv has no target 1; it has setosa, versicolor, virginica"
    )


def test_npz_files(tmp_path):
    rng = np.random.default_rng(1)
    images, labels = rng.integers(0, 256, (12, 2, 3), np.uint8), np.arange(12) % 3
    np.savez(tmp_path / "images.npz", images=images, labels=labels.astype(np.uint8))
    keys = {"data": "file", "file": "images.npz", "model": "softmax"}
    data = problem(tmp_path, standardize="range", **keys).load()
    assert data.classes == 3 and data.y.tolist() == labels.tolist()
    np.testing.assert_allclose(data.X[:, :6], images.reshape(12, 6) / images.max())
    assert problem(tmp_path, x="images", y="labels", **keys).load().y.tolist() == labels.tolist()
    np.savez(tmp_path / "own.npz", inputs=images.reshape(12, 6), out=labels[:, np.newaxis])
    own = problem(tmp_path, x="inputs", y="out", **keys | {"file": "own.npz"}).load()
    assert own.y.tolist() == labels.tolist()
    assert complaint(tmp_path, **keys | {"file": "own.npz"}) == (
        "problem.x: must name an array of own.npz (got nothing); it has inputs, out"
    )
    assert complaint(tmp_path, **keys | {"file": "own.npz", "x": "input"}) == (
        "problem.x: own.npz has no array 'input'; did you mean 'inputs'?"
    )


def test_constant_features_become_zero():
    X = np.array([[0.1, 1.0], [0.1, 2.0], [0.1, 4.0]])
    scaled = preparing.scale(X, True)
    assert not scaled[:, 0].any() and scaled[:, 1].std() == pytest.approx(1)
    assert (preparing.scale(np.zeros((2, 2)), "range") == 0).all()


@pytest.mark.parametrize(
    ("text", "keys", "sentence"),
    [
        (TABLE, {}, "target: must name the column of t.csv that is to be learnt (got nothing); "),
        (TABLE, {"target": "prize"}, "t.csv has no column 'prize'; did you mean 'price'?"),
        (TABLE, {"target": "q"}, "t.csv has no column 'q'; it has rooms, age, near, price"),
        (TABLE, {"target": "price", "columns": ["room"]}, "t.csv has no column 'room'; did you"),
        (
            TABLE,
            {"target": "price", "columns": ["age", "price"]},
            "columns: 'price' is the target; leave it out",
        ),
        (TABLE, {"target": "price", "y": "price"}, "y: names an array of an npz, t.csv is a csv;"),
        ("a,b\n1,2\nsmall,3\n", {"target": "b"}, "t.csv: line 3, column 'a': must be a number"),
        ("a,b\n1,2\nnan,3\n", {"target": "b"}, "t.csv: line 3, column 'a': must be finite (got"),
        ("a,b\n1,2\n2,\n", {"target": "b"}, "t.csv: line 3, column 'b': is empty; leave out"),
        ("a,b\n1,2\n2,inf\n", {"target": "b"}, "t.csv: line 3, column 'b': must be finite (got"),
        ("", {"target": "b"}, "t.csv is empty; its first line must name the columns"),
        ("a,b\n", {"target": "b"}, "t.csv has a line of names but no samples"),
        ("1,2\n3,4\n", {"target": "b"}, "t.csv: its first line must name the columns (got only"),
        ("a,b\n1\n", {"target": "b"}, "t.csv: line 2: must have 2 cells like the first line (got"),
        ("a,a\n1,2\n", {"target": "a"}, "t.csv: two columns are called 'a'; rename one"),
        ('a,b\n"1,2\n', {"target": "a"}, "t.csv: line 2: is no csv ("),
        ("b\n1\n", {"target": "b"}, "t.csv: has no column beside the target 'b'"),
        (TABLE, {"target": "price", "samples": 5}, "samples: t.csv has 4 samples (got 5)"),
        (TABLE, {"target": "price", "columns": ["age", "age"]}, "columns: must name each column"),
        ("a,b\n1,2\n3,x\n", {"target": "b"}, "t.csv: line 3, column 'b': must be a number (got"),
        (",a,b\n0,5,2\n1,5,3\n", {"target": "b"}, f"t.csv: column 0 (counted from 0) {INDEX}"),
        ('a,b\n"0,5",2\n', {"target": "b"}, "t.csv: line 2, column 'a': must be a number (got"),
        ("a;b\n1;2\n", {"target": "b"}, "t.csv: separates columns by ';'; separate by commas"),
        ("a\tb\n1\t2\n", {"target": "b"}, "t.csv: separates columns by '\\t'; separate by commas"),
        (TABLE, {"target": "price", "standardize": "rng"}, "standardize: must be true or false"),
        (TABLE, {"target": "price", "binarize": "medium"}, "binarize: must be a number or"),
    ],
)
def test_mistakes_in_a_csv(tmp_path, text, keys, sentence):
    (tmp_path / "t.csv").write_text(text)
    found = complaint(tmp_path, model="linear", data="file", file="t.csv", **keys)
    keyed = sentence.partition(": ")[0] in Linear.model_fields
    assert found.startswith(f"problem.{sentence}" if keyed else f"problem: {sentence}")


@pytest.mark.parametrize(
    ("cells", "labels", "rest"),
    [
        ("3,1", ["3", "1"], "'3', whose targets are numbers; write 3 without quotes"),
        ("a,b", ["a", 1], "1; it has a, b"),
    ],
)
def test_labels_of_the_other_kind(tmp_path, cells, labels, rest):
    first, second = cells.split(",")
    (tmp_path / "t.csv").write_text(f"x,y\n1,{first}\n2,{second}\n")
    found = complaint(
        tmp_path, model="softmax", data="file", file="t.csv", target="y", labels=labels
    )
    assert found == f"problem.labels: t.csv has no target {rest}"


def test_numbers_for_targets_that_are_text(tmp_path):
    np.savez(tmp_path / "t.npz", X=np.eye(2), y=np.array(["1", "2"]))
    found = complaint(tmp_path, model="softmax", data="file", file="t.npz", labels=[1, 2])
    assert found == ('problem.labels: t.npz has no target 1, whose targets are text; write "1"')


@pytest.mark.parametrize(
    ("model", "targets", "sentence"),
    [
        ("softmax", [0, 2.5], "targets must be class numbers from 0 to at most 999 (got 2.5 in"),
        ("softmax", [0, -1], "targets must be class numbers from 0 to at most 999 (got -1 in"),
        ("softmax", [0, 1000], "targets must be class numbers from 0 to at most 999 (got 1000 in"),
        ("softmax", [1, 2], "targets go up to 2 but none is 0; list those that there are as"),
        ("softmax", [1, 1], "all targets are 1, and two classes are needed; take more samples"),
        ("logistic", [1, 2, 3], "logistic regression needs targets of two values (got 3); choose"),
        ("logistic", [1], "logistic regression needs targets of two values (got 1); choose"),
    ],
)
def test_labels_out_of_range(tmp_path, model, targets, sentence):
    rows = "".join(f"1,{y}\n" for y in targets)
    (tmp_path / "t.csv").write_text(f"a,b\n{rows}")
    found = complaint(tmp_path, model=model, data="file", file="t.csv", target="b")
    assert found.startswith(f"problem: t.csv: {sentence}")


def test_a_threshold_that_parts_nothing(table):
    found = complaint(
        table, model="linear", data="file", file="houses.csv", target="price", binarize=99
    )
    assert found == (
        "problem.binarize: all targets of houses.csv are at or below 99; choose a threshold from "
        "21.6 to below 34.7"
    )


@pytest.mark.parametrize(
    ("arrays", "sentence"),
    [
        ({"X": np.ones(3), "y": np.ones(3)}, "X must be numbers, samples × features (got one"),
        ({"X": np.ones((3, 2)), "y": np.ones(2)}, "y must hold 3 targets like X (got 2)"),
        ({"X": np.ones((3, 2)), "y": np.ones((3, 2))}, "y must hold 3 targets like X (got 3 × 2)"),
        ({"X": np.ones((0, 2)), "y": np.ones(0)}, "X is empty"),
        ({"X": np.full((3, 2), np.nan), "y": np.ones(3)}, "X must be finite (got nan in sample 0)"),
        ({"X": np.ones((3, 2)), "y": np.array([1, np.inf, 1])}, "y must be finite (got inf in"),
        ({"X": np.ones((3, 2), complex), "y": np.ones(3)}, "X must hold real numbers (got complex"),
        ({"X": np.full((3, 2), "a"), "y": np.ones(3)}, "X must be numbers, samples × features"),
    ],
)
def test_mistakes_in_an_npz(tmp_path, arrays, sentence):
    np.savez(tmp_path / "a.npz", **arrays)
    found = complaint(tmp_path, model="linear", data="file", file="a.npz")
    assert found.startswith(f"problem: a.npz: {sentence}")


def test_files_that_cannot_be_read(tmp_path):
    def said(path, **keys):
        return complaint(tmp_path, model="linear", data="file", file=path, **keys)

    np.savez(tmp_path / "objects.npz", X=np.array([[{}]], object), y=np.ones(1))
    np.savez(tmp_path / "whole.npz", X=np.ones((99, 9)), y=np.ones(99))
    (tmp_path / "cut.npz").write_bytes((tmp_path / "whole.npz").read_bytes()[:-100])
    (tmp_path / "text.npz").write_text("no archive")
    with (tmp_path / "one.npz").open("wb") as stream:
        np.save(stream, np.ones(3))
    (tmp_path / "folder.npz").mkdir()
    (tmp_path / "folder.csv").mkdir()
    (tmp_path / "latin.csv").write_bytes("a,b\né,1\n".encode("latin-1"))
    assert said("none.npz") == f"problem: there is no file {tmp_path / 'none.npz'}"
    assert said("none.csv", target="b") == f"problem: there is no file {tmp_path / 'none.csv'}"
    assert said("objects.npz") == "problem: objects.npz holds Python objects; save numbers"
    broken = "is not a NumPy .npz file, or is cut short"
    assert said("cut.npz") == f"problem: cut.npz {broken}"
    assert said("text.npz") == f"problem: text.npz {broken}"
    assert said("one.npz").startswith("problem: one.npz holds one array; save features and")
    assert said("folder.npz") == "problem: folder.npz is a directory; name a file in it"
    assert said("folder.csv", target="b").startswith("problem: folder.csv is a directory; name a")
    assert said("latin.csv", target="b").startswith("problem: latin.csv is not UTF-8 text")
    assert said("a.txt") == "problem.file: must end in .csv or .npz (got 'a.txt')"
    assert said("whole.npz", target="b") == (
        "problem.target: names columns of a csv, whole.npz is an npz; use x and y"
    )
    assert complaint(model="linear", data="file").startswith("problem.file: must name a csv or npz")


def test_a_large_array_is_refused_before_it_is_used(tmp_path, monkeypatch):
    monkeypatch.setattr(files, "LARGEST", 5)
    np.savez(tmp_path / "a.npz", X=np.ones((3, 2)), y=np.ones(3))
    found = complaint(tmp_path, model="linear", data="file", file="a.npz")
    assert found == "problem: a.npz: X must hold at most 5 numbers (got 6)"


# --- what results carry --------------------------------------------------------------------------


def carried_by(member):
    """What a file of results holds, after it has been through TOML."""
    return tomllib.loads(toml.dumps({"files": plain(member.files())[0]}))["files"]


def test_small_files_are_carried(table, tmp_path):
    np.savez(tmp_path / "a.npz", X=np.arange(6.0).reshape(3, 2) / 7, y=np.array(["a", "b", "a"]))
    whole = {
        "houses.csv": {"model": "linear", "data": "file", "file": "houses.csv", "target": "price"},
        "a.npz": {"model": "softmax", "data": "file", "file": "a.npz"},
    }
    for path, keys in whole.items():
        there = problem(tmp_path, **keys)
        carried = carried_by(there)
        (tmp_path / path).unlink()
        again = problem(tmp_path, carried=carried, **keys)
        assert (again.load().X == there.load().X).all()
        assert again.identity() == there.identity() and again.available
        assert carried_by(again) == carried


def test_of_large_files_only_what_they_were(table, monkeypatch):
    monkeypatch.setattr(files, "LARGEST_CARRIED", 10)
    keys = {"model": "linear", "data": "file", "file": "houses.csv", "target": "age"}
    there = problem(table, **keys)
    carried = carried_by(there)
    (known,) = carried.values()
    assert known.keys() == {"samples", "features", "sha256"}
    other = problem(table, **keys | {"target": "price"})
    assert problem(table, carried=carried | carried_by(other), **keys).available
    again = problem(table, carried=carried, **keys)
    assert again.available and again.load() is there.load()
    monkeypatch.setattr(problems, "_loaded", {})
    for change in (True, False):
        (table / "houses.csv").unlink()
        if change:
            (table / "houses.csv").write_text(TABLE + "1,2,3,4\n")
        gone = problem(table, carried=carried, **keys)
        assert not gone.available and gone.identity() == there.identity()
        assert carried_by(gone) == carried
        with pytest.raises(FastgcError, match=r"^houses\.csv: is missing or has changed since"):
            gone.load()


def test_a_carried_file_must_be_what_it_says():
    keys = {"model": "linear", "data": "file"}
    with pytest.raises(FastgcError, match=r"files: 'a\.npz' must be a table of arrays"):
        problem(carried={"a.npz": "text"}, file="a.npz", **keys)
    with pytest.raises(FastgcError, match=r"files: 'a\.csv' must be the text of a csv table"):
        problem(carried={"a.csv": 5}, file="a.csv", target="b", **keys)


def test_another_word_for_the_key_of_a_file_is_known():
    table = {"model": "linear", "data": "file", "path": "houses.csv", "target": "price"}
    _, wrong = check(Linear, table)
    assert any(line.startswith("path: unknown key; did you mean 'file'?") for line in lines(wrong))


def test_a_file_counts_by_its_content(table, tmp_path):
    first = houses(table, target="price")
    X, y = first._raw().X, first._raw().y
    np.savez(tmp_path / "same.npz", X=X, y=y)
    other = problem(tmp_path, model="linear", data="file", file="same.npz")
    assert first.identity() == other.identity()
    assert '"file":' not in json.dumps(first.identity())
    assert houses(table, target="age").identity() != first.identity()
    assert houses(table, target="price", samples=3).identity() != first.identity()


def test_digests_know_text_from_numbers():
    X = np.ones((2, 1))
    numbers = Raw("a", X, np.array([0.0, 1.0]))
    assert numbers.digest == Raw("b", X, np.array([-0.0, 1.0])).digest
    assert numbers.digest != Raw("a", X, np.array(["0", "1"])).digest


# --- features whose squares are no float64 --------------------------------------------------------

FEATURES = np.array([[1.0, 5.0], [2.0, 5.0], [4.0, -3.0], [-8.0, 0.5]])


def test_features_have_mean_0_and_variance_1():
    made = preparing.scale(FEATURES, True)
    assert np.abs(made.mean(axis=0)).max() < 1e-15
    assert np.abs(made.var(axis=0) - 1).max() < 1e-14


@pytest.mark.parametrize("exponent", [-1000, -700, -300, 300, 700, 1015])
def test_a_power_of_two_changes_no_bit(exponent):
    made = preparing.scale(np.ldexp(FEATURES, [exponent, 0]), True)
    assert made.tobytes() == preparing.scale(FEATURES, True).tobytes()


def test_a_constant_feature_is_0():
    assert not preparing.scale(np.full((3, 2), 1e308), True).any()


# --- npz that are far larger than their file, or say so -------------------------------------------


def header(shape):
    stream = io.BytesIO()
    said = {"descr": "<f8", "fortran_order": False, "shape": shape}
    np.lib.format.write_array_header_1_0(stream, said)
    return stream.getvalue()


def packed(path, X):
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as file:
        file.writestr("X.npy", X)
        file.writestr("y.npy", header((2,)) + bytes(16))
    with pytest.raises(FastgcError) as caught:
        files.read_npz(str(path), {}, None, None)
    return str(caught.value)


def test_a_bomb_is_not_unpacked(tmp_path, monkeypatch):
    monkeypatch.setattr(arrays, "MOST_SMALL", 10**6)
    path = tmp_path / "a.npz"
    said = packed(path, header((2, 10**6)) + bytes(16 * 10**6))
    assert f"X has 16000128 bytes of a file of {path.stat().st_size}" in said
    # as large as the file: its numbers pack badly
    rng = np.random.default_rng(1)
    np.savez_compressed(path, X=rng.random((2, 10**5)), y=np.ones(2))
    assert files.read_npz(str(path), {}, None, None).X.shape == (2, 10**5)


@pytest.mark.parametrize("shape", [(2, 10**11), (10**6, 10**6), (2, 3)])
def test_a_header_that_promises_more_than_there_is(tmp_path, shape):
    said = packed(tmp_path / "a.npz", header(shape) + bytes(16))
    assert said.endswith("is not a NumPy .npz file, or is cut short")
