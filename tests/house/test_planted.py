"""Planted bugs: each still has its place in the sources, and being caught means what it says."""

import ast
from pathlib import Path

import pytest

from bench.planted.__main__ import CAUGHT, GIVEN_UP, SURVIVED, outcome_of, summary
from bench.planted.bug import BUGS, Bug
from bench.planted.trial import Settings, Validation, _tested, copy_of
from fastgc import theory
from suite.waiting import HUNG

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def sources() -> dict[str, str]:
    return {bug.file: (ROOT / bug.file).read_text(encoding="utf-8") for bug in BUGS.values()}


@pytest.mark.parametrize("name", BUGS)
def test_a_bug_has_its_place_and_changes_what_is_run(name, sources):
    bug = BUGS[name]
    before = sources[bug.file]
    after = bug.planted(before)
    assert ast.dump(ast.parse(after)) != ast.dump(ast.parse(before))


def test_names_are_those_of_one_bug_each_and_claims_exist():
    files = (ROOT / "bench" / "planted" / "bugs").glob("*.toml")
    assert len(BUGS) == sum(file.read_text(encoding="utf-8").count("[[bug]]") for file in files)
    ids = [claim.id for claim in theory.claims()]
    for bug in BUGS.values():
        assert bug.claims or not bug.counts, bug.name
        assert (ROOT / bug.folder_of_tests).is_dir(), bug.name
        for asked in bug.claims:
            begins = asked if asked in ids else f"{asked}."
            assert any(each.startswith(begins) for each in ids), f"{bug.name}: {asked}"


def test_tests_that_must_fail_exist():
    named = {test for bug in BUGS.values() for test in bug.tests}
    assert len(named) > 10
    for file, function in (test.split("::") for test in named):
        assert f"\ndef {function}(" in (ROOT / file).read_text(encoding="utf-8"), function


@pytest.mark.parametrize(("text", "times"), [("a = 2\n", 0), ("a = 1\nb = 1\n", 2)])
def test_a_place_that_is_not_there_once_is_refused(text, times):
    with pytest.raises(ValueError, match=f"the-bug: file.py has its place {times} times"):
        Bug("the-bug", "file.py", "= 1", "= 3", "all is wrong").planted(text)


@pytest.mark.night
def test_a_copy_differs_from_the_tree_by_its_bug_alone(tmp_path):
    bug = BUGS["one-percent"]
    folder = copy_of(bug, tmp_path)
    copied = [path.relative_to(folder).as_posix() for path in folder.rglob("*.*")]
    assert {"fastgc/__init__.py", "kernels/fastgc_kernels/__init__.py"} <= set(copied)
    files = [name for name in copied if (folder / name).is_file()]
    other = [name for name in files if (folder / name).read_bytes() != (ROOT / name).read_bytes()]
    assert other == [bug.file]


def _answer(verdict, failure=None, in_time=True):
    verdicts = {} if verdict is None else {"a.claim": verdict}
    return Validation(verdicts, {"a.claim": "confirmed"}, failure, in_time, 1.0)


TESTS = ("a::b[1]",)


@pytest.mark.parametrize(("before", "after", "outcome"), [
    *(("confirmed", _answer("refuted"), CAUGHT), ("undecided", _answer("refuted"), CAUGHT)),
    ("refuted", _answer("refuted"), SURVIVED),
    *(("confirmed", _answer(each), SURVIVED) for each in ("undecided", "confirmed")),
    ("confirmed", _answer(None, failure="exit 70: methods differ"), CAUGHT),
    ("confirmed", _answer(None, in_time=False), GIVEN_UP),
    (None, Validation({}, {}, None, True, 1.0, TESTS), CAUGHT),
])  # fmt: skip
def test_a_bug_is_caught_by_what_it_alone_changes(before, after, outcome):
    bug = Bug("the-bug", "file.py", "= 1", "= 3", "all is wrong", ("a",), ("a::b",))
    found = outcome_of(bug, after, _answer(before))
    assert found.outcome == outcome
    caught = int(outcome == CAUGHT)
    assert summary([found]).startswith(f"{caught} of 1 that count are caught")
    assert f"catches {caught} of 1 ({caught:.0%})" in summary([found])


#: A suite with an option for everything, which only then has tests.
ALL = """
def pytest_addoption(parser):
    parser.addoption("--all", action="store_true")
def pytest_collection_modifyitems(config, items):
    items[:] = items if config.getoption("--all") else []
"""


@pytest.mark.parametrize(("file", "folder"), [
    ("fastgc/runs/merging.py", "tests/runs"),
    ("kernels/fastgc_kernels/draw/philox.py", "tests/draws"),
    ("kernels/fastgc_kernels/fallbacks/tally_fallbacks.py", "tests/kernels"),
])  # fmt: skip
def test_a_bug_has_the_tests_of_its_package(file, folder):
    assert Bug("the-bug", file, "1", "2", "").folder_of_tests == folder


@pytest.mark.night
def test_only_the_tests_that_fail_are_named(tmp_path):
    """By day, those of the night are none that fail."""
    folder, cache = tmp_path / "tree", tmp_path / "cache"
    folder.mkdir()
    (folder / "conftest.py").write_text(ALL)
    (folder / "test_it.py").write_text("def test_a():\n    pass\ndef test_b():\n    assert 0\n")
    night, day = Settings(1, 1, HUNG), Settings(1, 1, HUNG, everything=False)
    names = ["test_it.py::test_a", "test_it.py::test_b"]

    def asked(settings, *names):
        answer = _tested(folder, names, settings, cache, _answer("confirmed"))
        (folder / ".pytest_cache" / "kernels").unlink()
        (folder / ".pytest_cache").rmdir()
        assert answer.verdicts == {"a.claim": "confirmed"}
        return answer.tests

    assert asked(night, *names) == (names[1],)
    assert asked(day, *names) == ()
    assert len(asked(night, "test_it.py::test_c")) == 1  # what is not there cannot have passed
