"""An expression and its value at a point: what it may be made of, names, and the time it takes."""

import ast
import contextlib
import math
import operator
import signal
import threading
import time
import warnings
from collections.abc import Callable, Iterator, Mapping
from fractions import Fraction
from typing import Any

from fastgc.errors import FastgcError, StoppedError
from fastgc.registry.complaints import alternatives, nearest, show
from fastgc.study.expressions import functions
from fastgc.study.expressions.functions import Number, RefusedError, Value, real

LONGEST, DEEPEST = 4000, 200  # characters; levels: a sum of so many terms is so deep
_CONSTANTS: dict[str, Value] = {"pi": math.pi, "e": math.e}


class Names:
    """Values by their paths, like ``code.n``; ``n`` will do where no other path ends so.

    ``values``: ``pi`` and ``e`` are known beside them; ``against``: those of a second experiment,
    after ``against.``; ``sigma``: gives singular values of the experiment's encoding matrix.
    """

    def __init__(
        self,
        values: Mapping[str, Value],
        against: "Names | None" = None,
        sigma: Callable[..., Number] | None = None,
    ) -> None:
        self._values, self._against, self._sigma = dict(values), against, sigma
        self._paths: dict[str, list[str]] = {}
        for path in self._values:
            for end in _ends(path):
                self._paths.setdefault(end, []).append(path)

    def __contains__(self, name: str) -> bool:
        """Whether a name, or the end of one, is taken."""
        return name in self._paths or (name == "against" and self._against is not None)

    def lookup(self, name: str) -> Value:
        """Return a name's value.

        Raises FastgcError if there is none, saying which names there are; or if it ends more than
        one path.
        """
        table, _, rest = name.partition(".")
        paths = [name] if name in self._values else self._paths.get(name, [])
        if table == "against" and rest and self._against is not None and name not in self._values:
            return self._against.lookup(rest)
        if len(paths) == 1:
            return self._values[paths[0]]
        if paths:
            raise FastgcError(f"{name} stands in several tables; write {alternatives(paths)}")
        if name in _CONSTANTS:
            return _CONSTANTS[name]
        known = [self.short(path) for path, x in self._values.items() if not isinstance(x, str)]
        raise FastgcError(
            f"there is no {name[:60]} here{nearest(name, known) or ';'} "
            f"names: {', '.join(known) or 'none'}"
        )

    def function(self, name: str) -> Callable[..., Number] | None:
        """Return ``sigma`` or ``against.sigma``; None if it is neither."""
        if name == "against.sigma" and self._against is not None:
            return self._against.function("sigma")
        return self._sigma if name == "sigma" else None

    def short(self, path: str) -> str:
        """Return the shortest end of a path that no other path has, or the path."""
        ends = (end for end in reversed(_ends(path)[1:]) if end not in self._values)
        return next((end for end in ends if len(self._paths[end]) == 1), path)

    def adding(self, name: str, value: Value) -> "Names":
        """Return these names and one more."""
        return Names({**self._values, name: value}, self._against, self._sigma)


def _ends(path: str) -> list[str]:
    parts = path.split(".")
    return [".".join(parts[start:]) for start in range(len(parts))]


SECONDS = 20.0
_LOOK_SECONDS = 0.2  # of processor time between two looks at the clock


class _TimeUpError(BaseException):
    """The time is over, or a signal asks to stop: no handler of errors on the way may keep it."""


class TimeBudget:
    """Processor seconds that expressions share, those of the thread that evaluates them.

    ``interrupted``: asked while expressions are evaluated; a text it returns stops them.
    """

    def __init__(
        self, seconds: float = SECONDS, interrupted: Callable[[], str | None] = lambda: None
    ) -> None:
        self._seconds, self._interrupted, self._spent = seconds, interrupted, 0.0
        self._begun: float | None = None

    @property
    def is_over(self) -> bool:
        """Whether no time is left."""
        running = 0.0 if self._begun is None else time.thread_time() - self._begun
        return self._spent + running >= self._seconds

    def look(self) -> None:
        """Leave the evaluation if the time is over or a signal asks to stop."""
        if self._begun is not None and (self.is_over or self._interrupted() is not None):
            raise _TimeUpError

    @contextlib.contextmanager
    def running(self) -> Iterator[None]:
        """Evaluate within: a call that takes long is stopped too, in the main thread.

        Raises FastgcError if the time is over. Raises StoppedError if a signal asks to stop.
        """
        self._begun = time.thread_time()
        is_main = threading.current_thread() is threading.main_thread()
        hears = is_main and hasattr(signal, "setitimer")  # only a main thread hears clocks
        before = signal.getsignal(signal.SIGVTALRM) if hears else None
        try:
            try:
                if hears:
                    signal.signal(signal.SIGVTALRM, lambda number, frame: self.look())
                    signal.setitimer(signal.ITIMER_VIRTUAL, _LOOK_SECONDS, _LOOK_SECONDS)
                yield
                self.look()
            finally:
                if hears:
                    signal.setitimer(signal.ITIMER_VIRTUAL, 0)
                    signal.signal(signal.SIGVTALRM, before)
        except _TimeUpError:
            reason = self._interrupted()
            if reason is not None:
                raise StoppedError(f"stopped early by {reason}: nothing was measured yet") from None
            raise FastgcError(
                f"takes too long: all expressions of a file have {self._seconds:g} s of processor "
                "time; take fewer points or smaller numbers"
            ) from None
        finally:
            self._spent += time.thread_time() - self._begun
            self._begun = None


class Steps:
    """How much may be computed, by all expressions that share it, and until when.

    ``is_rational``: whether arithmetic takes floats for fractions, and rounds nothing.
    """

    def __init__(
        self, most: int = 300_000, deadline: TimeBudget | None = None, *, is_rational: bool = False
    ) -> None:
        self._most = self._left = most
        self.is_rational = is_rational
        self.deadline = deadline or TimeBudget()

    def take(self, count: int) -> None:
        """Count steps; raise FastgcError if there are no more."""
        self._left -= count
        if self._left % 16 < count:  # the clock is dearer than a step
            self.deadline.look()
        if self._left < 0:
            raise FastgcError(
                f"needs more than {self._most} steps of arithmetic; write it in closed form"
            )


class Expression:
    """A formula in the words of a study: ``n * q**d``.

    ``text``: numbers, names, ``+ - * / // % **``, parentheses, functions by name, sums like
    ``sum(p**i for i in range(n))`` and a choice, ``0 if s < d else p``.

    Raises FastgcError if it cannot be read, or is anything but arithmetic.
    """

    def __init__(self, text: str) -> None:
        if len(text) > LONGEST:
            raise FastgcError(
                f"is too long: {len(text)} characters, and at most {LONGEST} are read; name parts "
                "of it in where"
            )
        if not text.strip():
            raise FastgcError(f"is empty; {_WHAT}")
        deep = FastgcError(
            f"is nested too deeply: more than {DEEPEST} levels; name parts of it in where"
        )
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("error")  # what Python warns of, like 1if, is no formula
                self._tree = ast.parse(text.strip(), mode="eval").body
        except (RecursionError, MemoryError):
            raise deep from None
        except (SyntaxError, ValueError, SyntaxWarning, DeprecationWarning) as problem:
            if "nested" in str(problem):
                raise deep from None
            reason = ""
            if isinstance(problem, SyntaxError) and problem.offset is not None:
                reason = (
                    f" ({problem.msg.partition('(')[0].strip()}, at character {problem.offset})"
                )
            raise FastgcError(f"cannot be read as an expression{reason}; {_WHAT}") from None
        level: list[tuple[ast.AST, ast.AST | None]] = [(self._tree, None)]
        every = []
        for _ in range(DEEPEST + 1):
            every += level
            below = [(each, node) for node, _ in level for each in ast.iter_child_nodes(node)]
            level = [pair for pair in below if not isinstance(pair[0], _SIGNS)]
        if level:
            raise deep
        for node, above in every:
            if wrong := _wrong(node, above):
                raise FastgcError(wrong)

    def value(self, names: Names | None = None, steps: Steps | None = None) -> Number:
        """Return the value where names have these values.

        Raises FastgcError if a name or function is unknown, or the value is no finite real number,
        or would take too long; the sentence names the part of the expression. Raises StoppedError
        if a signal asks to stop.
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
    def __init__(self, names: Names, steps: Steps) -> None:
        self._names = names
        self._steps = steps
        self._bound: dict[str | None, Value] = {}  # by sums, the innermost last

    def of(self, node: ast.expr) -> Value:
        """Return the value of a node."""
        self._steps.take(1)
        name = dotted(node)
        if name in self._bound:
            return self._bound[name]
        if name is not None:
            found = self._names.lookup(name)
            return found if isinstance(found, str | list) else self._real(node, found)
        match node:
            case ast.Constant(value=str(text)):
                return text
            case ast.Constant(value=int() | float() as number):
                return self._real(node, number)
            case ast.BinOp(left=left, right=right):
                return self._real(node, self._number(left), self._number(right))
            case ast.UnaryOp(op=ast.UAdd(), operand=operand):
                return self._number(operand)
            case ast.UnaryOp(op=ast.USub(), operand=operand):
                return -self._number(operand)
            case ast.IfExp(test=test, body=body, orelse=other):
                return self.of(body if self._holds(test) else other)
            case ast.Call():
                return self._called(node)
            case ast.List(elts=items):
                return [self.of(item) for item in items]
            case ast.Subscript(value=value, slice=place):
                entries, index = self.of(value), self.of(place)
                said = part(node)
                if not isinstance(entries, list) or type(index) is not int:
                    raise FastgcError(f"{said}: only a list has entries, by whole numbers")
                if not -len(entries) <= index < len(entries):
                    there = f"there is no entry {index} of {len(entries)}, counted from 0"
                    raise FastgcError(f"{said}: {there}")
                return entries[index]
        raise FastgcError(f"{part(node)} is true or false; a number is needed")

    def _number(self, node: ast.expr) -> Number:
        return functions.number(self.of(node), "arithmetic")

    def _real(self, node: ast.expr, *given: Number) -> Number:
        """Return the value of an operation, or of a number, if it is a finite real number."""
        try:
            operation = BINARY[type(node.op)] if isinstance(node, ast.BinOp) else real
            if self._steps.is_rational and operation in (real, operator.truediv):
                # of an operation a float is what a function has rounded, and stays one
                rounded = () if operation is real else (float,)
                given = tuple(x if isinstance(x, rounded) else Fraction(x) for x in given)
            return self._charged(real(operation(*given)))
        except ArithmeticError as problem:
            raise _refused(node, problem) from None

    def _charged(self, found: Number) -> Number:  # large integers take more than one step
        if isinstance(found, Fraction) and found.denominator == 1:
            found = int(found)
        if isinstance(found, int):
            self._steps.take(found.bit_length() // 64)
        return found

    def _holds(self, node: ast.expr) -> bool:
        self._steps.take(1)
        match node:
            case ast.BoolOp(op=op, values=values):
                return (all if isinstance(op, ast.And) else any)(map(self._holds, values))
            case ast.UnaryOp(op=ast.Not(), operand=operand):
                return not self._holds(operand)
            case ast.Compare(left=first, ops=signs, comparators=others):
                left = self._number(first)
                for sign, other in zip(signs, others, strict=True):
                    right = self._number(other)
                    if not COMPARE[type(sign)](left, right):
                        return False
                    left = right
                return True
        raise FastgcError(f"{part(node)} is no condition; compare it, like n > 2")

    def _called(self, node: ast.Call) -> Value:
        name = dotted(node.func) or ""
        given: list[Value] = []
        for each in node.args:
            given.append(self._terms(each) if isinstance(each, ast.GeneratorExp) else self.of(each))
        named = {str(each.arg): self.of(each.value) for each in node.keywords}
        try:
            function = self._names.function(name)
            if function is not None and not named:
                return function(*given)
            if self._steps.is_rational and "." in name:
                raise FastgcError(f"{name} rounds within")
            found = functions.call(name, given, named)
            return found if isinstance(found, str | list) else self._charged(real(found))
        except (ArithmeticError, ValueError) as problem:
            if isinstance(problem, FastgcError):
                raise
            raise _refused(node, problem) from None

    def _terms(self, node: ast.GeneratorExp) -> list[Value]:
        [over] = node.generators
        assert isinstance(over.target, ast.Name)  # by the syntax
        said, limited = f"{part(over.iter)}: a", over.iter
        if isinstance(limited, ast.Call) and dotted(limited.func) == "range":
            limits = [self._number(each) for each in limited.args]
            whole = [int(x) for x in limits if x == int(x)]
            if limited.keywords or not 1 <= len(limits) <= 3 or len(whole) < len(limits):
                raise FastgcError(f"{said} range is of 1 to 3 whole numbers")
            if len(whole) == 3 and whole[2] == 0:
                raise FastgcError(f"{said} range goes by steps other than 0")
            items: Any = range(*whole)
        else:
            items = self.of(limited)
            if not isinstance(items, list):
                raise FastgcError(f"{said} sum is over a range or a list")
        before, found = self._bound, []
        for item in items:
            self._bound = {**before, over.target.id: item}
            found.append(self.of(node.elt))
        self._bound = before
        return found


def _refused(node: ast.expr, problem: Exception) -> FastgcError:
    said: dict[type[Exception], str] = {
        RefusedError: str(problem),
        ZeroDivisionError: "divides by 0",
        OverflowError: "is too large for a number",
    }
    return FastgcError(f"{part(node)} {said.get(type(problem), 'has no real value')}")


# ---- what it may be made of


BINARY: dict[type[ast.operator], Callable[[Number, Number], Number]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: functions.times,
    ast.Div: operator.truediv,
    ast.FloorDiv: operator.floordiv,
    ast.Mod: operator.mod,
    ast.Pow: functions.power,
}
COMPARE: dict[type[ast.cmpop], Callable[[Number, Number], bool]] = {
    ast.Lt: operator.lt,
    ast.LtE: operator.le,
    ast.Gt: operator.gt,
    ast.GtE: operator.ge,
    ast.Eq: operator.eq,
    ast.NotEq: operator.ne,
}
#: Other nodes that may stand anywhere; which constants, calls, sums and names may is said below.
_PLAIN = ast.Name | ast.BoolOp | ast.IfExp | ast.Subscript | ast.List | ast.comprehension
_SIGNS = (ast.operator, ast.unaryop, ast.boolop, ast.cmpop, ast.expr_context)
_OPERATORS = (*BINARY, ast.UAdd, ast.USub, ast.Not)
_WHAT = "write numbers, names, + - * / // % **, parentheses, and functions by name, like n * q**d"


def _wrong(node: ast.AST, above: ast.AST | None) -> str:
    """Return what is wrong with a node under another; nothing if it may stand there."""
    match node:
        case ast.BinOp(op=ast.BitXor()):
            return f"{part(node)}: ^ is no power; write **"
        case ast.BinOp(op=op) | ast.UnaryOp(op=op) if type(op) in _OPERATORS:
            return ""
        case ast.Compare(ops=ops) if all(type(op) in COMPARE for op in ops):
            return ""
        case ast.Compare():
            return f"{part(node)}: numbers are compared by < <= > >= == !="
        case ast.Constant(value=str(text)):
            is_argument = isinstance(above, ast.Call | ast.keyword)
            return "" if is_argument else f"the text {show(text)} is no number"
        case ast.Constant(value=value):
            is_real = isinstance(value, int | float) and not isinstance(value, bool)
            return "" if is_real else f"{part(node)} is no real number"
        case ast.Call() | ast.Attribute():
            name = dotted(node.func if isinstance(node, ast.Call) else node)
            if name is None:
                rule = "only functions and names are called by name, like agc.theorem1"
                return f"{part(node)}: {rule}"
            return f"{part(node)}: no name here has two underscores" if "__" in name else ""
        case ast.keyword(arg=name, value=value):
            return "" if name else f"{part(value)}: arguments must be named one by one, like n=8"
        case ast.GeneratorExp(generators=[ast.comprehension(target=ast.Name(), ifs=[])]) if (
            isinstance(above, ast.Call)
        ):
            return ""
        case ast.GeneratorExp():
            return f"{part(node)}: sums are written sum(p**i for i in range(n))"
    return "" if isinstance(node, _PLAIN) else f"{part(node)} is no arithmetic; {_WHAT}"


def dotted(node: ast.expr) -> str | None:
    """Return a name with dots, like ``code.n``; None if it is anything else."""
    parts = []
    while isinstance(node, ast.Attribute):
        parts.append(node.attr)
        node = node.value
    return ".".join([node.id, *reversed(parts)]) if isinstance(node, ast.Name) else None


def part(node: ast.AST) -> str:
    """Return a part of an expression as one writes it, for messages."""
    text = ast.unparse(node)
    return text if len(text) <= 60 else text[:57] + "…"
