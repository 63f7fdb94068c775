"""What an expression may be made of: numbers, names, arithmetic, calls by name, sums, a choice."""

from __future__ import annotations

import ast
import warnings
from collections.abc import Iterator

from fastgc.errors import FastgcError
from fastgc.registry.complaints import show
from fastgc.study.expressions.arithmetic import BINARY, COMPARE, UNARY

LONGEST = 4000  # characters
DEEPEST = 200  # a sum of so many terms is so deep

#: Nodes that are looked into; which of them may stand where is said by `_wrong`.
_ALLOWED = (
    ast.Constant,
    ast.Name,
    ast.Attribute,
    ast.BinOp,
    ast.UnaryOp,
    ast.BoolOp,
    ast.Compare,
    ast.IfExp,
    ast.Call,
    ast.keyword,
    ast.Subscript,
    ast.List,
    ast.GeneratorExp,
    ast.comprehension,
)
_SIGNS = (ast.operator, ast.unaryop, ast.boolop, ast.cmpop, ast.expr_context)
_WHAT = "write numbers, names, + - * / // % **, parentheses, and functions by name, like n * q**d"


def parse(text: str) -> ast.expr:
    """Return the tree of an expression.

    Raises
    ------
    FastgcError
        If it cannot be read, or holds anything but arithmetic, names and calls by name.
    """
    if len(text) > LONGEST:
        raise FastgcError(
            f"is too long: {len(text)} characters, and at most {LONGEST} are read; name parts of "
            "it in where"
        )
    if not text.strip():
        raise FastgcError(f"is empty; {_WHAT}")
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error")  # what Python warns of, like 1if, is no formula
            tree = ast.parse(text.strip(), mode="eval").body
    except (RecursionError, MemoryError):
        raise _too_deep() from None
    except (SyntaxError, ValueError, SyntaxWarning, DeprecationWarning) as problem:
        if "nested" in str(problem):
            raise _too_deep() from None
        raise FastgcError(f"cannot be read as an expression{_reason(problem)}; {_WHAT}") from None
    _check(tree)
    return tree


def dotted(node: ast.expr) -> str | None:
    """Return a name with dots, like ``code.n``; None if it is anything else."""
    parts = []
    while isinstance(node, ast.Attribute):
        parts.append(node.attr)
        node = node.value
    if not isinstance(node, ast.Name):
        return None
    return ".".join([node.id, *reversed(parts)])


def part(node: ast.AST) -> str:
    """Return a part of an expression as one writes it, for messages."""
    text = ast.unparse(node)
    return text if len(text) <= 60 else text[:57] + "…"


def _too_deep() -> FastgcError:
    return FastgcError(
        f"is nested too deeply: more than {DEEPEST} levels; name parts of it in where"
    )


def _reason(problem: Exception) -> str:
    if isinstance(problem, SyntaxError) and problem.offset is not None:
        return f" ({problem.msg.partition('(')[0].strip()}, at character {problem.offset})"
    return ""


def _check(tree: ast.expr) -> None:
    """Refuse a tree that is too deep, else the first part of it that is not allowed."""
    levels: list[list[tuple[ast.AST, ast.AST | None]]] = [[(tree, None)]]
    while levels[-1]:
        if len(levels) > DEEPEST:
            raise _too_deep()
        levels.append([(each, node) for node, _ in levels[-1] for each in _inside(node)])
    for node, parent in (each for level in levels for each in level):
        sentence = _wrong(node, parent)
        if sentence is not None:
            raise FastgcError(sentence)


def _inside(node: ast.AST) -> Iterator[ast.AST]:
    """Yield the nodes below one that are no mere signs, like an operator."""
    for each in ast.iter_child_nodes(node):
        if not isinstance(each, _SIGNS):
            yield each


def _wrong(node: ast.AST, above: ast.AST | None) -> str | None:
    """Return what is wrong with a node under another, or None."""
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.BitXor):
        return f"{part(node)}: ^ is no power; write **"
    if isinstance(node, ast.BinOp) and type(node.op) not in BINARY:
        return f"{part(node)} is no arithmetic; {_WHAT}"
    if isinstance(node, ast.UnaryOp) and type(node.op) not in (*UNARY, ast.Not):
        return f"{part(node)} is no arithmetic; {_WHAT}"
    if isinstance(node, ast.Compare) and any(type(op) not in COMPARE for op in node.ops):
        return f"{part(node)}: numbers are compared by < <= > >= == !="
    if isinstance(node, ast.Constant):
        return _wrong_constant(node, above)
    if isinstance(node, ast.Call | ast.Attribute):
        named = node.func if isinstance(node, ast.Call) else node
        if dotted(named) is None:
            return f"{part(node)}: only functions and names are called by name, like agc.theorem1"
        if any("__" in each for each in (dotted(named) or "").split(".")):
            return f"{part(node)}: no name here has two underscores"
    if isinstance(node, ast.keyword) and node.arg is None:
        return f"{part(node.value)}: arguments must be named one by one, like n=8"
    if isinstance(node, ast.GeneratorExp):
        return _wrong_sum(node, above)
    if not isinstance(node, _ALLOWED):
        return f"{part(node)} is no arithmetic; {_WHAT}"
    return None


def _wrong_constant(node: ast.Constant, above: ast.AST | None) -> str | None:
    if isinstance(node.value, str):
        if isinstance(above, ast.Call | ast.keyword):
            return None
        return f"the text {show(node.value)} is no number"
    if isinstance(node.value, bool) or not isinstance(node.value, int | float):
        return f"{part(node)} is no real number"
    return None


def _wrong_sum(node: ast.GeneratorExp, above: ast.AST | None) -> str | None:
    simple = len(node.generators) == 1 and not node.generators[0].ifs
    if simple and isinstance(node.generators[0].target, ast.Name) and isinstance(above, ast.Call):
        return None
    return f"{part(node)}: sums are written sum(p**i for i in range(n))"
