"""What no test may do, by its syntax tree."""

import ast
from collections.abc import Callable, Iterator

import pytest

from conftest import ROOT
from suite.waiting import HUNG

TESTS = sorted((ROOT / "tests").rglob("*.py"))
#: What keeps these rules, and may look at the clock.
SUITE = ROOT / "tests" / "suite"
CLOCKS = {"monotonic", "perf_counter", "time"}


def _reads_the_clock(node: ast.AST) -> bool:
    return any(
        isinstance(each, ast.Call)
        and isinstance(each.func, ast.Attribute)
        and each.func.attr in CLOCKS
        and isinstance(each.func.value, ast.Name)
        and each.func.value.id == "time"
        for each in ast.walk(node)
    )


def limits_of_seconds(tree: ast.AST) -> Iterator[int]:
    """Lines where seconds decide: clocks that must not have gone far, and short times out."""
    for node in ast.walk(tree):
        match node:
            case ast.Compare(left=left, ops=[ast.Lt() | ast.LtE(), *_]) if _reads_the_clock(left):
                yield node.lineno
            case ast.keyword(arg="timeout", value=ast.Constant(value=seconds)) if seconds < HUNG:
                yield node.value.lineno


def all_of_what_may_be_nothing(tree: ast.AST) -> Iterator[int]:
    """Lines that assert `all(...)` of what is not written out, and is true of nothing."""
    for asserted in ast.walk(tree):
        for node in ast.walk(asserted) if isinstance(asserted, ast.Assert) else ():
            match node:
                case ast.Call(func=ast.Name(id="all"), args=[over]):
                    if isinstance(over, ast.GeneratorExp | ast.ListComp):
                        over = over.generators[0].iter
                    written = over.elts if isinstance(over, ast.Tuple | ast.List) else []
                    if all(isinstance(each, ast.Starred) for each in written):
                        yield node.lineno


Rule = Callable[[ast.AST], Iterator[int]]
#: Rules, and what a test does instead.
RULES: dict[Rule, str] = {
    limits_of_seconds: "wait with `suite.waiting.until` for what happens, as long as it takes",
    all_of_what_may_be_nothing: "`suite.checks.every` refuses nothing",
}


@pytest.mark.parametrize(("rule", "code", "lines"), [
    (limits_of_seconds, "assert time.monotonic() - began < 10", [1]),
    (limits_of_seconds, "while time.perf_counter() <= end:\n    pass", [1]),
    (limits_of_seconds, "process.communicate(timeout=60)", [1]),
    (limits_of_seconds, "f(timeout=HUNG)\nassert time.monotonic() - began > 0.3", []),
    (all_of_what_may_be_nothing, "assert all(x > 0 for x in found)", [1]),
    (all_of_what_may_be_nothing, "assert a\nassert not b and all(found)", [2]),
    (all_of_what_may_be_nothing, "assert all(x in text for x in [*names])", [1]),
    (all_of_what_may_be_nothing, "assert all(x for x in ('a', 'b'))\nreturn all(x)", []),
])  # fmt: skip
def test_what_breaks_a_rule_is_found(rule: Rule, code: str, lines: list[int]) -> None:
    assert list(rule(ast.parse(code))) == lines


@pytest.mark.night
def test_no_test_breaks_a_rule() -> None:
    trees = (
        (path.relative_to(ROOT), ast.parse(path.read_text(encoding="utf-8")))
        for path in TESTS
        if not path.is_relative_to(SUITE)
    )
    assert [
        f"{path}:{line}: {instead}"
        for path, tree in trees
        for rule, instead in RULES.items()
        for line in rule(tree)
    ] == []
