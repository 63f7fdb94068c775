"""Studies: what they say, the points they sweep, and every complaint about them."""

import json
import tomllib
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fastgc import FastgcError, registry
from fastgc.errors import FastgcWarning
from fastgc.experiments.decoding.measures import MEASURES
from fastgc.registry import toml
from fastgc.study.examples import examples
from fastgc.study.packaged import packaged
from fastgc.study.points import override
from fastgc.study.study import Study
from suite import checks
from suite.checks import complaints, every

ONE: dict[str, Any] = {
    "kind": "decoding",
    "code": {"family": "frc", "n": 8, "d": 2},
    "stragglers": {"model": "iid", "p": 0.1},
}
NO_CODE = "must be a table, a matrix as a list of rows, or the name of a file"
WRITE = "write KEY=VALUE with a TOML value, like experiment.frc.code.d=4"
HEAD = '[[experiment]]\nname = "frc"\n'
CODE = 'code = { family = "frc", n = 8, d = 2 }\n'
IID = 'stragglers = { model = "iid", p = 0.1 }\n'
FRC = HEAD + CODE + IID
CODES = f"allowed: {', '.join(registry.members('code'))}"
KINDS = "allowed: completion, decoding, training"
KEYS = (
    "allowed: code, decoder, iterations, kind, measure, method, name, quantiles, rho, shuffle,"
    " stragglers, sweep, thresholds, variance_reduction"
)
OF_STUDIES = (
    "allowed: claim, common_random_numbers, defaults, experiment, files, measure, printed, ratio,"
    " seed, stop, title"
)
NONE = "missing; a study needs at least one [[experiment]]"


@pytest.fixture
def said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    """Complaints about a study file's text, less the file's name."""
    monkeypatch.chdir(tmp_path)

    def about(text: str | bytes) -> list[str]:
        Path("study.toml").write_bytes(text if isinstance(text, bytes) else text.encode())
        found = complaints(Study.parse, "study.toml")
        assert every(line.startswith("study.toml: ") for line in found)
        return [line.removeprefix("study.toml: ") for line in found]

    return about


# --- what a study says ---------------------------------------------------------------------------


def test_a_lone_experiment_the_studys_own_keys_and_defaults() -> None:
    study = Study.parse(ONE)
    (point,) = study.points()
    assert (point.experiment, point.sweep) == ("experiment1", {})
    assert point.table.code.build().name == "frc(n=8, d=2)"  # type: ignore[attr-defined]
    assert (study.seed, study.stop.trials, study.stop.events) == (1, 1_000_000, 100)
    assert (study.common_random_numbers, study.ratio, study.title) == (False, (), "")
    study = Study.parse({**ONE, "seed": 2**64 - 1, "stop": {"trials": 5}, "name": "mine"})
    assert (study.seed, study.stop.trials) == (2**64 - 1, 5)
    assert study.points()[0].experiment == "mine"
    plain = {key: value for key, value in ONE.items() if key != "kind"}
    study = Study.parse({"experiment": [plain, {**plain, "name": "b"}, plain]})
    assert [p.experiment for p in study.points()] == ["experiment1", "b", "experiment3"]
    assert study.points()[0].table.kind == "decoding"  # type: ignore[attr-defined]


def test_numpy_tuples_and_studies_are_taken_and_a_study_is_frozen() -> None:
    p = np.linspace(0, 0.5, 8)
    law = {"model": "iid", "p": p}
    study = Study.parse({**ONE, "stragglers": law, "quantiles": (0.5,), "seed": np.uint64(7)})
    table: Any = study.points()[0].table
    assert table.stragglers.p == tuple(p.tolist()) and table.quantiles == (0.5,)
    assert study.seed == 7 and Study.parse(study).identity() == study.identity()
    with pytest.raises(ValueError, match="frozen"):
        study.seed = 3


def test_sweep_is_the_grid_over_every_key_and_may_swap_whole_tables() -> None:
    sweep = {"code.d": [1, 2], "stragglers.p": [0.1, 0.2, 0.3]}
    points: list[Any] = Study.parse({**ONE, "sweep": sweep}).points()
    grid = [(d, p) for d in (1, 2) for p in (0.1, 0.2, 0.3)]
    assert [tuple(p.sweep.values()) for p in points] == grid
    assert [(p.table.code.d, p.table.stragglers.p) for p in points] == grid
    nested = {**ONE, "sweep": {"code": {"d": [1, 4]}}}
    assert [p.sweep for p in Study.parse(nested).points()] == [{"code.d": 1}, {"code.d": 4}]
    codes = [{"family": "uncoded", "n": 8}, {"family": "circulant", "n": 8, "d": 2}]
    points = Study.parse({**ONE, "sweep": {"code": codes}}).points()
    assert [p.table.code.family for p in points] == ["uncoded", "circulant"]


def test_changes_and_overrides() -> None:
    study = Study.parse(
        {"experiment": [{**ONE, "name": "frc"}, {**ONE, "name": "my one"}]},
        overrides=["experiment.frc.code.d=4", 'experiment."my one".shuffle=random',
                   'experiment.frc.sweep."stragglers.p"=[0.1, 0.2]', "stop.seconds = 2.5"],
        trials=77, seed=5, method="monte-carlo",
    )  # fmt: skip
    tables: list[Any] = [p.table for p in study.points()]
    assert [t.code.d for t in tables] == [4, 4, 2]
    assert tables[2].shuffle == "random" and {t.method for t in tables} == {"monte-carlo"}
    assert (study.stop.trials, study.stop.seconds, study.seed) == (77, 2.5, 5)
    assert Study.parse(tomllib.loads(study.text())).identity() == study.identity()


@pytest.mark.parametrize(("assignment", "sentence"), [
    *((bad, f"cannot read {bad!r}; {WRITE}") for bad in ("seed", "=3", "seed=", "seed=1\nx=2")),
    ("experiment.fcr.code.d=4",
     "experiment.fcr.code.d: unknown experiment 'fcr'; did you mean 'frc'? allowed: frc"),
    ("experiment.frc=4", "experiment.frc: is a whole experiment; name one of its keys"),
    ("experiment.frc.kind.x=4", "experiment.frc.kind.x: 'x' would stand inside what is no table"),
])  # fmt: skip
def test_bad_overrides(assignment: str, sentence: str) -> None:
    study = {"experiment": [{"name": "frc", "kind": "decoding"}]}
    assert checks.refusal(override, study, assignment) == sentence


def test_bad_overrides_are_listed_with_the_rest() -> None:
    assert complaints(Study.parse, ONE, overrides=["a", "seed=-1"], trials=0, method="exakt") == [
        f"study: cannot read 'a'; {WRITE}",
        "study: seed: must be at least 0 (got -1)",
        "study: stop.trials: must be at least 1 (got 0)",
        "study: method: must be 'auto', 'exact', 'monte-carlo', 'both' or 'rare' (got 'exakt');"
        " did you mean 'exact'?",
    ]


# --- packaged studies ----------------------------------------------------------------------------


@pytest.mark.night
def test_packaged_studies_are_sound() -> None:
    assert {"agc/main", "agc/shuffling"} <= set(packaged())
    for name in packaged():
        study = Study.parse(name)
        assert study.title and study.points()
        # what sets of data are is added to the text
        assert study.text().startswith(packaged()[name].read_text(encoding="utf-8"))


@pytest.mark.parametrize("name", examples())
def test_the_small_study_of_each_member_is_one(name: str) -> None:
    assert len(Study.parse(tomllib.loads(examples()[name])).points()) == 1


# --- identity ------------------------------------------------------------------------------------


def test_what_changes_a_points_numbers_and_a_studys_identity() -> None:
    def canonical(**changes: Any) -> str:
        study = Study.parse({**ONE, "name": "a", **changes})
        return study.canonical(study.points()[0])

    base = canonical()
    assert json.loads(base)["experiment"] == "a"
    assert canonical(title="x", seed=9, stop={"trials": 3}, measure=["exact"], quantiles=[0.5],
                     thresholds=[1], method="both") == base  # fmt: skip
    assert canonical(stragglers={"p": 0.1, "model": "iid"}, iterations=1) == base
    assert canonical(sweep={"stragglers.p": [0.1]}) == base
    law, code = {"model": "iid", "p": 0.2}, {"family": "frc", "n": 8, "d": 4}
    own: list[dict[str, Any]] = [{"code": code}, {"stragglers": law}, {"iterations": 2}]
    own += [{"shuffle": "random"}, {"name": "b"}]
    assert base not in [canonical(**change) for change in own]
    # a study's identity is all but title and stop
    identity = Study.parse(ONE).identity()
    assert Study.parse({**ONE, "title": "x", "stop": {"trials": 3}}).identity() == identity
    for change in ({"seed": 2}, {"measure": ["exact"]}, {"common_random_numbers": True}):
        assert Study.parse({**ONE, **change}).identity() != identity


def test_a_matrix_counts_by_its_content(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = tmp_path / "studies"
    folder.mkdir()
    (folder / "b.csv").write_text("1,0.5\n0,1\n")
    (folder / "study.toml").write_text(
        HEAD + 'code = { family = "matrix", file = "b.csv" } # beside the study\n' + IID
    )
    monkeypatch.chdir(tmp_path)
    study = Study.parse("studies/study.toml")
    rows = {"family": "matrix", "rows": [[1, 0.5], [-0.0, 1]]}
    written = Study.parse({**ONE, "name": "frc", "code": rows})
    assert study.canonical(study.points()[0]) == written.canonical(written.points()[0])
    assert study.identity() == written.identity()

    text = study.text()
    assert text.startswith((folder / "study.toml").read_text())
    (folder / "b.csv").write_text("1,0.25\n0,1\n")
    assert Study.parse(folder / "study.toml").identity() != study.identity()
    (folder / "b.csv").unlink()
    again = Study.parse(tomllib.loads(text))
    assert again.identity() == study.identity()
    assert Study.parse(tomllib.loads(again.text())).identity() == study.identity()


def test_swept_matrix_files_travel_with_the_text(tmp_path: Path) -> None:
    for name, entry in (("a.csv", 1), ("b.csv", 2)):
        (tmp_path / name).write_text(f"{entry}\n")
    (tmp_path / "study.toml").write_text(
        HEAD + 'code = { family = "matrix" }\n' + IID + 'sweep = {"code.file" = ["a.csv", "b.csv"]}'
    )
    study = Study.parse(tmp_path / "study.toml")
    (tmp_path / "a.csv").unlink()
    again = Study.parse(tomllib.loads(study.text()), trials=3)
    assert again.identity() == study.identity()
    matrices: list[Any] = [p.table for p in again.points()]
    assert [m.code.build().B.tolist() for m in matrices] == [[[1.0]], [[2.0]]]
    wrong = {"code": {"family": "matrix", "file": "x"}, "files": {"x": [[1, "a"]]}}
    assert complaints(Study.parse, ONE | wrong)


# --- complaints ----------------------------------------------------------------------------------


@pytest.mark.parametrize(("text", "lines"), [
    ('code = { family = "frc", n = 8, d = 3 }\n' + IID,
     ["code.d: must divide n (got n=8, d=3; 1, 2, 4 or 8 do)"]),
    ('code = { family = "fcr", n = 8, d = 2 }\n' + IID,
     [f"code.family: unknown family 'fcr'; did you mean 'frc'? {CODES}"]),
    ('kind = "completion"\nlatency = { distribution = "exponential", mean = 1.0 }\n'
         'system = { family = "batches", n = 4, batches = 2 }\n'
         'stragglers = { model = "deadline", latency = { distribution = "uniform", low = 1 } }',
         ["system.d: missing; add it (Chunks in a batch, 1 ≤ d ≤ n)",
          "system.batches: unknown key; allowed: d, deadline, family, load, n, placement, seed",
          "stragglers.deadline: missing; add it (Seconds, more than 0)",
          "stragglers.latency.high: missing; add it (Seconds, more than `low`)"]),
    ('code = { family = "matrix", file = "no.csv" }\n' + IID,
     ["code.file: there is no file no.csv"]),
    ('code = { family = "matrix" }\n' + IID, ["code: give either file or rows (got neither)"]),
    ('code = { family = "matrix", rows = [[1, nan]] }\n' + IID,
     ["code.rows[0][1]: must be finite (got nan)"]),
    *((f'{CODE}stragglers = {{ model = "iid", {keys} }}', lines) for keys, lines in (
            ('p = [0.1, -1, "y"]', ["stragglers.p[1]: must be at least 0 (got -1)",
                                    "stragglers.p[2]: must be a number (got 'y')"]),
            ("p = [0.1, 0.2]",
             ["stragglers.p: must be one number or one per worker (got 2 for n=8)"]),
            ("q = 0.2, p = 0.1", ["stragglers.q: unknown key; allowed: model, p"]),
        )),
    (CODE + 'stragglers = { model = "idd", p = 0.1 }',
         ["stragglers.model: unknown model 'idd'; did you mean 'iid'?"
          f" allowed: {', '.join(registry.members('stragglers'))}"]),
    *((CODE + IID + keys, lines) for keys, lines in (
            ('shuffle = "rndom"', ["shuffle: must be 'none', 'random' or 'cyclic' (got 'rndom');"
                                   " did you mean 'random'?"]),
            ('measur = ["error"]', [f"measur: unknown key; did you mean 'measure'? {KEYS}"]),
            ("quantiles = [0.0, 0.5, 1]", ["quantiles[0]: must be more than 0 (got 0.0)",
                                           "quantiles[2]: must be less than 1 (got 1)"]),
            ("kind = [1]", [f"kind: unknown kind [1]; {KINDS}"]),
            ("sweep = 3", ["sweep: must be a table of lists (got 3)"]),
            ('sweep = { "foo.bar" = [1, 2] }', [f'sweep."foo.bar": unknown key; {KEYS}']),
            ('sweep = { "code.d" = [] }',
             ['sweep."code.d": must be a list of at least one value (got [])']),
            ('sweep = { "code.d" = [2, 3, "x"] }',
             ['sweep."code.d"[1]: must divide n (got n=8, d=3; 1, 2, 4 or 8 do)',
              'sweep."code.d"[2]: must be an integer (got \'x\')']),
            ('sweep = { "code.e" = [2] }',
             ['sweep."code.e"[0]: unknown key; allowed: d, family, n']),
            ("sweep = { name = [2] }", ["sweep.name: name cannot be swept"]),
            ('sweep = { "code.d" = [1], code = [2] }',
             ['sweep."code.d": is inside code, which is swept too',
              f"sweep.code[0]: {NO_CODE} (got 2)"]),
            ('iterations = 2\nsweep = { "iterations.x" = [1] }',
             ['sweep."iterations.x": iterations is no table, so nothing in it can be swept']),
            ("sweep = { iterations = [1, 2, 1] }",
             ["sweep.iterations: must list each value once (got 1 again)"]),
        )),
])  # fmt: skip
def test_complaints_of_an_experiment(said: Any, text: str, lines: list[str]) -> None:
    assert said(HEAD + text) == [f"experiment.frc.{line}" for line in lines]


@pytest.mark.parametrize(("text", "lines"), [
    ("[[experiment]]\ncode = 1\n" + IID, [f"experiment[0].code: {NO_CODE} (got 1)"]),
    ("[[experiment]]\nname = 3\n" + CODE + IID, ["experiment[0].name: must be text (got 3)"]),
    ('[[experiment]]\nname = ".."\n' + CODE + IID,
     ["experiment.\"..\".name: must be printable text other than . and .. (got '..')"]),
    (FRC + FRC, ["experiment[1].name: 'frc' is the name of experiment[0]; choose another"]),
    *((keys + "\n" + FRC, lines) for keys, lines in (
            ('titel = "x"', [f"titel: unknown key; did you mean 'title'? {OF_STUDIES}"]),
            ("seed = 1979-05-27",
             ["seed: must be a table, a list, text, a number or a boolean (got date)"]),
            ("seed = 0x" + "f" * 6000,
             ["seed: must have fewer than 128 bits (got an integer of 24000)"]),
            ("stop = { trials = 0, secs = 3, relative_error = 0 }",
             ["stop.trials: must be at least 1 (got 0)",
              "stop.relative_error: must be more than 0 (got 0)",
              "stop.secs: unknown key; did you mean 'seconds'? allowed: absolute_error, events,"
              " relative_error, seconds, trials"]),
            ('ratio = [["frc", "crc"]]',
             ["ratio[0][1]: unknown experiment 'crc'; did you mean 'frc'? allowed: frc"]),
            ('ratio = [["frc", "frc"]]',
             ["ratio[0]: compares 'frc' with itself; name another experiment",
              "ratio: needs common_random_numbers = true"]),
            ("x = " + "[" * 40 + "]" * 40,
             [f"x{'[0]' * 32}: is nested too deeply (more than 32 levels)"]),
        )),
    ('ratio = [["frc", "b"]]\ncommon_random_numbers = true\n' + FRC
         + '[[experiment]]\nname = "b"\n' + CODE + IID + 'sweep = { "code.d" = [1, 2] }',
         ["ratio[0]: 'frc' and 'b' have no point in common, where a ratio would be taken"
          " ('frc' sweeps nothing, 'b' code.d); give both the same sweep"]),
    ("seed = 1", [f"experiment: {NONE}"]), ("experiment = []", [f"experiment: {NONE}"]),
    ("experiment = [3]", ["experiment[0]: must be a table (got 3)"]),
    ("[experiment]\n" + CODE,
     ["experiment: must be a list of tables, each written [[experiment]] (got a table)"]),
    (CODE + IID, [f"experiment: {NONE}", f"code: unknown key; {OF_STUDIES}",
                      f"stragglers: unknown key; {OF_STUDIES}"]),
    ("", ["is empty; a study needs at least one [[experiment]]"]),
    ("seed = 1\nx == 2\n", ["line 2, column 4: Invalid value; the file must be TOML"]),
    ("[[experiments]]\n[experiment.sweep]\n[[experiments]]\n[experiment.sweep]\n",
        ["line 1: [[experiments]] must be written [[experiment]]"]),
    ("seed = [1,", ["end of document: Invalid value; the file must be TOML"]),
    (b"seed = 1\n# \xff\n", ["line 2: is not UTF-8 text (byte 0xff); save it as UTF-8"]),
    ("x = " + "[" * 5000, ["is nested too deeply"]),
])  # fmt: skip
def test_complaints_of_a_study(said: Any, text: str | bytes, lines: list[str]) -> None:
    assert said(text) == lines


def test_integers_of_thousands_of_digits(said: Any) -> None:
    (line,) = said("seed = " + "9" * 6000)
    assert line.startswith("Exceeds the limit")


def test_every_mistake_is_listed_at_once(said: Any) -> None:
    text = (
        "seed = -1\n[stop]\ntrials = 0\n"
        '[[experiment]]\nname = "a"\ncode = { family = "frc", n = 8, d = 3 }\n'
        'stragglers = { model = "iid", p = 2.0 }\n'
        '[[experiment]]\nname = "b"\nmeasure = ["eror"]\n' + CODE
        + 'stragglers = { model = "iid", p = [0.1] }\n'
        '[[experiment]]\nkind = "other"\n'
    )  # fmt: skip
    *most, last = map(repr, MEASURES)
    measures = f"{', '.join(most)} or {last}"
    assert said(text) == [
        "seed: must be at least 0 (got -1)",
        "stop.trials: must be at least 1 (got 0)",
        "experiment.a.code.d: must divide n (got n=8, d=3; 1, 2, 4 or 8 do)",
        "experiment.a.stragglers.p: must be at most 1 (got 2.0)",
        f"experiment.b.measure[0]: must be {measures} (got 'eror'); did you mean 'error'?",
        "experiment.b.stragglers.p: must be one number or one per worker (got 1 for n=8)",
        "experiment[2].kind: unknown kind 'other'; allowed: completion, decoding, training",
    ]


def test_names_of_files_that_cannot_be_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("folder").mkdir()
    none = "no such file and no packaged study"
    for name, said in (
        ("agc/mian", f"agc/mian: {none}; did you mean 'agc/main'?"),
        ("zzzzzz.toml", f"zzzzzz.toml: {none}; `fastgc help studies` lists"),
        (Path("folder"), "folder: is a directory; name a study file in it"),
        ("a\0b", "a\\x00b: cannot be read: embedded null byte"),
        ("a\nb", "a\\nb: no such file"),
        ("x" * 5000, f"{'x' * 5000}: cannot be read: File name too long"),
    ):
        [line] = complaints(Study.parse, name)
        assert line.startswith(said)


def test_things_that_are_no_study() -> None:
    loop: dict[str, Any] = {"family": "frc"}
    loop |= {"n": loop, "d": [loop]}
    wrong: list[tuple[Any, list[str]]] = [
        (5, ["must be a file name, a dict or a Study (got int)"]),
        ({}, [f"experiment: {NONE}"]),
        ({**ONE, 3: 4}, ["every key must be text (got 3)"]),
        ({**ONE, "title": "\ud800"}, ["title: is not valid text (it holds a lone surrogate)"]),
        ({**ONE, "measure": {1}},
         ["measure: must be a table, a list, text, a number or a boolean (got set)"]),
        ({**ONE, "sweep": {"iterations": [None, 2]}}, ["sweep.iterations: must not hold None"]),
        ({**ONE, "code": loop}, ["code.n: holds itself", "code.d[0]: holds itself"]),
    ]  # fmt: skip
    for source, lines in wrong:
        assert complaints(Study.parse, source) == [f"study: {line}" for line in lines]
    for rows in ([[], False], [[1], [1, 1]], [["a"], 1], [[[1]], 2]):
        assert "code" in str(complaints(Study.parse, {"code": rows}))
    assert complaints(Study.parse, {"design": {"workers": 4}})[0].startswith(
        "study: design: is a table for `fastgc design`"
    )


def test_a_grid_too_large_and_too_many_complaints() -> None:
    sweep = {"iterations": list(range(1, 1001)), "stragglers.p": [i / 1000 for i in range(1000)]}
    assert complaints(Study.parse, {**ONE, "sweep": sweep}) == [
        "study: sweep: must have at most 100 000 points (got 1 000 000); sweep fewer values, or "
        "split it into several experiments"
    ]
    found = complaints(Study.parse, {**ONE, **{f"key{i}": 1 for i in range(150)}})
    assert len(found) == 101 and found[-1] == "study: and 50 more of this kind"


def test_entries_that_are_wrong_alike_get_one_sentence() -> None:
    rows = np.full((12, 12), np.nan)
    said = "study: code.rows[0][0]: must be finite (got nan); the same holds of 143 more entries"
    assert complaints(Study.parse, {**ONE, "code": rows}) == [said]
    three = np.where(np.arange(9).reshape(3, 3) % 4, 1.0, np.inf)
    places = ("[0][0]", "[1][1]", "[2][2]")
    said = "must be finite (got inf)"
    found = complaints(Study.parse, {**ONE, "code": three})
    assert found == [f"study: code.rows{place}: {said}" for place in places]
    found = complaints(Study.parse, {**ONE, "code": [[-1.0, "x"], ["y", 1.0]]})
    assert [line.split(":")[1] for line in found] == [" code.rows[0][1]", " code.rows[1][0]"]


# --- nothing but FastgcError ---------------------------------------------------------------------

_VALUES = st.recursive(
    st.booleans() | st.integers() | st.floats() | st.text(max_size=8)
    | st.sampled_from(["frc", "iid", "decoding", "random", 8, 2]),
    lambda inner: st.lists(inner, max_size=3)
    | st.dictionaries(st.sampled_from(["n", "d", "p", "family", "code.d", "x y"]), inner),
    max_leaves=12,
)  # fmt: skip


def places(table: Any) -> Iterator[tuple[Any, Any]]:
    """Every table or list of a study with each of its keys."""
    for key, value in table.items() if isinstance(table, dict) else enumerate(table):
        yield table, key
        if isinstance(value, dict | list):
            yield from places(value)


@pytest.mark.night
@settings(max_examples=150, deadline=None, derandomize=True)
@given(st.sampled_from(sorted(examples())), st.integers(0), _VALUES)
def test_any_value_in_any_place(name: str, place: int, value: Any) -> None:
    data = tomllib.loads(examples()[name])
    every_place = list(places(data))
    node, key = every_place[place % len(every_place)]
    node[key] = value
    # what is written is read back equal, NaN and -0.0 too
    written = tomllib.loads(toml.dumps(data))
    assert json.dumps(written, sort_keys=True) == json.dumps(data, sort_keys=True)
    try:
        with warnings.catch_warnings():  # of a matrix that decodes nothing
            warnings.simplefilter("ignore", FastgcWarning)
            study = Study.parse(data)
    except FastgcError as problem:
        assert every(len(line.splitlines()) == 1 for line in str(problem).split("\n"))
    else:
        assert Study.parse(tomllib.loads(study.text())).identity() == study.identity()


LEARNING = {
    "kind": "training",
    "problem": {"model": "linear", "data": "synthetic", "samples": 60, "features": 2},
    "optimizer": {"method": "gradient-descent", "step": 0.1},
    "iterations": 3,
}
CODED = LEARNING | {"code": {"family": "uncoded", "n": 6}}
LAW = {"distribution": "exponential", "mean": 1.0}
SELECTION = {"method": "g-cada", "workers": 6, "c": 1.0}
LATE = {"model": "deadline", "deadline": 1, "latency": LAW}
TO_LOSS = (
    "must be left out without one of the measures time_to_loss, downloads_to_loss, uploads_to_loss,"
    " gradients_to_loss"
)


@pytest.mark.parametrize(("table", "line"), [
    (CODED | {"quantiles": [0.5]}, f"quantiles: {TO_LOSS}"),
    (CODED | {"latency": LAW, "stragglers": LATE},
     "latency: must be left out with stragglers of model deadline: the deadline is the "
     "time of an iteration, and stragglers.latency the law of the workers"),
    (CODED | {"latency": LAW, "system": {"family": "uncoded", "n": 8}},
     "system: has 8 workers and the code 6; give both as many, or one of them 1"),
    (LEARNING | {"selection": {"method": "all", "workers": 6}, "system": CODED["code"]},
     "system: must be left out with a selection, which has workers itself"),
])  # fmt: skip
def test_parts_of_training_that_do_not_fit(table: dict[str, Any], line: str) -> None:
    assert complaints(Study.parse, table) == [f"study: {line}"]
