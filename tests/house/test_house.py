"""The house: what lies where, what names what, and what README and handbook promise."""

import ast
import re
import statistics
import sys
from collections import Counter
from pathlib import Path

import pytest

from bench import floors
from conftest import ran

ROOT = Path(__file__).parents[2]
README = (ROOT / "README.md").read_text()
HANDBOOK = ROOT / "fastgc" / "handbook"
#: What is no room: the face, and what lies loose.
NO_ROOMS = ("fastgc", "arrays", "errors", "version")
#: Lines of Python, and files of the product, at the last release: what a change adds, it takes away
#: elsewhere, or raises them and says why. A release sets them to its own numbers.
LAST_RELEASE = {"product": 71_899, "files": 370, "tests": 36_920, "bench": 6_500}
SOURCES = [*(ROOT / "fastgc").rglob("*.py"), *(ROOT / "kernels").rglob("*.py")]


def test_top_level_is_exactly_the_house() -> None:
    texts = "CHANGELOG.md CITATION.cff CONTRIBUTING.md LICENSE README.md pyproject.toml .gitignore"
    house = {*texts.split(), ".ci", ".github", "bench", "docs", "fastgc", "kernels", "tests"}
    if (ROOT / "PKG-INFO").exists():  # an sdist, in which tests leave what they need
        assert house <= {path.name for path in ROOT.iterdir()}
    else:
        tracked = ran("git", "ls-files", cwd=ROOT).stdout.split("\n")
        assert {name.split("/")[0] for name in tracked if name} == house


@pytest.fixture(scope="module")
def graph() -> floors.Graph:
    """Which modules import which."""
    return floors.imports(ROOT)


def test_floors_circles_and_loose_modules(graph: floors.Graph) -> None:
    files = floors.modules(ROOT)
    rooms = floors.rooms(graph)
    assert floors.circles(graph) == []
    assert floors.circles(rooms) == []
    assert max(floors.floors(rooms).values()) <= 9
    loose = {name for name, path in files.items() if name.count(".") == 1 and path.stem[0] != "_"}
    assert loose == {"fastgc.arrays", "fastgc.errors", "fastgc.version"}


def test_every_room_stands_in_the_map_of_the_handbook(graph: floors.Graph) -> None:
    standing = floors.floors(floors.rooms(graph))
    rows = re.findall(
        r"^\| (`(?:fastgc|kernels)/[^|]*) \| (\d+) \| ([\d ,]+) \|",
        (HANDBOOK / "house.md").read_text(),
        re.MULTILINE,
    )
    stated = {
        room: int(floor) for names, floor, _ in rows for room in re.findall(r"/(\w+)`", names)
    }
    assert stated == {room: standing[room] for room in standing if room not in NO_ROOMS}
    sizes = floors.lines(ROOT)
    for names, _, lines in rows:
        for room, size in zip(re.findall(r"/(\w+)`", names), lines.split(","), strict=True):
            said = int(size.replace(" ", ""))
            assert abs(said - sizes[room]) <= max(100, 0.05 * sizes[room]), (room, sizes[room])


def test_sizes() -> None:
    sizes = floors.lines(ROOT)
    print("\n".join(f"{room:20}{size:7}" for room, size in sorted(sizes.items())))
    found = {name: floors.lines_under(ROOT / name) for name in ("tests", "bench")}
    found |= {"product": sum(sizes.values()), "files": len(SOURCES)}
    for name, most in LAST_RELEASE.items():
        assert found[name] <= most, f"{name}: {found[name] - most} more than at the last release"


def _arguments(node: ast.FunctionDef) -> int:
    """Count arguments, those too that are passed by name only.

    Neither a command's options count, which are lines of `--help`, nor a formula's symbols.
    """
    decorated = " ".join(map(ast.unparse, node.decorator_list))
    if "command(" in decorated or decorated == "paper.formula":
        return 0
    given = [each.arg for each in (*node.args.posonlyargs, *node.args.args)]
    return len(given) - (given[:1] in (["self"], ["cls"])) + len(node.args.kwonlyargs)


def wide(tree: ast.AST, arguments: int) -> dict[str, int]:
    """Functions with more arguments, and classes with more methods: how many they have, by name."""
    found: dict[str, int] = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.ClassDef):
            many, most = sum(isinstance(each, ast.FunctionDef) for each in node.body), 25
        elif isinstance(node, ast.FunctionDef):
            many, most = _arguments(node), arguments
        else:
            continue
        if many > most:
            found[node.name] = max(many, found.get(node.name, 0))
    return found


@pytest.mark.night
def test_nothing_is_wide() -> None:
    found = {
        f"{path.relative_to(ROOT)} {name}": many
        for path in SOURCES
        for name, many in wide(
            ast.parse(path.read_text()), 12 if path.is_relative_to(ROOT / "kernels") else 8
        ).items()
    }
    assert found == {}


def lengths(tree: ast.AST) -> list[int]:
    """Lines of every function without its docstring."""
    found = []
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef):
            has_docstring = ast.get_docstring(node, clean=False) is not None
            body = node.body[has_docstring:]
            found.append(1 + (node.end_lineno or 0) - body[0].lineno if body else 0)
    return found


def test_functions_are_short_and_no_fragments() -> None:
    """Half of all have at most 8 lines, one of a hundred more than 60; no length is forbidden."""
    assert lengths(ast.parse('def f():\n "A."\n\n a = 1\n return a\ndef g(a): ...')) == [2, 1]
    found = [many for path in SOURCES for many in lengths(ast.parse(path.read_text()))]
    assert statistics.median(found) <= 8
    assert sum(many > 60 for many in found) <= 0.01 * len(found)


def test_a_name_of_a_module_occurs_once() -> None:
    names = Counter(path.stem for path in SOURCES if path.stem != "__init__")
    assert {name: many for name, many in names.items() if many > 1} == {}


def test_circles_and_floors_are_found() -> None:
    graph = {"a": {"b"}, "b": {"c"}, "c": {"b"}, "d": {"a", "e"}, "e": set()}
    assert floors.circles(graph) == [["b", "c"]]
    assert floors.floors(graph) == {"a": 2, "b": 1, "c": 1, "d": 3, "e": 1}


def test_two_modules_name_the_compiler() -> None:
    naming = [
        path.name
        for path in SOURCES
        if re.search(r"numba\.(njit|jit|vectorize|guvectorize)|from numba", path.read_text())
    ]
    assert sorted(naming) == ["_compiling.py", "_vec.py"]


def test_kernels_use_neither_lapack_nor_parallel_loops() -> None:
    for path in (ROOT / "kernels").rglob("*.py"):
        text = path.read_text()
        for name in ("np.linalg", "prange", "fastmath=", "np.dot"):
            assert name not in text, f"{path.name} uses {name}"


def test_nothing_leans_on_what_users_do_not_have() -> None:
    texts = [
        ROOT / name for name in ("CHANGELOG.md", "CONTRIBUTING.md", "README.md", "pyproject.toml")
    ]
    texts += [ROOT / ".ci" / "run", *(ROOT / ".github").rglob("*.yml")]
    for path in [*SOURCES, *texts, *HANDBOOK.glob("*.md")]:
        assert "../shared" not in path.read_text(), path


def test_the_readme_is_a_front_page_and_ci_runs_its_first_two_commands() -> None:
    assert len(README.split()) <= 1200
    lines = [line.strip() for line in (ROOT / ".ci" / "run").read_text().splitlines()]
    first, second, *_ = "".join(re.findall(r"```sh\n(.*?)```", README, re.DOTALL)).splitlines()
    assert {first, second} <= {*lines}


def test_named_commands_exist() -> None:
    from fastgc.cli.commands import cli

    for path in [*ROOT.glob("?[EO]*.md"), *HANDBOOK.glob("*.md"), *ROOT.glob(".github/*/*.yml")]:
        named = re.findall(r"`fastgc ([a-z]+)\b|bin/fastgc ([a-z]+)", path.read_text())
        assert {name or other for name, other in named} <= set(cli.commands), path


def test_versions_must_agree(tmp_path: Path) -> None:
    other = tmp_path / "fastgc_kernels"
    other.mkdir()
    (other / "__init__.py").write_text('__version__ = "0.0.0"\n')
    path = f"{tmp_path}:{ROOT}"
    found = ran(sys.executable, "-c", "import fastgc", env={"PYTHONPATH": path})
    assert found.returncode == 1
    assert "install both anew" in found.stderr
    assert str(other) in found.stderr
