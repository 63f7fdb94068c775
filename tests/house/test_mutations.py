"""Changes drawn at random: what may be drawn, that it is planted, and what is said of outcomes."""

import ast

import pytest

from bench.mutations import CAUGHT, GIVEN_UP, ROOT, SURVIVED, drawn, mutations, summary

SOURCE = '''
def f(a: int = 1) -> "list[2]":
    """Text."""
    if a < 2 <= 3 and not a:
        a += g(f"{a + 1}")
    raise ValueError("text" * 2)


if TYPE_CHECKING:
    g(1 + 1)


@lru_cache(maxsize=4)
def g():
    pass
'''


def test_what_may_be_drawn():
    found = [(each.kind, each.before, each.after) for each in mutations("f.py", SOURCE)]
    assert found == [
        ("constant", "1", "2"),
        ("operator", "a < 2 <= 3 and not a", "(a < 2 <= 3 or not a)"),
        ("operator", "a < 2 <= 3", "(a <= 2 <= 3)"),
        ("operator", "a < 2 <= 3", "(a < 2 < 3)"),
        ("constant", "2", "3"),
        ("constant", "3", "4"),
        ("condition", "not a", "(a)"),
        ("statement", 'a += g(f"{a + 1}")', "pass"),
        ("statement", 'raise ValueError("text" * 2)', "pass"),
    ]


@pytest.mark.night
def test_a_seed_draws_the_same_changes_and_each_changes_what_is_run(tmp_path):
    chosen = drawn("statistics", 8, 3)
    assert chosen == drawn("statistics", 8, 3) != drawn("statistics", 8, 4)
    for each in chosen:
        source, own = (ROOT / each.file).read_text(encoding="utf-8"), tmp_path / each.file
        own.parent.mkdir(parents=True, exist_ok=True)
        own.write_text(source, encoding="utf-8")
        assert each.plant(tmp_path), each
        assert ast.dump(ast.parse(own.read_text("utf-8"))) != ast.dump(ast.parse(source))


def test_what_is_given_up_counts_for_neither_side():
    said = summary([CAUGHT] * 8 + [SURVIVED] * 2 + [GIVEN_UP])
    assert said == "8 caught, 2 survived, 1 given up: caught 80% [49%, 94%] of 10"
    assert summary([GIVEN_UP]) == "1 given up"
