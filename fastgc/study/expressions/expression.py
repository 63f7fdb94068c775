"""An expression and its value at a point."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from fastgc.errors import FastgcError
from fastgc.registry.complaints import show
from fastgc.study.expressions import functions, syntax
from fastgc.study.expressions.arithmetic import (
    BINARY,
    COMPARE,
    UNARY,
    Number,
    RefusedError,
    Value,
    real,
)
from fastgc.study.expressions.deadline import Deadline
from fastgc.study.expressions.names import Names


class Steps:
    """How much may be computed, by all expressions that share it, and until when."""

    def __init__(self, most: int = 300_000, deadline: Deadline | None = None) -> None:
        self._most = most
        self._left = most
        self.deadline = deadline or Deadline()

    def take(self, count: int) -> None:
        """Count steps; raise FastgcError if there are no more."""
        self.deadline.look()
        self._left -= count
        if self._left < 0:
            raise FastgcError(
                f"needs more than {self._most} steps of arithmetic; write it in closed form"
            )


class Expression:
    """A formula in the words of a study: ``n * q**d``.

    Parameters
    ----------
    text : str
        Numbers, names, ``+ - * / // % **``, parentheses, functions by name, sums like
        ``sum(p**i for i in range(n))`` and a choice, ``0 if s < d else p``.

    Raises
    ------
    FastgcError
        If it cannot be read, or is anything but arithmetic.

    Examples
    --------
    >>> Expression("2 * (3 + 4)").value()
    14
    """

    def __init__(self, text: str) -> None:
        self.text = text
        self._tree = syntax.parse(text)

    @property
    def names(self) -> set[str]:
        """The names that stand in it, those of functions and of sums too.

        >>> sorted(Expression("code.n * q + sqrt(2)").names)
        ['code', 'code.n', 'q', 'sqrt']
        """
        found = (syntax.dotted(node) for node in ast.walk(self._tree) if isinstance(node, ast.expr))
        return {name for name in found if name is not None}

    def value(self, names: Names | None = None, steps: Steps | None = None) -> Number:
        """Return the value where names have these values.

        Raises
        ------
        FastgcError
            If a name or function is unknown, or the value is no finite real number, or would
            take too long; the sentence names the part of the expression.
        StoppedError
            If a signal asks to stop.
        """
        steps = steps or Steps()
        with steps.deadline.running():
            found = _Evaluation(names or Names({}), steps).of(self._tree)
        if isinstance(found, list):
            raise FastgcError("is a list; a number is needed, like k[0] or sum(k)")
        if isinstance(found, str):
            raise FastgcError(f"is the text {show(found)}; a number is needed")
        return found


class _Evaluation:
    """One walk through a tree."""

    def __init__(self, names: Names, steps: Steps) -> None:
        self._names = names
        self._steps = steps
        self._bound: dict[str, Value] = {}  # by sums, the innermost last

    def of(self, node: ast.expr) -> Value:
        """Return the value of a node."""
        self._steps.take(1)
        if isinstance(node, ast.Constant):
            return self._constant(node)
        name = syntax.dotted(node)
        if name is not None:
            return self._named(node, name)
        if isinstance(node, ast.BinOp):
            return self._real(node, self._number(node.left), self._number(node.right))
        if isinstance(node, ast.UnaryOp) and not isinstance(node.op, ast.Not):
            return UNARY[type(node.op)](self._number(node.operand))
        if isinstance(node, ast.IfExp):
            return self.of(node.body if self._holds(node.test) else node.orelse)
        if isinstance(node, ast.Call):
            return self._called(node)
        if isinstance(node, ast.Subscript):
            return self._entry(node)
        if isinstance(node, ast.List):
            return [self.of(item) for item in node.elts]
        raise FastgcError(f"{syntax.part(node)} is true or false; a number is needed")

    def _constant(self, node: ast.Constant) -> Value:
        if isinstance(node.value, str):
            return node.value
        assert isinstance(node.value, int | float)  # by the syntax
        return self._real(node, node.value)

    def _number(self, node: ast.expr) -> Number:
        return functions.number(self.of(node), "arithmetic")

    def _named(self, node: ast.expr, name: str) -> Value:
        if name in self._bound:
            return self._bound[name]
        found = self._names.value_of(name)
        return found if isinstance(found, str | list) else self._real(node, found)

    def _real(self, node: ast.expr, *given: Number) -> Number:
        """Return the value of an operation, or of a number, if it is a finite real number."""
        try:
            operation = BINARY[type(node.op)] if isinstance(node, ast.BinOp) else real
            found = real(operation(*given))
            self._charge(found)
            return found
        except ArithmeticError as problem:
            raise _refused(node, problem) from None

    def _charge(self, found: Value) -> None:
        """Large integers take more than one step."""
        if isinstance(found, int):
            self._steps.take(found.bit_length() // 64)

    def _holds(self, node: ast.expr) -> bool:
        """Return whether a condition holds."""
        self._steps.take(1)
        if isinstance(node, ast.BoolOp):
            among = all if isinstance(node.op, ast.And) else any
            return among(self._holds(each) for each in node.values)
        if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
            return not self._holds(node.operand)
        if not isinstance(node, ast.Compare):
            raise FastgcError(f"{syntax.part(node)} is no condition; compare it, like n > 2")
        left = self._number(node.left)
        for sign, right_node in zip(node.ops, node.comparators, strict=True):
            right = self._number(right_node)
            if not COMPARE[type(sign)](left, right):
                return False
            left = right
        return True

    def _called(self, node: ast.Call) -> Value:
        name = syntax.dotted(node.func) or ""
        given: list[Value] = []
        for each in node.args:
            listed = isinstance(each, ast.GeneratorExp)
            given.append(list(self._terms(each)) if listed else self.of(each))  # type: ignore[arg-type]
        named = {str(each.arg): self.of(each.value) for each in node.keywords}
        try:
            found = functions.call(name, given, named)
            self._charge(found)
            return found if isinstance(found, str | list) else real(found)
        except FastgcError:
            raise
        except (ArithmeticError, ValueError) as problem:
            raise _refused(node, problem) from None

    def _terms(self, node: ast.GeneratorExp) -> Iterator[Value]:
        """Yield the terms of a sum."""
        [over] = node.generators
        assert isinstance(over.target, ast.Name)
        name = over.target.id
        items = self._range(over.iter)
        before = self._bound
        for item in items:
            self._bound = {**before, name: item}
            yield self.of(node.elt)
        self._bound = before

    def _range(self, node: ast.expr) -> range | list[Value]:
        if isinstance(node, ast.Call) and syntax.dotted(node.func) == "range":
            limits = [self._number(each) for each in node.args]
            whole = [int(x) for x in limits if isinstance(x, int) or x.is_integer()]
            if node.keywords or not 1 <= len(limits) <= 3 or len(whole) < len(limits):
                raise FastgcError(f"{syntax.part(node)}: a range is of 1 to 3 whole numbers")
            if len(whole) == 3 and whole[2] == 0:
                raise FastgcError(f"{syntax.part(node)}: a range goes by steps other than 0")
            return range(*whole)
        found = self.of(node)
        if not isinstance(found, list):
            raise FastgcError(f"{syntax.part(node)}: a sum is over a range or a list")
        return found

    def _entry(self, node: ast.Subscript) -> Value:
        items, index = self.of(node.value), self.of(node.slice)
        if not isinstance(items, list) or isinstance(index, bool) or not isinstance(index, int):
            raise FastgcError(f"{syntax.part(node)}: only a list has entries, by whole numbers")
        if not -len(items) <= index < len(items):
            raise FastgcError(
                f"{syntax.part(node)}: there is no entry {index} of {len(items)}, counted from 0"
            )
        return items[index]


def _refused(node: ast.expr, problem: Exception) -> FastgcError:
    """Say which part of an expression has no value, and why."""
    said = syntax.part(node)
    if isinstance(problem, RefusedError):
        return FastgcError(f"{said} {problem}")
    if isinstance(problem, ZeroDivisionError):
        return FastgcError(f"{said} divides by 0")
    if isinstance(problem, OverflowError):
        return FastgcError(f"{said} is too large for a number")
    return FastgcError(f"{said} has no real value")
