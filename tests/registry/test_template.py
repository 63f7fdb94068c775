"""`fastgc new plugin`: what it writes installs, passes its own tests, and is checked by mypy."""

import os
import sys
from pathlib import Path

import pytest

from conftest import COMMAND, ROOT, environment, missing, ran
from fastgc import FastgcError
from fastgc.registry.template import KINDS, package
from suite.checks import refusal


def printed(*command: str, **variables: str | None) -> str:
    """What a command prints; it must succeed."""
    found = ran(*command, env=environment(**variables))
    assert found.returncode == 0, found.stdout + found.stderr
    return found.stdout


@pytest.mark.night
def test_a_new_plugin_installs_and_passes_its_own_tests(tmp_path: Path) -> None:
    try:
        import hatchling  # noqa: F401
    except ImportError:
        missing("the package hatchling")
    said = printed(*COMMAND, "new", "plugin", "my-racks", "--kind", "all", "--into", str(tmp_path))
    made, site = tmp_path / "my-racks", tmp_path / "site"
    assert f"pip install -e {made}" in said
    pip = [sys.executable, "-m", "pip", "install", "-q", "--no-deps", "--no-build-isolation"]
    printed(*pip, "--no-index", "--disable-pip-version-check", "--target", str(site), str(made))
    path = os.pathsep.join(map(str, (site, ROOT, ROOT / "kernels")))
    tests = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", str(made)]
    passed = printed(*tests, PYTHONPATH=path)
    assert "14 passed" in passed
    shown = printed(*COMMAND, "run", str(made / "study.toml"), "--trials", "1000", PYTHONPATH=path)
    assert "my_racks" in shown and "time" in shown
    listed = printed(*COMMAND, "info", PYTHONPATH=path)
    assert listed.count("my-racks") == 5 and "my-racks.uncoded" not in listed


@pytest.mark.night
def test_a_new_plugin_is_checked(tmp_path: Path) -> None:
    made = package("checked", ["all"], tmp_path)
    path = os.pathsep.join(map(str, (ROOT, ROOT / "kernels")))
    config = ["--config-file", str(made / "pyproject.toml"), "--cache-dir", str(tmp_path / "cache")]
    printed(sys.executable, "-m", "mypy", *config, str(made / "src"), MYPYPATH=path)
    printed(sys.executable, "-m", "ruff", "check", "--no-cache", str(made))
    printed(sys.executable, "-m", "ruff", "format", "--no-cache", "--check", str(made))


@pytest.mark.parametrize("kind", KINDS)
def test_a_package_of_one_kind_has_what_it_says(kind: str, tmp_path: Path) -> None:
    made = package("one", [kind, kind], tmp_path)
    files = {str(path.relative_to(made)) for path in made.rglob("*") if path.is_file()}
    assert files == {
        "README.md",
        "pyproject.toml",
        "study.toml",
        "src/one/__init__.py",
        "src/one/py.typed",
        f"src/one/{kind}.py",
        f"tests/test_{kind}.py",
    }
    text = (made / "pyproject.toml").read_text()
    assert f'[project.entry-points."{KINDS[kind].group}"]\none = "one.{kind}:' in text
    assert "$" not in "".join((made / file).read_text() for file in files)


@pytest.mark.parametrize(
    ("name", "kinds", "says"),
    [
        ("My Racks", ["code"], "name: must be small letters, digits and single hyphens"),
        ("../up", ["code"], "name: must be small letters, digits and single hyphens"),
        ("json", ["code"], "name: 'json' is the name of another package"),
        ("fastgc", ["code"], "name: 'fastgc' is the name of another package"),
        ("frc", ["stragglers", "code"], "name: code: there is 'frc' already"),
        ("mine", ["codes"], "kind: there is no kind 'codes'; did you mean 'code'?"),
        ("mine", ["x"], "kind: there is no kind 'x'; there are code, stragglers, latency, system"),
    ],
)
def test_what_cannot_be_is_refused(name: str, kinds: list[str], says: str, tmp_path: Path) -> None:
    assert says in refusal(package, name, kinds, tmp_path)
    assert not list(tmp_path.iterdir())


def test_a_folder_that_is_there_is_left_alone(tmp_path: Path) -> None:
    package("mine", ["code"], tmp_path)
    with pytest.raises(FastgcError, match="is there already; choose another name or remove it"):
        package("mine", ["code"], tmp_path)
    (tmp_path / "file").write_text("")
    with pytest.raises(FastgcError, match="cannot be written"):
        package("mine", ["code"], tmp_path / "file")
